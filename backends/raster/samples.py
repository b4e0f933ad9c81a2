"""Samples of a pixel: their places, as tables in Python and in generated code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.pipe.state import RasterizerState
from backends.run.textures import STANDARD_POSITIONS
from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.llvm.builder.function import Function, Val

GRID = 16  # steps of sample positions in a pixel
HALF = GRID // 2  # position of the pixel's center
SUBPIXEL_BITS = 4  # bits of the grid
MAX_SAMPLES = 16
MOST_LANES = 32  # of kernels for several samples: a lane mask is one 32-bit word


@record
class Pattern:
    """The samples of a pixel: the standard positions, or all of them at the center where multisample rules are off."""

    count: int
    is_centered: bool = False

    @staticmethod
    def of(count: int, rasterizer: RasterizerState) -> Pattern | None:
        """The pattern of targets with `count` samples a pixel; None for one sample, which has kernels of its own."""
        return Pattern(count, not rasterizer.multisample) if count > 1 else None

    @property
    def offsets(self) -> tuple[tuple[int, int], ...]:
        """Place (x, y) of each sample from the pixel's center, in sixteenths of a pixel; y grows with the rows."""
        if self.is_centered:
            return ((0, 0),) * self.count
        return tuple((x - HALF, y - HALF) for x, y in STANDARD_POSITIONS[self.count])

    @property
    def every(self) -> int:
        """The mask of all samples."""
        return (1 << self.count) - 1

    def table(self, f: Function, axis: int) -> Val:
        """Pointer to the offsets along an axis (0: x, 1: y), one f32 a sample, in pixels."""
        from backends.llvm.builder.function import F32, PTR, Val

        name = f"{'center' if self.is_centered else 'sample'}_offsets_{'xy'[axis]}"
        return Val(f, PTR, f.module.constant(name, F32, [o[axis] / GRID for o in self.offsets]))
