"""The entry of clear: numbers for float targets."""

from __future__ import annotations

import ctypes

from backends.device.commands.bound_record import CLEAR_ALL, ClearCall
from backends.device.commands.known_objects import Kind
from backends.entries.arguments import Entry, Taken
from backends.entries.python_table import FLOAT_VALUE, OBJECT_TYPE
from backends.entries.setters import carry_out, hinders
from backends.llvm.builder.function import F32, F64, I32, I64, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import LARGEST_FLOAT

_EXACT = 1 << 24  # integers up to here are floats


def build_clear_entry(entry: Entry) -> None:
    """clear(buffers, *, color, depth, stencil)."""
    entry.enter()
    f, b, taken = entry.f, entry.record, Taken(entry)
    entry.fall_back(hinders(b) | b.get("executor").eq(0))
    call = Record(f, f.alloca(f"[{ctypes.sizeof(ClearCall)} x i8]"), ClearCall)
    call.set("buffers", CLEAR_ALL)
    call.set("stencil", 0)
    call.set("depth", 1.0)
    for channel in range(4):
        call.set("color", 0, channel)

    def take_color(thing: Val) -> None:
        items, _ = entry.items(thing, 4, 4)
        for channel in range(4):
            value = _number(entry, f.load(I64, items, 8 * channel, 8))
            call.set("color", value.cast("fptrunc", F32).bits_as(I32), channel)

    taken.by("color", take_color)
    taken.by("stencil", lambda thing: call.set("stencil", entry.integer(thing, 0, (1 << 31) - 1).trunc(I32)))
    taken.by("buffers", lambda thing: call.set("buffers", _buffers(entry, thing)))
    taken.by("depth", lambda thing: call.set("depth", _number(entry, thing)))
    taken.parse()
    entry.fall_back(carry_out(b, "clear_entry", call.pointer).ne(0))
    entry.done()


def _buffers(entry: Entry, thing: Val) -> Val:
    """PIPE_CLEAR bits (i32) of a known name or member, or of an exact int."""
    f = entry.f
    bits = f.var(I64, entry.known(thing, Kind.CLEAR_BUFFERS))
    with f.if_(bits.get().eq(0)):
        bits.set(entry.integer(thing, 1, CLEAR_ALL))
        entry.fall_back((bits.get() & ~CLEAR_ALL).ne(0))
    return bits.get().trunc(I32)


def _number(entry: Entry, thing: Val) -> Val:
    """The value (f64) of an exact float or a small exact int. All others, including NaN, fall back to Python."""
    f = entry.f
    value = f.var(F64, 0.0)
    with f.else_of(f.load(I64, thing.as_pointer(), OBJECT_TYPE, 8).eq(entry.python.get("float_type"))) as otherwise:
        number = f.load(F64, thing.as_pointer(), FLOAT_VALUE, 8)
        entry.fall_back(~((number <= LARGEST_FLOAT) & (number >= -LARGEST_FLOAT)))
        value.set(number)
        otherwise()
        value.set(entry.integer(thing, -_EXACT, _EXACT).to_double())
    return value.get()
