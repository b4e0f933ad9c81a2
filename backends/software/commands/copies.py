"""Generated code: the latest copies of one thing in a frame, of which each draw looks for its own."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from backends.llvm.builder.function import I64, Function, Val
from backends.llvm.builder.record import Record
from backends.software.commands.records import WAYS


def return_known(f: Function, owner: Record, name: str, kind: type[ctypes.Structure], is_same: Callable[[Record, Val], Val]) -> None:
    """Return the address of a copy, if there is one for which `is_same` (of the copy and its number) says so."""
    with f.range(0, WAYS) as way:
        copy = Record(f, f.at(owner.address(name), way.zext(I64) * ctypes.sizeof(kind)), kind)
        with f.leaving(is_same(copy, way)):
            f.ret(copy.get("address"))


def next_copy(f: Function, owner: Record, name: str, kind: type[ctypes.Structure]) -> tuple[Record, Val]:
    """The copy that gives way to a new one, and its number."""
    turn = (owner.get("turn") + 1) & (WAYS - 1)
    owner.set("turn", turn)
    return Record(f, f.at(owner.address(name), turn.zext(I64) * ctypes.sizeof(kind)), kind), turn


def are_equal(f: Function, first: Val, other: Val, count: Val | int) -> Val:
    """True if `count` (i32) words of 64 bits are equal."""
    if isinstance(count, int):
        differs: Val = f.const(I64, 0)
        for word in range(count):
            differs = differs | (f.load(I64, first, 8 * word, 8) ^ f.load(I64, other, 8 * word, 8))
        return differs.eq(0)
    found = f.var(I64, 0)
    with f.range(0, count) as k:
        found.set(found.get() | (f.load(I64, first, k << 3, 8) ^ f.load(I64, other, k << 3, 8)))
    return found.get().eq(0)


def copy_words(f: Function, target: Val, source: Val, count: Val | int) -> None:
    """Copy `count` (i32) words of 64 bits."""
    with f.range(0, count) as k:
        f.store(f.load(I64, source, k << 3, 8), target, k << 3, 8)
