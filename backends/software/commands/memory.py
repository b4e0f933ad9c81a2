"""Generated code: memory of a frame, and the set of ranges that pending draws read."""

from __future__ import annotations

import ctypes

from backends.device.region import ALIGNMENT, SLACK
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.software.commands.records import Code, ExecutorRecord, ReadRange, ReadSlot

READ_BY_TILES = 2  # of the results of `reads_meet`
_MIX = 0x9E3779B97F4A7C15 - (1 << 64)


def leave(f: Function, condition: Val, code: Code) -> None:
    """Return a code if the condition holds."""
    with f.leaving(condition):
        f.ret(f.const(I32, int(code)))


def build_allocate(module: Module) -> None:
    """allocate(executor, bytes) -> address of a multiple of 64, with readable slack after the bytes; 0 if there is no room."""
    f = Function(module, "allocate", [PTR, I64], I64, shared=True, internal=True)
    executor, size = f.args
    e = Record(f, executor, ExecutorRecord)
    whole = (size + (SLACK + ALIGNMENT - 1)) & -ALIGNMENT
    with f.leaving(e.get("room") < whole):
        e.set("wanted", whole)
        f.ret(f.const(I64, 0))
    address = e.get("memory")
    e.set("memory", address + whole)
    e.set("room", e.get("room") - whole)
    f.ret(address)


def allocate(f: Function, executor: Val, size: Val | int) -> Val:
    """Address (i64) of `size` bytes, 0 if memory ran out."""
    return f.call(I64, "allocate", executor, f.const(I64, size))


def build_note_read(module: Module) -> None:
    """note_read(executor, address, bytes, by_tiles): adds a range read by pending draws. The table must not be full.

    by_tiles: see `ReadRange`. Of ranges with the same end only the longest is kept, because draws read a large buffer from many places to
    its end.
    """
    f = Function(module, "note_read", [PTR, I64, I64, I64], shared=True)
    executor, address, size, by_tiles = f.args
    e, end = Record(f, executor, ExecutorRecord), address + size
    mask, table, reads, epoch = e.get("reads_mask"), e.get("read_slots"), e.get("reads"), e.get("epoch")
    place = f.var(I32, (end * _MIX).lshr(40).trunc(I32) & mask)
    with f.loop():
        slot = Record(f, f.at(table, place.get().zext(I64) * ctypes.sizeof(ReadSlot)), ReadSlot)
        with f.leaving(slot.get("epoch").ne(epoch)):
            number = e.get("num_reads")
            slot.set("epoch", epoch)
            slot.set("number", number)
            r = _range(f, reads, number)
            r.set("address", address)
            r.set("size", size)
            r.set("by_tiles", by_tiles)
            e.set("num_reads", number + 1)
            note_met(f, e, address, size)
            e.set("held", e.get("held") + size)
            f.ret()
        r = _range(f, reads, slot.get("number"))
        known = r.get("size")
        with f.leaving((r.get("address") + known).eq(end)):
            r.set("by_tiles", r.get("by_tiles") | by_tiles)
            with f.if_(size > known):
                r.set("address", address)
                r.set("size", size)
                e.set("held", e.get("held") + (size - known))
                note_met(f, e, address, size)
            f.ret()
        place.set((place.get() + 1) & mask)
    f.ret()


def note_met(f: Function, e: Record, address: Val, size: Val) -> None:
    """Record that a new read range is written by programs of pending draws."""
    with f.if_(e.get("num_written").ne(0)):
        e.set("reads_pending_write", e.get("reads_pending_write") | f.call(I32, "meets_written", e.pointer, address, size))


def build_reads_meet(module: Module) -> None:
    """reads_meet(executor, address, bytes, first) -> 0 if no read range overlaps these bytes.

    Otherwise 1, or 2 if tiles read one. first: the first range to check.
    """
    f = Function(module, "reads_meet", [PTR, I64, I64, I32], I32, shared=True)
    executor, address, size, first = f.args
    e = Record(f, executor, ExecutorRecord)
    reads, end, result = e.get("reads"), address + size, f.var(I32, 0)
    with f.range(first, e.get("num_reads")) as k:
        r = _range(f, reads, k)
        with f.if_(r.get("address").ult(end) & address.ult(r.get("address") + r.get("size"))):
            with f.leaving(r.get("by_tiles").ne(0)):
                f.ret(f.const(I32, READ_BY_TILES))
            result.set(1)
    f.ret(result.get())


def _range(f: Function, reads: Val, number: Val) -> Record:
    return Record(f, f.at(reads, number.zext(I64) * ctypes.sizeof(ReadRange)), ReadRange)
