"""Front end: lines as rectangles, for smooth ones and multisampling; and how far line stipple has come.

A smooth line is the rectangle of its length and width, one half of a pixel wider on all sides. The place slot says where a
pixel lies on it: x across from the middle, y along from the middle (pixels), w half the length. A pixel's coverage is
clamp(width/2 + 1/2 - |x|) * clamp(w - |y|), both to [0, 1], with w half a pixel longer than half the line, and for lines below
one pixel twice as long as half the line. Inputs go from end to end of the rectangle. (As Mesa's draw module has it.) Without
smoothing the rectangle has no margin, and samples decide about its coverage.

The stipple counter is in z: 2 + the pixels since it began; below 1 nothing is stippled.
"""

from __future__ import annotations

from backends.llvm.builder.function import BOOL, F32, I8, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.raster.front.clip import copy_vertex
from backends.raster.front.vertices import snap
from backends.raster.records import Batch, Draw, Scene, VertexLayout, Worker

STIPPLE_AT = 2.0  # what the counter begins with in the place slot
_UNIT = 1.0 / 256.0


def place_at(d: Record) -> Val:
    """Offset of the place slot in a vertex record."""
    return (d.get("primitives.place_slot") << 4) + VertexLayout.SLOTS


def restart_stipple(f: Function, w: Record, d: Record, b: Record, prim: Val) -> None:
    """The counter begins again where primitive `prim` (of the batch) begins a new line."""
    with f.if_(d.get("line_stipple.is_on").ne(0)):
        q = (prim + b.get("first")).urem(d.get("assembly.prims_per_instance"))
        period = d.get("line_stipple.period")
        begins = f.var(BOOL, q.eq(0))
        with f.if_(period > 0):
            begins.set(q.urem(f.max(period, 1)).eq(0))
        with f.if_(period < 0):
            begins.set(f.load(I8, f.at(d.get("line_stipple.restarts"), q.zext(I64)), align=1).ne(0))
        with f.if_(begins.get()):
            w.set("batch.stipple_counter", 0.0)


def count_stipple(f: Function, w: Record, d: Record, length: Val) -> Val:
    """The counter as it was before a line of `length` pixels."""
    before, period = w.get("batch.stipple_counter"), d.get("line_stipple.factor") * 16.0
    after = before + length
    w.set("batch.stipple_counter", after - f.floor(after / period) * period)
    return before


def build_rectangle(module: Module) -> None:
    """rectangle(worker, draw, start, end, provoking, prim, count, reverse) -> count: four records and two triangles u of a line."""
    f = Function(module, "rectangle", [PTR, PTR, PTR, PTR, PTR, I32, I32, BOOL], I32, internal=True)
    worker, draw, start, end, provoking, prim, count, reverse = f.args
    w, d = Record(f, worker, Worker), Record(f, draw, Draw)
    size, first = d.get("vertices.size"), w.get("batch.num_vertices")
    x0, y0, x1, y1 = (snap(f, f.load(F32, r, VertexLayout.WINDOW + 4 * k)).to_float() * _UNIT for r in (start, end) for k in range(2))
    dx, dy = x1 - x0, y1 - y0
    length = f.sqrt(dx * dx + dy * dy)
    with f.if_(~(length > 0.0)):
        f.ret(count)
        f.place(f.label())
    ux, uy, half = dx / length, dy / length, length * 0.5
    margin = d.get("lines.margin")
    reach = f.select((half < 0.5) & (margin > 0.0), length, half + margin)
    side, middle = d.get("lines.half_width"), ((x0 + x1) * 0.5, (y0 + y1) * 0.5)
    counter = f.var(F32, -STIPPLE_AT)
    with f.if_(d.get("line_stipple.is_on").ne(0)):
        counter.set(count_stipple(f, w, d, length))
    records = [f.at(w.get("buffers.vertices"), ((first + k) * size).zext(I64)) for k in range(4)]
    for k, r in enumerate(records):
        along, across = reach if k >= 2 else 0.0 - reach, side if k % 2 else 0.0 - side
        copy_vertex(f, end if k >= 2 else start, r, size)
        f.store(middle[0] + ux * along + uy * across, r, VertexLayout.WINDOW)
        f.store(middle[1] + uy * along - ux * across, r, VertexLayout.WINDOW + 4)
        with f.range(0, d.get("vertices.num_slots")) as s:
            with f.if_(f.load(I32, d.address("vertices.is_flat"), s << 2).ne(0)):
                at = (s << 4) + VertexLayout.SLOTS
                f.store(f.load(F32.wide(4), provoking, at), r, at)
        spent = half + along  # from the line's own end on
        with f.if_(d.get("primitives.place_slot") >= 0):
            for c, v in enumerate((across, along, counter.get() + spent + STIPPLE_AT, reach)):
                f.store(v, f.at(r, place_at(d)), 4 * c)
    lists, at = [w.get(f"buffers.{n}") for n in ("u0", "u1", "u2", "uprim")], count << 2
    for n, (a, b, c) in enumerate(((0, 1, 2), (1, 3, 2))):
        corners = [f.select(reverse, first + b, first + a), f.select(reverse, first + a, first + b), first + c, prim]
        for v, target in zip(corners, lists):
            f.store(v, target, at + 4 * n)
    w.set("batch.num_vertices", first + 4)
    f.ret(count + 2)


def build_catch_up(module: Module) -> None:
    """catch_up(worker, batch): brings the stipple counter to where the batch begins, by doing what comes before it without a trace.

    A strip may be longer than a batch, and batches run in any order. Only such strips pay for it."""
    f = Function(module, "catch_up", [PTR, PTR], internal=True)
    worker, batch = f.args
    w, b = Record(f, worker, Worker), Record(f, batch, Batch)
    d = Record(f, b.get("draw"), Draw)
    w.set("batch.stipple_counter", 0.0)
    target, count, per_instance = b.get("first"), b.get("count"), d.get("assembly.prims_per_instance")
    inside = target.urem(per_instance)
    period = d.get("line_stipple.period")
    near = f.var(I32, inside)
    with f.if_(period > 0):
        near.set(inside.urem(f.max(period, 1)))
    at = f.var(I32, target - near.get())
    with f.loop() as loop:
        loop.break_if(at.get() >= target)
        step = f.min(target - at.get(), Record(f, w.get("scene"), Scene).get("crew.batch_size"))
        b.set("first", at.get())
        b.set("count", step)
        f.call(None, "vertices_of", worker, batch)
        f.call(I32, "thin", worker, batch)
        at.add(step)
    b.set("first", target)
    b.set("count", count)
    f.ret()
