"""What is to be resolved, and how texels are averaged: what both the arrays and the kernels keep to."""

from __future__ import annotations

from dataclasses import dataclass, field

from backends.abi.limits import TILE
from backends.abi.records import ResolveRecord
from backends.device.bound import Framebuffer, Surface
from backends.formats import ChannelType, Format

_WIDEST = 16  # bits of channels whose sums kernels make in words


def is_native(format: Format) -> bool:
    """There are kernels for the format; all others are copies of sample 0, or rare."""
    if format.is_depth_stencil or format.is_integer or format.is_shared_exponent or format.block_bytes not in (1, 2, 4, 8, 16):
        return False
    return not averages_words(format) or all(c.size <= _WIDEST for c in format.channels if c.type is ChannelType.UNORM)


def averages_words(format: Format) -> bool:
    """Stored numbers are averaged as they are."""
    return not format.is_srgb and all(c.type in (ChannelType.UNORM, ChannelType.VOID) for c in format.channels)


@dataclass(frozen=True, slots=True)
class Resolve:
    """Pixels x0 <= x < x1, y0 <= y < y1 of one layer of `source` go to `address`, which is where pixel (0, 0) would go."""

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
        """What the kernel at an address wants."""
        s = self.source
        return ResolveRecord(kernel, s.address, s.row_stride, s.sample_stride, self.address, self.row_stride, self.box)

    def fits(self, framebuffer: Framebuffer) -> bool:
        """The source is a color buffer, and the box lies in its tiles."""
        sizes = zip(self.box[2:], (framebuffer.width, framebuffer.height))
        is_bound = any(s is not None and s.address == self.source.address for s in framebuffer.cbufs)
        return is_bound and all(end <= -(-size // TILE) * TILE for end, size in sizes)
