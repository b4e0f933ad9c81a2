"""Draw or copy pixels at the raster position. (OpenGL 2.1, 3.6.4 and 4.3.3)"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tgsi.gallium import Format, texels
from tgsi.opengl.calls import command
from tgsi.opengl.commands.reads import pixels_at, source_of
from tgsi.opengl.drawing.pixel_access import read_pixels_of
from tgsi.opengl.drawing.validate import check_framebuffer
from tgsi.opengl.errors import bad_enum, bad_operation, not_negative
from tgsi.opengl.fixed.rectangles import draw_rectangle, read_bits
from tgsi.opengl.fixed.selection import note_raster
from tgsi.opengl.lists import listed
from tgsi.opengl.memory import Pointer
from tgsi.opengl.pixels.changes import changed_pixels, changed_stencil, changed_texels, colors_of_indices
from tgsi.opengl.pixels.client_formats import ClientFormat, client_format
from tgsi.opengl.pixels.transfer import Bytes, to_texels
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

INDICES = {
    GL.UNSIGNED_BYTE: GL.UNSIGNED_BYTE, GL.BYTE: GL.BYTE, GL.UNSIGNED_SHORT: GL.UNSIGNED_SHORT, GL.SHORT: GL.SHORT,
    GL.UNSIGNED_INT: GL.UNSIGNED_INT, GL.INT: GL.INT, GL.FLOAT: GL.FLOAT,
}  # fmt: skip


def _place(gl: Context, width: int, height: int) -> tuple[float, float, float, float]:
    x, y, *_ = gl.fixed.raster_position
    zoom_x, zoom_y = gl.fixed.zoom
    return x, y, x + width * zoom_x, y + height * zoom_y


@listed
def _draw_colors(gl: Context, data: NDArray[np.uint8], format: str, token: int) -> None:
    if gl.fixed.raster_valid and not note_raster(gl, token):
        draw_rectangle(gl, data, format, _place(gl, data.shape[1], data.shape[0]), "pixels")


@listed
def _draw_depth(gl: Context, depth: NDArray[np.float32], token: int) -> None:
    if gl.fixed.raster_valid and not note_raster(gl, token):
        state = gl.legacy.transfer
        scaled = np.clip(depth * np.float32(state.depth_scale) + np.float32(state.depth_bias), 0.0, 1.0)
        data = scaled.astype(np.float32)[..., None].view(np.uint8)
        draw_rectangle(gl, data, "R32_FLOAT", _place(gl, depth.shape[1], depth.shape[0]), "depth")


@listed
def _draw_stencil(gl: Context, values: NDArray[np.int64], token: int) -> None:
    """Write stencil values through the write mask, inside the scissor."""
    if not gl.fixed.raster_valid or note_raster(gl, token):
        return
    check_framebuffer(gl)
    item = gl.draw_framebuffer.attachments.get(GL.STENCIL_ATTACHMENT)
    place = item.place() if item is not None else None
    if item is None or place is None:
        raise bad_operation("the draw framebuffer has no stencil")
    values = changed_stencil(gl.legacy.transfer, values)
    x, y, *_ = gl.fixed.raster_position
    size = item.size()
    lows, highs = [0, 0], list(size)
    if gl.raster.scissor_enabled[0]:
        left, low, w, h = gl.raster.scissors[0]
        lows, highs = [max(0, left), max(0, low)], [min(size[0], left + w), min(size[1], low + h)]
    columns, from_column = _covered(x, gl.fixed.zoom[0], values.shape[1], lows[0], highs[0])
    rows, from_row = _covered(y, gl.fixed.zoom[1], values.shape[0], lows[1], highs[1])
    if not len(columns) or not len(rows):
        return
    resource, row, level, first, _, _ = place
    format = Format[row.format]
    box = (int(columns[0]), int(rows[0]), first, len(columns), len(rows), 1)
    old = np.empty((len(rows) * len(columns), format.block_bytes), np.uint8)
    gl.pipe.texture_read(resource, old, level=level, box=box)
    mask = gl.fragment.front.write_mask & 0xFF
    new = values[np.ix_(from_row, from_column)].reshape(-1) & mask
    protected = texels.unpack_stencil(format, old).astype(np.int64) & ~mask
    gl.pipe.texture_subdata(
        resource, texels.pack_depth_stencil(format, None, (protected | new).astype(np.uint8), old), level=level, box=box
    )


def _covered(start: float, zoom: float, count: int, low: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Window columns whose centers a zoomed row of pixels covers, and the source pixel of each."""
    if not zoom:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    places = np.arange(low, max(low, high))
    source = np.floor((places + 0.5 - start) / zoom).astype(np.int64)
    inside = (source >= 0) & (source < count)
    return places[inside], source[inside]


def _colors(gl: Context, data: Bytes, client: ClientFormat, size: tuple[int, int]) -> None:
    data, client = changed_pixels(gl.legacy.transfer, data, client)
    is_bytes = "8" in client.format.name and "FLOAT" not in client.format.name and "SNORM" not in client.format.name
    stored = Format.R8G8B8A8_UNORM if is_bytes else Format.R32G32B32A32_FLOAT
    pixels = to_texels(data, client, stored)[0].reshape(size[1], size[0], stored.block_bytes)
    _draw_colors(gl, pixels, stored.name, GL.DRAW_PIXEL_TOKEN)


def _depth_and_stencil(gl: Context, data: Bytes, client: ClientFormat, size: tuple[int, int]) -> None:
    flat = np.ascontiguousarray(data).reshape(-1, client.pixel)
    if client.is_depth:
        depth = texels.unpack_depth(client.format, flat) if client.format.has_depth else texels.unpack(client.format, flat)[..., 0]
        _draw_depth(gl, depth.astype(np.float32).reshape(size[1], size[0]), GL.DRAW_PIXEL_TOKEN)
    if client.is_stencil:
        plain = client.format.has_stencil
        values = texels.unpack_stencil(client.format, flat) if plain else texels.unpack(client.format, flat)[..., 0]
        _draw_stencil(gl, values.astype(np.int64).reshape(size[1], size[0]), GL.DRAW_PIXEL_TOKEN)


def indices_of(gl: Context, width: int, height: int, type: int, pixels: Pointer, call: str) -> NDArray[np.int64] | None:
    """Color indices, [row, column]; None for a null pointer."""
    if type == GL.BITMAP:
        bits = read_bits(gl, width, height, pixels, call)
        return None if bits is None else bits.astype(np.int64)
    if type not in INDICES:
        raise bad_enum("type", type)
    client = client_format(GL.RED if type == GL.FLOAT else GL.RED_INTEGER, INDICES[type])
    data = read_pixels_of(gl, pixels, client, (width, height, 1), call)
    if data is None or not data.size:
        return None
    indices = texels.unpack(client.format, np.ascontiguousarray(data).reshape(-1, client.pixel))[..., 0]
    return indices.astype(np.int64).reshape(height, width)


@command("glDrawPixels")
def draw_pixels(gl: Context, width: int, height: int, format: int, type: int, pixels: Pointer) -> None:
    """Draw pixels at the raster position."""
    not_negative("width", width, height)
    if format == GL.COLOR_INDEX or (format == GL.STENCIL_INDEX and type == GL.BITMAP):
        indices = indices_of(gl, width, height, type, pixels, "glDrawPixels")
        if indices is not None and format == GL.STENCIL_INDEX:
            _draw_stencil(gl, indices, GL.DRAW_PIXEL_TOKEN)
        elif indices is not None:
            _draw_colors(gl, colors_of_indices(gl.legacy.transfer, indices).view(np.uint8), "R32G32B32A32_FLOAT", GL.DRAW_PIXEL_TOKEN)
        return
    client = client_format(format, type)
    if client.format.is_integer and not client.is_stencil:
        raise bad_operation("format: integers are not drawn")
    data = read_pixels_of(gl, pixels, client, (width, height, 1), "glDrawPixels")
    if data is None or not data.size:
        return
    (_depth_and_stencil if client.is_depth or client.is_stencil else _colors)(gl, data, client, (width, height))


@command("glCopyPixels")
def copy_pixels(gl: Context, x: int, y: int, width: int, height: int, type: int) -> None:
    """Draw pixels of the read framebuffer at the raster position."""
    not_negative("width", width, height)
    kinds: dict[int, tuple[int, ...]] = {GL.COLOR: (GL.RGBA,), GL.DEPTH: (GL.DEPTH_COMPONENT,), GL.STENCIL: (GL.STENCIL_INDEX,)}
    kinds[GL.DEPTH_STENCIL] = GL.DEPTH_COMPONENT, GL.STENCIL_INDEX
    if type not in kinds:
        raise bad_enum("type", type)
    for kind in kinds[type]:
        item = source_of(gl, kind)
        place = item.place()
        if place is not None and place[5] > 1:
            raise bad_operation("the read framebuffer has several samples")
        data, format = pixels_at(gl, item, (x, y, width, height))
        if not data.size:
            return
        flat = data.reshape(-1, format.block_bytes)
        if kind == GL.DEPTH_COMPONENT:
            _draw_depth(gl, texels.unpack_depth(format, flat).astype(np.float32).reshape(height, width), GL.COPY_PIXEL_TOKEN)
        elif kind == GL.STENCIL_INDEX:
            _draw_stencil(gl, texels.unpack_stencil(format, flat).astype(np.int64).reshape(height, width), GL.COPY_PIXEL_TOKEN)
        else:
            stored = Format[format.name.replace("_SRGB", "_UNORM")]
            has_alpha = place is None or place[1].base != GL.RGB
            colors, _, _ = changed_texels(gl.legacy.transfer, data, stored, "" if has_alpha else "xyz1")
            if colors is data:
                colors = texels.unpack(stored, flat).astype(np.float32).view(np.uint8)
            _draw_colors(gl, colors.reshape(height, width, 16), "R32G32B32A32_FLOAT", GL.COPY_PIXEL_TOKEN)


@command("glPixelZoom")
def pixel_zoom(gl: Context, xfactor: float, yfactor: float) -> None:
    """Set the zoom factors of drawn pixels."""
    gl.fixed.zoom = xfactor, yfactor
