"""Pixel transfer: scales, biases and maps applied to pixels. (OpenGL 2.1, 3.6.5)"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tgsi.gallium import Format, texels
from tgsi.opengl.pixels.client_formats import ClientFormat, client_format
from tgsi.opengl.pixels.transfer import Bytes, permuted
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state.legacy import COLOR_MAPS, INDEX_MAPS, PixelTransfer


def changed_colors(state: PixelTransfer, colors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Colors, [..., 4], after scales, biases and maps."""
    with np.errstate(over="ignore", invalid="ignore"):
        changed = colors.astype(np.float32) * np.array(state.scale, np.float32) + np.array(state.bias, np.float32)
    if state.maps_color:
        changed = np.clip(np.nan_to_num(changed), 0.0, 1.0)
        for index, name in enumerate(COLOR_MAPS):
            table = np.array(state.maps[name], np.float32)
            changed[..., index] = table[np.rint(changed[..., index] * (len(table) - 1)).astype(int)]
    return changed


def changed_indices(state: PixelTransfer, indices: NDArray[np.int64]) -> NDArray[np.int64]:
    """Indices after shift and offset."""
    shift = max(-31, min(31, state.index_shift))
    return (indices << shift if shift >= 0 else indices >> -shift) + state.index_offset


def colors_of_indices(state: PixelTransfer, indices: NDArray[np.int64]) -> NDArray[np.float32]:
    """Colors, [..., 4], of color indices."""
    changed = changed_indices(state, indices)
    colors = np.empty((*changed.shape, 4), np.float32)
    for component, name in enumerate(INDEX_MAPS):
        table = np.array(state.maps[name], np.float32)
        colors[..., component] = table[changed & (len(table) - 1)]
    return colors


def changed_stencil(state: PixelTransfer, values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Stencil values after shift, offset and map."""
    changed = changed_indices(state, values)
    if state.maps_stencil:
        table = np.array(state.maps[GL.PIXEL_MAP_S_TO_S], np.int64)
        changed = table[changed & (len(table) - 1)]
    return changed


def changed_pixels(state: PixelTransfer, data: Bytes, client: ClientFormat) -> tuple[Bytes, ClientFormat]:
    """The caller's pixels, [depth, height, bytes], after the transfer, with their format."""
    if client.format.is_integer or client.is_depth or client.is_stencil or not state.changes_colors():
        return data, client
    shape = data.shape[0], data.shape[1], data.shape[2] // client.pixel
    flat = np.ascontiguousarray(data).reshape(-1, client.pixel)
    colors = changed_colors(state, permuted(texels.unpack(client.format, flat), client.order))
    return colors.view(np.uint8).reshape(shape[0], shape[1], shape[2] * 16), client_format(GL.RGBA, GL.FLOAT)


def changed_texels(state: PixelTransfer, data: Bytes, format: Format, swizzle: str) -> tuple[Bytes, Format, str]:
    """Texels of a framebuffer, [1, height, bytes], after the transfer, with their format and swizzle."""
    if format.is_integer or not state.changes_colors():
        return data, format, swizzle
    colors = changed_colors(state, permuted(texels.unpack(format, data.reshape(-1, format.block_bytes)), swizzle))
    packed = colors.view(np.uint8).reshape(1, data.shape[1], 16 * data.shape[2] // format.block_bytes)
    return packed, Format.R32G32B32A32_FLOAT, ""


def summed(data: Bytes, format: Format, swizzle: str) -> tuple[Bytes, Format, str]:
    """Texels whose red is the sum of red, green and blue: the luminance of read pixels. (OpenGL 2.1, 4.3.2)"""
    colors = permuted(texels.unpack(format, data.reshape(-1, format.block_bytes)), swizzle).astype(np.float32)
    colors[..., 0] = np.minimum(colors[..., :3].sum(-1), 1.0)
    return colors.view(np.uint8).reshape(1, data.shape[1], 16 * data.shape[2] // format.block_bytes), Format.R32G32B32A32_FLOAT, ""
