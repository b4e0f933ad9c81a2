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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from backends.llvm.builder.function import F32, I8, I32, Function, Type, Val
from backends.llvm.library.math import ex2_above
from tgsi.language.record import record

STEPS = 1023.0  # weights are quantized: q is rounded down to one of this number of steps from the center to the edge
_EXPONENT = -2.0 * math.log2(math.e) / STEPS
_EXACT = 2.0**22  # coordinates below this differ from their texels by exact numbers
_MOST = 64.0  # the largest limit for which rounding moves the edge of an ellipse by less than its slack
_FARTHEST = 2.0**20  # texels a pixel; larger derivatives count as this, NaN as 0
_SMALLEST = 2.0**-40
_BATCH = 32  # rows


@record
class Texels:
    """Texels of one level. place: function from a row (integral f32) to vectors of the types `types`, which describe it. at: function from
    these vectors and a column (integral f32) to R, G, B, A.
    """

    types: Sequence[Type]
    place: Callable[[Val], Sequence[Val]]
    at: Callable[[Sequence[Val], Val], list[Val]]


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

    def average(self, level: Val, center: Sequence[Val], active: Val, texels: Texels, *, finite: bool) -> list[Val]:
        """Weighted average at `level` (i32) around `center` (texels), in lanes of `active`.

        finite: no texel is infinite or NaN, so texels of weight 0 may be added, too.
        """
        f = self.f
        ellipse = self._ellipse(level, center, active)
        rows = Rows(ellipse, texels)
        totals = [f.var(F32.wide(level.lanes), 0.0) for _ in range(5)]
        with rows.steps() as (row, column):
            u = ellipse.low[0] + (row.start + column)
            counts, weight = row.weigh(u - center[0], column)
            for total, channel in zip(totals, texels.at(row.place, u)):
                share = channel * weight
                total.set(total.get() + (share if finite else f.select(counts, share, 0.0)))
            totals[4].set(totals[4].get() + weight)
        weight = f.max(totals[4].get(), _SMALLEST)
        return [total.get() / weight for total in totals[:4]]

    def _ellipse(self, level: Val, center: Sequence[Val], active: Val) -> Ellipse:
        f = self.f
        _, long = self.squares
        shrink = ((127 - level) << 23).as_float()
        most = self.limit * 2.0
        length = f.sqrt(f.max(long, _SMALLEST)) * shrink
        shrink = f.select(length > most, shrink * (most / length), shrink)
        ux, vx, uy, vy = (v * shrink for v in (*self.dx, *self.dy))
        a, b, c = vx * vx + vy * vy + 1.0, (ux * vx + uy * vy) * -2.0, ux * ux + uy * uy + 1.0
        inside = a * c - b * b * 0.25
        reach = f.sqrt(c), f.sqrt(a)  # half the ellipse's box
        low = [f.floor(m - r) for m, r in zip(center, reach)]
        counts = [
            f.select(active, f.to_int(f.min(f.max(f.ceil(m + r) - start, 0.0), most * 2.0 + 7.0)) + 1, 0)
            for m, r, start in zip(center, reach, low)
        ]
        unit = STEPS / inside
        is_exact = (f.abs(center[0]) < _EXACT) & (self.limit <= _MOST)
        return Ellipse(
            f=f,
            low=low,
            last=(counts[0] - 1).to_float(),
            rows=counts[1].to_float(),
            factors=[k * unit for k in (a, b, c)],
            middle=center,
            center=center[0] - low[0],
            slope=b * -0.5 / a,
            widest=(STEPS + 2.0 + self.limit * self.limit * 0.03125) * inside / (a * STEPS),
            narrowing=inside / (a * a),
            slack=f.select(is_exact, 0.015625, f.const(F32.wide(level.lanes), _FARTHEST)),
        )


def _most(f: Function, counts: Val) -> Val:
    """The largest lane (i32) of integral f32."""
    counts = counts.cast("fptosi", I32)
    return f.call(I32, f"llvm.vector.reduce.smax.{counts.type.suffix}", counts)


@record(kw_only=True)
class Ellipse:
    """Texels (x, y) from the center count where q = a x^2 + b x y + c y^2 is below STEPS + 1.

    low, last, rows: the box around the ellipse: its first texel, the number of its last column, and that of its rows (f32). factors: a, b
    and c. middle: the center.

    In a row, texels inside the ellipse lie around column `center` + slope * y, up to sqrt(widest - narrowing * y^2) away. These four
    numbers are rounded, so `widest` describes a larger ellipse, and `slack` is added.
    """

    f: Function
    low: Sequence[Val]
    last: Val
    rows: Val
    factors: Sequence[Val]
    middle: Sequence[Val]
    center: Val
    slope: Val
    widest: Val
    narrowing: Val
    slack: Val

    def row(self, number: Val, y: Val) -> tuple[Val, Val]:
        """First column of a row that may count, and the number of such columns (f32; 0 or less for none). number: of the row in the box
        (f32). y: its distance from the center.
        """
        f = self.f
        middle = self.center + self.slope * y
        reach = f.sqrt(f.max(self.widest - self.narrowing * y * y, _SMALLEST)) + self.slack
        start = f.ceil(f.max(middle - reach, -0.5))
        end = f.floor(f.min(middle + reach, self.last)) + 1.0
        return start, f.select(number < self.rows, f.max(end - start, -1.0), 0.0)


@record
class Row:
    """A row of texels: the first column that may count, the number of such columns, the distance y from the center and c * y (f32); how to
    find its texels.
    """

    f: Function
    factors: Sequence[Val]
    values: Sequence[Val]

    @property
    def start(self) -> Val:
        """First column that may count."""
        return self.values[0]

    @property
    def place(self) -> Sequence[Val]:
        """Description of the row for `Texels.at`."""
        return self.values[4:]

    def weigh(self, x: Val, number: Val) -> tuple[Val, Val]:
        """Lanes in which a texel is inside the ellipse, and its weight, 0 in other lanes. x: distance from the center. number: of the
        column (f32)."""
        f, (a, b, _), (_, count, y, first) = self.f, self.factors, self.values[:4]
        q = (first + b * x) * y + a * x * x
        counts = (number < count) & (q < STEPS + 1.0)
        weight = ex2_above(f, f.floor(f.max(q, 0.5)) * _EXPONENT)  # everything below 1 counts as 0
        return counts, f.select(counts, weight, 0.0)


class Rows:
    """Rows of texels, which are all measured before the first texel is read.

    A loop over columns inside of one over rows ends after a number of rounds that no processor guesses: a wrong guess costs as much as a
    texel of all lanes. So one loop goes over all texels, and chooses the next row without a branch.
    """

    def __init__(self, ellipse: Ellipse, texels: Texels) -> None:
        f = self.f = ellipse.f
        self.ellipse, self.texels = ellipse, texels
        self.types = [*[ellipse.slope.type] * 4, *texels.types]
        self.sizes = [t.bits // 8 * t.lanes for t in self.types]
        self.table = f.lane_memory("rows", I8.wide(sum(self.sizes) * _BATCH))
        self.widths = f.lane_memory("widths", I32.wide(_BATCH))

    @contextmanager
    def steps(self) -> Iterator[tuple[Row, Val]]:
        """Write a loop over all columns of all rows. The body gets a row, and the number of a column from its start on (f32)."""
        f, lanes = self.f, self.ellipse.slope.lanes
        rows = _most(f, self.ellipse.rows)
        with f.range(0, rows, _BATCH) as first:
            used = self._measure(first, f.min(first + _BATCH, rows))
            row, column = f.var(I32, 0), f.var(I32, 0)
            with f.loop() as loop:
                here, now = row.get(), column.get()
                loop.break_if(here >= used)
                after = now + 1
                stays = (after < f.load(I32, self.widths, here << 2)).sext(I32)
                row.set(here + 1 + stays)
                column.set(after & stays)
                yield self._load(here), f.splat(now.to_float(), lanes)

    def _measure(self, first: Val, end: Val) -> Val:
        """Measure rows and keep those with texels. Returns their number."""
        f, ellipse = self.f, self.ellipse
        used = f.var(I32, 0)
        with f.range(first, end) as j:
            number = f.splat(j.to_float(), ellipse.slope.lanes)
            v = ellipse.low[1] + number
            y = v - ellipse.middle[1]
            start, count = ellipse.row(number, y)
            place, width = used.get(), _most(f, count)
            at = f.at(self.table, place * sum(self.sizes))
            offset = 0
            for value, size in zip((start, count, y, ellipse.factors[2] * y, *self.texels.place(v)), self.sizes):
                f.store(value, at, offset)
                offset += size
            f.store(width, self.widths, place << 2)
            used.set(place + (width > 0).zext(I32))
        return used.get()

    def _load(self, number: Val) -> Row:
        f = self.f
        at = f.at(self.table, number * sum(self.sizes))
        offsets = [sum(self.sizes[:k]) for k in range(len(self.sizes))]
        return Row(f, self.ellipse.factors, [f.load(type, at, offset) for type, offset in zip(self.types, offsets)])
