"""Texture environments and generated coordinates. (OpenGL 2.1, 2.11.4 and 3.8.13)"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tgsi.opengl.calls import command, lists_itself
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value
from tgsi.opengl.lists import listed
from tgsi.opengl.memory import Pointer, floats, ints, numbers, write
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty
from tgsi.opengl.state.fixed import MAX_UNITS, Environment, inverse, product

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

MODES = {GL.MODULATE, GL.REPLACE, GL.DECAL, GL.BLEND, GL.ADD, GL.COMBINE}
FUNCTIONS = {GL.REPLACE, GL.MODULATE, GL.ADD, GL.ADD_SIGNED, GL.INTERPOLATE, GL.SUBTRACT, GL.DOT3_RGB, GL.DOT3_RGBA}
SOURCES = {GL.TEXTURE, GL.CONSTANT, GL.PRIMARY_COLOR, GL.PREVIOUS} | {GL.TEXTURE0 + k for k in range(8)}
OPERANDS = {GL.SRC_COLOR, GL.ONE_MINUS_SRC_COLOR, GL.SRC_ALPHA, GL.ONE_MINUS_SRC_ALPHA}
COORDINATES = {GL.S: 0, GL.T: 1, GL.R: 2, GL.Q: 3}
GENERATED = {GL.OBJECT_LINEAR, GL.EYE_LINEAR, GL.SPHERE_MAP, GL.REFLECTION_MAP, GL.NORMAL_MAP}


def unit(gl: Context) -> Environment:
    """The environment of the active unit; GL_INVALID_OPERATION for units without one."""
    if gl.active_unit >= MAX_UNITS:
        raise bad_operation(f"unit {gl.active_unit} has no texture environment; there are {MAX_UNITS}")
    return gl.fixed.units[gl.active_unit]


@listed
def put_environment(gl: Context, target: int, name: int, values: tuple[Any, ...]) -> None:
    """Set a parameter of a texture environment."""
    item = unit(gl)
    value = int(values[0]) if math.isfinite(values[0]) else -1
    if target == GL.POINT_SPRITE and name == GL.COORD_REPLACE:
        item.replaces_coordinates = bool(value)
        gl.dirty |= dirty.RASTERIZER
    elif target == GL.TEXTURE_FILTER_CONTROL and name == GL.TEXTURE_LOD_BIAS:
        item.lod_bias = float(values[0])
    elif target != GL.TEXTURE_ENV:
        raise bad_enum("target", target)
    elif name == GL.TEXTURE_ENV_COLOR:
        item.color = tuple(min(1.0, max(0.0, float(v))) for v in values)  # type: ignore[assignment]
    else:
        _put(item, name, value, float(values[0]))
    gl.dirty |= dirty.FIXED


def _put(item: Environment, name: int, value: int, number: float) -> None:
    if name == GL.TEXTURE_ENV_MODE:
        _check(value, MODES)
        item.mode = value
    elif name in (GL.COMBINE_RGB, GL.COMBINE_ALPHA):
        _check(value, FUNCTIONS)
        setattr(item, "combine_rgb" if name == GL.COMBINE_RGB else "combine_alpha", value)
    elif GL.SRC0_RGB <= name <= GL.SRC0_RGB + 2:
        _check(value, SOURCES)
        item.sources_rgb[name - GL.SRC0_RGB] = value
    elif GL.SRC0_ALPHA <= name <= GL.SRC0_ALPHA + 2:
        _check(value, SOURCES)
        item.sources_alpha[name - GL.SRC0_ALPHA] = value
    elif GL.OPERAND0_RGB <= name <= GL.OPERAND0_RGB + 2:
        _check(value, OPERANDS)
        item.operands_rgb[name - GL.OPERAND0_RGB] = value
    elif GL.OPERAND0_ALPHA <= name <= GL.OPERAND0_ALPHA + 2:
        _check(value, OPERANDS)
        item.operands_alpha[name - GL.OPERAND0_ALPHA] = value
    elif name in (GL.RGB_SCALE, GL.ALPHA_SCALE):
        if number not in (1.0, 2.0, 4.0):
            raise bad_value(f"param: {number} is not 1, 2 or 4")
        setattr(item, "scale_rgb" if name == GL.RGB_SCALE else "scale_alpha", number)
    else:
        raise bad_enum("pname", name)


def _check(value: int, allowed: set[int]) -> None:
    if value not in allowed:
        raise bad_enum("param", value)


@command("glTexEnvf", "glTexEnvi")
@lists_itself
def tex_env(gl: Context, target: int, pname: int, param: float) -> None:
    """A parameter that is one number."""
    put_environment(gl, target, pname, (param,))


@command("glTexEnvfv")
def tex_env_floats(gl: Context, target: int, pname: int, params: Pointer) -> None:
    """A parameter, also a color."""
    put_environment(gl, target, pname, floats(params, 4 if pname == GL.TEXTURE_ENV_COLOR else 1))


@command("glTexEnviv")
def tex_env_integers(gl: Context, target: int, pname: int, params: Pointer) -> None:
    """A parameter, also a color, whose integers go from -1 to 1."""
    is_color = pname == GL.TEXTURE_ENV_COLOR
    values = ints(params, 4 if is_color else 1)
    put_environment(gl, target, pname, tuple((2 * v + 1) / 4294967295 for v in values) if is_color else values)


@listed
def put_generation(gl: Context, coordinate: int, name: int, values: tuple[Any, ...]) -> None:
    """Set the generation of a coordinate; eye planes are transformed to eye coordinates."""
    if coordinate not in COORDINATES:
        raise bad_enum("coord", coordinate)
    item = unit(gl).coordinates[COORDINATES[coordinate]]
    if (name == GL.TEXTURE_GEN_MODE and item.mode == values[0]) or (name == GL.OBJECT_PLANE and item.object_plane == values):
        return  # clients often set the same value again for each object
    if name == GL.TEXTURE_GEN_MODE:
        _check(int(values[0]), GENERATED)
        item.mode = int(values[0])
    elif name == GL.OBJECT_PLANE:
        item.object_plane = tuple(float(v) for v in values)  # type: ignore[assignment]
    elif name == GL.EYE_PLANE:
        item.eye_plane = tuple(float(v) for v in product(np.array(values, np.float32), inverse(gl.fixed.model_view)))  # type: ignore[assignment]
    else:
        raise bad_enum("pname", name)
    gl.dirty |= dirty.FIXED


def _count(name: int) -> int:
    return 1 if name == GL.TEXTURE_GEN_MODE else 4


@command("glTexGeni", "glTexGenf", "glTexGend")
@lists_itself
def tex_gen(gl: Context, coord: int, pname: int, param: float) -> None:
    """The mode of a coordinate."""
    if pname != GL.TEXTURE_GEN_MODE:
        raise bad_enum("pname", pname)
    put_generation(gl, coord, pname, (param,))


@command("glTexGenfv")
def tex_gen_floats(gl: Context, coord: int, pname: int, params: Pointer) -> None:
    """The mode or a plane of a coordinate."""
    put_generation(gl, coord, pname, floats(params, _count(pname)))


@command("glTexGendv")
def tex_gen_doubles(gl: Context, coord: int, pname: int, params: Pointer) -> None:
    """The mode or a plane of a coordinate."""
    put_generation(gl, coord, pname, numbers("d", params, _count(pname)))


@command("glTexGeniv")
def tex_gen_integers(gl: Context, coord: int, pname: int, params: Pointer) -> None:
    """The mode or a plane of a coordinate."""
    put_generation(gl, coord, pname, ints(params, _count(pname)))


def parameter(item: Environment, target: int, name: int) -> tuple[Any, ...]:
    """A parameter of a texture environment."""
    if target == GL.POINT_SPRITE:
        return (int(item.replaces_coordinates),)
    if target == GL.TEXTURE_FILTER_CONTROL:
        return (item.lod_bias,)
    single = {
        GL.TEXTURE_ENV_MODE: item.mode, GL.COMBINE_RGB: item.combine_rgb, GL.COMBINE_ALPHA: item.combine_alpha,
        GL.RGB_SCALE: item.scale_rgb, GL.ALPHA_SCALE: item.scale_alpha,
    }  # fmt: skip
    if name == GL.TEXTURE_ENV_COLOR:
        return item.color
    if name in single:
        return (single[name],)
    lists = ((GL.SRC0_RGB, item.sources_rgb), (GL.SRC0_ALPHA, item.sources_alpha), (GL.OPERAND0_RGB, item.operands_rgb))
    for first, values in (*lists, (GL.OPERAND0_ALPHA, item.operands_alpha)):
        if first <= name <= first + 2:
            return (values[name - first],)
    raise bad_enum("pname", name)


@command("glGetTexEnvfv")
def get_tex_env_floats(gl: Context, target: int, pname: int, params: Pointer) -> None:
    """A parameter as floats."""
    write("f", params, [float(value) for value in parameter(unit(gl), target, pname)])


@command("glGetTexEnviv")
def get_tex_env_integers(gl: Context, target: int, pname: int, params: Pointer) -> None:
    """A parameter as integers."""
    write("i", params, [round(value) for value in parameter(unit(gl), target, pname)])
