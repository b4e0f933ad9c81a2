"""Commands that entries of an observed context append once a call was carried out, with the words of `backends.device.commands.layout`."""

from __future__ import annotations

from backends.device.commands.layout import CONSTANTS, DRAW, WORD, Command, header
from backends.entries.names import RECORDED
from backends.llvm.builder.function import I32, I64, PTR, Function, Val
from backends.llvm.builder.record import Record

_DRAW_WORDS = len(DRAW.split())
_CONSTANT_WORDS = 1 + len(CONSTANTS.split())
MOST_DRAW = WORD * (1 + _DRAW_WORDS)
"""Bytes of a draw."""


def plain_number(name: str) -> int:
    """Number of the function that carries a call out and records nothing, in the PythonTable of observed contexts."""
    return len(RECORDED) + RECORDED.index(name)


def lacks_room(bound: Record, size: Val | int) -> Val:
    """True if a command of `size` bytes (i64) has to wait for Python. There is no room, either, while Python looks at every call."""
    return bound.get("recorded_room") < size


def constant_bytes(size: Val) -> Val:
    """Bytes of the command for `size` bytes of constants, whole words."""
    return size + WORD * _CONSTANT_WORDS


def append_constants(f: Function, bound: Record, stage: Val, index: Val, data: Val, size: Val) -> None:
    """CONSTANTS with `size` bytes (i64) at `data`."""
    at = _append(f, bound, constant_bytes(size))
    count = size.trunc(I32).lshr(2) + (_CONSTANT_WORDS - 1)
    f.store((count << 16) | int(Command.CONSTANTS), at, 0, WORD)
    f.store(stage.trunc(I32), at, WORD, WORD)
    f.store(index.trunc(I32), at, 2 * WORD, WORD)
    f.call(PTR, "memcpy", f.at(at, WORD * _CONSTANT_WORDS), data, size)


def append_draw(f: Function, bound: Record, call: Val) -> None:
    """DRAW with the arguments at `call`; without words if they are those of the draw before, which lies at `recorded_draw`."""
    last, differs = bound.get("recorded_draw"), f.var(I64, 1)
    with f.if_(last.ne(0)):
        found: Val | None = None
        for at in range(0, WORD * _DRAW_WORDS, 8):
            change = f.load(I64, call, at, WORD) ^ f.load(I64, last.as_pointer(), at, WORD)
            found = change if found is None else found | change
        assert found is not None
        differs.set(found)
    with f.else_of(differs.get().eq(0)) as otherwise:
        f.store(f.const(I32, header(Command.DRAW, 0)), _append(f, bound, f.const(I64, WORD)), 0, WORD)
        otherwise()
        at_new = _append(f, bound, f.const(I64, MOST_DRAW))
        f.store(f.const(I32, header(Command.DRAW, _DRAW_WORDS)), at_new, 0, WORD)
        f.call(PTR, "memcpy", f.at(at_new, WORD), call, f.const(I64, WORD * _DRAW_WORDS))
        bound.set("recorded_draw", f.at(at_new, WORD).as_address())


def _append(f: Function, bound: Record, size: Val) -> Val:
    """The place of a command of `size` bytes, which is taken."""
    at = bound.get("recorded_at")
    bound.set("recorded_at", at + size)
    bound.set("recorded_room", bound.get("recorded_room") - size)
    return at.as_pointer()
