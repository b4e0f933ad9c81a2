"""Generated code that records draws and constants: an entry appends its command after the call was carried out. Repeated words are omitted.

All other calls are written by `call_words`. The words are those of `backends.device.commands.layout`.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from backends.device.calls.table import FIELDS
from backends.device.commands.bound_record import BoundRecord
from backends.device.commands.layout import AGAIN, MOST_CHANGES, WORD, Command, header
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record

_DRAW_WORDS = len(FIELDS[Command.DRAW][0])
_PADDED = WORD * MOST_CHANGES
_FEW = I32.wide(4)
_PIECE = WORD * _FEW.lanes
_LINE = 64
_FEWEST_STREAMED = 1 << 12
MOST_DRAW = WORD * (1 + _DRAW_WORDS)
"""Bytes of a draw."""


def lacks_room(bound: Record, size: Val | int) -> Val:
    """True if a command of `size` bytes has to wait for Python, even after the gathered ones were written. No call waits otherwise."""
    f, end = bound.f, bound.get("recorded_end")
    lacks = f.var(I32, (bound.get("recorded_at") + size > end).zext(I32))
    with f.if_(lacks.get().ne(0) & end.ne(0)):
        lacks.set((f.call(I64, "make_room", bound.pointer, f.const(I64, size)) < size).zext(I32))
    return lacks.get().ne(0)


def build_make_room(module: Module) -> None:
    """make_room(record, bytes) -> bytes that are free after the gathered commands were written to the file, or in other memory.

    Python completes rejected calls, and writes large commands.
    """
    f = Function(module, "make_room", [PTR, I64], I64, shared=True, internal=True)
    b = Record(f, f.args[0], BoundRecord)

    def leave_if(condition: Val) -> None:
        with f.leaving(condition):
            f.ret(b.get("recorded_end") - b.get("recorded_at"))

    leave_if(f.args[1] > b.get("recorded_size"))
    turn = b.get("recorded_turn")
    with f.if_(turn.ne(0)):
        f.call_pointer(None, turn.as_pointer())
    leave_if(turn.ne(0))
    write, begin, first, at = b.get("recorded_write"), b.get("recorded_begin"), b.get("recorded_from"), b.get("recorded_at")
    leave_if(write.eq(0))
    size = at - first
    written = f.call_pointer(I64, write.as_pointer(), b.get("recorded_file"), first, size)
    with f.leaving(written.ne(size)):
        b.set("recorded_from", f.select(written > 0, first + written, first))
        f.ret(b.get("recorded_end") - at)
    b.set("recorded_from", begin)
    b.set("recorded_at", begin)
    b.set("recorded_constants", f.const(I64, 0))
    f.ret(b.get("recorded_size"))


def build_copy_data(module: Module) -> None:
    """copy_data(record, target, source, bytes). Data of a history bypass the caches, because programs read them only after a mistake."""
    f = Function(module, "copy_data", [PTR, PTR, PTR, I64], shared=True, internal=True)
    record, target, source, size = f.args
    is_cached = Record(f, record, BoundRecord).get("recorded_turn").eq(0) | (size < _FEWEST_STREAMED)
    with f.leaving(is_cached):
        f.call(PTR, "memcpy", target, source, size)
        f.ret()
    lead = -target.as_address() & (_LINE - 1)
    f.call(PTR, "memcpy", target, source, lead)
    lines = (size - lead).lshr(_LINE.bit_length() - 1)
    with f.range(0, lines.trunc(I32)) as k:
        place = lead + (k.zext(I64) << (_LINE.bit_length() - 1))
        pieces = [f.load(_FEW, f.at(source, place), _PIECE * n, 1) for n in range(_LINE // _PIECE)]
        for n, piece in enumerate(pieces):
            f.line(f"store {piece}, {f.at(f.at(target, place), _PIECE * n)}, align {_PIECE}, !nontemporal !1")
    done = lead + (lines << (_LINE.bit_length() - 1))
    f.call(PTR, "memcpy", f.at(target, done), f.at(source, done), size - done)
    f.ret()


def constant_bytes(f: Function, size: Val) -> Val:
    """Bytes of memory that the command for `size` bytes of constants, whole words, needs while it is written."""
    return f.max(size, f.const(I64, _PADDED)) + WORD


class Before:
    """The constants of a slot before they change."""

    def __init__(self, slot: Record) -> None:
        self.address, self.size, self.room = (slot.get(name) for name in ("address", "size", "room"))


def append_constants(f: Function, bound: Record, stage: Val, index: Val, data: Val, size: Val, before: Before | None = None) -> None:
    """CONSTANTS with `size` bytes (i64) at `data`; or CHANGES, if these bytes and the previous ones are known.

    before: previous contents of the slot. Then data are constants of the slot now, which zeros follow.
    """
    at, detail = bound.get("recorded_at").as_pointer(), (stage.trunc(I32) | index.trunc(I32) << 3) << 8  # see `slot_detail`
    bound.set("recorded_constants", at.as_address())
    if before is None:
        _append_all(f, bound, at, detail, data, size)
        return
    is_comparable = before.room.ne(0) & before.size.eq(size.trunc(I32)) & (size <= _PADDED)
    with f.else_of(is_comparable) as otherwise:
        _append_changes(f, bound, at, int(Command.CHANGES) | detail, _differences(f, data, before.address.as_pointer(), size), data)
        otherwise()
        _append_all(f, bound, at, detail, data, size)


def _differences(f: Function, new: Val, old: Val, size: Val) -> Val:
    """A bit for each of the words that differ. Four at a time: CPUs stall when one load reads data of several recent stores (failed store
    forwarding)."""
    bits = f.var(I32, 0)
    with f.range(0, (size.trunc(I32) + (_PIECE - 1)).lshr(_PIECE.bit_length() - 1)) as k:
        place = k.zext(I64) * _PIECE
        differs = f.load(_FEW, f.at(new, place), 0, WORD).ne(f.load(_FEW, f.at(old, place), 0, WORD))
        bits.set(bits.get() | f.mask_bits(differs) << (k << 2))
    return bits.get()


def _append_all(f: Function, bound: Record, at: Val, detail: Val, data: Val, size: Val) -> None:
    f.store((size.trunc(I32).lshr(2) << 16) | detail | int(Command.CONSTANTS), at, 0, WORD)
    f.call(PTR, "memcpy", f.at(at, WORD), data, size)
    bound.set("recorded_at", f.at(at, size + WORD).as_address())


def _append_changes(f: Function, bound: Record, at: Val, head: Val | int, bits: Val, words: Val) -> None:
    """A command of CHANGING with the words of the set bits."""
    f.store((bits << 16) | head, at, 0, WORD)
    rest, end = f.var(I32, bits), f.var(I64, at.as_address() + WORD)
    with f.loop() as loop:
        loop.break_if(rest.get().eq(0))
        f.store(f.load(I32, words, f.first_bit(rest.get()) << 2), end.get().as_pointer())
        rest.set(rest.get() & (rest.get() - 1))
        end.set(end.get() + WORD)
    bound.set("recorded_at", end.get())


def append_draw(f: Function, bound: Record, call: Val) -> None:
    """DRAW with the arguments at `call`, or REDRAW with those that differ from the previous draw, `recorded_draw`.

    If none do, it has no words, and is a bit of constants that come right before it.
    """
    last, at = bound.address("recorded_draw"), bound.get("recorded_at").as_pointer()
    with f.else_of(bound.get("has_recorded_draw").eq(0)) as otherwise:
        f.store(f.const(I32, header(Command.DRAW, _DRAW_WORDS)), at, 0, WORD)
        f.call(PTR, "memcpy", f.at(at, WORD), call, f.const(I64, WORD * _DRAW_WORDS))
        _keep_draw(f, last, call)
        bound.set("has_recorded_draw", f.const(I32, 1))
        bound.set("recorded_at", f.at(at, MOST_DRAW).as_address())
        otherwise()
        differences = [f.load(I32, call, WORD * word) ^ f.load(I32, last, WORD * word) for word in range(_DRAW_WORDS)]
        with f.else_of(reduce(or_, differences).eq(0)) as changed:
            before = bound.get("recorded_constants")
            with f.else_of(before.ne(0)) as alone:
                f.store(f.load(I32, before.as_pointer(), 0, WORD) | (AGAIN << 8), before.as_pointer(), 0, WORD)
                alone()
                f.store(f.const(I32, header(Command.DRAW, 0)), at, 0, WORD)
                bound.set("recorded_at", f.at(at, WORD).as_address())
            changed()
            bits = reduce(or_, [difference.ne(0).zext(I32) << word for word, difference in enumerate(differences)])
            _append_changes(f, bound, at, int(Command.REDRAW), bits, call)
            _keep_draw(f, last, call)
    bound.set("recorded_constants", f.const(I64, 0))


def _keep_draw(f: Function, last: Val, call: Val) -> None:
    f.call(PTR, "memcpy", last, call, f.const(I64, WORD * _DRAW_WORDS))
