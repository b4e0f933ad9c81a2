"""Commands that entries of an observed context append once a call was carried out, with the words of `backends.device.commands.layout`."""

from __future__ import annotations

from backends.device.commands.bound_record import BoundRecord
from backends.device.commands.layout import AGAIN, DRAW, WORD, Command, header
from backends.entries.names import RECORDED
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record

_DRAW_WORDS = len(DRAW.split())
_PADDED = 64
_VECTOR = I32.wide(_PADDED // WORD)
MOST_DRAW = WORD * (1 + _DRAW_WORDS)
"""Bytes of a draw."""


def plain_number(name: str) -> int:
    """Number of the function that carries a call out and records nothing, in the PythonTable of observed contexts."""
    return len(RECORDED) + RECORDED.index(name)


def lacks_room(bound: Record, size: Val | int) -> Val:
    """True if a command of `size` bytes has to wait for Python, even after the gathered ones were written. No call waits otherwise."""
    f, room = bound.f, bound.get("recorded_room")
    lacks = f.var(I32, (room < size).zext(I32))
    with f.if_(lacks.get().ne(0) & room.ne(0)):
        lacks.set((f.call(I64, "make_room", bound.pointer) < size).zext(I32))
    return lacks.get().ne(0)


def build_make_room(module: Module) -> None:
    """make_room(record) -> bytes that are free after the gathered commands were written to the file. Python completes what is refused."""
    f = Function(module, "make_room", [PTR], I64, shared=True, internal=True)
    b = Record(f, f.args[0], BoundRecord)
    write, begin, first = b.get("recorded_write"), b.get("recorded_begin"), b.get("recorded_from")
    with f.leaving(write.eq(0)):
        f.ret(b.get("recorded_room"))
    size = b.get("recorded_at") - first
    written = f.call_pointer(I64, write.as_pointer(), b.get("recorded_file"), first, size)
    with f.leaving(written.ne(size)):
        b.set("recorded_from", f.select(written > 0, first + written, first))
        f.ret(b.get("recorded_room"))
    b.set("recorded_from", begin)
    b.set("recorded_at", begin)
    b.set("recorded_constants", f.const(I64, 0))
    b.set("recorded_room", b.get("recorded_size"))
    f.ret(b.get("recorded_size"))


def constant_bytes(f: Function, size: Val) -> Val:
    """Bytes of memory that the command for `size` bytes of constants, whole words, needs while it is written."""
    return f.max(size, f.const(I64, _PADDED)) + WORD


def append_constants(f: Function, bound: Record, stage: Val, index: Val, data: Val, size: Val, *, is_padded: bool = False) -> None:
    """CONSTANTS with `size` bytes (i64) at `data`. is_padded: a multiple of _PADDED bytes can be read there."""
    at = _append(f, bound, size + WORD)
    detail = stage.trunc(I32) | index.trunc(I32) << 3  # see `slot_detail`
    f.store((size.trunc(I32).lshr(2) << 16) | detail << 8 | int(Command.CONSTANTS), at, 0, WORD)
    with f.else_of(size <= (_PADDED if is_padded else 0)) as otherwise:
        f.store(f.load(_VECTOR, data, 0, WORD), at, WORD, WORD)
        otherwise()
        f.call(PTR, "memcpy", f.at(at, WORD), data, size)
    bound.set("recorded_constants", at.as_address())


def append_draw(f: Function, bound: Record, call: Val) -> None:
    """DRAW with the arguments at `call`.

    It has no words if they are those of the draw before, `recorded_draw`, and is a bit of CONSTANTS that come right before it.
    """
    last, differs = bound.address("recorded_draw"), f.var(I64, 1)
    with f.if_(bound.get("has_recorded_draw").ne(0)):
        found: Val | None = None
        for at in range(0, WORD * _DRAW_WORDS, 8):
            change = f.load(I64, call, at, WORD) ^ f.load(I64, last, at, WORD)
            found = change if found is None else found | change
        assert found is not None
        differs.set(found)
    with f.else_of(differs.get().eq(0)) as otherwise:
        before = bound.get("recorded_constants")
        with f.else_of(before.ne(0)) as alone:
            f.store(f.load(I32, before.as_pointer(), 0, WORD) | (AGAIN << 8), before.as_pointer(), 0, WORD)
            bound.set("recorded_constants", f.const(I64, 0))
            alone()
            f.store(f.const(I32, header(Command.DRAW, 0)), _append(f, bound, f.const(I64, WORD)), 0, WORD)
        otherwise()
        at_new = _append(f, bound, f.const(I64, MOST_DRAW))
        f.store(f.const(I32, header(Command.DRAW, _DRAW_WORDS)), at_new, 0, WORD)
        for target in (f.at(at_new, WORD), last):
            f.call(PTR, "memcpy", target, call, f.const(I64, WORD * _DRAW_WORDS))
        bound.set("has_recorded_draw", f.const(I32, 1))


def _append(f: Function, bound: Record, size: Val) -> Val:
    """The place of a command of `size` bytes, which is taken."""
    at = bound.get("recorded_at")
    bound.set("recorded_at", at + size)
    bound.set("recorded_constants", f.const(I64, 0))
    bound.set("recorded_room", bound.get("recorded_room") - size)
    return at.as_pointer()
