"""Front end: lines as rectangles (smooth lines, multisampling), and the counter of line stipple.

A smooth line is the rectangle of its length and width, with a margin of half a pixel on all sides. The place slot has the position of a
pixel on the line: x across and y along the line, in pixels from its middle, and in w half the length of the rectangle. A pixel's
coverage is clamp(width/2 + 1/2 - |x|) * clamp(w - |y|), both clamped to [0, 1]. w is half the line's length plus half a pixel; for lines
shorter than one pixel, the line's length. Inputs go from end to end of the rectangle, as in Mesa's draw module. Without smoothing the
rectangle has no margin, and coverage is determined at samples.

The stipple counter is in z of the place slot: 2 + the pixels since its beginning; below 1 there is no stipple.
"""

from __future__ import annotations

from backends.llvm.builder.function import BOOL, F32, I8, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.raster.draw_record import Draw
from backends.raster.front.clip import copy_vertex
from backends.raster.front.spans import begin_group, number_in_call
from backends.raster.front.vertices import snap
from backends.raster.layouts import VertexLayout
from backends.raster.records import Scene, Worker

STIPPLE_AT = 2.0  # value with which the counter begins in the place slot
_UNIT = 1.0 / 256.0


def place_at(d: Record) -> Val:
    """Offset of the place slot in a vertex record."""
    return (d.get("primitives.place_slot") << 4) + VertexLayout.SLOTS


def restart_stipple(f: Function, w: Record, d: Record, prim: Val) -> None:
    """Reset the stipple counter if the primitive whose word is `prim` begins a new line, strip or polygon."""
    with f.if_(d.get("line_stipple.is_on").ne(0)):
        q = number_in_call(w, prim).urem(w.get("group.span.call.prims_per_instance"))
        period = d.get("line_stipple.period")
        begins = f.var(BOOL, q.eq(0))
        with f.if_(period > 0):
            begins.set(q.urem(f.max(period, 1)).eq(0))
        with f.if_(period < 0):
            begins.set(f.load(I8, f.at(d.get("line_stipple.restarts"), q.zext(I64)), align=1).ne(0))
        with f.if_(begins.get()):
            w.set("group.stipple_counter", 0.0)


def count_stipple(f: Function, w: Record, d: Record, length: Val) -> Val:
    """Advance the stipple counter by a line of `length` pixels. Returns the counter before the line."""
    before, period = w.get("group.stipple_counter"), d.get("line_stipple.factor") * 16.0
    after = before + length
    w.set("group.stipple_counter", after - f.floor(after / period) * period)
    return before


def build_rectangle(module: Module, is_conservative: bool) -> None:
    """rectangle(worker, draw, start, end, provoking, prim, count, reverse) -> count: four records and two triangles u of a line.

    is_conservative: ends are not snapped, and a line without length may become two triangles without area, as wide as the line."""
    f = Function(module, "rectangle", [PTR, PTR, PTR, PTR, PTR, I32, I32, BOOL], I32, internal=True)
    worker, draw, start, end, provoking, prim, count, reverse = f.args
    w, d = Record(f, worker, Worker), Record(f, draw, Draw)
    size, first = d.get("vertices.size"), w.get("group.num_vertices")
    ends = [f.load(F32, r, VertexLayout.WINDOW + 4 * k) for r in (start, end) for k in range(2)]
    if not is_conservative:
        ends = [snap(f, v).to_float() * _UNIT for v in ends]
    x0, y0, x1, y1 = ends
    dx, dy = x1 - x0, y1 - y0
    length = f.sqrt(dx * dx + dy * dy)
    is_point = ~(length > 0.0)
    with f.leaving(is_point & d.get("conservative.keeps_degenerate").eq(0) if is_conservative else is_point):
        f.ret(count)
    ux, uy, half = dx / length, dy / length, length * 0.5
    if is_conservative:
        ux, uy = f.select(is_point, 1.0, ux), f.select(is_point, 0.0, uy)
    margin = d.get("lines.margin")
    reach = f.select((half < 0.5) & (margin > 0.0), length, half + margin)
    side, middle = d.get("lines.half_width"), ((x0 + x1) * 0.5, (y0 + y1) * 0.5)
    counter = f.var(F32, -STIPPLE_AT)
    with f.if_(d.get("line_stipple.is_on").ne(0)):
        counter.set(count_stipple(f, w, d, length))
    records = [f.at(w.get("buffers.vertices"), ((first + k) * size).zext(I64)) for k in range(4)]
    for k, r in enumerate(records):
        along, across = reach if k >= 2 else 0.0 - reach, side if k % 2 else 0.0 - side
        near = end if k >= 2 else start
        copy_vertex(f, f.select(is_point, provoking, near) if is_conservative else near, r, size)
        f.store(middle[0] + ux * along + uy * across, r, VertexLayout.WINDOW)
        f.store(middle[1] + uy * along - ux * across, r, VertexLayout.WINDOW + 4)
        with f.range(0, d.get("vertices.num_slots")) as s:
            with f.if_(f.load(I32, d.address("vertices.is_flat"), s << 2).ne(0)):
                at = (s << 4) + VertexLayout.SLOTS
                f.store(f.load(F32.wide(4), provoking, at), r, at)
        spent = half + along  # pixels from the line's start; negative in the margin
        with f.if_(d.get("primitives.place_slot") >= 0):
            for c, v in enumerate((across, along, counter.get() + spent + STIPPLE_AT, reach)):
                f.store(v, f.at(r, place_at(d)), 4 * c)
    lists, at = [w.get(f"buffers.{n}") for n in ("u0", "u1", "u2", "uprim")], count << 2
    for n, (a, b, c) in enumerate(((0, 1, 2), (1, 3, 2))):
        corners = [f.select(reverse, first + b, first + a), f.select(reverse, first + a, first + b), first + c, prim]
        for v, target in zip(corners, lists):
            f.store(v, target, at + 4 * n)
    w.set("group.num_vertices", first + 4)
    f.ret(count + 2)


def build_catch_up(module: Module) -> None:
    """catch_up(worker): computes the stipple counter at the start of the span, and leaves its group empty.

    A strip may be longer than a span, and batches run in any order: the strip's earlier primitives are processed once more, and their
    triangles are discarded. Only such strips cost more.
    """
    f = Function(module, "catch_up", [PTR], internal=True)
    (worker,) = f.args
    w = Record(f, worker, Worker)
    s = w.part("group.span")
    d = Record(f, s.get("draw"), Draw)
    w.set("group.stipple_counter", 0.0)
    target, count, per_instance = s.get("first"), s.get("count"), s.get("call.prims_per_instance")
    inside = target.urem(per_instance)
    period = d.get("line_stipple.period")
    near = f.var(I32, inside)
    with f.if_(period > 0):
        near.set(inside.urem(f.max(period, 1)))
    at = f.var(I32, target - near.get())
    with f.loop() as loop:
        loop.break_if(at.get() >= target)
        step = f.min(target - at.get(), Record(f, w.get("scene"), Scene).get("crew.batch_size"))
        s.set("first", at.get())
        s.set("count", step)
        f.call(None, "assemble", worker)
        f.call(None, "shade_group", worker)
        f.call_pointer(I32, d.get("entries.expand"), worker)
        begin_group(w)
        at.add(step)
    s.set("first", target)
    s.set("count", count)
    f.ret()
