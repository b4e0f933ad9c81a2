"""Samples of a pixel: their places, as tables in Python and in generated code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.pipe.state import RasterizerState
from backends.run.textures import STANDARD_POSITIONS

if TYPE_CHECKING:
    from backends.llvm.builder.function import Function, Val

GRID = 16  # positions count sixteenths of a pixel,
HALF = GRID // 2  # ... its center lies at this
SUBPIXEL_BITS = 4  # bits of the grid
MAX_SAMPLES = 16
MOST_LANES = 32  # of kernels that know samples: a mask is one word


@dataclass(frozen=True, slots=True)
class Pattern:
    """The samples of a pixel: the standard positions, or all of them at the center where multisample rules are off."""

    count: int
    is_centered: bool = False

    @staticmethod
    def of(count: int, rasterizer: RasterizerState) -> Pattern | None:
        """None for one sample, whose kernels know nothing of samples."""
        return Pattern(count, not rasterizer.multisample) if count > 1 else None

    @property
    def offsets(self) -> tuple[tuple[int, int], ...]:
        """From the pixel's center, in sixteenths of a pixel, y as rows go."""
        if self.is_centered:
            return ((0, 0),) * self.count
        return tuple((x - HALF, y - HALF) for x, y in STANDARD_POSITIONS[self.count])

    @property
    def every(self) -> int:
        """The mask of all samples."""
        return (1 << self.count) - 1

    def table(self, f: Function, axis: int) -> Val:
        """Pointer to the offsets along an axis, f32 pixels."""
        from backends.llvm.builder.function import F32, PTR, Val

        name = f"{'center' if self.is_centered else 'sample'}_offsets_{'xy'[axis]}"
        return Val(f, PTR, f.module.constant(name, F32, [o[axis] / GRID for o in self.offsets]))
