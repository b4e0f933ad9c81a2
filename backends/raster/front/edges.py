"""Edges of triangles that cover the pixels, or the samples, whose centers they own."""

from __future__ import annotations

from backends.llvm.builder.function import I64, Function, Val
from backends.llvm.builder.record import Record
from backends.raster.front.vertices import snap


def edge_equations(f: Function, xs: list[Val], ys: list[Val], flip: Val, tie: Val) -> tuple[list[Val], list[Val], list[Val]]:
    """A, B and c of the three edge functions, with the fill rule in c.

    E = A*px + B*py + floor(c / 256) is nonnegative inside, at the center of pixel (px, py). An edge owns the pixel centers on it if it is a
    left edge, or a horizontal one at the top (where `tie` is set, at the bottom).
    """
    slopes_x, slopes_y, constants = [], [], []
    for k in range(3):
        n = (k + 1) % 3
        a, e = ys[k] - ys[n], xs[n] - xs[k]
        a, e = f.select(flip, 0 - a, a), f.select(flip, 0 - e, e)
        owns = (a > 0) | (a.eq(0) & (f.select(tie, 0 - e, e) > 0))
        c = a.sext(I64) * (128 - xs[k]).sext(I64) + e.sext(I64) * (128 - ys[k]).sext(I64) - (~owns).zext(I64)
        slopes_x.append(a)
        slopes_y.append(e)
        constants.append(c)
    return slopes_x, slopes_y, constants


def reach_of(f: Function, a: Val, b: Val) -> Val:
    """The growth of an edge function from a pixel's center to its innermost corner, rounded up."""
    return ((f.max(a, 0 - a) + f.max(b, 0 - b)) >> 1) + 1


class CenterRule:
    """Snapping, boxes and edges of `lanes` triangles that cover the pixels, or the samples, whose centers they own.

    Coordinates are in 1/256 pixel; box_margin makes room for samples."""

    unit = 1.0 / 256.0

    def __init__(self, f: Function, d: Record, lanes: int) -> None:
        self._f, self._d, self._lanes = f, d, lanes

    def snap(self, v: Val, axis: int) -> Val:
        """A window coordinate snapped to the grid."""
        return snap(self._f, v)

    def first(self, v: list[Val], axis: int) -> Val:
        """The first column (row) whose centers the bounding box of three corners may contain."""
        return (self._f.min(self._f.min(v[0], v[1]), v[2]) + (self._d.get("setup.box_margin", 0) + 127)) >> 8

    def last(self, v: list[Val], axis: int) -> Val:
        """The last such column (row)."""
        return (self._f.max(self._f.max(v[0], v[1]), v[2]) + (self._d.get("setup.box_margin", 1) - 128)) >> 8

    def area(self, ex: list[Val], ey: list[Val]) -> Val:
        """Twice the signed area; exact, because the products stay below 2^47."""
        dx, dy = [e.to_double() for e in ex], [e.to_double() for e in ey]
        return dx[0] * dy[1] - dx[1] * dy[0]

    def lives(self, area: Val) -> Val:
        """The triangles that are drawn."""
        return area.ne(0.0)

    def edges(self, xs: list[Val], ys: list[Val], area: Val) -> tuple[list[Val], list[Val], list[Val], list[Val]]:
        """A, B and c of the three edge functions, and c in the units of coverage."""
        f, d = self._f, self._d
        a, b, constants = self.equations(xs, ys, area)
        shift = f.splat((8 - d.get("setup.subpixel_bits")).zext(I64), self._lanes)
        return a, b, constants, [v >> shift for v in constants]

    def equations(self, xs: list[Val], ys: list[Val], area: Val) -> tuple[list[Val], list[Val], list[Val]]:
        """A, B and c of the three edge functions."""
        f = self._f
        return edge_equations(f, xs, ys, area < 0.0, f.splat(self._d.get("setup.bottom_edge").ne(0), self._lanes))
