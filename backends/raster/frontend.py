"""The front end of one batch: assemble, shade, clip, set up, bin.

A batch is a range of primitives of one draw. Everything it produces lies in its own arena, so batches may run on any
thread in any order; tiles later walk them in number order. Vertex records and triangle lists are per-worker scratch
that stays in the L2 cache.
"""

from __future__ import annotations

from backends.llvm.builder import I32, PTR, Function, Module, Val
from backends.llvm.structs import Record
from backends.raster.assemble import build_assemble
from backends.raster.clip import build_clip, build_clip_polygon
from backends.raster.expand import build_expand
from backends.raster.outline import build_outline
from backends.raster.records import CULL, NEEDS_CLIP, Batch, Draw, Shape, Worker
from backends.raster.routes import build_place
from backends.raster.setup import build_setup


def build_front_end(lanes: int, module: Module) -> None:
    """front_end(worker, batch): one kernel for all variants; slots, modes and topology are run-time data."""
    build_assemble(lanes, module)
    build_clip_polygon(module)
    build_clip(lanes, module)
    build_expand(module)
    build_outline(module)
    build_place(module)
    build_setup(lanes, module)
    build_setup(lanes, module, routed=True)
    f = Function(module, "front_end", [PTR, PTR], internal=True)
    worker, batch = f.args
    w, b = Record(f, worker, Worker), Record(f, batch, Batch)
    f.call(None, "assemble", worker, batch)
    d = Record(f, b.get("draw"), Draw)

    def set_up(letter: str, triangles: Val) -> None:
        lists = [w.get(f"{letter}{k}") for k in range(3)] + [w.get("uprim" if letter == "u" else "prim")]
        with f.else_of(d.get("routed").eq(0)) as routed:
            f.call(None, "setup", worker, batch, *lists, triangles)
            routed()
            f.call(None, "setup_routed", worker, batch, *lists, triangles)

    f.call_pointer(None, d.get("shade_vertices"), worker, batch)
    count = b.get("count")
    with f.if_(w.get("and_mask").ne(0)):  # every vertex is outside of one plane
        b.set("done", count)
        b.set("limit", 0)
        b.set("used", 0)
        b.set("clipper_out", 0)
        f.ret()
        f.place(f.label())
    with f.if_(d.get("replaces").ne(0)):
        f.call(None, "place", worker, batch)
    with f.if_(d.get("shape").ne(Shape.TRIANGLE)):
        made = f.var(I32)
        with f.else_of(d.get("shape").eq(Shape.OUTLINE)) as thin:
            made.set(f.call(I32, "outline", worker, batch))
            thin()
            made.set(f.call(I32, "expand", worker, batch))
        set_up("u", made.get())
        f.ret()
        f.place(f.label())
    with f.else_of((w.get("or_mask") & (NEEDS_CLIP | CULL)).eq(0)) as otherwise:
        set_up("t", count)
        otherwise()
        left = f.call(I32, "clip", worker, batch)
        set_up("u", left)
    f.ret()
