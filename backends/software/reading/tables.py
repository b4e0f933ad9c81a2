"""Generated code: searches the tables of a reader for buffers by handle, and for repeated commands."""

from __future__ import annotations

import ctypes

from backends.device.commands.bound_record import BoundRecord
from backends.device.commands.client import (
    MAX_WORDS,
    MIX,
    BufferSlot,
    BufferTableRecord,
    ReaderRecord,
    Repeat,
    RepeatSlot,
    Use,
    Written,
)
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record

_MIX = ctypes.c_int32(MIX).value


def build_find(module: Module) -> None:
    """find_buffer(table, handle) -> address of the BufferSlot of a handle, or 0."""
    f = Function(module, "find_buffer", [PTR, I32], I64, shared=True, internal=True)
    pointer, handle = f.args
    table = Record(f, pointer, BufferTableRecord)
    slots, mask = table.get("slots"), table.get("mask")
    place = f.var(I32, (handle * _MIX).lshr(12) & mask)
    with f.loop() as probe:
        at = f.at(slots, place.get().zext(I64) * ctypes.sizeof(BufferSlot))
        slot = Record(f, at, BufferSlot)
        use = slot.get("use")
        probe.break_if(use.eq(int(Use.FREE)))
        with f.leaving(use.eq(int(Use.LIVE)) & slot.get("handle").eq(handle)):
            f.ret(at.as_address())
        place.set((place.get() + 1) & mask)
    f.ret(f.const(I64, 0))


def build_repeat(module: Module) -> None:
    """repeat(reader, words, count) -> 1 if `count` words, including the header, are a known command and were carried out, otherwise 0."""
    f = Function(module, "repeat", [PTR, PTR, I32], I32, shared=True, internal=True)
    reader, words, count = f.args
    r = Record(f, reader, ReaderRecord)
    with f.leaving(count > MAX_WORDS):
        f.ret(f.const(I32, 0))
    mixed = f.var(I32, 0)
    with f.range(0, count) as k:
        total = (mixed.get() + f.load(I32, words, k << 2)) * _MIX
        mixed.set(total ^ total.lshr(15))
    hashed, mask, slots = mixed.get(), r.get("repeats_mask"), r.get("repeats")
    place = f.var(I32, hashed & mask)
    with f.loop() as probe:
        slot = Record(f, f.at(slots, place.get().zext(I64) * ctypes.sizeof(RepeatSlot)), RepeatSlot)
        use = slot.get("use")
        probe.break_if(use.eq(int(Use.FREE)))
        with f.if_(use.eq(int(Use.LIVE)) & slot.get("hash").eq(hashed)):
            entry = Record(f, slot.get("entry").as_pointer(), Repeat)
            known = f.at(entry.pointer, ctypes.sizeof(Repeat))
            differs = f.var(I32, entry.get("count") ^ count)
            with f.if_(differs.get().eq(0)), f.range(0, count) as k:
                differs.set(differs.get() | (f.load(I32, known, k << 2) ^ f.load(I32, words, k << 2)))
            with f.leaving(differs.get().eq(0)):
                f.ret(_write(f, Record(f, r.get("bound"), BoundRecord), entry, f.at(known, count << 2)))
        place.set((place.get() + 1) & mask)
    f.ret(f.const(I32, 0))


def _write(f: Function, bound: Record, entry: Record, written: Val) -> Val:
    """Write words unless there is a hindrance. Returns 1 if they were written (i32)."""
    is_free = (bound.get("hindrances") & entry.get("unless")).eq(0)
    with f.if_(is_free), f.range(0, entry.get("writes")) as k:
        item = Record(f, f.at(written, k.zext(I64) * ctypes.sizeof(Written)), Written)
        number, target = item.get("number"), f.at(bound.pointer, item.get("place") << 3)
        with f.if_(f.load(I64, target).ne(number)):
            f.store(number, target)
            bound.set("are_words_new", f.const(I32, 1))
    with f.if_(is_free):
        bound.set("hindrances", bound.get("hindrances") | entry.get("hinders"))
    return is_free.zext(I32)
