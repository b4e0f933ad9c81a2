"""Generated code: cache of the copies made in this frame, by the words they depend on.

A copy belongs to an owner, a template or a recipe, whose latest copy is tried first. All others are in a direct-mapped table; an
overwritten copy is made again with the same bytes.
"""

from __future__ import annotations

import ctypes

from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.software.commands.records import CopySlot, ExecutorRecord

_MIX = 0x9E3779B97F4A7C15 - (1 << 64)


def build_find_copy(module: Module) -> None:
    """find_copy(executor, key, count) -> address of the CopySlot of the copy made from `count` words in this frame, or 0.

    The first word of a key is the address of the owner.
    """
    f = Function(module, "find_copy", [PTR, PTR, I32], I64, shared=True, internal=True)
    executor, key, count = f.args
    e = Record(f, executor, ExecutorRecord)
    slot = _slot_of(f, e, key, count)
    known = slot.get("key").as_pointer()
    with f.if_(slot.get("frame").eq(e.get("frame"))), f.leaving(_are_equal(f, key, known, count)):
        f.ret(slot.pointer.as_address())
    f.ret(f.const(I64, 0))


def build_note_copy(module: Module) -> None:
    """note_copy(executor, key, count, address): adds a copy. The words of the key must stay in place until the frame ends."""
    f = Function(module, "note_copy", [PTR, PTR, I32, I64], shared=True, internal=True)
    executor, key, count, address = f.args
    e = Record(f, executor, ExecutorRecord)
    slot = _slot_of(f, e, key, count)
    slot.set("frame", e.get("frame"))
    slot.set("key", key.as_address())
    slot.set("address", address)
    f.ret()


def return_latest(f: Function, owner: Record, frame: Val, key: Val, count: Val | int) -> None:
    """Return from the function with the latest copy of an owner, if its words are equal."""
    same = f.var(I32, 0)
    with f.if_(owner.get("frame").eq(frame)):
        same.set(_are_equal(f, key, owner.get("latest").as_pointer(), f.const(I32, count)).zext(I32))
    with f.leaving(same.get().ne(0)):
        f.ret(owner.get("address"))


def return_found(f: Function, executor: Val, owner: Record, frame: Val, key: Val, count: Val | int) -> None:
    """Return from the function with the copy made from these words, if it exists; it becomes the latest copy of its owner."""
    known = f.call(I64, "find_copy", executor, key, f.const(I32, count))
    with f.leaving(known.ne(0)):
        slot = Record(f, known.as_pointer(), CopySlot)
        address = slot.get("address")
        set_latest(owner, frame, slot.get("key"), address)
        f.ret(address)


def set_latest(owner: Record, frame: Val, key: Val, address: Val) -> None:
    """Set the latest copy of an owner."""
    owner.set("frame", frame)
    owner.set("latest", key)
    owner.set("address", address)


def copy_words(f: Function, target: Val, source: Val, count: Val | int) -> None:
    """Copy `count` (i32) words of 64 bits."""
    with f.range(0, count) as k:
        f.store(f.load(I64, source, k << 3, 8), target, k << 3, 8)


def _slot_of(f: Function, e: Record, key: Val, count: Val) -> Record:
    mixed = f.var(I64, 0)
    with f.range(0, count) as k:
        mixed.set((mixed.get() ^ f.load(I64, key, k << 3, 8)) * _MIX)
    place = mixed.get().lshr(40) & e.get("copies_mask").zext(I64)
    return Record(f, f.at(e.get("copies"), place * ctypes.sizeof(CopySlot)), CopySlot)


def _are_equal(f: Function, one: Val, other: Val, count: Val) -> Val:
    """True if two keys are equal; all keys of one owner have the same length."""
    differs = f.var(I64, f.load(I64, one, 0, 8) ^ f.load(I64, other, 0, 8))
    with f.if_(differs.get().eq(0)), f.range(1, count) as k:
        differs.set(differs.get() | (f.load(I64, one, k << 3, 8) ^ f.load(I64, other, k << 3, 8)))
    return differs.get().eq(0)
