"""Square points without multisampling: setup draws each as a triangle that the box cuts down to the square.

All values of such a point are those of its vertex, except sprite coordinates, whose planes are computed from the point's size. So the
triangle
needs no separate records: its three corners name the vertex. Other points become two triangles with four records (`points_lines`).
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.llvm.builder.function import F32, I32, Function, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_POINT_SIZE
from backends.raster.front.vertices import snap
from backends.raster.layouts import PointKind, Shape, VertexLayout

UNIT = 1.0 / 256.0

_NO_END = 1 << 20
"""A column, or row, beyond every framebuffer."""


def are_squares(f: Function, d: Record) -> Val:
    """True (i1) if a draw without conservative rasterization has such points."""
    shape, kind = d.get("primitives.shape"), d.get("points.kind")
    is_centered = (d.get("setup.box_margin", 0) | d.get("setup.box_margin", 1)).eq(0)  # pixels are drawn if their centers are covered
    return shape.eq(Shape.POINT) & kind.ne(PointKind.DISK) & is_centered


def limited(f: Function, size: Val) -> Val:
    """The size of a point clamped to the supported range."""
    return f.min(f.max(size, 1.0), MAX_POINT_SIZE)


def square_of(f: Function, x: Val, y: Val, wide: Val) -> tuple[Val, Val, Val]:
    """First column, first row and edge (i32) of the square of a point at snapped x, y with a size from `limited`."""
    single = ~(wide > 1.0)
    left = f.select(single, x, x + (0.75 - wide * 0.5))
    bottom = f.select(single, y, y + (0.25 - wide * 0.5))
    return f.to_int(left), f.to_int(bottom), f.to_int(wide)


def sides_of(f: Function, d: Record, x: Val, y: Val, wide: Val) -> tuple[list[Val], list[Val], Val]:
    """Low and high sides of the square of a point, x before y, and its radius, in pixels. x, y: of the center, snapped; wide: its size."""
    x0, y0, edge = square_of(f, x, y, wide)
    lows, highs = [f.var(v.type, v) for v in (x0.to_float(), y0.to_float())], [f.var(x.type, (v + edge).to_float()) for v in (x0, y0)]
    kind, radius = d.get("points.kind"), f.var(x.type, wide * 0.5)
    with f.if_(kind.ne(PointKind.PIXELS)):
        radius.set(f.select(kind.eq(PointKind.DISK), radius.get() + 0.5, radius.get()))
        for low, high, center in zip(lows, highs, (x, y)):
            low.set(center - radius.get())
            high.set(center + radius.get())
    return [v.get() for v in lows], [v.get() for v in highs], radius.get()


class Squares:
    """The points of `lanes` triangles whose corners all name their vertex, or triangles of any other draw.

    Attributes:
        truth: true (i1) if they are points.
        window: x and y of the three corners in the window: of points, those of a triangle with three times the square's edges.
        ends: last column and row of a point; for other triangles, numbers beyond all columns and rows.
    """

    def __init__(self, f: Function, d: Record, records: Sequence[Sequence[Val]], window: Sequence[Sequence[Val]], lanes: int) -> None:
        self.truth = are_squares(f, d)
        corners = [[f.var(v.type, v) for v in corner[:2]] for corner in window]
        ends = [f.var(I32.wide(lanes), _NO_END) for _ in range(2)]
        place = [f.var(F32.wide(lanes), 1.0) for _ in range(3)]
        self._f, self._d = f, d
        with f.if_(self.truth):
            size = f.var(F32.wide(lanes), d.get("points.size"))
            slot = d.get("points.size_slot")
            with f.if_(slot >= 0):
                size.set(f.load_vec4s([f.at(r, (slot << 4) + VertexLayout.SLOTS) for r in records[0]])[0])
            x, y = (snap(f, v).to_float() * UNIT for v in window[0][:2])
            wide = limited(f, size.get())
            for variable, value in zip(place, (x, y, wide)):
                variable.set(value)
            lows, highs, _ = sides_of(f, d, x, y, wide)
            for axis, (low, high) in enumerate(zip(lows, highs)):
                for k, corner in enumerate(corners):
                    corner[axis].set(low + (high - low) * 3.0 if k == axis + 1 else low)
                ends[axis].set((snap(f, high) + 127 >> 8) - 1)  # a center on a high side is excluded: `setup.bottom_edge` is never set
        self.window = [[v.get() for v in corner] for corner in corners]
        self.ends = [end.get() for end in ends]
        self._center, self._wide = [v.get() for v in place[:2]], place[2].get()

    def sprite_planes(self, anchor: Sequence[Val]) -> list[list[Val]]:
        """The planes of the four sprite coordinates of points: value at the center of the anchor pixel, d/dx, d/dy."""
        f = self._f
        zero, one, step = f.const(self._wide.type, 0.0), f.const(self._wide.type, 1.0), 1.0 / self._wide
        s, t = ((a.to_float() + 0.5 - center) / self._wide + 0.5 for a, center in zip(anchor, self._center))
        flips = self._d.get("points.flips_sprite").ne(0)  # y = 0 is the upper end of a target
        t, up = f.select(flips, 1.0 - t, t), f.select(flips, 0.0 - step, step)
        return [[s, step, zero], [t, zero, up], [zero, zero, zero], [one, zero, zero]]
