"""Multisample resolves: the job that a context gives a device, and the rule by which texels are averaged.

The array code and the kernels both keep to that rule.
"""

from __future__ import annotations

from dataclasses import field

from backends.abi.limits import TILE
from backends.abi.records import ResolveRecord
from backends.device.bound import Framebuffer, Surface
from backends.formats import ChannelType, Format
from tgsi.language.record import record

_WIDEST = 16  # most bits of a channel for which kernels add samples in 32-bit words


def is_native(format: Format) -> bool:
    """Return true if there are kernels for the format. The resolves of other formats copy sample 0, or are rare."""
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
