"""Mappings of buffers, and their parameters. (OpenGL 4.6 core, 6.3 and 6.7)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.commands.buffers import bound, check_range, named
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value
from tgsi.opengl.memory import Pointer, write
from tgsi.opengl.objects.buffer import Buffer
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


def _map(gl: Context, item: Buffer, offset: int, length: int, access: int) -> int:
    if item.mapping is not None:
        raise bad_operation("buffer: it is mapped")
    if not access & (GL.MAP_READ_BIT | GL.MAP_WRITE_BIT):
        raise bad_operation("access: a mapping reads or writes")
    needed = access & (GL.MAP_READ_BIT | GL.MAP_WRITE_BIT | GL.MAP_PERSISTENT_BIT | GL.MAP_COHERENT_BIT)
    if item.is_immutable and needed & ~item.storage_flags:
        raise bad_operation("access: the storage was made without these bits")
    check_range(item, offset, length)
    if not length:
        raise bad_operation("length: 0 bytes cannot be mapped")
    return item.map(gl, offset, length, access)


_ACCESS = {GL.READ_ONLY: GL.MAP_READ_BIT, GL.WRITE_ONLY: GL.MAP_WRITE_BIT, GL.READ_WRITE: GL.MAP_READ_BIT | GL.MAP_WRITE_BIT}


@command("glMapBuffer")
def map_buffer(gl: Context, target: int, access: int) -> int:
    """Map all of a buffer."""
    item = bound(gl, target)
    if access not in _ACCESS:
        raise bad_enum("access", access)
    return _map(gl, item, 0, item.size, _ACCESS[access])


@command("glMapNamedBuffer")
def map_named_buffer(gl: Context, buffer: int, access: int) -> int:
    """Map all of a buffer."""
    item = named(gl, buffer)
    if access not in _ACCESS:
        raise bad_enum("access", access)
    return _map(gl, item, 0, item.size, _ACCESS[access])


@command("glMapBufferRange")
def map_buffer_range(gl: Context, target: int, offset: int, length: int, access: int) -> int:
    """Map a range of a buffer."""
    return _map(gl, bound(gl, target), offset, length, access)


@command("glMapNamedBufferRange")
def map_named_buffer_range(gl: Context, buffer: int, offset: int, length: int, access: int) -> int:
    """Map a range of a buffer."""
    return _map(gl, named(gl, buffer), offset, length, access)


def _unmap(item: Buffer) -> int:
    if item.mapping is None:
        raise bad_operation("buffer: it is not mapped")
    item.unmap()
    return GL.TRUE


@command("glUnmapBuffer")
def unmap_buffer(gl: Context, target: int) -> int:
    """End a mapping."""
    return _unmap(bound(gl, target))


@command("glUnmapNamedBuffer")
def unmap_named_buffer(gl: Context, buffer: int) -> int:
    """End a mapping."""
    return _unmap(named(gl, buffer))


@command("glFlushMappedBufferRange")
def flush_mapped_buffer_range(gl: Context, target: int, offset: int, length: int) -> None:
    """Mapped memory is the buffer itself; nothing is left to do."""
    _check_flush(bound(gl, target), offset, length)


@command("glFlushMappedNamedBufferRange")
def flush_mapped_named_buffer_range(gl: Context, buffer: int, offset: int, length: int) -> None:
    """Mapped memory is the buffer itself; nothing is left to do."""
    _check_flush(named(gl, buffer), offset, length)


def _check_flush(item: Buffer, offset: int, length: int) -> None:
    if item.mapping is None or not item.map_access & GL.MAP_FLUSH_EXPLICIT_BIT:
        raise bad_operation("buffer: it is not mapped with GL_MAP_FLUSH_EXPLICIT_BIT")
    if offset < 0 or length < 0 or offset + length > item.map_length:
        raise bad_value("offset: the range is not mapped")


@command("glInvalidateBufferData")
def invalidate_buffer_data(gl: Context, buffer: int) -> None:
    """The bytes may be lost; they stay."""
    named(gl, buffer)


@command("glInvalidateBufferSubData")
def invalidate_buffer_sub_data(gl: Context, buffer: int, offset: int, length: int) -> None:
    """The bytes may be lost; they stay."""
    check_range(named(gl, buffer), offset, length)


def parameter(item: Buffer, name: int) -> int:
    """A parameter of a buffer."""
    access = item.map_access & (GL.MAP_READ_BIT | GL.MAP_WRITE_BIT)
    words = {GL.MAP_READ_BIT: GL.READ_ONLY, GL.MAP_WRITE_BIT: GL.WRITE_ONLY}
    values = {
        GL.BUFFER_SIZE: item.size,
        GL.BUFFER_USAGE: item.usage,
        GL.BUFFER_ACCESS: words.get(access, GL.READ_WRITE),
        GL.BUFFER_ACCESS_FLAGS: item.map_access,
        GL.BUFFER_MAPPED: int(item.mapping is not None),
        GL.BUFFER_MAP_OFFSET: item.map_offset,
        GL.BUFFER_MAP_LENGTH: item.map_length,
        GL.BUFFER_IMMUTABLE_STORAGE: int(item.is_immutable),
        GL.BUFFER_STORAGE_FLAGS: item.storage_flags,
    }
    if name not in values:
        raise bad_enum("pname", name)
    return values[name]


@command("glGetBufferParameteriv")
def get_buffer_parameter(gl: Context, target: int, pname: int, params: Pointer) -> None:
    """A parameter of a buffer."""
    write("i", params, [parameter(bound(gl, target), pname)])


@command("glGetBufferParameteri64v")
def get_buffer_parameter_long(gl: Context, target: int, pname: int, params: Pointer) -> None:
    """A parameter of a buffer."""
    write("q", params, [parameter(bound(gl, target), pname)])


@command("glGetNamedBufferParameteriv")
def get_named_buffer_parameter(gl: Context, buffer: int, pname: int, params: Pointer) -> None:
    """A parameter of a buffer."""
    write("i", params, [parameter(named(gl, buffer), pname)])


@command("glGetNamedBufferParameteri64v")
def get_named_buffer_parameter_long(gl: Context, buffer: int, pname: int, params: Pointer) -> None:
    """A parameter of a buffer."""
    write("q", params, [parameter(named(gl, buffer), pname)])


def _put_pointer(item: Buffer, name: int, params: Pointer) -> None:
    if name != GL.BUFFER_MAP_POINTER:
        raise bad_enum("pname", name)
    write("Q", params, [item.mapping.address if item.mapping is not None else 0])


@command("glGetBufferPointerv")
def get_buffer_pointer(gl: Context, target: int, pname: int, params: Pointer) -> None:
    """The address of a mapping."""
    _put_pointer(bound(gl, target), pname, params)


@command("glGetNamedBufferPointerv")
def get_named_buffer_pointer(gl: Context, buffer: int, pname: int, params: Pointer) -> None:
    """The address of a mapping."""
    _put_pointer(named(gl, buffer), pname, params)
