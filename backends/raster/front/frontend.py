"""The front end of one batch: assemble, shade, clip, set up, bin.

A batch is a list of spans, each a range of primitives of a call. They are processed in groups of consecutive spans of a draw, unless a step
depends on the call. Setup records and bins lie in the batch's own arena, so batches may run on any thread in any order; tiles later walk
them in order of their numbers. Vertex records and triangle lists are a worker's scratch memory, which stays in the L2 cache.

Steps that every draw needs are here. Rare steps are separate kernels that a draw names, because together they are three times as long as
the code of a triangle; a process compiles only those that its draws need.
"""

from __future__ import annotations

from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val, Var
from backends.llvm.builder.record import Record
from backends.raster.draw_record import Draw
from backends.raster.front.assemble import build_assemble
from backends.raster.front.bins import build_open_arena
from backends.raster.front.clip import build_clip, build_clip_polygon
from backends.raster.front.spans import begin_group, build_open_span, invocations_before, prefetch_constants, span_at
from backends.raster.front.wide_lines import build_catch_up
from backends.raster.layouts import BOTTOM, CULL, LEFT, NEEDS_CLIP, NOT_FINITE, PRIM_BITS, RIGHT, TOP, Shape
from backends.raster.records import Batch, Scene, Worker


def _build_shade_group(module: Module) -> None:
    """shade_group(worker): shades and places the assembled vertices."""
    f = Function(module, "shade_group", [PTR], internal=True)
    (worker,) = f.args
    d = Record(f, Record(f, worker, Worker).get("group.span.draw"), Draw)
    f.call_pointer(None, d.get("entries.shade_vertices"), worker)
    place = d.get("entries.place")
    with f.if_(place.as_address().ne(0)):
        f.call_pointer(None, place, worker)
    f.ret()


def _build_set_up_group(module: Module) -> None:
    """set_up_group(worker, arena) -> cut: shapes, clips, sets up and bins the assembled primitives of a group, whose vertices it shades.

    cut: number (inside the batch) of the first primitive that did not fit, or -1.
    """
    f = Function(module, "set_up_group", [PTR, PTR], I32, internal=True)
    worker, arena = f.args
    w = Record(f, worker, Worker)
    d = Record(f, w.get("group.span.draw"), Draw)

    def set_up(letter: str, triangles: Val) -> None:
        lists = [w.get(f"buffers.{letter}{k}") for k in range(3)] + [w.get("buffers.uprim" if letter == "u" else "buffers.prim")]
        with f.if_(w.get("space.used").eq(0)):
            f.call(None, "open_arena", worker, arena)
        f.ret(f.call_pointer(I32, d.get("entries.setup"), worker, arena, *lists, triangles))
        f.place(f.label())

    f.call(None, "shade_group", worker)
    sides = f.select(d.get("points.are_cut").ne(0), f.const(I32, LEFT | RIGHT | BOTTOM | TOP), 0)
    with f.leaving((w.get("group.and_mask") & ~sides).ne(0)):  # all vertices are outside of the same plane
        f.ret(f.const(I32, -1))
    with f.if_(d.get("primitives.shape").ne(Shape.TRIANGLE)):
        set_up("u", f.call_pointer(I32, d.get("entries.expand"), worker))
    with f.else_of((w.get("group.or_mask") & (NEEDS_CLIP | CULL | NOT_FINITE)).eq(0)) as otherwise:
        set_up("t", w.get("group.num_prims"))
        otherwise()
        set_up("u", f.call(I32, "clip", worker))
    f.ret(f.const(I32, -1))


def _skip_spans(f: Function, s: Record, b: Record, counts: Val, i: Var, number: Var) -> None:
    """Move `i` to the first span that is not skipped, and `number` to its first primitive. Skipped spans shade no vertices."""
    with f.loop() as search:
        after = number.get() + span_at(f, s, b, i.get()).get("count")
        search.break_if(after > b.get("skipped"))
        f.store(f.const(I32, 0), counts, i.get() << 2)
        number.set(after)
        i.add(1)


def build_front_end(lanes: int, module: Module) -> None:
    """front_end(worker, batch): one kernel for all variants; slots, modes and topology are run-time data."""
    build_open_span(module)
    build_assemble(lanes, module)
    build_clip_polygon(module)
    build_clip(lanes, module)
    _build_shade_group(module)
    build_catch_up(module)
    build_open_arena(lanes, module)
    _build_set_up_group(module)
    f = Function(module, "front_end", [PTR, PTR], internal=True)
    worker, batch = f.args
    w, b = Record(f, worker, Worker), Record(f, batch, Batch)
    s = Record(f, w.get("scene"), Scene)
    arena, num_spans, skipped, counts = b.get("arena"), b.get("num_spans"), b.get("skipped"), w.get("buffers.invocations")
    for name in ("used", "top", "clipper_out"):
        w.set(f"space.{name}", 0)
    i, number, invocations, cut = f.var(I32, 0), f.var(I32, 0), f.var(I32, 0), f.var(I32, -1)
    _skip_spans(f, s, b, counts, i, number)
    shading, fragment_env, draw = f.var(I32, i.get()), f.var(I64, 0), f.var(I64, 0)

    def address(pointer: Val) -> Val:
        return pointer.as_address()

    with f.loop() as groups:
        groups.break_if((i.get() >= num_spans) | (cut.get() >= 0))
        begin_group(w)
        with f.loop() as members:
            span = span_at(f, s, b, i.get())
            prefetch_constants(f, s, b, i.get())
            d = Record(f, span.get("draw"), Draw)
            env, own = address(span.get("fragment_env")), address(span.get("draw"))
            shading.set(f.select(env.eq(fragment_env.get()) & own.eq(draw.get()), shading.get(), i.get()))
            fragment_env.set(env)
            draw.set(own)
            earlier = f.max(skipped - number.get(), 0)
            f.call(None, "open_span", worker, span.pointer, earlier, (shading.get() << PRIM_BITS) | (number.get() + earlier))
            with f.if_(d.get("line_stipple.is_on").ne(0)):
                f.call(None, "catch_up", worker)
            before = w.get("group.num_vertices")
            f.call(None, "assemble", worker)
            counted = earlier.eq(0) & address(d.get("entries.vertex_shader")).ne(0)
            invocations.add(f.select(counted, w.get("group.num_vertices") - before, 0))
            f.store(invocations.get(), counts, i.get() << 2)
            number.add(span.get("count"))
            i.add(1)
            members.break_if((i.get() >= num_spans) | d.get("setup.calls_join").eq(0))
            members.break_if(address(span_at(f, s, b, i.get()).get("draw")).ne(draw.get()))
        cut.set(f.call(I32, "set_up_group", worker, arena))
    is_cut = cut.get() >= 0
    with f.if_(is_cut):
        invocations.set(invocations_before(f, w, s, b, cut.get()))
    used, size = w.get("space.used"), s.get("crew.arena_size")
    b.set("done", f.select(is_cut, cut.get(), number.get()) - skipped)
    b.set("limit", used)
    b.set("used", f.select(is_cut, size, f.select(used.eq(0), 0, used + (size - w.get("space.top")))))
    b.set("clipper_out", w.get("space.clipper_out"))
    b.set("vs_invocations", invocations.get())
    f.ret()
