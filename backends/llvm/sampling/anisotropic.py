"""Anisotropic filters: an elliptical weighted average, as in Mesa's software renderers.

A pixel is a circle of one pixel's radius. The derivatives map it to an ellipse in texels, enlarged by one texel so that it always contains
a texel. The shorter of the derivatives, but not less than the longer one divided by max_anisotropy, selects the level of detail, rounded
down. At that level all texels with centers inside of the ellipse are summed with weights exp(-2 q), where q is 0 at the center and 1 at
the edge. The last level, and pixels that are not minified, use the ordinary filters.

Ellipses longer than max_anisotropy allows (because the level of detail was limited) are shrunk: no coordinate costs more than
(4 max_anisotropy + 8)^2 texels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from backends.llvm.builder.function import F32, I32, Function, Val
from backends.llvm.library.math import ex2
from tgsi.language.record import record

Fetch = Callable[[Val, Val], list[Val]]

STEPS = 1023.0  # weights are quantized: q is rounded down to one of this number of steps from the center to the edge
_EXPONENT = -2.0 * math.log2(math.e) / STEPS
_FARTHEST = 2.0**20  # texels a pixel; larger derivatives count as this, NaN as 0
_SMALLEST = 2.0**-40


@record
class Footprint:
    """Derivatives in texels of level 0: d(s, t)/dx and d(s, t)/dy, f32; `limit` is max_anisotropy (scalar f32)."""

    f: Function
    dx: Sequence[Val]
    dy: Sequence[Val]
    limit: Val

    @staticmethod
    def of(f: Function, dx: Sequence[Val], dy: Sequence[Val], limit: Val) -> Footprint:
        """Footprint of derivatives, which are bounded first."""
        rows = [[f.min(f.max(v, -_FARTHEST), _FARTHEST) for v in row] for row in (dx, dy)]
        return Footprint(f, rows[0], rows[1], limit)

    @property
    def squares(self) -> tuple[Val, Val]:
        """Squared lengths of the shorter and the longer derivative."""
        f = self.f
        x, y = (row[0] * row[0] + row[1] * row[1] for row in (self.dx, self.dy))
        return f.min(x, y), f.max(x, y)

    def scale(self) -> Val:
        """The scale factor from which the level of detail follows."""
        short, long = self.squares
        return self.f.sqrt(self.f.max(short, long / (self.limit * self.limit)))

    def average(self, level: Val, center: Sequence[Val], active: Val, fetch: Fetch) -> list[Val]:
        """Weighted average at `level` (i32) around `center` (texels), in lanes of `active`. fetch(u, v): a texel at integral f32."""
        f = self.f
        lanes = level.lanes
        _, long = self.squares
        shrink = ((127 - level) << 23).as_float()
        most = self.limit * 2.0
        length = f.sqrt(f.max(long, _SMALLEST)) * shrink
        shrink = f.select(length > most, shrink * (most / length), shrink)
        ux, vx, uy, vy = (v * shrink for v in (*self.dx, *self.dy))
        a, b, c = vx * vx + vy * vy + 1.0, (ux * vx + uy * vy) * -2.0, ux * ux + uy * uy + 1.0
        inside = a * c - b * b * 0.25
        reach_u, reach_v = f.sqrt(c), f.sqrt(a)  # half the ellipse's box
        a, b, c = (k * (STEPS / inside) for k in (a, b, c))
        low_u, low_v = f.floor(center[0] - reach_u), f.floor(center[1] - reach_v)
        count_u, count_v = (
            f.select(active, f.to_int(f.min(f.max(f.ceil(m + r) - low, 0.0), most * 2.0 + 7.0)) + 1, 0)
            for m, r, low in zip(center, (reach_u, reach_v), (low_u, low_v))
        )
        totals = [f.var(F32.wide(lanes), 0.0) for _ in range(5)]

        def most_of(v: Val) -> Val:
            return f.call(I32, f"llvm.vector.reduce.smax.{v.type.suffix}", v)

        width = most_of(count_u)
        with f.range(0, most_of(count_v)) as j:
            v = low_v + j.to_float()
            away_v = v - center[1]
            row = active & (f.splat(j, lanes) < count_v)
            with f.range(0, width) as i:
                u = low_u + i.to_float()
                away_u = u - center[0]
                q = (c * away_v + b * away_u) * away_v + a * away_u * away_u
                counts = row & (f.splat(i, lanes) < count_u) & (q < STEPS + 1.0)
                with f.if_(f.any(counts)):
                    weight = f.select(counts, ex2(f, f.floor(f.max(q, 0.0)) * _EXPONENT), 0.0)
                    for total, channel in zip(totals, fetch(u, v)):
                        total.set(total.get() + f.select(counts, channel * weight, 0.0))
                    totals[4].set(totals[4].get() + weight)
        weight = f.max(totals[4].get(), _SMALLEST)
        return [total.get() / weight for total in totals[:4]]
