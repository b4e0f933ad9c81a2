"""The front end of one batch: assemble, shade, clip, set up, bin.

A batch is a range of primitives of one draw. Its setup records and bins lie in its own arena, so batches may run on any thread in any
order; tiles later walk them in order of their numbers. Vertex records and triangle lists are scratch memory of a worker that stays in
the L2 cache.
"""

from __future__ import annotations

from backends.llvm.builder.function import I32, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.raster.draw_record import Draw
from backends.raster.front.assemble import build_assemble
from backends.raster.front.clip import build_clip, build_clip_polygon
from backends.raster.front.layers import build_place
from backends.raster.front.points_lines import build_expand
from backends.raster.front.polygon_modes import build_outline
from backends.raster.front.setup import build_setup
from backends.raster.front.wide_lines import build_catch_up, build_rectangle
from backends.raster.layouts import BOTTOM, CULL, LEFT, NEEDS_CLIP, RIGHT, TOP, Shape
from backends.raster.records import Batch, Worker


def _build_steps(module: Module) -> None:
    """vertices_of(worker, batch): assembles, shades and places vertices. thin(worker, batch) -> count: other shapes become triangles u."""
    f = Function(module, "vertices_of", [PTR, PTR], internal=True)
    worker, batch = f.args
    d = Record(f, Record(f, batch, Batch).get("draw"), Draw)
    f.call(None, "assemble", worker, batch)
    f.call_pointer(None, d.get("entries.shade_vertices"), worker, batch)
    with f.if_(d.get("layers.places_per_primitive").ne(0)):
        f.call(None, "place", worker, batch)
    f.ret()
    f = Function(module, "thin", [PTR, PTR], I32, internal=True)
    worker, batch = f.args
    made = f.var(I32)
    with f.else_of(Record(f, Record(f, batch, Batch).get("draw"), Draw).get("primitives.shape").eq(Shape.OUTLINE)) as others:
        made.set(f.call(I32, "outline", worker, batch))
        others()
        made.set(f.call(I32, "expand", worker, batch))
    f.ret(made.get())


def build_front_end(lanes: int, module: Module) -> None:
    """front_end(worker, batch): one kernel for all variants; slots, modes and topology are run-time data."""
    build_assemble(lanes, module)
    build_clip_polygon(module)
    build_clip(lanes, module)
    build_rectangle(module)
    build_expand(module)
    build_outline(module)
    build_place(module)
    _build_steps(module)
    build_catch_up(module)
    build_setup(lanes, module)
    build_setup(lanes, module, routed=True)
    f = Function(module, "front_end", [PTR, PTR], internal=True)
    worker, batch = f.args
    w, b = Record(f, worker, Worker), Record(f, batch, Batch)
    d = Record(f, b.get("draw"), Draw)

    def set_up(letter: str, triangles: Val) -> None:
        lists = [w.get(f"buffers.{letter}{k}") for k in range(3)] + [w.get("buffers.uprim" if letter == "u" else "buffers.prim")]
        with f.else_of(d.get("layers.has_route").eq(0)) as routed:
            f.call(None, "setup", worker, batch, *lists, triangles)
            routed()
            f.call(None, "setup_routed", worker, batch, *lists, triangles)

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
        set_up("u", f.call(I32, "thin", worker, batch))
        f.ret()
        f.place(f.label())
    with f.else_of((w.get("batch.or_mask") & (NEEDS_CLIP | CULL)).eq(0)) as otherwise:
        set_up("t", count)
        otherwise()
        left = f.call(I32, "clip", worker, batch)
        set_up("u", left)
    f.ret()
