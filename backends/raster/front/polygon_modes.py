"""Front end: polygon modes. A triangle whose face is not filled becomes its edges, corners or bounding box; filled ones stay triangles.

Edges inside of quads and polygons are not drawn. Each edge is clipped separately, and no edge is drawn along the cut.
"""

from __future__ import annotations

from backends.llvm.builder.function import F32, I32, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.pipe.enums import Face, PolygonMode
from backends.raster.draw_record import Draw
from backends.raster.front.clip import build_clip_polygon, copy_vertex
from backends.raster.front.far_clip import is_nowhere, position_of
from backends.raster.front.points_lines import Output, build_line_steps, draw_line, draw_point, point_bounds
from backends.raster.front.rectangles import draw_rectangle
from backends.raster.front.setup import depth_offset
from backends.raster.front.spans import number_in_call
from backends.raster.front.views import placed_view
from backends.raster.front.wide_lines import restart_stipple
from backends.raster.layouts import NEEDS_CLIP, NOT_FINITE, REJECTS, Edges, VertexLayout
from backends.raster.records import Worker

_EDGES = ((0, 1), (1, 2), (2, 0))


def build_outline(module: Module, is_conservative: bool) -> None:
    """expand(worker) -> count: turns triangles t into triangles u, in order."""
    build_clip_polygon(module)
    build_line_steps(module, is_conservative)
    f = Function(module, "expand", [PTR], I32)
    (worker,) = f.args
    w = Record(f, worker, Worker)
    draw = w.get("group.span.draw")
    d = Record(f, draw, Draw)
    out = Output(f, w, d)
    masks, lists, prims = w.get("buffers.clip_masks"), [w.get(f"buffers.{n}") for n in ("t0", "t1", "t2")], w.get("buffers.prim")
    with f.range(0, w.get("group.num_prims")) as i:
        corners = [f.load(I32, t, i << 2) for t in lists]
        prim = f.load(I32, prims, i << 2)
        restart_stipple(f, w, d, prim)
        mask = [f.load(I32, masks, c << 2) for c in corners]
        any_ = mask[0] | mask[1] | mask[2]
        with f.if_(((mask[0] & mask[1] & mask[2] & REJECTS) | (any_ & NOT_FINITE)).eq(0)):
            hidden = [is_nowhere(f, out.record(c)) for c in corners]
            positive = _orientation(f, d, [out.record(c) for c in corners])
            front = positive.eq(d.get("setup.front_is_positive").ne(0))
            mode = f.select(front, d.get("primitives.fill", 0), d.get("primitives.fill", 1))
            last = f.var(I32, corners[2])
            with f.if_((d.get("offset.outline_modes").lshr(mode) & 1).ne(0)):
                last.set(out.next.get())  # a copy of the provoking vertex with this triangle's offset
                copy_vertex(f, out.record(corners[2]), out.record(last.get()), out.size)
                slot = (d.get("offset.slot") << 4) + VertexLayout.SLOTS
                f.store(plane_offset(f, d, [out.record(c) for c in corners]), out.record(last.get()), slot)
                out.next.set(last.get() + 1)
            corners[2] = last.get()
            hides = hidden[0] | hidden[1] | hidden[2]
            culled = hides | f.select(front, d.get("setup.culled_faces") & Face.FRONT, d.get("setup.culled_faces") & Face.BACK).ne(0)
            with f.else_of(mode.eq(PolygonMode.FILL)) as open_:
                _fill(f, w, out, worker, draw, mask, corners, prim)
                open_()
                with f.if_(mode.eq(PolygonMode.FILL_RECTANGLE) & ~culled & (any_ & NEEDS_CLIP).eq(0)):
                    draw_rectangle(f, d, out, corners, prim, ~positive)
                with f.if_(mode.ne(PolygonMode.FILL_RECTANGLE) & ~culled):
                    edges = _visible_edges(f, d, w, prim) & _flagged_edges(f, d, [out.record(c) for c in corners])
                    reverse = ~positive
                    with f.range(0, 3) as k, f.if_((edges.lshr(k) & 1).ne(0)):
                        (start, end), masks_of = ([_nth(f, v, k, turn) for turn in (0, 1)] for v in (corners, mask))
                        with f.else_of(mode.eq(PolygonMode.POINT)) as line:
                            with f.if_((masks_of[0] & point_bounds(f, d)).eq(0)):
                                draw_point(f, d, out, out.record(start), is_conservative)
                                _flatten(f, d, out, out.record(corners[2]))
                                out.quad(prim, reverse)
                            line()
                            draw_line(f, d, out, worker, [start, end, corners[2]], masks_of, prim, reverse)
    w.set("group.num_vertices", out.next.get())
    f.ret(out.count.get())


def _nth(f: Function, values: list[Val], k: Val, turn: int) -> Val:
    """Element (k + turn) % 3 of three values."""
    a, b, c = (values[(i + turn) % 3] for i in range(3))
    return f.select(k.eq(0), a, f.select(k.eq(1), b, c))


def _orientation(f: Function, d: Record, records: list[Val]) -> Val:
    """True if the triangle's area in the window is positive. Clip positions give the right sign even behind the viewer."""
    x, y, _, w = (list(v) for v in zip(*(position_of(f, r) for r in records)))
    w = [f.select(d.get("vertices.is_window_space").ne(0), f.const(v.type, 1.0), v) for v in w]
    minors = [(1, 2), (2, 0), (0, 1)]
    terms: list[Val] = [x[k] * (y[a] * w[b] - y[b] * w[a]) for k, (a, b) in enumerate(minors)]
    area = (terms[0] + terms[1]) + terms[2]
    view = placed_view(f, d, records[2])
    mirrored = (view.get("scale", 0) < 0.0) ^ (view.get("scale", 1) < 0.0)
    return (area > 0.0) ^ mirrored


def plane_offset(f: Function, d: Record, records: list[Val]) -> Val:
    """Depth offset of a triangle. The slope of its plane comes from clip positions, so that the triangle may reach behind the viewer."""
    x, y, z, w = (list(v) for v in zip(*(position_of(f, r) for r in records)))
    view, is_window = placed_view(f, d, records[2]), d.get("vertices.is_window_space").ne(0)
    w = [f.select(is_window, f.const(v.type, 1.0), v) for v in w]
    minors = [(1, 2), (2, 0), (0, 1)]

    def determinant(a: list[Val], b: list[Val], c: list[Val]) -> Val:
        terms = [a[k] * (b[m] * c[n] - b[n] * c[m]) for k, (m, n) in enumerate(minors)]
        return (terms[0] + terms[1]) + terms[2]

    area = determinant(x, y, w)
    depth = view.get("scale", 2).to_double()
    slopes = []
    for axis, part in ((0, determinant(z, y, w)), (1, determinant(x, z, w))):
        slope = part / area * (depth / view.get("scale", axis).to_double())
        slopes.append(f.abs(slope.cast("fptrunc", F32)))
    steepest = f.max(slopes[0], slopes[1])
    depths = [f.load(F32, r, VertexLayout.WINDOW + 8) for r in records]
    offset = d.part("offset")
    return depth_offset(f, offset, offset.get("outline_unit"), depths, f.select(area.eq(0.0), 0.0, steepest))


def _visible_edges(f: Function, d: Record, w: Record, prim: Val) -> Val:
    """A word whose bit k is set if edge k is an outer edge of the primitive."""
    per_instance = w.get("group.span.call.prims_per_instance")
    q = number_in_call(w, prim).urem(per_instance)
    edges = f.select((q & 1).ne(0), d.get("primitives.edges", 1), d.get("primitives.edges", 0))
    ends = f.select(q.eq(0), f.const(I32, Edges.THIRD), 0) | f.select((q + 1).eq(per_instance), f.const(I32, Edges.SECOND), 0)
    return edges | f.select(d.get("assembly.is_polygon").ne(0), ends, 0)


def _flagged_edges(f: Function, d: Record, records: list[Val]) -> Val:
    """A word whose bit k is set if the vertex where edge k begins has its edge flag set."""
    slot, edges = d.get("primitives.edge_flag_slot"), f.var(I32, Edges.ALL)
    with f.if_(slot >= 0):
        for k, (start, _) in enumerate(_EDGES):
            flag = f.load(F32, records[start], (slot << 4) + VertexLayout.SLOTS)
            edges.set(f.select(flag.ne(0.0), edges.get(), edges.get() & (Edges.ALL ^ (1 << k))))
    return edges.get()


def _fill(f: Function, w: Record, out: Output, worker: Val, draw: Val, mask: list[Val], corners: list[Val], prim: Val) -> None:
    with f.else_of(((mask[0] | mask[1] | mask[2]) & NEEDS_CLIP).eq(0)) as clip_it:
        out.triangle(corners, prim)
        clip_it()
        w.set("group.num_vertices", out.next.get())
        out.count.set(f.call(I32, "clip_polygon", worker, draw, *corners, prim, out.count.get()))
        out.next.set(w.get("group.num_vertices"))


def _flatten(f: Function, d: Record, out: Output, provoking: Val) -> None:
    """Copy the flat slots of the provoking vertex to the last four records."""
    first = out.next.get() - 4
    with f.range(0, d.get("vertices.num_slots")) as s:
        with f.if_(f.load(I32, d.address("vertices.is_flat"), s << 2).ne(0)):
            at = (s << 4) + VertexLayout.SLOTS
            value = f.load(F32.wide(4), provoking, at)
            for k in range(4):
                f.store(value, out.record(first + k), at)
