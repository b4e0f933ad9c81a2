"""Clears: a color or depth value becomes a pattern of 64 bytes that the tile walk spreads."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from backends.formats import Format
from backends.formats.arrays import pack, pack_depth_stencil
from backends.gallium.enums import Clear
from backends.raster.packet import Framebuffer, Surface
from backends.raster.records import TILE, ClearRecord

_KINDS = {"float": np.float32, "uint": np.uint32, "sint": np.int32}


def color_texel(format: Format, words: Sequence[int]) -> NDArray[np.uint8]:
    """The bytes of a texel; `words` are float bits, or integers where the format is a pure integer one."""
    raw = np.array([w & 0xFFFFFFFF for w in words], np.uint32).view(_KINDS[format.kind]).reshape(1, 4)
    return pack(format, raw)


def depth_texel(format: Format, depth: float | None, stencil: int | None) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The bytes of a texel and the bits of it that stay; None: that part is not cleared."""
    kept = 0
    for channel, value in ((format.depth, depth), (format.stencil, stencil)):
        if channel is not None and value is None:
            kept |= ((1 << channel.size) - 1) << channel.shift
    z = None if depth is None or format.depth is None else np.array([depth], np.float32)
    s = None if stencil is None or format.stencil is None else np.array([stencil & 255], np.uint8)
    keep = np.frombuffer(kept.to_bytes(format.block_bytes, "little"), np.uint8)
    texel = pack_depth_stencil(format, z, s, np.zeros(format.block_bytes, np.uint8))
    return texel & ~keep, keep


def clear_records(
    framebuffer: Framebuffer, buffers: int, color: Sequence[int], depth: float, stencil: int
) -> list[tuple[Surface, ClearRecord]]:
    """One record for each surface that PIPE_CLEAR bits name and that exists."""
    found = []
    for k, surface in enumerate(framebuffer.cbufs):
        if surface is not None and buffers & (Clear.COLOR0 << k):
            found.append((surface, _record(surface, color_texel(surface.format, color), None)))
    zs = framebuffer.zsbuf
    if zs is not None:
        z = depth if buffers & Clear.DEPTH and zs.format.has_depth else None
        s = stencil if buffers & Clear.STENCIL and zs.format.has_stencil else None
        if z is not None or s is not None:
            found.append((zs, _record(zs, *depth_texel(zs.format, z, s))))
    return found


def _record(surface: Surface, texel: NDArray[np.uint8], keep: NDArray[np.uint8] | None) -> ClearRecord:
    if 64 % len(texel):
        raise ValueError(f"{surface.format} cannot be rendered to: its texels have {len(texel)} bytes")
    r = ClearRecord()
    r.base, r.row_stride, r.layer_stride, r.layers = surface.address, surface.row_stride, surface.layer_stride, surface.layers
    r.texel_bytes, r.masked = len(texel), int(keep is not None and bool(keep.any()))
    r.pattern[:] = np.tile(texel, 64 // len(texel)).tolist()
    if keep is not None:
        r.keep[:] = np.tile(keep, 64 // len(keep)).tolist()
    return r


def fits_tiles(framebuffer: Framebuffer, surface: Surface) -> bool:
    """Clearing whole tiles touches nothing of the surface outside of the framebuffer."""
    pairs = ((framebuffer.width, surface.width), (framebuffer.height, surface.height))
    return all(used >= size or used % TILE == 0 for used, size in pairs)


def clear_exactly(framebuffer: Framebuffer, surface: Surface, r: ClearRecord) -> None:
    """At once, from Python: the part of a larger surface that the framebuffer shows."""
    width = min(framebuffer.width, surface.width) * r.texel_bytes
    height = min(framebuffer.height, surface.height)
    pattern = np.resize(np.frombuffer(bytes(r.pattern), np.uint8), width)
    keep = np.resize(np.frombuffer(bytes(r.keep), np.uint8), width)
    for layer in range(surface.layers):
        start = surface.address + layer * surface.layer_stride
        memory = np.frombuffer(memoryview((ctypes.c_uint8 * (surface.row_stride * height)).from_address(start)), np.uint8)
        rows = memory.reshape(height, surface.row_stride)[:, :width]
        rows[:] = (rows & keep) | pattern if r.masked else pattern
