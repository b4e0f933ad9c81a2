"""Samples of a pixel: their places, as tables in Python and in generated code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from backends.pipe.state import RasterizerState
from backends.run.textures import STANDARD_POSITIONS
from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.llvm.builder.function import Function, Val
    from backends.llvm.builder.record import Record

GRID = 16  # steps of sample positions in a pixel
HALF = GRID // 2  # position of the pixel's center
SUBPIXEL_BITS = 4  # bits of the grid
MOST_LANES = 32  # of kernels for several samples: a lane mask is one 32-bit word


@record
class Pattern:
    """The samples of a pixel: the standard positions, or all of them at the center where multisample rules are off.

    is_programmed: the client has set the places (set_sample_locations). They are stored in the group `Draw.fragments`, so that one kernel
    serves all of them.
    """

    count: int
    is_centered: bool = False
    is_programmed: bool = False

    @staticmethod
    def of(count: int, rasterizer: RasterizerState, is_programmed: bool = False) -> Pattern | None:
        """The pattern of targets with `count` samples a pixel; None for one sample at the center, which has separate kernels."""
        is_programmed &= rasterizer.multisample
        return Pattern(count, not rasterizer.multisample, is_programmed) if count > 1 or is_programmed else None

    @property
    def offsets(self) -> tuple[tuple[int, int], ...]:
        """Place (x, y) of each sample from the pixel's center, in sixteenths of a pixel; y grows with the rows. Not for programmed ones."""
        assert not self.is_programmed
        if self.is_centered:
            return ((0, 0),) * self.count
        return tuple((x - HALF, y - HALF) for x, y in STANDARD_POSITIONS[self.count])

    def steps(self, draw: Record) -> Sequence[tuple[Val | int, Val | int]]:
        """The places in the form of `offsets`; those of programmed patterns are values of the Draw record."""
        if not self.is_programmed:
            return self.offsets
        f = draw.f
        return [(f.to_int(x * float(GRID)), f.to_int(y * float(GRID))) for x, y in self._programmed(draw)]

    def places(self, draw: Record) -> Sequence[tuple[Val | float, Val | float]]:
        """The `steps` in pixels."""
        return self._programmed(draw) if self.is_programmed else [(x / GRID, y / GRID) for x, y in self.offsets]

    def _programmed(self, draw: Record) -> list[tuple[Val, Val]]:
        return [(draw.get("fragments.location_x", k), draw.get("fragments.location_y", k)) for k in range(self.count)]

    @property
    def every(self) -> int:
        """The mask of all samples."""
        return (1 << self.count) - 1

    def table(self, f: Function, draw: Record, axis: int) -> Val:
        """Pointer to the places along an axis (0: x, 1: y), one f32 a sample, in pixels. draw: a Draw record."""
        from backends.llvm.builder.function import F32, PTR, Val

        if self.is_programmed:
            return draw.address(f"fragments.location_{'xy'[axis]}")
        name = f"{'center' if self.is_centered else 'sample'}_offsets_{'xy'[axis]}"
        return Val(f, PTR, f.module.constant(name, F32, [o[axis] / GRID for o in self.offsets]))
