"""Groups of spans: one span, or consecutive spans of a draw, whose primitives go through the front end together."""

from __future__ import annotations

import ctypes

from backends.abi.records import ShaderEnv
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.raster.draw_record import Draw
from backends.raster.records import Span, Worker

_AHEAD = 3
"""Prefetch distances in spans: from the load of an environment to the load of its constants, and from there to their use."""


def number_in_call(w: Record, prims: Val) -> Val:
    """Numbers inside the call of primitives of the worker's span, from their words (one, or a vector of them)."""
    return prims + (w.get("group.span.first") - w.get("group.prim"))


def begin_group(w: Record) -> None:
    """Empty the lists of a group."""
    for name in ("num_prims", "num_vertices", "run.first", "or_mask"):
        w.set(f"group.{name}", 0)
    w.set("group.and_mask", -1)


def span_at(f: Function, s: Record, batch: Record, number: Val) -> Record:
    """Span `number` of a batch. s: the scene."""
    place = (batch.get("first_span") + number).zext(I64) * ctypes.sizeof(Span)
    return Record(f, f.at(s.get("work.spans"), place), Span)


def prefetch_constants(f: Function, s: Record, batch: Record, number: Val) -> None:
    """Begin to load the constants of the vertex shader, a few spans before span `number` of a batch is shaded by them.

    A draw with changed constants has its own environment and constants, which are two dependent cache misses for little work.
    """

    def environment(ahead: int) -> Val:
        return span_at(f, s, batch, f.min(number + ahead, batch.get("num_spans") - 1)).get("vertex_env")

    hints = [f.const(I32, v) for v in (0, 3, 1)]  # read access, high locality, data cache
    f.call(None, "llvm.prefetch.p0", environment(2 * _AHEAD), *hints)
    env = environment(_AHEAD)
    with f.if_(_address(env).ne(0)):
        f.call(None, "llvm.prefetch.p0", Record(f, env, ShaderEnv).get("constants"), *hints)


def build_open_span(module: Module) -> None:
    """open_span(worker, span, skipped, word): makes a span the worker's current one, without its first `skipped` primitives.

    word: of its first primitive. Vertices of the group that cannot be shaded together with it are shaded first.
    """
    f = Function(module, "open_span", [PTR, PTR, I32, I32], internal=True)
    worker, span, skipped, word = f.args
    w, s = Record(f, worker, Worker), Record(f, span, Span)
    own, run = w.part("group.span"), w.part("group.run")
    d = Record(f, s.get("draw"), Draw)
    env, base, start, draw_id = s.get("vertex_env"), s.get("call.base_vertex"), s.get("call.start_instance"), s.get("call.draw_id")
    with f.if_(run.get("first") < w.get("group.num_vertices")):
        others = run.get("base_vertex").ne(base) | run.get("draw_id").ne(draw_id)
        differs = _address(run.get("env")).ne(_address(env)) | run.get("start_instance").ne(start)
        with f.if_(differs | (others & d.get("vertices.wants_system").ne(0))):
            f.call_pointer(None, d.get("entries.shade_vertices"), worker)
    for name, value in (("env", env), ("base_vertex", base), ("start_instance", start), ("draw_id", draw_id)):
        run.set(name, value)
    for at in range(0, ctypes.sizeof(Span), 8):
        f.store(f.load(I64, span, at), own.address("draw"), at)
    own.set("first", s.get("first") + skipped)
    own.set("count", s.get("count") - skipped)
    w.set("group.prim", word)
    f.ret()


def _address(pointer: Val) -> Val:
    return pointer.as_address()


def invocations_before(f: Function, w: Record, s: Record, b: Record, cut: Val) -> Val:
    """Invocations of the vertex shader in this window for the primitives before `cut` (a number inside the batch).

    A span that is cut counts in full. If the cut is at its beginning, a later window shades and counts all of it instead.
    """
    number, before, i = f.var(I32, 0), f.var(I32, 0), f.var(I32, 0)
    counts = w.get("buffers.invocations")
    with f.loop() as loop:
        loop.break_if(number.get() >= cut)
        before.set(f.load(I32, counts, i.get() << 2))
        number.add(span_at(f, s, b, i.get()).get("count"))
        i.add(1)
    return before.get()
