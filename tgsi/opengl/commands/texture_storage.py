"""Storage of textures: immutable, of several samples, in buffers. (OpenGL 4.6 core, 8.8, 8.9 and 8.19)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.commands.buffers import named as buffer_named
from tgsi.opengl.commands.textures import bound, named
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.objects.renderbuffer import sample_count
from tgsi.opengl.objects.texture import Texture, extent
from tgsi.opengl.pixels.internal_formats import InternalFormat, find_format, is_compressed
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

MAX_SIZE, MAX_3D, MAX_LAYERS = 16384, 2048, 2048


def check_size(target: int, size: tuple[int, int, int]) -> None:
    """Raise GL_INVALID_VALUE for sizes beyond the target's limits."""
    not_negative("size", *size)
    (width, height, depth), layers = extent(target, size)
    top = MAX_3D if target == GL.TEXTURE_3D else MAX_SIZE
    if max(width, height, depth) > top or layers > MAX_LAYERS * 6:
        raise bad_value(f"size: {size} is beyond {top} texels or {MAX_LAYERS} layers")
    if target in (GL.TEXTURE_CUBE_MAP, GL.TEXTURE_CUBE_MAP_ARRAY) and width != height:
        raise bad_value(f"size: faces of cubes are squares, not {width} x {height}")


def put_storage(gl: Context, item: Texture, levels: int, internal: int, size: tuple[int, int, int], samples: int = 0) -> None:
    """Immutable storage."""
    row = sized(internal)
    check_size(item.target, size)
    if levels < 1 or min(size) < 1:
        raise bad_value(f"levels: {levels} of size {size}")
    if item.is_immutable:
        raise bad_operation("texture: its storage is immutable")
    (width, height, depth), _ = extent(item.target, size)
    if levels > max(width, height, depth).bit_length():
        raise bad_operation(f"levels: {levels} are more than a texture of size {size} has")
    item.allocate(gl, internal, row, size, levels, samples)
    item.is_immutable = True
    gl.dirty |= dirty.TEXTURES


def sized(internal: int) -> InternalFormat:
    """The row of an internal format; GL_INVALID_ENUM if there is none."""
    row = find_format(internal)
    if row is None or internal < 5:
        raise bad_enum("internalformat", internal)
    return row


@command("glTexStorage1D")
def tex_storage_1d(gl: Context, target: int, levels: int, internalformat: int, width: int) -> None:
    """Immutable storage."""
    put_storage(gl, bound(gl, target), levels, internalformat, (width, 1, 1))


@command("glTexStorage2D")
def tex_storage_2d(gl: Context, target: int, levels: int, internalformat: int, width: int, height: int) -> None:
    """Immutable storage."""
    put_storage(gl, bound(gl, target), levels, internalformat, (width, height, 1))


@command("glTexStorage3D")
def tex_storage_3d(gl: Context, target: int, levels: int, internalformat: int, width: int, height: int, depth: int) -> None:
    """Immutable storage."""
    put_storage(gl, bound(gl, target), levels, internalformat, (width, height, depth))


@command("glTextureStorage1D")
def texture_storage_1d(gl: Context, texture: int, levels: int, internalformat: int, width: int) -> None:
    """Immutable storage."""
    put_storage(gl, named(gl, texture), levels, internalformat, (width, 1, 1))


@command("glTextureStorage2D")
def texture_storage_2d(gl: Context, texture: int, levels: int, internalformat: int, width: int, height: int) -> None:
    """Immutable storage."""
    put_storage(gl, named(gl, texture), levels, internalformat, (width, height, 1))


@command("glTextureStorage3D")
def texture_storage_3d(gl: Context, texture: int, levels: int, internalformat: int, width: int, height: int, depth: int) -> None:
    """Immutable storage."""
    put_storage(gl, named(gl, texture), levels, internalformat, (width, height, depth))


def put_samples(gl: Context, item: Texture, samples: int, internal: int, size: tuple[int, int, int], *, immutable: bool) -> None:
    """Storage of several samples."""
    row = sized(internal)
    check_size(item.target, size)
    if item.is_immutable:
        raise bad_operation("texture: its storage is immutable")
    if is_compressed(row.format) or not samples:
        raise bad_value("samples: at least one, of a format that is drawn to")
    item.allocate(gl, internal, row, size, 1, sample_count(samples, "glTexImage2DMultisample"))
    item.is_immutable = immutable
    gl.dirty |= dirty.TEXTURES


@command("glTexImage2DMultisample")
def tex_image_2d_multisample(
    gl: Context, target: int, samples: int, internalformat: int, width: int, height: int, fixedsamplelocations: int
) -> None:
    """Storage of several samples."""
    put_samples(gl, bound(gl, target), samples, internalformat, (width, height, 1), immutable=False)


@command("glTexImage3DMultisample")
def tex_image_3d_multisample(
    gl: Context, target: int, samples: int, internalformat: int, width: int, height: int, depth: int, fixedsamplelocations: int
) -> None:
    """Storage of several samples and layers."""
    put_samples(gl, bound(gl, target), samples, internalformat, (width, height, depth), immutable=False)


@command("glTexStorage2DMultisample")
def tex_storage_2d_multisample(
    gl: Context, target: int, samples: int, internalformat: int, width: int, height: int, fixedsamplelocations: int
) -> None:
    """Immutable storage of several samples."""
    put_samples(gl, bound(gl, target), samples, internalformat, (width, height, 1), immutable=True)


@command("glTextureStorage2DMultisample")
def texture_storage_2d_multisample(
    gl: Context, texture: int, samples: int, internalformat: int, width: int, height: int, fixedsamplelocations: int
) -> None:
    """Immutable storage of several samples."""
    put_samples(gl, named(gl, texture), samples, internalformat, (width, height, 1), immutable=True)


def _put_buffer(gl: Context, item: Texture, internal: int, buffer: int, place: tuple[int, int | None]) -> None:
    row = find_format(internal)
    if row is None or is_compressed(row.format):
        raise bad_enum("internalformat", internal)
    format = row.format.replace("X32", "").replace("X16", "").replace("X8", "")
    item.buffer_format, item.buffer_internal = InternalFormat(format, row.base), internal
    item.buffer, item.buffer_range = (buffer_named(gl, buffer) if buffer else None), place
    item.views.clear()
    gl.dirty |= dirty.TEXTURES


@command("glTexBuffer")
def tex_buffer(gl: Context, target: int, internalformat: int, buffer: int) -> None:
    """Texels of a buffer."""
    if target != GL.TEXTURE_BUFFER:
        raise bad_enum("target", target)
    _put_buffer(gl, bound(gl, target), internalformat, buffer, (0, None))


@command("glTexBufferRange")
def tex_buffer_range(gl: Context, target: int, internalformat: int, buffer: int, offset: int, size: int) -> None:
    """Texels of a range of a buffer."""
    _put_buffer(gl, bound(gl, target), internalformat, buffer, (offset, size))


@command("glTextureBuffer")
def texture_buffer(gl: Context, texture: int, internalformat: int, buffer: int) -> None:
    """Texels of a buffer."""
    _put_buffer(gl, named(gl, texture), internalformat, buffer, (0, None))


@command("glTextureBufferRange")
def texture_buffer_range(gl: Context, texture: int, internalformat: int, buffer: int, offset: int, size: int) -> None:
    """Texels of a range of a buffer."""
    _put_buffer(gl, named(gl, texture), internalformat, buffer, (offset, size))
