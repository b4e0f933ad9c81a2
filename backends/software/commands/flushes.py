"""Generated code: flushes without Python."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from backends.abi.records import WatchRecord
from backends.device.counters import FlushReason
from backends.llvm.builder.function import I32, I64, PTR, Function, Module
from backends.llvm.builder.record import Record
from backends.raster.records import PassRecord, Scene, Worker
from backends.software.commands.memory import leave
from backends.software.commands.records import REASONS, SWEEPING, Code, ExecutorRecord

_PASS = ctypes.sizeof(PassRecord)


def build_carry_out(module: Module) -> None:
    """carry_out(executor, reason) -> Code. Runs all pending work, and ends the frame as `Executor.end_frame` does.

    UNKNOWN: Python has to release objects, search for unused ones, or raise an error. The pending work then remains; if it was interrupted
    halfway, Python detects this and drops it.
    """
    f = Function(module, "carry_out", [PTR, I32], I32, shared=True)
    executor, reason = f.args
    e = Record(f, executor, ExecutorRecord)
    s = Record(f, e.get("scene"), Scene)
    for field in ("is_hindered", "is_reached", "num_approved", "is_layered", "keeps", "is_limited"):
        leave(f, e.get(field).ne(0), Code.UNKNOWN)
    leave(f, s.get("crew.is_held").ne(0), Code.UNKNOWN)
    is_new = e.get("memory").ne(e.get("first_memory")) | e.get("num_reads").ne(0)
    with f.leaving((e.get("num_spans") | e.get("num_clears")).eq(0)):
        f.ret(f.select(is_new, f.const(I32, int(Code.UNKNOWN)), int(Code.DONE)))
    is_long = e.get("memory_base").ne(e.get("first_memory"))
    leave(f, is_long | (is_new & ((e.get("frame") + 1) & (SWEEPING - 1)).eq(0)), Code.UNKNOWN)
    for name in ("clears", "batches", "uploads"):
        s.set(f"asked.num_{name}", e.get(f"num_{name}"))
    s.set("asked.num_resolves", 0)
    f.call_pointer(None, e.get("flush"), s.pointer)
    leave(f, Record(f, s.get("crew.watch"), WatchRecord).get("stop").ne(0), Code.UNKNOWN)
    number = f.at(e.address("flushes"), reason.zext(I64) << 3)
    f.store(f.load(I64, number, 0, 8) + 1, number, 0, 8)
    e.set("runs", e.get("runs") + 1)
    _begin_queue(f, e, s)
    with f.if_(is_new):
        _begin_frame(f, e)
    f.ret(f.const(I32, int(Code.DONE)))


def build_carry_out_all(module: Module) -> None:
    """carry_out_all(executor) -> Code. carry_out, at the caller's request."""
    f = Function(module, "carry_out_all", [PTR], I32, shared=True)
    f.ret(f.call(I32, "carry_out", f.args[0], f.const(I32, REASONS.index(FlushReason.ASKED))))


def _begin_queue(f: Function, e: Record, s: Record) -> None:
    """Begin a queue without work, whose only pass is the open one."""
    for name in ("num_spans", "num_batches", "closed", "num_clears", "num_uploads"):
        e.set(name, f.const(I32, 0))
    e.set("queued", f.const(I64, 0))
    e.set("ahead", e.get("ahead_step"))
    s.set("window.is_open", 0)
    passes, last = s.get("asked.passes"), s.get("asked.num_passes") - 1
    with f.if_(last > 0):
        f.call(PTR, "memcpy", passes, f.at(passes, last.zext(I64) * _PASS), f.const(I64, _PASS))
    s.set("asked.num_passes", 1)
    s.set("asked.restarts", s.get("asked.restarts") + 1)
    e.set("num_passes", f.const(I32, 1))


def _begin_frame(f: Function, e: Record) -> None:
    """Invalidate the memory of draws."""
    e.set("frame", e.get("frame") + 1)
    e.set("epoch", e.get("epoch") + 1)
    for name in ("num_reads", "pass_reads"):
        e.set(name, f.const(I32, 0))
    e.set("memory", e.get("first_memory"))
    e.set("room", e.get("first_room"))
    for name in ("held", "wanted"):
        e.set(name, f.const(I64, 0))


def build_has_work(module: Module) -> None:
    """has_work(executor) -> 0 if nothing is pending."""
    f = Function(module, "has_work", [PTR], I32, shared=True)
    e = Record(f, f.args[0], ExecutorRecord)
    f.ret(e.get("num_spans") | e.get("num_clears"))


def build_passed_samples(module: Module) -> None:
    """passed_samples(executor, first, end) -> samples that passed in intervals `first` to `end` - 1, in draws carried out so far."""
    f = Function(module, "passed_samples", [PTR, I64, I64], I64, shared=True)
    executor, first, end = f.args
    s = Record(f, Record(f, executor, ExecutorRecord).get("scene"), Scene)
    total = f.var(I64, 0)
    with f.range(0, s.get("crew.threads") + 1) as k:
        w = Record(f, f.at(s.get("crew.workers"), k.zext(I64) * ctypes.sizeof(Worker)), Worker)
        counts = w.get("buffers.intervals")
        with f.range(first.trunc(I32), end.trunc(I32)) as interval:
            total.add(f.load(I64, counts, interval.zext(I64) << 3, 8))
    f.ret(total.get())


def build_carry_out_writes(module: Module) -> None:
    """carry_out_writes(executor, address, bytes) -> Code. Runs pending work if it writes this memory. UNKNOWN: Python has to."""
    _build_carry_out_if(module, "carry_out_writes", ("awaits_upload", "meets_targets"))


def build_carry_out_uses(module: Module) -> None:
    """carry_out_uses(executor, address, bytes) -> Code. As carry_out_writes, also if pending work reads this memory."""
    _build_carry_out_if(module, "carry_out_uses", ("awaits_upload", "reads_meet", "meets_targets"))


def _build_carry_out_if(module: Module, name: str, uses: Sequence[str]) -> None:
    f = Function(module, name, [PTR, I64, I64], I32, shared=True)
    executor, address, size = f.args
    e, end = Record(f, executor, ExecutorRecord), address + size
    with f.leaving((e.get("num_spans") | e.get("num_clears")).eq(0)):
        f.ret(f.const(I32, int(Code.DONE)))
    leave(f, (e.get("is_hindered") | e.get("is_reached")).ne(0), Code.UNKNOWN)
    is_used = f.var(I32, 0)
    for use in uses:
        first = [f.const(I32, 0)] if use == "reads_meet" else []
        is_used.set(is_used.get() | f.call(I32, use, executor, address, size, *first))
    with f.if_(is_used.get().eq(0)):
        s = Record(f, e.get("scene"), Scene)
        with f.range(0, s.get("asked.num_passes") - 1) as k:
            p = Record(f, f.at(s.get("asked.passes"), k.zext(I64) * _PASS), PassRecord)
            leave(f, p.get("begin").ult(end) & address.ult(p.get("end")), Code.UNKNOWN)
    with f.leaving(is_used.get().eq(0)):
        f.ret(f.const(I32, int(Code.DONE)))
    f.ret(f.call(I32, "carry_out", executor, f.const(I32, REASONS.index(FlushReason.MEMORY))))
