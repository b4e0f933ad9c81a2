"""Renderbuffers. (OpenGL 4.6 core, 9.2.4)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.memory import Pointer, uints, write
from tgsi.opengl.objects.renderbuffer import Renderbuffer, sample_count
from tgsi.opengl.pixels.component_bits import bits_of
from tgsi.opengl.pixels.internal_formats import find_format, is_compressed
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

MAX_SIZE = 16384


def named(gl: Context, name: int) -> Renderbuffer:
    """The renderbuffer of a name."""
    renderbuffer = gl.share.renderbuffers.get(name)
    if renderbuffer is None:
        if name not in gl.share.renderbuffers.objects and (gl.is_core() or not name):
            raise bad_operation(f"renderbuffer: {name} is not a name that glGenRenderbuffers returned")
        renderbuffer = gl.share.renderbuffers.put(name, Renderbuffer(name))
    return renderbuffer


@command("glGenRenderbuffers")
def gen_renderbuffers(gl: Context, n: int, renderbuffers: Pointer) -> None:
    """Fresh names."""
    not_negative("n", n)
    write("I", renderbuffers, gl.share.renderbuffers.generate(n))


@command("glCreateRenderbuffers")
def create_renderbuffers(gl: Context, n: int, renderbuffers: Pointer) -> None:
    """Fresh names with their objects."""
    not_negative("n", n)
    write("I", renderbuffers, gl.share.renderbuffers.create(n, Renderbuffer))


@command("glIsRenderbuffer")
def is_renderbuffer(gl: Context, renderbuffer: int) -> int:
    """1 if the name has an object."""
    return int(gl.share.renderbuffers.get(renderbuffer) is not None)


@command("glDeleteRenderbuffers")
def delete_renderbuffers(gl: Context, n: int, renderbuffers: Pointer) -> None:
    """Delete renderbuffers, and detach them from the bound framebuffers."""
    not_negative("n", n)
    for name in uints(renderbuffers, n):
        item = gl.share.renderbuffers.drop(name)
        if item is None:
            continue
        item.is_deleted = True
        if gl.renderbuffer is item:
            gl.renderbuffer = None
        gl.detach(item)


@command("glBindRenderbuffer")
def bind_renderbuffer(gl: Context, target: int, renderbuffer: int) -> None:
    """Bind a renderbuffer, which is made at its first binding."""
    if target != GL.RENDERBUFFER:
        raise bad_enum("target", target)
    gl.renderbuffer = named(gl, renderbuffer) if renderbuffer else None


def _bound(gl: Context, target: int) -> Renderbuffer:
    if target != GL.RENDERBUFFER:
        raise bad_enum("target", target)
    if gl.renderbuffer is None:
        raise bad_operation("target: no renderbuffer is bound")
    return gl.renderbuffer


def _allocate(gl: Context, item: Renderbuffer, internal: int, size: tuple[int, int], samples: int) -> None:
    row = find_format(internal)
    if row is None or is_compressed(row.format) or row.base in (GL.ALPHA, GL.LUMINANCE, GL.LUMINANCE_ALPHA, GL.INTENSITY):
        raise bad_enum("internalformat", internal)
    not_negative("size", *size)
    if max(size) > MAX_SIZE:
        raise bad_value(f"size: {size[0]} x {size[1]} is beyond {MAX_SIZE}")
    item.allocate(gl, internal, row, size, sample_count(samples, "samples"))
    gl.dirty |= dirty.FRAMEBUFFER


@command("glRenderbufferStorage")
def renderbuffer_storage(gl: Context, target: int, internalformat: int, width: int, height: int) -> None:
    """Storage of one sample."""
    _allocate(gl, _bound(gl, target), internalformat, (width, height), 0)


@command("glRenderbufferStorageMultisample")
def renderbuffer_storage_multisample(gl: Context, target: int, samples: int, internalformat: int, width: int, height: int) -> None:
    """Storage of several samples."""
    _allocate(gl, _bound(gl, target), internalformat, (width, height), samples)


@command("glNamedRenderbufferStorage")
def named_renderbuffer_storage(gl: Context, renderbuffer: int, internalformat: int, width: int, height: int) -> None:
    """Storage of one sample."""
    _allocate(gl, named(gl, renderbuffer), internalformat, (width, height), 0)


@command("glNamedRenderbufferStorageMultisample")
def named_renderbuffer_storage_multisample(
    gl: Context, renderbuffer: int, samples: int, internalformat: int, width: int, height: int
) -> None:
    """Storage of several samples."""
    _allocate(gl, named(gl, renderbuffer), internalformat, (width, height), samples)


def _parameter(item: Renderbuffer, name: int) -> int:
    sizes: tuple[int, ...] = (GL.RENDERBUFFER_RED_SIZE, GL.RENDERBUFFER_GREEN_SIZE, GL.RENDERBUFFER_BLUE_SIZE)
    sizes += (GL.RENDERBUFFER_ALPHA_SIZE, GL.RENDERBUFFER_DEPTH_SIZE, GL.RENDERBUFFER_STENCIL_SIZE)
    values = dict(zip(sizes, bits_of(item.row), strict=True))
    values |= {GL.RENDERBUFFER_WIDTH: item.width, GL.RENDERBUFFER_HEIGHT: item.height, GL.RENDERBUFFER_SAMPLES: item.samples}
    values[GL.RENDERBUFFER_INTERNAL_FORMAT] = item.internal or GL.RGBA
    if name not in values:
        raise bad_enum("pname", name)
    return values[name]


@command("glGetRenderbufferParameteriv")
def get_renderbuffer_parameter(gl: Context, target: int, pname: int, params: Pointer) -> None:
    """A parameter of a renderbuffer."""
    write("i", params, [_parameter(_bound(gl, target), pname)])


@command("glGetNamedRenderbufferParameteriv")
def get_named_renderbuffer_parameter(gl: Context, renderbuffer: int, pname: int, params: Pointer) -> None:
    """A parameter of a renderbuffer."""
    write("i", params, [_parameter(named(gl, renderbuffer), pname)])
