"""Generated code: from everything that is bound to the template of a draw, by a hash table and a comparison of all words."""

from __future__ import annotations

import ctypes

from backends.device.commands.bound_record import PLAIN_WORDS, BoundRecord
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.software.commands.hashing import HALVES, MIX, factors
from backends.software.commands.records import ExecutorRecord, TemplateRecord, TemplateSlot

LANES = 8


def build_find(module: Module) -> None:
    """find(executor, bound, kind) -> address of the template of what is bound, 0 if there is none."""
    numbers = module.constant("factors", I32, factors())
    f = Function(module, "find", [PTR, PTR, I64], I64, shared=True, internal=True)
    executor, bound, kind = f.args
    e, words = Record(f, executor, ExecutorRecord), f.at(bound, BoundRecord.words.offset)
    mixed, vec = f.var(I32.wide(LANES), 0), I32.wide(LANES)
    with f.range(0, HALVES, LANES) as i:
        mixed.set(mixed.get() + f.load(vec, words, i << 2) * f.load(vec, f.value(PTR, numbers), i << 2))
    framebuffer = e.get("framebuffer")
    total = f.call(I32, f"llvm.vector.reduce.add.{vec.suffix}", mixed.get())
    total = total + kind.trunc(I32) * _signed(MIX) + framebuffer.trunc(I32) * _signed(MIX ^ 0x5BD1E994)
    hashed = total ^ total.lshr(15)
    mask, slots = e.get("mask"), e.get("slots")
    place = f.var(I32, hashed & mask)
    with f.loop() as probe:
        slot = Record(f, f.at(slots, place.get().zext(I64) * ctypes.sizeof(TemplateSlot)), TemplateSlot)
        template = slot.get("template")
        with f.leaving(template.eq(0)):
            f.ret(f.const(I64, 0))
        with f.if_(slot.get("hash").eq(hashed)):
            t = Record(f, template.as_pointer(), TemplateRecord)
            same = t.get("kind").eq(kind) & t.get("framebuffer").eq(framebuffer)
            with f.leaving(same & _are_equal(f, words, t.address("words"))):
                f.ret(template)
        place.set((place.get() + 1) & mask)
        probe.break_if(f.const(I32, 0).ne(0))
    f.ret(f.const(I64, 0))


def _signed(number: int) -> int:
    return ctypes.c_int32(number).value


def _are_equal(f: Function, one: Val, other: Val) -> Val:
    """True if two arrays of PLAIN_WORDS words are equal."""
    differs, vec = f.var(I64.wide(LANES), 0), I64.wide(LANES)
    with f.range(0, PLAIN_WORDS, LANES) as i:
        differs.set(differs.get() | (f.load(vec, one, i << 3) ^ f.load(vec, other, i << 3)))
    return ~f.any(differs.get().ne(0))
