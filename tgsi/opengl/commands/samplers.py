"""Sampler objects. (OpenGL 4.6 core, 8.2)"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.errors import bad_operation, bad_value, not_negative
from tgsi.opengl.memory import Pointer, floats, ints, over_range, uints, write
from tgsi.opengl.objects.sampler import Sampler
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


def named(gl: Context, name: int) -> Sampler:
    """The sampler of a name."""
    sampler = gl.share.samplers.get(name)
    if sampler is None:
        if name not in gl.share.samplers.objects:
            raise bad_operation(f"sampler: {name} is not the name of a sampler")
        sampler = gl.share.samplers.put(name, Sampler(name))
    return sampler


@command("glGenSamplers", "glCreateSamplers")
def gen_samplers(gl: Context, count: int, samplers: Pointer) -> None:
    """Fresh names with their objects."""
    not_negative("count", count)
    write("I", samplers, gl.share.samplers.create(count, Sampler))


@command("glDeleteSamplers")
def delete_samplers(gl: Context, count: int, samplers: Pointer) -> None:
    """Free names; units of this context use their textures' parameters again."""
    not_negative("count", count)
    for name in uints(samplers, count):
        item = gl.share.samplers.drop(name)
        for unit in gl.units:
            if item is not None and unit.sampler is item:
                unit.sampler = None
    gl.dirty |= dirty.TEXTURES


@command("glIsSampler")
def is_sampler(gl: Context, sampler: int) -> int:
    """1 if the name has an object."""
    return int(gl.share.samplers.get(sampler) is not None)


@command("glBindSampler")
def bind_sampler(gl: Context, unit: int, sampler: int) -> None:
    """Bind a sampler to a texture unit."""
    if unit >= len(gl.units):
        raise bad_value(f"unit: {unit} is not below {len(gl.units)}")
    gl.units[unit].sampler = named(gl, sampler) if sampler else None
    gl.dirty |= dirty.TEXTURES


@command("glBindSamplers")
def bind_samplers(gl: Context, first: int, count: int, samplers: Pointer) -> None:
    """Bind samplers to several units; null unbinds."""
    not_negative("count", count)
    if first + count > len(gl.units):
        raise bad_operation(f"first: {first} + {count} is above {len(gl.units)}")
    for k, name in enumerate(uints(samplers, count)):
        bind_sampler(gl, first + k, name)


def _put(gl: Context, sampler: int, name: int, values: tuple[float, ...]) -> None:
    named(gl, sampler).set(name, values, "pname")
    gl.dirty |= dirty.TEXTURES


@command("glSamplerParameteri")
def sampler_parameter(gl: Context, sampler: int, pname: int, param: int) -> None:
    """A parameter that is one number."""
    _put(gl, sampler, pname, (param,))


@command("glSamplerParameterf")
def sampler_parameter_float(gl: Context, sampler: int, pname: int, param: float) -> None:
    """A parameter that is one number."""
    _put(gl, sampler, pname, (param,))


def count_of(name: int) -> int:
    """The numbers of a parameter."""
    return 4 if name in (GL.TEXTURE_BORDER_COLOR, GL.TEXTURE_SWIZZLE_RGBA) else 1


@command("glSamplerParameterfv")
def sampler_parameter_floats(gl: Context, sampler: int, pname: int, param: Pointer) -> None:
    """A parameter, also a border color."""
    _put(gl, sampler, pname, floats(param, count_of(pname)))


@command("glSamplerParameteriv")
def sampler_parameter_integers(gl: Context, sampler: int, pname: int, param: Pointer) -> None:
    """A parameter, also a border color, whose integers go from -1 to 1."""
    values: tuple[float, ...] = ints(param, count_of(pname))
    if pname == GL.TEXTURE_BORDER_COLOR:
        values = tuple((2 * value + 1) / 4294967295 for value in values)
    _put(gl, sampler, pname, values)


@command("glSamplerParameterIiv")
def sampler_parameter_plain_integers(gl: Context, sampler: int, pname: int, param: Pointer) -> None:
    """A parameter, also a border color of integers."""
    _put(gl, sampler, pname, ints(param, count_of(pname)))


@command("glSamplerParameterIuiv")
def sampler_parameter_unsigned(gl: Context, sampler: int, pname: int, param: Pointer) -> None:
    """A parameter, also a border color of unsigned integers."""
    _put(gl, sampler, pname, uints(param, count_of(pname)))


@command("glGetSamplerParameterfv")
def get_sampler_parameter_floats(gl: Context, sampler: int, pname: int, params: Pointer) -> None:
    """A parameter as floats."""
    write("f", params, named(gl, sampler).get(pname, "pname"))


def integers(name: int, values: Iterable[float]) -> list[int]:
    """The values of a parameter as integers; those of a border color go over their whole range."""
    return over_range(values) if name == GL.TEXTURE_BORDER_COLOR else [round(value) for value in values]


@command("glGetSamplerParameteriv")
def get_sampler_parameter_integers(gl: Context, sampler: int, pname: int, params: Pointer) -> None:
    """A parameter as integers; a border color goes over their whole range."""
    write("i", params, integers(pname, named(gl, sampler).get(pname, "pname")))


@command("glGetSamplerParameterIiv", "glGetSamplerParameterIuiv")
def get_sampler_parameter_plain(gl: Context, sampler: int, pname: int, params: Pointer) -> None:
    """A parameter as integers."""
    write("i", params, [round(value) for value in named(gl, sampler).get(pname, "pname")])
