"""Generated code: the queue of a flush, which has spans in the order of the calls, grouped into batches.

A span joins the previous span's batch if the batch then has at most `batch_spans` spans and at most `batch_size` primitives. Any grouping
gives the same bytes.
"""

from __future__ import annotations

import ctypes

from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.raster.draw_record import Call
from backends.raster.records import Batch, Span
from backends.software.commands.records import ROOM_READS, ExecutorRecord


def build_append(module: Module) -> None:
    """append(executor, draw, vertex_env, fragment_env, first, count, call): queues a range of the primitives of a draw.

    call: address of a Call. The arrays of spans and batches must have room.
    """
    f = Function(module, "append", [PTR, I64, I64, I64, I32, I32, PTR], shared=True)
    executor, draw, vertex_env, fragment_env, start, primitives, call = f.args
    e = Record(f, executor, ExecutorRecord)
    spans, batches, most = e.get("spans"), e.get("batches"), e.get("batch_size")
    first, end = f.var(I32, start), start + primitives
    with f.loop() as loop:
        begin = first.get()
        count = f.min(end - begin, most)
        number = e.get("num_spans")
        s = Record(f, f.at(spans, number.zext(I64) * ctypes.sizeof(Span)), Span)
        f.store(draw, s.address("draw"), 0, 8)
        f.store(vertex_env, s.address("vertex_env"), 0, 8)
        f.store(fragment_env, s.address("fragment_env"), 0, 8)
        s.set("first", begin)
        s.set("count", count)
        target, source = s.address("call"), call
        for k in range(0, ctypes.sizeof(Call), 4):
            f.store(f.load(I32, source, k), target, k)
        e.set("num_spans", number + 1)
        _join(f, e, batches, number, count, most)
        first.set(begin + count)
        loop.break_if(first.get() >= end)
    e.set("queued", e.get("queued") + primitives.zext(I64))
    f.ret()


def is_full(f: Function, e: Record, primitives: Val) -> Val:
    """True if another `primitives` (i64) would exceed the limit of pending work."""
    spans = (primitives.trunc(I32).udiv(e.get("batch_size"))) + 1
    is_over = (e.get("queued") >= e.get("most_queued")) | (e.get("held") > e.get("most_held"))
    is_over = is_over | (e.get("num_spans") + spans > e.get("most_spans")) | (e.get("num_batches") + spans > e.get("most_batches"))
    return is_over | (e.get("num_reads") + ROOM_READS > e.get("most_reads"))


def offer_work(f: Function, e: Record) -> None:
    """Let workers begin with full batches whenever enough work is queued to be worth waking them.

    The amount of work is the number of primitives plus twice the number of spans.
    """
    amount = e.get("queued") + (e.get("num_spans") << 1).zext(I64)
    with f.if_((amount > e.get("ahead")) & e.get("is_reached").eq(0)):  # draws that access memory may need a single thread
        e.set("ahead", amount + e.get("ahead_step"))
        batches = f.max(e.get("num_batches") - 1, e.get("closed"))  # the last batch is still open
        f.call_pointer(None, e.get("run_ahead"), e.get("scene"), e.get("num_clears"), e.get("num_uploads"), batches)


def _join(f: Function, e: Record, batches: Val, number: Val, count: Val, most: Val) -> None:
    """Put span `number`, of `count` primitives, into the last batch, or begin a batch with it."""
    size = ctypes.sizeof(Batch)
    joined, num_batches = f.var(I32, 0), e.get("num_batches")
    with f.if_(num_batches > e.get("closed")):
        b = Record(f, f.at(batches, (num_batches - 1).zext(I64) * size), Batch)
        total = b.get("count") + count
        with f.if_((b.get("num_spans") < e.get("batch_spans")) & (total <= most)):
            b.set("num_spans", b.get("num_spans") + 1)
            b.set("count", total)
            joined.set(1)
    with f.if_(joined.get().eq(0)):
        b = Record(f, f.at(batches, num_batches.zext(I64) * size), Batch)
        b.set("first_span", number)
        b.set("num_spans", f.const(I32, 1))
        b.set("count", count)
        b.set("skipped", f.const(I32, 0))
        e.set("num_batches", num_batches + 1)
