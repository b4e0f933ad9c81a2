"""Pixels in the caller's memory, or in the bound pixel buffers. (OpenGL 4.6 core, 8.4 and 18.2)"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tgsi.opengl.errors import bad_operation
from tgsi.opengl.memory import Pointer, read, view, write_bytes
from tgsi.opengl.pixels.client_formats import ClientFormat
from tgsi.opengl.pixels.transfer import Bytes, Layout, layout_of
from tgsi.opengl.state.values import PixelStore

if TYPE_CHECKING:
    from tgsi.opengl.context import Context
    from tgsi.opengl.objects.buffer import Buffer


def read_pixels_of(
    gl: Context, pixels: Pointer, client: ClientFormat, size: tuple[int, int, int], call: str, store: PixelStore | None = None
) -> Bytes | None:
    """The caller's pixels as bytes, [depth, height, width * pixel]; None for a null pointer without an unpack buffer."""
    store = store or gl.unpack
    width, height, depth = size
    place = layout_of(store, client, width, height, depth)
    source = gl.buffers.get("PIXEL_UNPACK_BUFFER")
    if source is None and not pixels:
        return None
    raw = _bytes(gl, source, pixels or 0, place.end, call)
    rows = np.ndarray((depth, height, place.width), np.uint8, raw, place.first, (place.image, place.row, 1)) if place.end else None
    if rows is None:
        return np.zeros((depth, height, place.width), np.uint8)
    if store.swap_bytes and client.unit > 1:
        rows = np.ascontiguousarray(rows).view(f"u{client.unit}").byteswap().view(np.uint8)
    return rows


def read_raw(gl: Context, pixels: Pointer, size: int, call: str) -> bytes:
    """Bytes of the caller's memory or of the unpack buffer."""
    return bytes(_bytes(gl, gl.buffers.get("PIXEL_UNPACK_BUFFER"), pixels or 0, size, call))


def _bytes(gl: Context, source: Buffer | None, pixels: int, end: int, call: str) -> bytes | bytearray:
    if source is None:
        return read(pixels, end)
    if source.mapping is not None and not source.map_access & 0x40:
        raise bad_operation(f"{call}: the pixel unpack buffer is mapped")
    if pixels + end > source.size:
        raise bad_operation(f"{call}: the pixels end at byte {pixels + end} of a buffer of {source.size}")
    return source.read(gl, pixels, end)


def write_pixels_to(gl: Context, pixels: Pointer, client: ClientFormat, data: Bytes, call: str) -> None:
    """Write rows of pixels, [depth, height, width * pixel], to the caller's memory or to the pack buffer."""
    store = gl.pack
    depth, height, width = data.shape[0], data.shape[1], data.shape[2] // client.pixel
    if not data.size:
        return
    if store.swap_bytes and client.unit > 1:
        data = np.ascontiguousarray(data).view(f"u{client.unit}").byteswap().view(np.uint8)
    place = layout_of(store, client, width, height, depth)
    target = gl.buffers.get("PIXEL_PACK_BUFFER")
    if target is None:
        if pixels:
            into = np.frombuffer(view(pixels, place.end), np.uint8)
            _put(into, place, data)
        return
    offset = pixels or 0
    if target.mapping is not None and not target.map_access & 0x40:
        raise bad_operation(f"{call}: the pixel pack buffer is mapped")
    if offset + place.end > target.size:
        raise bad_operation(f"{call}: the pixels end at byte {offset + place.end} of a buffer of {target.size}")
    copy = np.frombuffer(target.read(gl, offset, place.end), np.uint8)
    _put(copy, place, data)
    target.write(gl, offset, copy.data)


def write_raw(gl: Context, pixels: Pointer, data: bytes, call: str) -> None:
    """Write bytes to the caller's memory or to the pack buffer."""
    target = gl.buffers.get("PIXEL_PACK_BUFFER")
    if target is None:
        write_bytes(pixels, data)
        return
    if (pixels or 0) + len(data) > target.size:
        raise bad_operation(f"{call}: the bytes end at {(pixels or 0) + len(data)} of a buffer of {target.size}")
    target.write(gl, pixels or 0, data)


def _put(into: Bytes, place: Layout, data: Bytes) -> None:
    rows: Bytes = np.ndarray(data.shape, np.uint8, into.data, place.first, (place.image, place.row, 1))
    rows[...] = data
