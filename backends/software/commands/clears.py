"""Generated code: repeated clears of the bound targets."""

from __future__ import annotations

import ctypes

from backends.device.commands.bound_record import BoundRecord, ClearCall, Hindrance, Word
from backends.llvm.builder.function import F64, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.raster.records import ClearRecord
from backends.software.commands.clear_queue import MIX, MOST_CLEARS
from backends.software.commands.memory import leave
from backends.software.commands.records import CLEAR_WORDS, Code, ExecutorRecord, KnownClear, ReadRange

_RECORD = ctypes.sizeof(ClearRecord)


def build_clear(module: Module) -> None:
    """clear(executor, bound, call) -> Code. Repeats a known clear of whole float targets, after clamping depth and stencil."""
    f = Function(module, "clear", [PTR, PTR, PTR], I32, shared=True)
    executor, bound, arguments = f.args
    e, b, c = Record(f, executor, ExecutorRecord), Record(f, bound, BoundRecord), Record(f, arguments, ClearCall)
    depth = c.get("depth")
    low = f.select(depth > 0.0, depth, f.const(F64, 0.0))
    c.set("depth", f.select(low < 1.0, low, f.const(F64, 1.0)))
    c.set("stencil", c.get("stencil") & 0xFF)
    leave(f, b.get("words", Word.CONDITION).ne(0), Code.UNKNOWN)
    leave(f, (e.get("is_hindered") | e.get("is_reached")).ne(0), Code.UNKNOWN)
    with f.if_((b.get("hindrances") & int(Hindrance.TARGETS)).ne(0)):
        leave(f, f.call(I32, "bind_targets", executor, bound).eq(0), Code.UNKNOWN)
    leave(f, e.get("has_integers").ne(0) | (e.get("num_clears") >= MOST_CLEARS), Code.UNKNOWN)
    _leave_read_targets(f, e)
    known = _find(f, e, c)
    count, first, waiting = known.get("count"), known.get("first").zext(I64) * _RECORD, e.get("num_clears")
    place = f.at(e.get("clears"), waiting.zext(I64) * _RECORD)
    f.call(PTR, "memcpy", place, f.at(e.get("kept_clears"), first), count.zext(I64) * _RECORD)
    with f.range(0, count) as k:
        Record(f, f.at(place, k.zext(I64) * _RECORD), ClearRecord).set("before", e.get("num_batches"))
    e.set("closed", e.get("num_batches"))
    e.set("num_clears", waiting + count)
    f.ret(f.const(I32, int(Code.DONE)))


def _leave_read_targets(f: Function, e: Record) -> None:
    """Fall back for a clear of targets that draws of the pass read, because it needs a flush."""
    with f.if_(e.get("num_reads") > e.get("pass_reads")), f.range(0, e.get("num_targets")) as k:
        r = Record(f, f.at(e.address("targets"), k.zext(I64) * ctypes.sizeof(ReadRange)), ReadRange)
        is_read = f.call(I32, "reads_meet", e.pointer, r.get("address"), r.get("size"), e.get("pass_reads"))
        leave(f, is_read.ne(0), Code.UNKNOWN)


def _find(f: Function, e: Record, c: Record) -> Record:
    """The KnownClear of a call. Falls back if the clear is unknown."""
    number = e.get("targets_id")
    leave(f, number.eq(0), Code.UNKNOWN)
    words = [f.load(I64, c.pointer, 8 * k, 8) for k in range(CLEAR_WORDS)]
    mixed = number
    for word in words:
        mixed = (mixed ^ word) * (MIX - (1 << 64))
        mixed = mixed ^ mixed.lshr(32)
    mask, place = e.get("known_clears_mask"), f.var(I32, 0)
    place.set(mixed.trunc(I32) & mask)

    def at(k: Val) -> Record:
        return Record(f, f.at(e.get("known_clears"), k.zext(I64) * ctypes.sizeof(KnownClear)), KnownClear)

    with f.loop() as probe:
        slot = at(place.get())
        leave(f, slot.get("targets_id").eq(0), Code.UNKNOWN)
        differs = slot.get("targets_id") ^ number
        for k, word in enumerate(words):
            differs = differs | (slot.get("words", k) ^ word)
        probe.break_if(differs.eq(0))
        place.set((place.get() + 1) & mask)
    return at(place.get())
