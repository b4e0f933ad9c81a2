"""Conservative rasterization: the exact rule by which a triangle covers the pixels that it touches.

A pixel is covered if its square, sides included, and the triangle, edges included, have a point in common. The square may be larger than
the pixel: dilation moves its sides outward, and the pre-snap mode moves them by another half step of the grid, so that the snapped triangle
covers every pixel that the original one touches. A square and a triangle are disjoint if and only if one of the triangle's edges or one of
the square's sides separates them. So the test is an exact one in integers: three edge functions, moved outward by the square's reach along
their normals, and the bounding box.

The grid may be finer than 1/256 pixel (subpixel_precision_x and _y). All lengths are in units of 2^-UNIT_BITS pixel, which is half a step
of the finest grid.
"""

from __future__ import annotations

from backends.llvm.builder.function import I32, I64, Function, Val
from backends.llvm.builder.record import Record
from backends.raster.layouts import HALF_PIXEL, UNIT_BITS


class TouchRule:
    """Snapping, boxes and edges of `lanes` triangles; replaces `setup.CenterRule`."""

    unit = 2.0**-UNIT_BITS

    def __init__(self, f: Function, d: Record, lanes: int) -> None:
        self._f, self._d, self._lanes = f, d, lanes

    def snap(self, v: Val, axis: int) -> Val:
        """A window coordinate on the grid, in units."""
        steps = self._f.round(v * self._d.get("conservative.scale", axis)).cast("fptosi", I32)
        return steps * self._d.get("conservative.step", axis)

    def first(self, v: list[Val], axis: int) -> Val:
        """The first column (row) that the bounding box of three corners touches."""
        f = self._f
        return (f.min(f.min(v[0], v[1]), v[2]) - self._d.get("conservative.reach", axis) + (HALF_PIXEL - 1)) >> UNIT_BITS

    def last(self, v: list[Val], axis: int) -> Val:
        """The last column (row) that it touches."""
        f = self._f
        return (f.max(f.max(v[0], v[1]), v[2]) + self._d.get("conservative.reach", axis) - HALF_PIXEL) >> UNIT_BITS

    def area(self, ex: list[Val], ey: list[Val]) -> Val:
        """Twice the signed area, in square units: rounded, but with the exact sign."""
        x, y = [e.sext(I64) for e in ex], [e.sext(I64) for e in ey]
        return (x[0] * y[1] - x[1] * y[0]).to_double()

    def lives(self, area: Val) -> Val:
        """The triangles that are drawn."""
        return area.ne(0.0) | self._f.splat(self._d.get("conservative.keeps_degenerate").ne(0), self._lanes)

    def edges(self, xs: list[Val], ys: list[Val], area: Val) -> tuple[list[Val], list[Val], list[Val], list[Val]]:
        """A, B and c of the three edge functions, as `setup.edge_equations`, and floor(c / 2^UNIT_BITS).

        All edges of a triangle without area lie on a line or are points; two edges of opposite direction bound a strip around the line.
        """
        f = self._f
        reach = [f.splat(self._d.get("conservative.reach", axis), self._lanes).sext(I64) for axis in range(2)]
        slopes_x, slopes_y, constants = [], [], []
        for k in range(3):
            n = (k + 1) % 3
            a, e = ys[k] - ys[n], xs[n] - xs[k]
            a, e = f.select(area < 0.0, 0 - a, a), f.select(area < 0.0, 0 - e, e)
            wide_a, wide_e = a.sext(I64), e.sext(I64)
            inward = f.max(wide_a, 0 - wide_a) * reach[0] + f.max(wide_e, 0 - wide_e) * reach[1]
            slopes_x.append(a)
            slopes_y.append(e)
            constants.append(wide_a * (HALF_PIXEL - xs[k]).sext(I64) + wide_e * (HALF_PIXEL - ys[k]).sext(I64) + inward)
        return slopes_x, slopes_y, constants, [c >> UNIT_BITS for c in constants]
