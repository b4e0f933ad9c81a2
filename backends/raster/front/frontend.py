"""The front end of one batch: assemble, shade, clip, set up, bin.

A batch is a range of primitives of one draw. Its setup records and bins lie in its own arena, so batches may run on any thread in any
order; tiles later walk them in order of their numbers. Vertex records and triangle lists are scratch memory of a worker that stays in
the L2 cache.

Steps that every draw needs are here. The others are kernels of their own, entries of the draw: a process compiles only those that its
draws need, and together they are three times as long as what a triangle runs.
"""

from __future__ import annotations

from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.raster.draw_record import Draw
from backends.raster.front.assemble import build_assemble
from backends.raster.front.clip import build_clip, build_clip_polygon
from backends.raster.front.wide_lines import build_catch_up
from backends.raster.layouts import BOTTOM, CULL, LEFT, NEEDS_CLIP, RIGHT, TOP, Shape
from backends.raster.records import Batch, Worker


def _build_vertices_of(module: Module) -> None:
    """vertices_of(worker, batch): assembles, shades and places vertices."""
    f = Function(module, "vertices_of", [PTR, PTR], internal=True)
    worker, batch = f.args
    d = Record(f, Record(f, batch, Batch).get("draw"), Draw)
    f.call(None, "assemble", worker, batch)
    f.call_pointer(None, d.get("entries.shade_vertices"), worker, batch)
    place = d.get("entries.place")
    with f.if_(place.cast("ptrtoint", I64).ne(0)):
        f.call_pointer(None, place, worker, batch)
    f.ret()


def build_front_end(lanes: int, module: Module) -> None:
    """front_end(worker, batch): one kernel for all variants; slots, modes and topology are run-time data."""
    build_assemble(lanes, module)
    build_clip_polygon(module)
    build_clip(lanes, module)
    _build_vertices_of(module)
    build_catch_up(module)
    f = Function(module, "front_end", [PTR, PTR], internal=True)
    worker, batch = f.args
    w, b = Record(f, worker, Worker), Record(f, batch, Batch)
    d = Record(f, b.get("draw"), Draw)

    def set_up(letter: str, triangles: Val) -> None:
        lists = [w.get(f"buffers.{letter}{k}") for k in range(3)] + [w.get("buffers.uprim" if letter == "u" else "buffers.prim")]
        f.call_pointer(None, d.get("entries.setup"), worker, batch, *lists, triangles)

    with f.if_(d.get("line_stipple.is_on").ne(0)):
        f.call(None, "catch_up", worker, batch)
    f.call(None, "vertices_of", worker, batch)
    count = b.get("count")
    sides = f.select(d.get("points.are_cut").ne(0), f.const(I32, LEFT | RIGHT | BOTTOM | TOP), 0)
    with f.if_((w.get("batch.and_mask") & ~sides).ne(0)):  # every vertex is outside of one plane
        b.set("done", count)
        b.set("limit", 0)
        b.set("used", 0)
        b.set("clipper_out", 0)
        f.ret()
        f.place(f.label())
    with f.if_(d.get("primitives.shape").ne(Shape.TRIANGLE)):
        set_up("u", f.call_pointer(I32, d.get("entries.expand"), worker, batch))
        f.ret()
        f.place(f.label())
    with f.else_of((w.get("batch.or_mask") & (NEEDS_CLIP | CULL)).eq(0)) as otherwise:
        set_up("t", count)
        otherwise()
        left = f.call(I32, "clip", worker, batch)
        set_up("u", left)
    f.ret()
