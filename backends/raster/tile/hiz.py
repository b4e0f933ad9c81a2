"""Coarse depth: for each tile a bound that no stored depth exceeds, so that what lies behind it is dropped before shading.

The bound is kept while coverage walks a tile's triangles in order: a triangle that covers all of the tile's pixels, passes where it
is nearer and does nothing else, leaves no depth behind its own farthest one. Depth at a pixel is a0 + dady * y + dadx * x,
and rounding keeps order, so the corners of a box bound all of its pixels exactly as shading computes them. Bounds live for one flush:
they begin as the cleared depth, or without limit. Where layers are drawn to, each has tiles and bounds of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from backends.device.limits import TILE
from backends.formats import ChannelType, Format
from backends.llvm.builder.function import BOOL, F32, I32, Function, Val
from backends.llvm.builder.record import Record
from backends.pipe.enums import CompareFunc
from backends.raster.records import HizUse, SetupLayout
from backends.raster.tile.depth import DepthKey
from backends.raster.tile.fragment import DepthLayout, FragmentInfo, FragmentKey

INFINITY = math.inf
_STEPS = 4  # of the format: what two ways of rounding a depth may differ by, with room


def hiz_of(key: FragmentKey, info: FragmentInfo) -> HizUse:
    """What the draws of a variant may do."""
    depth = key.depth
    if depth is None:
        return HizUse.NONE
    if depth.func not in (CompareFunc.LESS, CompareFunc.LEQUAL):
        keeps = not depth.write or depth.func is CompareFunc.EQUAL
        return HizUse.NONE if keeps else HizUse.RAISES
    writes_nearer = info.depth is not None and not info.tests_early and info.depth_layout is not DepthLayout.GREATER
    if depth.stencil or depth.bounds or writes_nearer or info.stencil is not None:
        return HizUse.NONE
    if key.count_invocations or (info.has_side_effects and not info.tests_early):
        return HizUse.NONE
    if key.views:  # each triangle has a depth range of its own
        return HizUse.NONE
    discards = info.kills or key.to_coverage or key.alpha is not None or key.is_masked or info.depth is not None
    return HizUse.TEST if discards or not depth.write else HizUse.TEST | HizUse.LOWER


def slack_of(depth: DepthKey | None) -> float:
    """How far behind the bound a depth must lie to fail for sure."""
    return _step(depth.format) if depth is not None and depth.func is CompareFunc.LEQUAL else 0.0


def cleared_bound(format: Format, depth: float) -> float:
    """The bound of a buffer that was cleared."""
    return depth + (_step(format) if depth < 1.0 else 0.0) if 0.0 <= depth <= 1.0 else INFINITY


def _step(format: Format) -> float:
    c = format.depth
    return 0.0 if c is None or c.type is ChannelType.FLOAT else _STEPS / ((1 << c.size) - 1)


@dataclass(slots=True)
class HizTest:
    """The bound of one tile in a coverage kernel. Boxes are min x, min y, max x, max y inside the tile."""

    f: Function
    draw: Record
    slot: Val
    tile: tuple[Val, Val]
    spread: float = 0.0  # how far from a pixel's center depth is tested, at most

    def _range(self, record: Val, box: list[Val], farthest: bool) -> Val:
        """The nearest or farthest depth in a box, clamped as shading clamps it. NaN where it is NaN at the edge of the box."""
        f, pick = self.f, self.f.max if farthest else self.f.min

        def term(axis: int, slope: int) -> list[Val]:
            anchor = self.tile[axis] - f.load(I32, record, SetupLayout.ANCHOR + 4 * axis)
            slope_value = f.load(F32, record, slope)
            ends = [(box[axis + k] + anchor).to_float() for k in (0, 2)]
            if self.spread:
                ends = [ends[0] - self.spread, ends[1] + self.spread]
            return [slope_value * end for end in ends]

        a0 = f.load(F32, record, SetupLayout.Z)
        rows = [a0 + v for v in term(1, SetupLayout.Z + 8)]
        columns = term(0, SetupLayout.Z + 4)
        return pick(rows[0], rows[1]) + pick(columns[0], columns[1])

    @contextmanager
    def unless_hidden(self, record: Val, box: list[Val]) -> Iterator[None]:
        """What follows is for triangles that are not wholly behind the bound."""
        f, d = self.f, self.draw
        visible = f.var(BOOL, 1)
        with f.if_((d.get("hiz.uses") & HizUse.TEST).ne(0)):
            z = self._range(record, box, False)
            nearest = f.min(f.max(z, d.get("view.depth_min")), d.get("view.depth_max"))
            visible.set(~(nearest > f.load(F32, self.slot) + d.get("hiz.slack")) | z.ne(z))
        with f.if_(visible.get()):
            yield

    def cover(self, record: Val, box: list[Val]) -> None:
        """The triangle covers its box: where that is all of the tile inside the framebuffer, the bound may fall."""
        f, d = self.f, self.draw
        last = [f.min(d.get("hiz.frame_end", k) - self.tile[k], TILE - 1) for k in range(2)]
        is_tile = (box[0] | box[1]).eq(0) & (box[2] >= last[0]) & (box[3] >= last[1])
        with f.if_((d.get("hiz.uses") & HizUse.LOWER).ne(0) & is_tile):
            z = self._range(record, box, True)
            farthest = f.min(f.max(z, d.get("view.depth_min")), d.get("view.depth_max"))
            bound = f.load(F32, self.slot)
            f.store(f.select((farthest < bound) & z.eq(z), farthest, bound), self.slot)
