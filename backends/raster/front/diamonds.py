"""Aliased lines: the pixels that OpenGL's diamond-exit rule names, exactly (OpenGL 4.6 core, section 14.5.1 and 14.5.2.2).

A line produces the pixels whose diamonds it leaves. Both ends are first moved by (-e, -e*e) for an infinitesimal e, so that no end and no
line lies on the border of a diamond. The shift is in OpenGL's window coordinates, whose y grows upward: in targets whose rows
come from the top down (`bottom_edge_rule`) y moves the other way.

A line that is longer along x has one pixel in each column: its ordinate at the column's center, rounded down, after the shift. So its
pixels are those whose centers lie between two parallels of the line, half its width away; the shift decides for centers on a parallel. The
diamonds of the ends decide whether the first and the last column belong to the line. Wide lines are first moved by (width - 1) / 2.

Setup gets a line as two triangles. Their rounded corners define the planes of values. The exact parallels replace two edges; they are
stored in the words of clip positions, which are unused by then. The third edge is the diagonal between the triangles, and the box cuts off
the ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.llvm.builder.function import I32, I64, Function, Val
from backends.llvm.builder.record import Record
from backends.raster.front.edges import CenterRule
from backends.raster.layouts import VertexLayout

_MARK = 0x7FE5D1A6
"""Bits of the clip position's w that mark a line: a NaN, which no drawn vertex has."""
_FINE = 4
"""Steps of the shift in each 1/256 pixel: x moves by two and y by one, less than the distance of any end from a border that it is not on.
"""
_PIXEL = 256 * _FINE
_ROUNDED = 2
"""The largest rounding error of a corner, in 1/256 pixel."""


def shifted(f: Function, d: Record, x: Val, y: Val) -> tuple[Val, Val]:
    """Snapped coordinates after the shift, in 1/1024 pixel."""
    return x * _FINE - 2, y * _FINE + f.select(d.get("lines.is_flipped").ne(0), f.const(I32, 1), -1)


def first_border(f: Function, u: Val, v: Val, forward: Val) -> Val:
    """The border, in 1/256 pixel, of the first pixel of a line that begins at shifted coordinates u (along the line) and v.

    forward: the line goes toward larger u.
    """
    pixel, begins = _begins(f, u, v, forward)
    return f.select(begins ^ forward, pixel + 1, pixel) << 8


def last_border(f: Function, u: Val, v: Val, forward: Val, keeps_last: Val) -> Val:
    """The border of the last pixel of a line that ends at shifted coordinates u and v. keeps_last: the pixel of the end is drawn, too."""
    pixel, begins = _begins(f, u, v, forward)
    included = ~begins | keeps_last  # of lines that share an end, exactly one draws the pixel
    return f.select(included ^ forward, pixel, pixel + 1) << 8


def _begins(f: Function, u: Val, v: Val, forward: Val) -> tuple[Val, Val]:
    """The number of the pixel with a point, along the line, and whether a line that begins there draws it."""
    half = _PIXEL // 2
    fu, fv = ((c & (_PIXEL - 1)) - half for c in (u, v))
    inside = magnitude(f, fu) + magnitude(f, fv) < half
    return u >> (_PIXEL.bit_length() - 1), inside | f.select(forward, fu < 0, fu > 0)


def magnitude(f: Function, v: Val) -> Val:
    """The absolute value of an i32."""
    return f.max(v, 0 - v)


def mark_line(f: Function, d: Record, records: Sequence[Val], start: Sequence[Val], delta: Sequence[Val], along_x: Val, width: Val) -> None:
    """Write the parallels of a line into the four records of its triangles.

    start, delta: x and y of its beginning, and the vector to its end, snapped; width: in pixels.
    """
    dx, dy = delta
    turns = f.select(along_x, dx, dy) < 0
    dx, dy = (f.select(turns, 0 - v, v) for v in (dx, dy))
    half = width << 7
    x, y = f.select(along_x, start[0], start[0] - half), f.select(along_x, start[1] - half, start[1])
    falls = f.select(dy.eq(0), d.get("lines.is_flipped").eq(0), dy < 0)
    owns = falls | ~along_x  # the shift is down or to the left, so centers on the lower parallel are inside
    a, b = f.select(along_x, 0 - dy, dy), f.select(along_x, dx, 0 - dx)
    for k, r in enumerate(records):
        words = [width << 8, owns.zext(I32), f.const(I32, 0), f.const(I32, _MARK)] if k == 2 else [(x << 1) | int(k == 1), y, a, b]
        for c, word in enumerate(words):
            f.store(word, r, VertexLayout.CLIP + 4 * c)


class LineRule(CenterRule):
    """Boxes and edges of `lanes` triangles, some of which are halves of lines. records: pointers to the records of three corners."""

    def __init__(self, f: Function, d: Record, lanes: int, records: Sequence[Sequence[Val]]) -> None:
        super().__init__(f, d, lanes)
        self._place, self._kind = (f.load_vec4s([f.at(r, VertexLayout.CLIP) for r in records[k]], I32) for k in (0, 2))
        self.is_line = self._kind[3].eq(_MARK)
        self._reach = f.select(self.is_line, f.const(I32.wide(lanes), _ROUNDED), 0)

    def first(self, v: list[Val], axis: int) -> Val:
        """As `CenterRule.first`; a line may reach beyond its corners."""
        return super().first([c - self._reach for c in v], axis)

    def last(self, v: list[Val], axis: int) -> Val:
        """As `CenterRule.last`."""
        return super().last([c + self._reach for c in v], axis)

    def equations(self, xs: list[Val], ys: list[Val], area: Val) -> tuple[list[Val], list[Val], list[Val]]:
        """As `CenterRule.equations`; those of lines are the lower parallel, the upper one, and the diagonal, which ends at corner 2."""
        f = self._f
        edges = list(zip(*super().equations(xs, ys, area)))
        x, y, a, b = self._place
        is_second = (x & 1).ne(0)  # corner 0 is on the diagonal, not corner 1
        c = a.sext(I64) * (128 - (x >> 1)).sext(I64) + b.sext(I64) * (128 - y).sext(I64)
        owns = self._kind[1].ne(0)
        length = f.max(magnitude(f, a), magnitude(f, b))
        across = length.sext(I64) * self._kind[0].sext(I64)
        low, high = (a, b, c - (~owns).zext(I64)), (0 - a, 0 - b, across - c - owns.zext(I64))
        diagonal = [f.select(is_second, second, first) for first, second in zip(edges[1], edges[2])]
        merged = [[f.select(self.is_line, new, old) for new, old in zip(*pair)] for pair in zip((low, high, diagonal), edges)]
        slopes_x, slopes_y, constants = (list(column) for column in zip(*merged))
        return slopes_x, slopes_y, constants
