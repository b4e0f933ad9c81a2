"""Front end: points and lines become pairs of triangles in window space, so that all later steps handle triangles only.

A point is a square of whole pixels, as Mesa's softpipe draws it (docs/primitives.md, "Points"): its first column is
trunc(x + 0.75 - size/2), its first row trunc(y + 0.25 - size/2), its edge floor(size), at least 1. Other kinds of points are squares
around their center. In a smooth point the place slot holds the offset of a pixel from the center (x, y) and the radius plus half a pixel
(w); coverage is clamp(w - |(x, y)|) to [0, 1].

A line is a parallelogram along its major axis: `width` pixels around the center line in each column (row). The diamond-exit rule
decides which pixels these are (`diamonds`). Smooth lines are rectangles (`wide_lines`).
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.llvm.builder.function import BOOL, F32, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.raster.draw_record import Draw
from backends.raster.front.clip import blend_vertex, copy_vertex, emit_vertex, plane_distance, share, take_vertex
from backends.raster.front.diamonds import first_border, last_border, magnitude, mark_line, shifted
from backends.raster.front.far_clip import PLANES, build_clip_line_far, is_far, is_nowhere
from backends.raster.front.squares import UNIT, are_squares, limited, sides_of
from backends.raster.front.vertices import snap
from backends.raster.front.views import placed_view
from backends.raster.front.wide_lines import STIPPLE_AT, build_rectangle, count_stipple, place_at, restart_stipple
from backends.raster.layouts import CULL, FAR, GUARD, NEAR, NEEDS_CLIP, NOT_FINITE, OUTSIDE, USER, Mode, PointKind, VertexLayout
from backends.raster.records import Worker

DISK_MARK = -1.0  # in z of the place slot


class Output:
    """The growing lists of vertex records and triangles of one worker."""

    def __init__(self, f: Function, w: Record, d: Record) -> None:
        self.f, self.w, self.d = f, w, d
        self.vertices, self.size = w.get("buffers.vertices"), d.get("vertices.size")
        self.lists = [w.get(f"buffers.{n}") for n in ("u0", "u1", "u2", "uprim")]
        self.count = f.var(I32, 0)
        self.next = f.var(I32, w.get("group.num_vertices"))

    def record(self, number: Val) -> Val:
        """Pointer to a vertex record."""
        return self.f.at(self.vertices, (number * self.size).zext(I64))

    def copies(self, source: Val) -> list[Val]:
        """Four new records like `source`."""
        f, first = self.f, self.next.get()
        records = [self.record(first + k) for k in range(4)]
        for r in records:
            copy_vertex(f, source, r, self.size)
        self.next.set(first + 4)
        return records

    def triangle(self, corners: Sequence[Val], prim: Val) -> None:
        """A triangle of three vertex numbers."""
        at = self.count.get() << 2
        for v, target in zip([*corners, prim], self.lists):
            self.f.store(v, target, at)
        self.count.add(1)

    def quad(self, prim: Val, reverse: Val | None = None) -> None:
        """Two triangles of the last four records: (0, 1, 2) and (1, 3, 2); where `reverse` is set their area is negative."""
        f, first = self.f, self.next.get() - 4
        for a, b, c in ((0, 1, 2), (1, 3, 2)):
            x, y = first + a, first + b
            if reverse is not None:
                x, y = f.select(reverse, y, x), f.select(reverse, x, y)
            self.triangle([x, y, first + c], prim)


def build_line_steps(module: Module, is_conservative: bool) -> None:
    """The functions that `draw_line` calls."""
    _build_clip_line(module)
    build_rectangle(module, is_conservative)


def build_expand(is_point: bool, module: Module, is_conservative: bool) -> None:
    """expand(worker) -> count: turns points or lines t into triangles u, in order; clips or drops those that leave the view.

    is_conservative: only setup snaps, the corners of squares and rectangles."""
    if not is_point:
        build_line_steps(module, is_conservative)
    f = Function(module, "expand", [PTR], I32)
    (worker,) = f.args
    w = Record(f, worker, Worker)
    d = Record(f, w.get("group.span.draw"), Draw)
    out = Output(f, w, d)
    masks, corners, prims = w.get("buffers.clip_masks"), [w.get(f"buffers.{n}") for n in ("t0", "t1", "t2")], w.get("buffers.prim")
    squares = f.const(BOOL, 0) if is_conservative or not is_point else are_squares(f, d)
    with f.range(0, w.get("group.num_prims")) as i:
        a, c, provoking = (f.load(I32, t, i << 2) for t in corners)
        prim = f.load(I32, prims, i << 2)
        restart_stipple(f, w, d, prim)
        m0, m1 = f.load(I32, masks, a << 2), f.load(I32, masks, c << 2)
        with f.if_((m0 & m1 & CULL).eq(0)):
            if is_point:
                with f.if_((m0 & point_bounds(f, d)).eq(0)):
                    with f.else_of(squares) as otherwise:
                        out.triangle([a, a, a], prim)
                        otherwise()
                        draw_point(f, d, out, out.record(a), is_conservative)
                        out.quad(prim)
            else:
                draw_line(f, d, out, worker, [a, c, provoking], [m0, m1], prim)
    w.set("group.num_vertices", out.next.get())
    f.ret(out.count.get())


# -------------------------------------------------------------------------------------------------------------- points
def point_bounds(f: Function, d: Record) -> Val:
    """Bits of a clip mask that drop a point. The center decides, but with point_tri_clip the sides cut points like triangles."""
    return f.select(d.get("points.are_cut").ne(0), f.const(I32, NEAR | FAR | GUARD | USER | NOT_FINITE), OUTSIDE | USER | NOT_FINITE)


def draw_point(f: Function, d: Record, out: Output, source: Val, is_conservative: bool) -> None:
    """Append four records: the corners of the point at the record `source`."""
    x, y = (f.load(F32, source, VertexLayout.WINDOW + 4 * k) for k in range(2))
    if not is_conservative:
        x, y = (snap(f, v).to_float() * UNIT for v in (x, y))
    size = f.var(F32, d.get("points.size"))
    slot = d.get("points.size_slot")
    with f.if_(slot >= 0):
        size.set(f.load(F32, source, (slot << 4) + VertexLayout.SLOTS))
    wide = limited(f, size.get())
    lows, highs, radius = sides_of(f, d, x, y, wide)
    xs, ys = [lows[0], highs[0]], [lows[1], highs[1]]
    records = out.copies(source)
    for k, r in enumerate(records):
        px, py = xs[k % 2], ys[k // 2]
        f.store(px, r, VertexLayout.WINDOW)
        f.store(py, r, VertexLayout.WINDOW + 4)
        with f.if_(d.get("points.kind").eq(PointKind.DISK)):
            for c, v in enumerate((px - x, py - y, f.const(F32, DISK_MARK), radius)):
                f.store(v, f.at(r, place_at(d)), 4 * c)
        s, t = (px - x) / wide + 0.5, (py - y) / wide + 0.5
        t = f.select(d.get("points.flips_sprite").ne(0), 1.0 - t, t)  # y = 0 is the upper end of a target
        with f.range(0, d.get("setup.num_slots")) as i:
            with f.if_(f.load(I32, d.address("points.is_sprite"), i << 2).ne(0)):
                at = (i << 4) + VertexLayout.SLOTS
                for c, v in enumerate((s, t, f.const(F32, 0.0), f.const(F32, 1.0))):
                    f.store(v, f.at(r, at), 4 * c)


# --------------------------------------------------------------------------------------------------------------- lines
def _build_clip_line(module: Module) -> None:
    """clip_line(worker, draw, a, b, provoking) -> visible: appends two records clipped to every plane."""
    build_clip_line_far(module)
    f = Function(module, "clip_line", [PTR, PTR, I32, I32, I32], I32, internal=True)
    worker, draw, a, b, provoking = f.args
    w, d = Record(f, worker, Worker), Record(f, draw, Draw)
    vertices, size = w.get("buffers.vertices"), d.get("vertices.size")
    records = [f.at(vertices, (v * size).zext(I64)) for v in (a, b)]
    with f.leaving(is_nowhere(f, records[0]) | is_nowhere(f, records[1])):
        f.ret(f.const(I32, 0))
    with f.leaving(is_far(f, records)):
        f.ret(f.call(I32, "clip_line_far", *f.args))
    bytes_, polygon = size - VertexLayout.CLIP, w.get("buffers.polygon")
    ends = [polygon, f.at(polygon, bytes_)]
    for record, end in zip(records, ends):
        take_vertex(f, d, record, end, bytes_)
    provoking_at = f.at(vertices, (provoking * size).zext(I64))
    view = placed_view(f, d, provoking_at)
    with f.range(0, d.get("clip.num_distances") + PLANES) as plane:
        distances = [plane_distance(f, d, view, plane, end) for end in ends]
        inside = [distance >= 0.0 for distance in distances]
        with f.leaving(~(inside[0] | inside[1])):
            f.ret(f.const(I32, 0))
        for k in range(2):
            with f.if_(~inside[k]):
                blend_vertex(f, ends[1 - k], ends[k], share(distances[1 - k], distances[k]), ends[k], bytes_)
    first = w.get("group.num_vertices")
    for k, end in enumerate(ends):
        record = f.at(vertices, ((first + k) * size).zext(I64))
        emit_vertex(f, d, view, end, record, bytes_, provoking_at)
    f.ret(f.const(I32, 1))


def draw_line(
    f: Function, d: Record, out: Output, worker: Val, vertices: Sequence[Val], masks: Sequence[Val], prim: Val, reverse: Val | None = None
) -> None:
    """A line from vertices[0] to vertices[1] whose provoking vertex is vertices[2] (numbers); masks: clip masks of the ends."""
    a, c, provoking = vertices
    m0, m1 = masks
    with f.if_(((m0 & m1 & OUTSIDE) | ((m0 | m1) & NOT_FINITE)).eq(0)):
        ends = [f.var(PTR, out.record(v)) for v in (a, c)]
        visible = f.var(I32, 1)
        with f.if_(((m0 | m1) & NEEDS_CLIP).ne(0)):
            first = out.next.get()
            out.w.set("group.num_vertices", first)
            visible.set(f.call(I32, "clip_line", worker, d.pointer, a, c, provoking))
            ends[0].set(out.record(first))
            ends[1].set(out.record(first + 1))
            out.next.set(first + 2)
        with f.if_(visible.get().ne(0)):
            with f.else_of(d.get("lines.are_rectangles").eq(0)) as rectangle:
                _line(f, d, out, ends[0].get(), ends[1].get(), out.record(provoking), prim, reverse)
                rectangle()
                out.w.set("group.num_vertices", out.next.get())
                flipped = f.const(BOOL, 0) if reverse is None else reverse
                three = (ends[0].get(), ends[1].get(), out.record(provoking))
                out.count.set(f.call(I32, "rectangle", worker, d.pointer, *three, prim, out.count.get(), flipped))
                out.next.set(out.w.get("group.num_vertices"))


def _line(f: Function, d: Record, out: Output, start: Val, end: Val, provoking: Val, prim: Val, reverse: Val | None) -> None:
    zero, (x0, y0, x1, y1) = f.const(I32, 0), (snap(f, f.load(F32, r, VertexLayout.WINDOW + 4 * k)) for r in (start, end) for k in range(2))
    dx, dy = x1 - x0, y1 - y0
    along_x = magnitude(f, dx) >= magnitude(f, dy)

    def by_axis(a: Val, b: Val) -> Val:
        return f.select(along_x, a, b)

    u0, v0, u1, v1 = by_axis(x0, y0), by_axis(y0, x0), by_axis(x1, y1), by_axis(y1, x1)
    du, dv, forward = u1 - u0, v1 - v0, by_axis(dx, dy) > 0
    width = d.get("lines.width").cast("fptosi", I32)
    offset = (width - 1) << 7
    (us0, vs0), (us1, vs1) = (
        (by_axis(xs, ys), by_axis(ys, xs))
        for xs, ys in (shifted(f, d, x - by_axis(zero, offset), y - by_axis(offset, zero)) for x, y in ((x0, y0), (x1, y1)))
    )
    first = first_border(f, us0, vs0, forward)
    last = last_border(f, us1, vs1, forward, d.get("lines.draws_last_pixel").ne(0))
    drawn = du.ne(0) & f.select(forward, first < last, last < first)
    with f.if_(drawn):
        half = width << 7
        records = out.copies(start)
        mark_line(f, d, records, (x0, y0), (dx, dy), along_x, width)
        with f.if_(d.get("layers.has_route").ne(0)):  # slots that setup does not interpolate come from the provoking vertex
            with f.range(d.get("setup.num_slots"), d.get("vertices.num_slots")) as s:
                with f.if_(f.load(I32, d.address("vertices.is_flat"), s << 2).ne(0)):
                    at = (s << 4) + VertexLayout.SLOTS
                    for r in records:
                        f.store(f.load(F32.wide(4), provoking, at), r, at)
        low, high = f.select(forward, first, last), f.select(forward, last, first)
        length = du.to_double()
        counter = f.var(F32, 0.0)
        with f.if_(d.get("line_stipple.is_on").ne(0)):
            counter.set(count_stipple(f, out.w, d, magnitude(f, last - first).to_float() * UNIT))
        for side, u in enumerate((low, high)):
            s = (u - u0).to_double() / length
            v = v0 + f.to_int(f.round(s * dv.to_double())) + 1  # a center on the border belongs to the lower line
            pairs = [(by_axis(u, k), by_axis(k, u)) for k in (v - half, v + half)]
            there = _write_end(f, d, records, side, pairs, along_x, start, end, provoking, s.cast("fptrunc", F32))
            with f.if_(d.get("line_stipple.is_on").ne(0)):
                done = counter.get() + magnitude(f, u - first).to_float() * UNIT
                for r in there:
                    f.store(done + STIPPLE_AT, f.at(r, place_at(d)), 8)
        out.quad(prim, reverse)


def _write_end(
    f: Function,
    d: Record,
    records: Sequence[Val],
    side: int,
    pairs: Sequence[tuple[Val, Val]],
    along_x: Val,
    start: Val,
    end: Val,
    provoking: Val,
    s: Val,
) -> list[Val]:
    """Write both corners at one end of a line, at fraction `s` of the way between its vertices (extrapolated in window space); returns
    them.
    """
    z0, w0, z1, w1 = (f.load(F32, r, VertexLayout.WINDOW + 8 + 4 * k) for r in (start, end) for k in range(2))
    rw = w0 + (w1 - w0) * s
    rw = f.select(rw > 0.0, rw, w0)
    z = z0 + (z1 - z0) * s
    # corner 0 of the quad: low end, low side; 1 and 2: which of high end and high side comes first depends on the axis
    middle = f.select(along_x, records[2 - side], records[1 + side])
    there = [records[0], middle] if side == 0 else [middle, records[3]]
    for (x, y), r in zip(pairs, there):
        for k, v in enumerate((x.to_float() * UNIT, y.to_float() * UNIT, z, rw)):
            f.store(v, r, VertexLayout.WINDOW + 4 * k)

    vec4 = F32.wide(4)
    with f.range(0, d.get("setup.num_slots")) as i:
        at, mode = (i << 4) + VertexLayout.SLOTS, f.load(I32, d.address("setup.mode"), i << 2)
        a, b = f.load(vec4, start, at), f.load(vec4, end, at)
        scaled, to = a * w0, b * w1
        perspective = (scaled + (to - scaled) * s) / rw
        value = f.select(mode.eq(Mode.PERSPECTIVE), perspective, a + (b - a) * s)
        value = f.select(mode.eq(Mode.FLAT), f.load(vec4, provoking, at), value)
        for r in there:
            f.store(value, r, at)
    return there
