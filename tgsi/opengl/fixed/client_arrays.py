"""Arrays of conventional attributes. (OpenGL 2.1, 2.8)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.commands.vertex_arrays import put_format
from tgsi.opengl.errors import bad_enum, bad_value, not_negative
from tgsi.opengl.memory import Pointer
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty
from tgsi.opengl.state.fixed import COLOR, EDGE, FOG, MAX_UNITS, NORMAL, SECONDARY, TEXTURE, VERTEX

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

ARRAYS = {
    GL.VERTEX_ARRAY: VERTEX,
    GL.NORMAL_ARRAY: NORMAL,
    GL.COLOR_ARRAY: COLOR,
    GL.SECONDARY_COLOR_ARRAY: SECONDARY,
    GL.FOG_COORD_ARRAY: FOG,
    GL.EDGE_FLAG_ARRAY: EDGE,
}
SIGNED = {GL.SHORT, GL.INT, GL.FLOAT, GL.DOUBLE, GL.HALF_FLOAT, GL.BYTE, GL.INT_2_10_10_10_REV, GL.UNSIGNED_INT_2_10_10_10_REV}


def _location(gl: Context, array: int) -> int:
    if array == GL.TEXTURE_COORD_ARRAY:
        return TEXTURE + gl.fixed.client_unit
    if array not in ARRAYS:
        raise bad_enum("array", array)
    return ARRAYS[array]


def _switch(gl: Context, array: int, *, on: bool) -> None:
    if array == GL.INDEX_ARRAY:
        return
    gl.vertex_array.attributes[_location(gl, array)].is_enabled = on
    gl.dirty |= dirty.VERTICES


@command("glEnableClientState")
def enable_client_state(gl: Context, array: int) -> None:
    """Feed an attribute from its array."""
    _switch(gl, array, on=True)


@command("glDisableClientState")
def disable_client_state(gl: Context, array: int) -> None:
    """Feed an attribute from its current value."""
    _switch(gl, array, on=False)


@command("glClientActiveTexture")
def client_active_texture(gl: Context, texture: int) -> None:
    """Select the unit of texture coordinates for later array commands."""
    if not 0 <= texture - GL.TEXTURE0 < MAX_UNITS:
        raise bad_enum("texture", texture)
    gl.fixed.client_unit = texture - GL.TEXTURE0


def put_array(gl: Context, location: int, size: int, type: int, stride: int, pointer: Pointer, *, normalized: bool = False) -> None:
    """Feed an attribute from the bound buffer or, without one, from the caller's memory."""
    not_negative("stride", stride)
    item, buffer = gl.vertex_array.attributes[location], gl.buffers.get("ARRAY_BUFFER")
    put_format(item, size, type, 0, is_normalized=normalized)
    item.binding, item.stride = location, stride
    item.pointer = (pointer or 0) if buffer is None else 0
    binding = gl.vertex_array.bindings[location]
    binding.buffer, binding.offset, binding.stride = buffer, pointer or 0, stride or item.bytes()
    gl.dirty |= dirty.VERTICES


def _check(size: int, sizes: tuple[int, ...], type: int, types: set[int]) -> None:
    if size not in sizes:
        raise bad_value(f"size: {size} is not one of {sizes}")
    if type not in types:
        raise bad_enum("type", type)


@command("glVertexPointer")
def vertex_pointer(gl: Context, size: int, type: int, stride: int, pointer: Pointer) -> None:
    """Positions."""
    _check(size, (2, 3, 4), type, SIGNED - {GL.BYTE})
    put_array(gl, VERTEX, size, type, stride, pointer)


@command("glNormalPointer")
def normal_pointer(gl: Context, type: int, stride: int, pointer: Pointer) -> None:
    """Normals."""
    _check(3, (3,), type, SIGNED)
    put_array(gl, NORMAL, 3, type, stride, pointer, normalized=True)


@command("glColorPointer")
def color_pointer(gl: Context, size: int, type: int, stride: int, pointer: Pointer) -> None:
    """Colors."""
    _check(size, (3, 4, GL.BGRA), type, SIGNED | {GL.UNSIGNED_BYTE, GL.UNSIGNED_SHORT, GL.UNSIGNED_INT})
    put_array(gl, COLOR, size, type, stride, pointer, normalized=True)


@command("glSecondaryColorPointer")
def secondary_color_pointer(gl: Context, size: int, type: int, stride: int, pointer: Pointer) -> None:
    """Secondary colors."""
    _check(size, (3, GL.BGRA), type, SIGNED | {GL.UNSIGNED_BYTE, GL.UNSIGNED_SHORT, GL.UNSIGNED_INT})
    put_array(gl, SECONDARY, size, type, stride, pointer, normalized=True)


@command("glTexCoordPointer")
def tex_coord_pointer(gl: Context, size: int, type: int, stride: int, pointer: Pointer) -> None:
    """Texture coordinates of the client's active unit."""
    _check(size, (1, 2, 3, 4), type, SIGNED - {GL.BYTE})
    put_array(gl, TEXTURE + gl.fixed.client_unit, size, type, stride, pointer)


@command("glFogCoordPointer")
def fog_coord_pointer(gl: Context, type: int, stride: int, pointer: Pointer) -> None:
    """Fog coordinates."""
    _check(1, (1,), type, {GL.FLOAT, GL.DOUBLE, GL.HALF_FLOAT})
    put_array(gl, FOG, 1, type, stride, pointer)


@command("glEdgeFlagPointer")
def edge_flag_pointer(gl: Context, stride: int, pointer: Pointer) -> None:
    """Edge flags: a byte for each vertex, 0 or 1."""
    put_array(gl, EDGE, 1, GL.UNSIGNED_BYTE, stride, pointer)


_T2, _C4U, _C3, _C4, _N3, _V2, _V3, _V4 = "t2", "c4u", "c3", "c4", "n3", "v2", "v3", "v4"
INTERLEAVED = {
    GL.V2F: (_V2,), GL.V3F: (_V3,), GL.C4UB_V2F: (_C4U, _V2), GL.C4UB_V3F: (_C4U, _V3), GL.C3F_V3F: (_C3, _V3), GL.N3F_V3F: (_N3, _V3),
    GL.C4F_N3F_V3F: (_C4, _N3, _V3), GL.T2F_V3F: (_T2, _V3), GL.T4F_V4F: ("t4", _V4), GL.T2F_C4UB_V3F: (_T2, _C4U, _V3),
    GL.T2F_C3F_V3F: (_T2, _C3, _V3), GL.T2F_N3F_V3F: (_T2, _N3, _V3), GL.T2F_C4F_N3F_V3F: (_T2, _C4, _N3, _V3),
    GL.T4F_C4F_N3F_V4F: ("t4", _C4, _N3, _V4),
}  # fmt: skip


@command("glInterleavedArrays")
def interleaved_arrays(gl: Context, format: int, stride: int, pointer: Pointer) -> None:
    """Set several arrays in one buffer, by the name of their layout."""
    not_negative("stride", stride)
    if format not in INTERLEAVED:
        raise bad_enum("format", format)
    parts = INTERLEAVED[format]
    sizes = [4 if part == _C4U else 4 * int(part[1]) for part in parts]
    step, place = stride or sum(sizes), pointer or 0
    for array in (*ARRAYS, GL.TEXTURE_COORD_ARRAY):
        _switch(gl, array, on=False)
    locations = {"v": VERTEX, "n": NORMAL, "c": COLOR, "t": TEXTURE + gl.fixed.client_unit}
    for part, size in zip(parts, sizes, strict=True):
        location, is_bytes = locations[part[0]], part == _C4U
        put_array(gl, location, int(part[1]), GL.UNSIGNED_BYTE if is_bytes else GL.FLOAT, step, place, normalized=is_bytes)
        gl.vertex_array.attributes[location].is_enabled = True
        place += size
