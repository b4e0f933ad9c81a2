"""Generated code: clears of whole float targets, by the device's function. Returns 0 to fall back to Python."""

from __future__ import annotations

import ctypes

from backends.device.calls.table import FIELDS
from backends.device.commands.bound_record import CLEAR_ALL, BoundRecord, ClearCall
from backends.device.commands.client import CLEAR, ReaderRecord
from backends.device.commands.layout import Command
from backends.entries.setters import carry_out, hinders
from backends.llvm.builder.function import F32, F64, I32, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import LARGEST_FLOAT
from backends.software.reading.bindings import field, refuse

CALL = " ".join(FIELDS[Command.CLEAR][0])
_CHANNELS = ("red", "green", "blue", "alpha")


def build_clear_words(module: Module) -> None:
    """clear_words(reader, words, count) -> 1 if a client's clear was taken. Its color has 32-bit floats."""
    f = Function(module, "clear_words", [PTR, PTR, I32], I32, shared=True, internal=True)
    reader, words, _ = f.args
    color = [field(f, words, CLEAR, name) for name in _CHANNELS]
    for bits in color:
        refuse(f, ~(f.abs(bits.bits_as(F32)) <= LARGEST_FLOAT))
    buffers = field(f, words, CLEAR, "buffers") & CLEAR_ALL
    _clear(f, reader, buffers, color, _double(f, words, CLEAR, "depth"), field(f, words, CLEAR, "stencil"))


def build_clear_call(module: Module) -> None:
    """clear_call(reader, words, count) -> 1 if a clear was taken. The words are as for CLEAR in the table of calls."""
    f = Function(module, "clear_call", [PTR, PTR, I32], I32, shared=True, internal=True)
    reader, words, _ = f.args
    buffers, color = field(f, words, CALL, "buffers"), []
    refuse(f, buffers.eq(0) | (buffers & ~CLEAR_ALL).ne(0))
    for name in _CHANNELS:
        value = _double(f, words, CALL, name)
        refuse(f, ~((value <= LARGEST_FLOAT) & (value >= -LARGEST_FLOAT)))
        color.append(value.cast("fptrunc", F32).bits_as(I32))
    _clear(f, reader, buffers, color, _double(f, words, CALL, "depth"), field(f, words, CALL, "stencil"))


def _double(f: Function, words: Val, names: str, name: str) -> Val:
    """A 64-bit float, by the name of its lower word."""
    return f.load(F64, words, 4 * names.split().index(name), 4)


def _clear(f: Function, reader: Val, buffers: Val, color: list[Val], depth: Val, stencil: Val) -> None:
    """Take a clear, and return whether it was taken."""
    b = Record(f, Record(f, reader, ReaderRecord).get("bound"), BoundRecord)
    refuse(f, hinders(b) | b.get("clear_entry").eq(0) | buffers.eq(0))
    memory = f.alloca(f"[{ctypes.sizeof(ClearCall) // 8} x i64]")
    call = Record(f, memory, ClearCall)
    call.set("buffers", buffers)
    call.set("stencil", stencil)
    call.set("depth", depth)
    for channel, bits in enumerate(color):
        call.set("color", bits, channel)
    f.ret(carry_out(b, "clear_entry", memory).eq(0).zext(I32))
