"""Multisample resolves: the job that a context gives a device, and the rule by which texels are averaged.

Resolving averages colors: formats of unsigned normalized channels average the stored numbers, rounding halves up; other formats (sRGB,
signed, floats) are decoded to f32, added in the order of samples, multiplied by 1/n, and encoded. Integers, depth and stencil take sample
0. The array code and the kernels both keep to that rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from backends.abi.limits import TILE
from backends.abi.records import ResolveRecord
from backends.device.framebuffer import Framebuffer, Surface
from backends.formats import ChannelType, Format
from backends.formats.arrays import pack, unpack
from tgsi.language.record import record

Bytes = NDArray[np.uint8]

_WIDEST = 16  # most bits of a channel for which kernels add samples in 32-bit words
_LARGE = 1 << 15  # bytes of a plane above which a table of the resolved bytes pays


def is_native(format: Format) -> bool:
    """Return true if there are kernels for the format. Other formats take sample 0, or are rare."""
    if format.is_depth_stencil or format.is_integer or format.is_shared_exponent or format.block_bytes not in (1, 2, 4, 8, 16):
        return False
    return not averages_words(format) or all(c.size <= _WIDEST for c in format.channels if c.type is ChannelType.UNORM)


def averages_words(format: Format) -> bool:
    """Return true if stored integers are averaged without conversion to floats."""
    return not format.is_srgb and all(c.type in (ChannelType.UNORM, ChannelType.VOID) for c in format.channels)


@record
class Resolve:
    """Average the samples of the pixels x0 <= x < x1, y0 <= y < y1 of one layer of `source`.

    `address` is the target's address of pixel (0, 0).
    """

    source: Surface
    address: int
    row_stride: int  # bytes; negative: mirrored
    box: tuple[int, int, int, int]  # x0, y0, x1, y1
    written: tuple[int, int]  # address and size of the memory that holds the target
    keepalive: object = field(default=None, compare=False, repr=False)

    @property
    def read(self) -> tuple[int, int]:
        """Address and size of the memory of all samples."""
        s = self.source
        return s.address, s.row_stride * -(-s.height // TILE) * TILE + s.sample_stride * (s.samples - 1)

    def record(self, kernel: int) -> ResolveRecord:
        """Return the record of this resolve for the kernel at an address."""
        s = self.source
        return ResolveRecord(kernel, s.address, s.row_stride, s.sample_stride, self.address, self.row_stride, self.box)

    def fits(self, framebuffer: Framebuffer) -> bool:
        """True if the source is a color buffer of the framebuffer, and the box lies in its tiles."""
        sizes = zip(self.box[2:], (framebuffer.width, framebuffer.height))
        is_bound = any(s is not None and s.address == self.source.address for s in framebuffer.cbufs)
        return is_bound and all(end <= -(-size // TILE) * TILE for end, size in sizes)


def takes_first(format: Format) -> bool:
    """Return True if a resolved pixel is its sample 0: integers, depth and stencil."""
    return format.is_depth_stencil or format.is_integer


def resolved(planes: Sequence[Bytes], format: Format) -> Bytes:
    """Resolve the planes of all samples, a power of two of them, into one. Planes have any shape, with the bytes of a texel last."""
    if len(planes) == 1 or takes_first(format):
        return planes[0].copy()
    flat = [np.ascontiguousarray(p).reshape(-1) for p in planes]
    is_bytewise = format.block_bytes in (1, 2, 4) and all(c.size == 8 and c.letter in "RGBAX" for c in format.channels)
    mean = _mean_of_bytes if is_bytewise and flat[0].size > _LARGE and not averages_words(format) else _mean
    return mean(flat, format).reshape(planes[0].shape)


def _mean(planes: Sequence[Bytes], format: Format) -> Bytes:
    """Average flat planes by the rule of the format."""
    if averages_words(format):
        return _mean_of_words(planes, format)
    total = unpack(format, planes[0])
    with np.errstate(all="ignore"):
        for plane in planes[1:]:
            total = total + unpack(format, plane)
        total = total * np.float32(1.0 / len(planes))
    return pack(format, total)


def _mean_of_bytes(planes: Sequence[Bytes], format: Format) -> Bytes:
    """The result of `_mean` for formats with a channel in each byte that is converted to floats: only pixels at edges are averaged, and a
    table resolves all others, which is eight times as fast for 1024 x 1024 pixels with 8 samples.
    """
    size = format.block_bytes
    words = [plane.view(f"u{size}") for plane in planes]
    is_edge = np.zeros(len(words[0]), bool)
    for other in words[1:]:
        is_edge |= other != words[0]
    every_byte = np.arange(256, dtype=np.uint8)
    table = _mean([np.repeat(every_byte, size)] * len(planes), format).reshape(256, size)
    result = planes[0].copy().reshape(-1, size)
    for channel in np.flatnonzero((table != every_byte[:, None]).any(axis=0)):
        result[:, channel] = table[:, channel][result[:, channel]]
    edges = [word[is_edge].view(np.uint8) for word in words]
    result[is_edge] = _mean(edges, format).reshape(-1, size)
    return result.reshape(-1)


def _mean_of_words(planes: Sequence[Bytes], format: Format) -> Bytes:
    size, count = format.block_bytes, len(planes)
    if all(c.size == 8 for c in format.channels):
        sums = planes[0].astype(np.uint16)
        for plane in planes[1:]:
            sums += plane
        sums += np.uint16(count // 2)
        sums >>= np.uint16(count.bit_length() - 1)
        texels: Bytes = sums.astype(np.uint8).reshape(-1, size)
        for c in format.channels:
            if c.type is ChannelType.VOID:
                texels[:, c.shift // 8] = 0
        return texels.reshape(-1)
    result = np.zeros(planes[0].size, np.uint8).reshape(-1, size)
    words = min(size, 8)
    for start in range(0, size, words):  # no channel straddles a multiple of eight bytes
        total: dict[int, NDArray[np.uint64]] = {}
        channels = [c for c in format.channels if c.type is ChannelType.UNORM and start * 8 <= c.shift < (start + words) * 8]
        for plane in planes:
            wide = np.zeros((len(result), 8), np.uint8)
            wide[:, :words] = plane.reshape(-1, size)[:, start : start + words]
            value = wide.view(np.uint64)[:, 0]
            for k, c in enumerate(channels):
                part = (value >> np.uint64(c.shift - 8 * start)) & np.uint64((1 << c.size) - 1)
                total[k] = total[k] + part if k in total else part
        out = np.zeros(len(result), np.uint64)
        for k, c in enumerate(channels):
            out |= ((total[k] + np.uint64(count // 2)) // np.uint64(count)) << np.uint64(c.shift - 8 * start)
        result[:, start : start + words] = out.view(np.uint8).reshape(-1, 8)[:, :words]
    return result.reshape(-1)
