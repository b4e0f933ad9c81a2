"""Coarse depth: an upper bound of each tile's stored depths, so that triangles farther away are dropped before shading.

Coverage updates the bound while it walks a tile's triangles in order. After a triangle that covers all pixels of the tile and writes depth
only where it is nearer, no stored depth exceeds its farthest one. Depth at a pixel is a0 + dady * y + dadx * x + offset, and rounding keeps
order, so the corners of a box bound all of its pixels exactly as shading computes them. Bounds live for one flush: they begin as the
cleared depth, or without limit. Each active layer has its own tiles and bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from backends.abi.limits import TILE
from backends.llvm.builder.function import BOOL, F32, Function, Val
from backends.llvm.builder.record import Record
from backends.raster.layouts import HizUse, SetupLayout
from backends.raster.tile.planes import anchor_of
from tgsi.language.record import record


@record(frozen=False)
class HizTest:
    """The bound of one tile in a coverage kernel. Boxes are min x, min y, max x, max y inside the tile."""

    f: Function
    draw: Record
    slot: Val
    tile: tuple[Val, Val]
    spread: float = 0.0  # pixels; the largest distance from a pixel's center at which depth is tested

    def _range(self, record: Val, box: list[Val], farthest: bool) -> Val:
        """The nearest or farthest depth of a triangle's plane in a box, before it is clamped; NaN if depth is NaN at the box's edge."""
        f, pick, anchor = self.f, self.f.max if farthest else self.f.min, anchor_of(self.f, record)

        def term(axis: int, slope: int) -> list[Val]:
            slope_value = f.load(F32, record, slope)
            ends = [(box[axis + k] + (self.tile[axis] - anchor[axis])).to_float() for k in (0, 2)]
            if self.spread:
                ends = [ends[0] - self.spread, ends[1] + self.spread]
            return [slope_value * end for end in ends]

        a0 = f.load(F32, record, SetupLayout.Z)
        rows = [a0 + v for v in term(1, SetupLayout.Z + 8)]
        columns = term(0, SetupLayout.Z + 4)
        return pick(rows[0], rows[1]) + pick(columns[0], columns[1]) + f.load(F32, record, SetupLayout.OFFSET)

    @contextmanager
    def unless_hidden(self, record: Val, box: list[Val]) -> Iterator[None]:
        """Run the block unless the whole triangle is farther away than the bound."""
        f, d = self.f, self.draw
        visible = f.var(BOOL, 1)
        with f.if_((d.get("hiz.uses") & HizUse.TEST).ne(0)):
            z = self._range(record, box, False)
            nearest = f.min(f.max(z, d.get("view.depth_min")), d.get("view.depth_max"))
            visible.set(~(nearest > f.load(F32, self.slot) + d.get("hiz.slack")) | z.ne(z))
        with f.if_(visible.get()):
            yield

    def cover(self, record: Val, box: list[Val]) -> None:
        """Lower the bound for a triangle that covers its box, if the box contains all pixels of the tile in the framebuffer."""
        f, d = self.f, self.draw
        last = [f.min(d.get("hiz.frame_end", k) - self.tile[k], TILE - 1) for k in range(2)]
        is_tile = (box[0] | box[1]).eq(0) & (box[2] >= last[0]) & (box[3] >= last[1])
        with f.if_((d.get("hiz.uses") & HizUse.LOWER).ne(0) & is_tile):
            z = self._range(record, box, True)
            farthest = f.min(f.max(z, d.get("view.depth_min")), d.get("view.depth_max"))
            bound = f.load(F32, self.slot)
            f.store(f.select((farthest < bound) & z.eq(z), farthest, bound), self.slot)
