"""Buffer objects: names, bindings, storage, mappings. (OpenGL 4.6 core, chapter 6)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.context import Range
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.memory import Pointer, numbers, read, uints, view, write, write_bytes
from tgsi.opengl.objects.buffer import Buffer
from tgsi.opengl.pixels.client_formats import client_format
from tgsi.opengl.pixels.internal_formats import find_format
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

TARGETS = {
    GL.ARRAY_BUFFER: "ARRAY_BUFFER",
    GL.ATOMIC_COUNTER_BUFFER: "ATOMIC_COUNTER_BUFFER",
    GL.COPY_READ_BUFFER: "COPY_READ_BUFFER",
    GL.COPY_WRITE_BUFFER: "COPY_WRITE_BUFFER",
    GL.DISPATCH_INDIRECT_BUFFER: "DISPATCH_INDIRECT_BUFFER",
    GL.DRAW_INDIRECT_BUFFER: "DRAW_INDIRECT_BUFFER",
    GL.PARAMETER_BUFFER: "PARAMETER_BUFFER",
    GL.PIXEL_PACK_BUFFER: "PIXEL_PACK_BUFFER",
    GL.PIXEL_UNPACK_BUFFER: "PIXEL_UNPACK_BUFFER",
    GL.QUERY_BUFFER: "QUERY_BUFFER",
    GL.SHADER_STORAGE_BUFFER: "SHADER_STORAGE_BUFFER",
    GL.TEXTURE_BUFFER: "TEXTURE_BUFFER",
    GL.TRANSFORM_FEEDBACK_BUFFER: "TRANSFORM_FEEDBACK_BUFFER",
    GL.UNIFORM_BUFFER: "UNIFORM_BUFFER",
}
"""Targets with a binding in the context; the index buffer belongs to the vertex array."""

USAGES = {
    GL.STREAM_DRAW, GL.STREAM_READ, GL.STREAM_COPY, GL.STATIC_DRAW, GL.STATIC_READ, GL.STATIC_COPY, GL.DYNAMIC_DRAW, GL.DYNAMIC_READ,
    GL.DYNAMIC_COPY,
}  # fmt: skip


def bound(gl: Context, target: int) -> Buffer:
    """The buffer that is bound to a target; GL_INVALID_OPERATION if there is none."""
    if target == GL.ELEMENT_ARRAY_BUFFER:
        buffer = gl.vertex_array.index
    elif target in TARGETS:
        buffer = gl.buffers.get(TARGETS[target])
    else:
        raise bad_enum("target", target)
    if buffer is None:
        raise bad_operation("target: no buffer is bound to it")
    return buffer


def named(gl: Context, name: int, *, makes: bool = True) -> Buffer:
    """The buffer of a name, created at first use."""
    buffer = gl.share.buffers.get(name)
    if buffer is None:
        if name == 0 or (name not in gl.share.buffers.objects and (gl.is_core() or not makes)):
            raise bad_operation(f"buffer: {name} is not the name of a buffer")
        buffer = gl.share.buffers.put(name, Buffer(name))
    return buffer


@command("glGenBuffers")
def gen_buffers(gl: Context, n: int, buffers: Pointer) -> None:
    """Fresh names."""
    not_negative("n", n)
    write("I", buffers, gl.share.buffers.generate(n))


@command("glCreateBuffers")
def create_buffers(gl: Context, n: int, buffers: Pointer) -> None:
    """Fresh names with their objects."""
    not_negative("n", n)
    write("I", buffers, gl.share.buffers.create(n, Buffer))


@command("glIsBuffer")
def is_buffer(gl: Context, buffer: int) -> int:
    """1 if the name has an object."""
    return int(gl.share.buffers.get(buffer) is not None)


@command("glDeleteBuffers")
def delete_buffers(gl: Context, n: int, buffers: Pointer) -> None:
    """Free names, and unbind the buffers from this context."""
    not_negative("n", n)
    for name in uints(buffers, n):
        item = gl.share.buffers.drop(name)
        if item is None:
            continue
        item.unmap()
        item.is_deleted = True
        for target, other in gl.buffers.items():
            if other is item:
                gl.buffers[target] = None
        for ranges in (gl.uniform_buffers, gl.storage_buffers, gl.atomic_buffers):
            for index, place in enumerate(ranges):
                if place.buffer is item:
                    ranges[index] = Range()
        if gl.vertex_array.index is item:
            gl.vertex_array.index = None
        for binding in gl.vertex_array.bindings:
            if binding.buffer is item:
                binding.buffer = None
        gl.dirty |= dirty.VERTICES | dirty.UNIFORM_BUFFERS | dirty.STORAGE


@command("glBindBuffer")
def bind_buffer(gl: Context, target: int, buffer: int) -> None:
    """Bind a buffer, which is created at its first binding."""
    if target != GL.ELEMENT_ARRAY_BUFFER and target not in TARGETS:
        raise bad_enum("target", target)
    item = named(gl, buffer) if buffer else None
    if target == GL.ELEMENT_ARRAY_BUFFER:
        gl.vertex_array.index = item
    else:
        gl.buffers[TARGETS[target]] = item


def _places(gl: Context, target: int) -> tuple[list[Range], int, str, int]:
    """Indexed binding points of a target, the group of state, the general binding, and the alignment of offsets."""
    if target == GL.UNIFORM_BUFFER:
        return gl.uniform_buffers, dirty.UNIFORM_BUFFERS, "UNIFORM_BUFFER", 4
    if target == GL.SHADER_STORAGE_BUFFER:
        return gl.storage_buffers, dirty.STORAGE, "SHADER_STORAGE_BUFFER", 4
    if target == GL.ATOMIC_COUNTER_BUFFER:
        return gl.atomic_buffers, dirty.STORAGE, "ATOMIC_COUNTER_BUFFER", 4
    raise bad_enum("target", target)


def put_range(gl: Context, target: int, index: int, item: Buffer | None, place: tuple[int, int | None], *, general: bool = True) -> None:
    """Bind a range of a buffer to an indexed binding point."""
    offset, size = place
    if target == GL.TRANSFORM_FEEDBACK_BUFFER:
        if gl.capture.is_active:
            raise bad_operation("target: transform feedback is active")
        if index >= 4:
            raise bad_value(f"index: {index} is not below 4")
        if offset % 4 or (size is not None and size % 4):
            raise bad_value("offset: a multiple of 4 is wanted")
        gl.capture.buffers[index] = item, offset, size
        gl.buffers["TRANSFORM_FEEDBACK_BUFFER"] = item
        return
    ranges, group, name, alignment = _places(gl, target)
    if index >= len(ranges):
        raise bad_value(f"index: {index} is not below {len(ranges)}")
    if offset % alignment:
        raise bad_value(f"offset: {offset} is not a multiple of {alignment}")
    ranges[index] = Range(item, offset, size)
    if general:
        gl.buffers[name] = item
    gl.dirty |= group


@command("glBindBufferBase")
def bind_buffer_base(gl: Context, target: int, index: int, buffer: int) -> None:
    """Bind all of a buffer to an indexed binding point."""
    put_range(gl, target, index, named(gl, buffer) if buffer else None, (0, None))


@command("glBindBufferRange")
def bind_buffer_range(gl: Context, target: int, index: int, buffer: int, offset: int, size: int) -> None:
    """Bind a range of a buffer to an indexed binding point."""
    if buffer and (offset < 0 or size <= 0):
        raise bad_value(f"size: {size} bytes from {offset} on")
    put_range(gl, target, index, named(gl, buffer) if buffer else None, (offset, size) if buffer else (0, None))


@command("glBindBuffersBase")
def bind_buffers_base(gl: Context, target: int, first: int, count: int, buffers: Pointer) -> None:
    """Bind buffers to several binding points; null unbinds."""
    not_negative("count", count)
    for k, name in enumerate(uints(buffers, count)):
        put_range(gl, target, first + k, named(gl, name) if name else None, (0, None), general=False)


@command("glBindBuffersRange")
def bind_buffers_range(gl: Context, target: int, first: int, count: int, buffers: Pointer, offsets: Pointer, sizes: Pointer) -> None:
    """Bind ranges of buffers to several binding points; null unbinds."""
    not_negative("count", count)
    starts, lengths = numbers("q", offsets, count), numbers("q", sizes, count)
    for k, name in enumerate(uints(buffers, count)):
        item = named(gl, name) if name else None
        put_range(gl, target, first + k, item, (starts[k], lengths[k]) if item else (0, None), general=False)


def _fill(gl: Context, item: Buffer, size: int, data: Pointer) -> None:
    if data:
        item.write(gl, 0, view(data, size) if size else b"")


def _put_data(gl: Context, item: Buffer, size: int, data: Pointer, usage: int) -> None:
    not_negative("size", size)
    if usage not in USAGES:
        raise bad_enum("usage", usage)
    if item.is_immutable:
        raise bad_operation("buffer: its storage is immutable")
    item.resize(gl, size)
    item.usage = usage
    _fill(gl, item, size, data)


@command("glBufferData")
def buffer_data(gl: Context, target: int, size: int, data: Pointer, usage: int) -> None:
    """New storage with these bytes."""
    _put_data(gl, bound(gl, target), size, data, usage)


@command("glNamedBufferData")
def named_buffer_data(gl: Context, buffer: int, size: int, data: Pointer, usage: int) -> None:
    """New storage with these bytes."""
    _put_data(gl, named(gl, buffer), size, data, usage)


STORAGE_BITS = (
    GL.DYNAMIC_STORAGE_BIT | GL.MAP_READ_BIT | GL.MAP_WRITE_BIT | GL.MAP_PERSISTENT_BIT | GL.MAP_COHERENT_BIT | GL.CLIENT_STORAGE_BIT
)


def _put_storage(gl: Context, item: Buffer, size: int, data: Pointer, flags: int) -> None:
    if size <= 0:
        raise bad_value(f"size: {size} is not above 0")
    if flags & ~STORAGE_BITS:
        raise bad_value(f"flags: {flags:#x} has unknown bits")
    if flags & GL.MAP_PERSISTENT_BIT and not flags & (GL.MAP_READ_BIT | GL.MAP_WRITE_BIT):
        raise bad_value("flags: persistent mappings read or write")
    if item.is_immutable:
        raise bad_operation("buffer: its storage is immutable")
    item.resize(gl, size, is_persistent=bool(flags & GL.MAP_PERSISTENT_BIT))
    item.is_immutable, item.storage_flags, item.usage = True, flags, GL.DYNAMIC_DRAW
    _fill(gl, item, size, data)


@command("glBufferStorage")
def buffer_storage(gl: Context, target: int, size: int, data: Pointer, flags: int) -> None:
    """Immutable storage."""
    _put_storage(gl, bound(gl, target), size, data, flags)


@command("glNamedBufferStorage")
def named_buffer_storage(gl: Context, buffer: int, size: int, data: Pointer, flags: int) -> None:
    """Immutable storage."""
    _put_storage(gl, named(gl, buffer), size, data, flags)


def check_range(item: Buffer, offset: int, size: int) -> None:
    """Raise GL_INVALID_VALUE for a range that exceeds the buffer."""
    if offset < 0 or size < 0 or offset + size > item.size:
        raise bad_value(f"offset: {size} bytes from {offset} on are not in a buffer of {item.size}")


def check_unmapped(item: Buffer) -> None:
    """Raise GL_INVALID_OPERATION for a mapped buffer, unless the mapping is persistent."""
    if item.mapping is not None and not item.map_access & GL.MAP_PERSISTENT_BIT:
        raise bad_operation("buffer: it is mapped")


def _put_part(gl: Context, item: Buffer, offset: int, size: int, data: Pointer) -> None:
    check_range(item, offset, size)
    check_unmapped(item)
    if item.is_immutable and not item.storage_flags & GL.DYNAMIC_STORAGE_BIT:
        raise bad_operation("buffer: its storage was made without GL_DYNAMIC_STORAGE_BIT")
    if data and size:
        item.write(gl, offset, view(data, size))


@command("glBufferSubData")
def buffer_sub_data(gl: Context, target: int, offset: int, size: int, data: Pointer) -> None:
    """Replace bytes."""
    _put_part(gl, bound(gl, target), offset, size, data)


@command("glNamedBufferSubData")
def named_buffer_sub_data(gl: Context, buffer: int, offset: int, size: int, data: Pointer) -> None:
    """Replace bytes."""
    _put_part(gl, named(gl, buffer), offset, size, data)


def _get_part(gl: Context, item: Buffer, offset: int, size: int, data: Pointer) -> None:
    check_range(item, offset, size)
    check_unmapped(item)
    write_bytes(data, item.read(gl, offset, size))


@command("glGetBufferSubData")
def get_buffer_sub_data(gl: Context, target: int, offset: int, size: int, data: Pointer) -> None:
    """Copy bytes to the caller."""
    _get_part(gl, bound(gl, target), offset, size, data)


@command("glGetNamedBufferSubData")
def get_named_buffer_sub_data(gl: Context, buffer: int, offset: int, size: int, data: Pointer) -> None:
    """Copy bytes to the caller."""
    _get_part(gl, named(gl, buffer), offset, size, data)


def _copy(gl: Context, source: Buffer, target: Buffer, place: tuple[int, int, int]) -> None:
    read_offset, write_offset, size = place
    check_range(source, read_offset, size)
    check_range(target, write_offset, size)
    check_unmapped(source)
    check_unmapped(target)
    if source is target and read_offset < write_offset + size and write_offset < read_offset + size:
        raise bad_value("readOffset: the ranges overlap")
    if size:
        target.write(gl, write_offset, source.read(gl, read_offset, size))


@command("glCopyBufferSubData")
def copy_buffer_sub_data(gl: Context, source: int, target: int, read_offset: int, write_offset: int, size: int) -> None:
    """Copy bytes between buffers."""
    _copy(gl, bound(gl, source), bound(gl, target), (read_offset, write_offset, size))


@command("glCopyNamedBufferSubData")
def copy_named_buffer_sub_data(gl: Context, source: int, target: int, read_offset: int, write_offset: int, size: int) -> None:
    """Copy bytes between buffers."""
    _copy(gl, named(gl, source), named(gl, target), (read_offset, write_offset, size))


def _clear(gl: Context, item: Buffer, internal: int, place: tuple[int, int], pixel: tuple[int, int], data: Pointer) -> None:
    from tgsi.gallium import Format
    from tgsi.opengl.pixels.transfer import to_texels

    row = find_format(internal)
    if row is None or row.format not in Format.__members__:
        raise bad_enum("internalformat", internal)
    import numpy as np

    client = client_format(*pixel)
    raw = np.frombuffer(read(data, client.pixel), np.uint8).reshape(1, 1, -1)
    texel = to_texels(raw, client, Format[row.format]).tobytes()
    offset, size = place
    check_range(item, offset, size)
    if offset % len(texel) or size % len(texel):
        raise bad_value(f"offset: {offset} and {size} are not multiples of {len(texel)}")
    if item.resource is not None and size:
        gl.pipe.clear_buffer(item.resource, texel, offset=offset, size=size)


@command("glClearBufferData")
def clear_buffer_data(gl: Context, target: int, internalformat: int, format: int, type: int, data: Pointer) -> None:
    """Fill a buffer with a value."""
    item = bound(gl, target)
    _clear(gl, item, internalformat, (0, item.size), (format, type), data)


@command("glClearNamedBufferData")
def clear_named_buffer_data(gl: Context, buffer: int, internalformat: int, format: int, type: int, data: Pointer) -> None:
    """Fill a buffer with a value."""
    item = named(gl, buffer)
    _clear(gl, item, internalformat, (0, item.size), (format, type), data)


@command("glClearBufferSubData")
def clear_buffer_sub_data(
    gl: Context, target: int, internalformat: int, offset: int, size: int, format: int, type: int, data: Pointer
) -> None:
    """Fill a range of a buffer with a value."""
    _clear(gl, bound(gl, target), internalformat, (offset, size), (format, type), data)


@command("glClearNamedBufferSubData")
def clear_named_buffer_sub_data(
    gl: Context, buffer: int, internalformat: int, offset: int, size: int, format: int, type: int, data: Pointer
) -> None:
    """Fill a range of a buffer with a value."""
    _clear(gl, named(gl, buffer), internalformat, (offset, size), (format, type), data)
