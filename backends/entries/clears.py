"""The entry of clear: numbers for float targets."""

from __future__ import annotations

import ctypes

from backends.device.commands.bound_record import CLEAR_ALL, STOPS, ClearCall
from backends.device.commands.known_objects import Kind
from backends.entries.arguments import Entry
from backends.entries.names import BUFFERS, CLEAR_DEPTH, CLEARED, COLOR, KEYWORDS, STENCIL
from backends.entries.python_table import FLOAT_VALUE, OBJECT_TYPE
from backends.llvm.builder.function import F32, F64, I32, I64, Module, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import LARGEST_FLOAT

_EXACT = 1 << 24  # integers up to here are floats


def build_clear_entry(module: Module, name: str, number: int, slot_offset: int) -> None:
    """clear(buffers, *, color, depth, stencil)."""
    entry = Entry(module, name, number, slot_offset)
    entry.enter()
    f, b, python = entry.f, entry.record, entry.python
    entry.fall_back((b.get("hindrances") & int(STOPS)).ne(0) | b.get("executor").eq(0))
    entry.fall_back((entry.count > 1) | (entry.keywords > len(CLEARED)))
    memory = f.alloca(f"[{ctypes.sizeof(ClearCall)} x i8]")
    call = Record(f, memory, ClearCall)
    call.set("buffers", f.const(I32, CLEAR_ALL))
    call.set("stencil", f.const(I32, 0))
    call.set("depth", f.const(F64, 1.0))
    for channel in range(4):
        call.set("color", f.const(I32, 0), channel)
    with f.if_(entry.count.ne(0)):
        call.set("buffers", _buffers(entry, entry.argument(0)))
    with f.range(0, entry.keywords.trunc(I32)) as k:
        given, thing = entry.keyword(k.zext(I64)), entry.argument(entry.count + k.zext(I64))
        is_word = {word: given.eq(python.get("names", KEYWORDS.index(word))) for word in CLEARED}
        with f.else_of(is_word[COLOR]) as others:
            items, _ = entry.items(thing, 4, 4)
            for channel in range(4):
                value = _number(entry, f.load(I64, items, 8 * channel, 8))
                call.set("color", value.cast("fptrunc", F32).bits_as(I32), channel)
            others()
            with f.else_of(is_word[STENCIL]) as no_stencil:
                call.set("stencil", entry.integer(thing, 0, (1 << 31) - 1).trunc(I32))
                no_stencil()
                with f.else_of(is_word[BUFFERS] & entry.count.eq(0)) as depth:
                    call.set("buffers", _buffers(entry, thing))
                    depth()
                    entry.fall_back(~is_word[CLEAR_DEPTH])
                    call.set("depth", _number(entry, thing))
    code = f.call_pointer(I32, b.get("clear_entry").as_pointer(), b.get("executor").as_pointer(), b.pointer, memory)
    entry.fall_back(code.ne(0))
    entry.done()


def _buffers(entry: Entry, thing: Val) -> Val:
    """PIPE_CLEAR bits (i32) of a known name or member, or of an exact int."""
    f = entry.f
    found = f.var(I64, entry.known(thing, Kind.CLEAR_BUFFERS))
    with f.if_(found.get().eq(0)):
        found.set(entry.integer(thing, 1, CLEAR_ALL))
        entry.fall_back((found.get() & ~CLEAR_ALL).ne(0))
    return found.get().trunc(I32)


def _number(entry: Entry, thing: Val) -> Val:
    """The value (f64) of an exact float or a small exact int. Every other one is left to Python, NaN among them."""
    f = entry.f
    value = f.var(F64, 0.0)
    with f.else_of(f.load(I64, thing.as_pointer(), OBJECT_TYPE, 8).eq(entry.python.get("float_type"))) as otherwise:
        found = f.load(F64, thing.as_pointer(), FLOAT_VALUE, 8)
        entry.fall_back(~((found <= LARGEST_FLOAT) & (found >= -LARGEST_FLOAT)))
        value.set(found)
        otherwise()
        value.set(entry.integer(thing, -_EXACT, _EXACT).to_double())
    return value.get()
