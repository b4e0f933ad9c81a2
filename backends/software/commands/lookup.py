"""Generated code: finds the template of a draw from the bound state, by a hash table and a comparison of the whole combination."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from backends.device.commands.bound_record import HEAD_WORDS, UNITS_MASK, BoundRecord, sampler_word, shader_word, view_word
from backends.device.commands.numbers import CLASS_SHIFT
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.software.commands.hashing import FRAMEBUFFER_MIX, HALVES, MIX, UNIT_MIX, UNIT_STAGES, factors, masks
from backends.software.commands.records import ExecutorRecord, TemplateRecord, TemplateSlot

LANES = 8


def build_find(module: Module) -> None:
    """find(executor, bound, kind) -> address of the template of the bound state, or 0, with its future slot in `place`."""
    numbers = module.constant("factors", I32, [signed(n) for n in factors()])
    f = Function(module, "find", [PTR, PTR, I64], I64, shared=True)
    executor, bound, kind = f.args
    e, words = Record(f, executor, ExecutorRecord), f.at(bound, BoundRecord.words.offset)
    mixed, vec = f.var(I32.wide(LANES), 0), I32.wide(LANES)
    with f.range(0, HALVES, LANES) as i:
        mixed.set(mixed.get() + f.load(vec, words, i << 2) * f.load(vec, f.value(PTR, numbers), i << 2))
    framebuffer = e.get("framebuffer")
    total = f.var(I32, f.call(I32, f"llvm.vector.reduce.add.{vec.suffix}", mixed.get()))
    total.add(kind.trunc(I32) * signed(MIX) + framebuffer.trunc(I32) * signed(FRAMEBUFFER_MIX))

    def mix(number: Val, _: Val) -> None:
        total.set((total.get() ^ number) * signed(UNIT_MIX))

    each_class(f, words, mix)
    hashed = total.get() ^ total.get().lshr(15)
    mask, slots = e.get("mask"), e.get("slots").as_pointer()
    e.set("hash", hashed)
    place = f.var(I32, hashed & mask)
    with f.loop() as probe:
        slot = Record(f, f.at(slots, place.get().zext(I64) * ctypes.sizeof(TemplateSlot)), TemplateSlot)
        template = slot.get("template")
        e.set("place", place.get())
        with f.leaving(template.eq(0)):
            f.ret(f.const(I64, 0))
        with f.if_(slot.get("hash").eq(hashed)):
            t = Record(f, template.as_pointer(), TemplateRecord)
            same = t.get("kind").eq(kind) & t.get("framebuffer").eq(framebuffer)
            with f.leaving(same & _are_equal(f, module, words, t)):
                f.ret(template)
        place.set((place.get() + 1) & mask)
        probe.break_if(f.const(I32, 0).ne(0))
    f.ret(f.const(I64, 0))


def signed(number: int) -> int:
    """The value of an i32 with these bits."""
    return ctypes.c_int32(number).value


def units_in(f: Function, words: Val, stage: int) -> Val:
    """Number of texture units (i32) that the shader of a stage samples."""
    return f.load(I32, words, 8 * shader_word(stage) + CLASS_SHIFT // 8) & UNITS_MASK


def each_class(f: Function, words: Val, use: Callable[[Val, Val], None]) -> None:
    """Pass the class of the view and of the sampler of each unit (i32), and their consecutive places, to `use`."""
    place = f.var(I32, 0)
    for stage in UNIT_STAGES:
        with f.range(0, units_in(f, words, stage)) as k:
            for first in (view_word(stage), sampler_word(stage)):
                use(f.load(I32, words, (k << 3) + (8 * first + CLASS_SHIFT // 8)), place.get())
                place.set(place.get() + 1)


def head_masks(f: Function, module: Module) -> Val:
    """Pointer to the masks of the words in a combination."""
    return f.value(PTR, module.constant("head_masks", I64, [n - (1 << 64) if n >> 63 else n for n in masks()]))


def _are_equal(f: Function, module: Module, words: Val, t: Record) -> Val:
    """True if a combination is that of a template.

    The shaders are compared before the classes, because they determine the number of classes.
    """
    bits = head_masks(f, module)
    head, classes = t.address("head"), t.get("classes").as_pointer()
    differs, vec = f.var(I64.wide(LANES), 0), I64.wide(LANES)
    with f.range(0, HEAD_WORDS, LANES) as i:
        difference = (f.load(vec, words, i << 3) & f.load(vec, bits, i << 3)) ^ f.load(vec, head, i << 3)
        differs.set(differs.get() | difference)
    other = f.var(I32, f.any(differs.get().ne(0)).zext(I32))
    with f.if_(other.get().eq(0)):

        def compare(number: Val, place: Val) -> None:
            other.set(other.get() | (number ^ f.load(I32, classes, place << 2)))

        each_class(f, words, compare)
    return other.get().eq(0)
