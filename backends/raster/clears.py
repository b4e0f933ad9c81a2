"""Clears: a color or depth value becomes a pattern of 64 bytes that the tile walk spreads."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from backends.abi.limits import TILE
from backends.device.framebuffer import Framebuffer, Surface
from backends.formats import Format
from backends.formats.arrays import pack, pack_depth_stencil
from backends.pipe.enums import Clear
from backends.raster.records import ClearRecord
from backends.raster.tile.coarse import cleared_bound
from tgsi.language.record import record

_COLOR0, _DEPTH, _STENCIL, _DEPTH_STENCIL = int(Clear.COLOR0), int(Clear.DEPTH), int(Clear.STENCIL), int(Clear.DEPTH | Clear.STENCIL)
_KINDS = {"float": np.float32, "uint": np.uint32, "sint": np.int32}


@record
class Pattern:
    """A texel repeated to 64 bytes, and a mask of the bits to keep, repeated likewise (None: no bit is kept)."""

    texel_bytes: int
    pattern: bytes
    keep: bytes | None = None

    @staticmethod
    def of(format: Format, texel: NDArray[np.uint8], keep: NDArray[np.uint8] | None = None) -> Pattern:
        """The pattern of one texel.

        Raises:
            ValueError: 64 bytes do not hold a whole number of texels.
        """
        size = len(texel)
        if 64 % size:
            raise ValueError(f"{format} cannot be rendered to: its texels have {size} bytes")
        protected = keep.tobytes() * (64 // size) if keep is not None and keep.any() else None
        return Pattern(size, texel.tobytes() * (64 // size), protected)


@functools.lru_cache(256)
def color_pattern(format: Format, words: tuple[int, ...]) -> Pattern:
    """The pattern of a color. `words`: bits of floats, or integers if the format is a pure integer one."""
    raw = np.array([w & 0xFFFFFFFF for w in words], np.uint32).view(_KINDS[format.kind]).reshape(1, 4)
    return Pattern.of(format, pack(format, raw))


@functools.lru_cache(256)
def depth_pattern(format: Format, depth: float | None, stencil: int | None) -> Pattern:
    """The pattern of a depth and a stencil value; a part that is None is not changed."""
    protected = 0
    for channel, value in ((format.depth, depth), (format.stencil, stencil)):
        if channel is not None and value is None:
            protected |= ((1 << channel.size) - 1) << channel.shift
    z = None if depth is None or format.depth is None else np.array([depth], np.float32)
    s = None if stencil is None or format.stencil is None else np.array([stencil & 255], np.uint8)
    keep = np.frombuffer(protected.to_bytes(format.block_bytes, "little"), np.uint8)
    texel = pack_depth_stencil(format, z, s, np.zeros(format.block_bytes, np.uint8))
    return Pattern.of(format, texel & ~keep, keep)


def clear_records(
    framebuffer: Framebuffer, buffers: int, color: Sequence[int], depth: float, stencil: int
) -> list[tuple[Surface, ClearRecord]]:
    """A record for each sample of each bound surface that the PIPE_CLEAR bits `buffers` name, with the surface."""
    records: list[tuple[Surface, ClearRecord]] = []
    for k, surface in enumerate(framebuffer.cbufs):
        if surface is not None and buffers & (_COLOR0 << k):
            records += _records(surface, color_pattern(surface.format, tuple(color)))
    zs = framebuffer.zsbuf
    if zs is not None and buffers & _DEPTH_STENCIL:
        z = depth if buffers & _DEPTH and zs.format.depth is not None else None
        s = stencil if buffers & _STENCIL and zs.format.stencil is not None else None
        if z is not None or s is not None:
            of_depth = _records(zs, depth_pattern(zs.format, z, s))
            if z is not None:
                for _, r in of_depth:
                    r.has_depth, r.farthest = 1, cleared_bound(zs.format, z)
            records += of_depth
    return records


def _records(surface: Surface, pattern: Pattern) -> list[tuple[Surface, ClearRecord]]:
    return [(surface, _record(surface, pattern, k)) for k in range(surface.samples)]


def _record(surface: Surface, pattern: Pattern, sample: int) -> ClearRecord:
    address = surface.address + sample * surface.sample_stride
    r = ClearRecord(address, surface.row_stride, surface.layer_stride, surface.layers, pattern.texel_bytes)
    here = ctypes.addressof(r)
    ctypes.memmove(here + ClearRecord.pattern.offset, pattern.pattern, 64)
    if pattern.keep is not None:
        r.masked = 1
        ctypes.memmove(here + ClearRecord.keep.offset, pattern.keep, 64)
    return r


def fits_tiles(framebuffer: Framebuffer, surface: Surface) -> bool:
    """True if whole tiles can be cleared without touching pixels of the surface outside of the framebuffer."""
    pairs = ((framebuffer.width, surface.width), (framebuffer.height, surface.height))
    return all(used >= size or used % TILE == 0 for used, size in pairs)


def clear_exactly(framebuffer: Framebuffer, surface: Surface, r: ClearRecord) -> None:
    """Clear the framebuffer's part of a larger surface, at once and from Python."""
    width = min(framebuffer.width, surface.width) * r.texel_bytes
    height = min(framebuffer.height, surface.height)
    pattern = np.resize(np.frombuffer(bytes(r.pattern), np.uint8), width)
    keep = np.resize(np.frombuffer(bytes(r.keep), np.uint8), width)
    for layer in range(surface.layers):
        start = (r.base or 0) + layer * surface.layer_stride
        memory = np.frombuffer(memoryview((ctypes.c_uint8 * (surface.row_stride * height)).from_address(start)), np.uint8)
        rows = memory.reshape(height, surface.row_stride)[:, :width]
        rows[:] = (rows & keep) | pattern if r.masked else pattern
