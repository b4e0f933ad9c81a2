"""Front end: the polygon mode FILL_RECTANGLE. A triangle becomes the two triangles of its bounding box in the window.

Depth, 1/w and inputs are extrapolated along their planes beyond the triangle (VK_NV_fill_rectangle). A triangle that would be clipped is
dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.llvm.builder.function import F32, I32, Function, Val
from backends.llvm.builder.record import Record
from backends.raster.front.points_lines import Output
from backends.raster.front.setup import plane_maker
from backends.raster.front.vertices import snap
from backends.raster.layouts import Mode, VertexLayout

_SMALLEST = 2.0**-60  # replaces a 1/w of 0, to avoid divisions by 0


def draw_rectangle(f: Function, d: Record, out: Output, corners: Sequence[Val], prim: Val, reverse: Val) -> None:
    """Append the four corners of a triangle's bounding box, and two triangles; nothing for a triangle without area.

    corners: vertex numbers, the provoking one last. reverse: the triangle's area is negative, and so is that of its rectangle.
    """
    records = [out.record(c) for c in corners]
    window = [[f.load(F32, r, VertexLayout.WINDOW + 4 * k) for k in range(4)] for r in records]
    xs, ys = [snap(f, v[0]) for v in window], [snap(f, v[1]) for v in window]
    ex, ey = [xs[1] - xs[0], xs[2] - xs[0]], [ys[1] - ys[0], ys[2] - ys[0]]
    dx, dy = ([e.to_double() for e in es] for es in (ex, ey))
    area = dx[0] * dy[1] - dx[1] * dy[0]
    with f.if_(area.ne(0.0)):
        ends = [f.min(f.min(v[0], v[1]), v[2]) for v in (xs, ys)] + [f.max(f.max(v[0], v[1]), v[2]) for v in (xs, ys)]
        anchor = ends[0] >> 8, ends[1] >> 8
        plane = plane_maker(f, window, ex, ey, area, anchor)
        copies = out.copies(records[2])
        places = [(ends[2 * (k % 2)], ends[2 * (k // 2) + 1]) for k in range(4)]
        offsets = [[(v - (a << 8) - 128).to_float() / 256.0 for v, a in zip(place, anchor)] for place in places]

        def values(at_corners: Sequence[Val]) -> list[Val]:
            start, gx, gy = plane(at_corners)
            return [start + gx * x + gy * y for x, y in offsets]

        rw = [f.select(v.eq(0.0), f.const(F32, _SMALLEST), v) for v in values([v[3] for v in window])]
        for record, place, z, w in zip(copies, places, values([v[2] for v in window]), rw):
            for k, v in enumerate((*(p.to_float() / 256.0 for p in place), z, w)):
                f.store(v, record, VertexLayout.WINDOW + 4 * k)
        with f.range(0, d.get("setup.num_slots")) as s:
            mode = f.load(I32, d.address("setup.mode"), s << 2)
            with f.if_(mode.eq(Mode.LINEAR) | mode.eq(Mode.PERSPECTIVE)):
                is_perspective = mode.eq(Mode.PERSPECTIVE)
                factors = [f.select(is_perspective, v[3], 1.0) for v in window]
                divisors = [f.select(is_perspective, v, 1.0) for v in rw]
                for name in ("front", "back"):
                    at = (f.load(I32, d.address(f"setup.{name}"), s << 2) << 4) + VertexLayout.SLOTS
                    for channel in range(4):
                        place_of = at + 4 * channel
                        old = [f.load(F32, r, place_of) * factor for r, factor in zip(records, factors)]
                        for record, v, divisor in zip(copies, values(old), divisors):
                            f.store(v / divisor, record, place_of)
        out.quad(prim, reverse)
