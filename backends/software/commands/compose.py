"""Generated code: a template for a new combination, composed of known parts (`parts`)."""

from __future__ import annotations

import ctypes

from backends.device.commands.bound_record import HEAD_WORDS, IMAGE_WORDS, STAGE_UNITS, BoundRecord, sampler_word, view_word
from backends.device.commands.numbers import CLASS_SHIFT
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.raster.draw.facts import Fact
from backends.raster.draw.packet import Size
from backends.raster.draw.steps import Step
from backends.software.commands.hashing import MIX, UNIT_MIX
from backends.software.commands.lookup import LANES, each_class, head_masks, signed, units_in
from backends.software.commands.part_records import Block, PartRecord, PartSlot, Run
from backends.software.commands.records import SIZE_AT, WRITTEN_OUT, ExecutorRecord, TemplateSlot
from backends.software.commands.template_fields import STEPS

NO_ROOM = 1
"""Result instead of the address of a template: the table is full, and Python has to grow it."""

_MOST_KEY = max(len(step.facts) for step in STEPS) + 1 + STAGE_UNITS
_BLOCK = ctypes.sizeof(Block)


def build_compose(module: Module) -> None:
    """compose(executor, bound, kind) -> address of a new template for the bound state, 0 if some part is unknown; or NO_ROOM.

    The latest search of `find` must have failed.
    """
    _build_find_part(module)
    _build_apply(module)
    f = Function(module, "compose", [PTR, PTR, I64], I64, shared=True, internal=True)
    executor, bound, kind = f.args
    e, words = Record(f, executor, ExecutorRecord), f.at(bound, BoundRecord.words.offset)
    numbers, key = e.get("numbers").as_pointer(), f.alloca(f"[{_MOST_KEY} x i64]")
    masks, vec = head_masks(f, module), I64.wide(LANES)
    with f.range(0, HEAD_WORDS, LANES) as i:
        f.store(f.load(vec, words, i << 3) & f.load(vec, masks, i << 3), numbers, i << 3)
    for fact, value in _call_facts(f, e, kind).items():
        f.store(value, numbers, 8 * fact, 8)
    parts = [_find_part(f, e, words, key, number, step) for number, step in enumerate(STEPS)]
    e.set("missing", len(STEPS))
    spare = e.get("num_spare")
    is_full = e.get("num_templates") >= e.get("most_templates")
    with f.leaving(spare.eq(0) | is_full):
        f.ret(f.select(is_full, f.const(I64, 0), NO_ROOM))
    e.set("num_spare", spare - 1)
    block = f.load(PTR, f.at(e.get("spare").as_pointer(), (spare - 1) << 3), 0, 8)
    f.call(PTR, "memset", block, f.const(I32, 0), f.const(I64, _BLOCK))
    for number, part in enumerate(parts):
        f.store(part.as_address(), block, Block.parts.offset + 8 * number, 8)
        f.call(None, "apply_part", block, part)
        Record(f, part, PartRecord).set("frame", e.get("frame"))
    t = Record(f, block, Block)
    f.call(PTR, "memcpy", t.address("template.head"), numbers, f.const(I64, 8 * HEAD_WORDS))
    f.store(t.address("classes").as_address(), t.address("template.classes"), 0, 8)
    f.store(t.address("draw").as_address(), t.address("template.content"), 0, 8)
    f.store(kind, t.address("template.kind"), 0, 8)
    f.store(e.get("framebuffer"), t.address("template.framebuffer"), 0, 8)
    each_class(f, words, lambda number, place: f.store(number, t.address("classes"), place << 2))
    slot = Record(f, f.at(e.get("slots").as_pointer(), e.get("place").zext(I64) * ctypes.sizeof(TemplateSlot)), TemplateSlot)
    slot.set("template", block.as_address())
    slot.set("hash", e.get("hash"))
    e.set("num_templates", e.get("num_templates") + 1)
    e.set("templates_composed", e.get("templates_composed") + 1)
    f.ret(block.as_address())


def _call_facts(f: Function, e: Record, kind: Val) -> dict[Fact, Val]:
    """The numbers of facts outside of the bound state; see `backends.software.commands.records.call_facts`."""
    size = kind.lshr(SIZE_AT) & 3
    return {
        Fact.FRAMEBUFFER: e.get("framebuffer"),
        Fact.MODE: kind & 255,
        Fact.INDEX_SIZE: kind.lshr(8) & 7,
        Fact.IS_WRITTEN_OUT: (kind & WRITTEN_OUT).ne(0).zext(I64),
        Fact.IS_TINY: size.eq(int(Size.TINY)).zext(I64),
        Fact.IS_FEW: (size <= int(Size.FEW)).zext(I64),
        Fact.IS_STORED: f.const(I64, 0),
    }


def _find_part(f: Function, e: Record, words: Val, key: Val, number: int, step: Step) -> Val:
    """The part of a step, whose conclusions go to `numbers`. Returns 0 from the function if it is unknown."""
    numbers = e.get("numbers").as_pointer()
    for k, fact in enumerate(step.facts):
        f.store(f.load(I64, numbers, 8 * fact, 8), key, 8 * k, 8)
    length = f.const(I32, len(step.facts))
    if step.stage is not None:
        f.store(f.load(I64, words, 8 * IMAGE_WORDS[step.stage], 8), key, 8 * len(step.facts), 8)
        units = units_in(f, words, step.stage)
        with f.range(0, units) as unit:
            view, sampler = (f.load(I64, words, (unit << 3) + 8 * at(step.stage), 8) for at in (view_word, sampler_word))
            classes = view.lshr(CLASS_SHIFT) | sampler.lshr(CLASS_SHIFT) << CLASS_SHIFT
            f.store(classes, key, (unit << 3) + 8 * (len(step.facts) + 1), 8)
        length = length + units + 1
    known = f.call(I64, "find_part", e.pointer, key, length, f.const(I32, number))
    f.store(known, e.get("found").as_pointer(), 8 * number, 8)
    with f.leaving(known.eq(0)):
        e.set("missing", number)
        f.ret(known)
    part = known.as_pointer()
    for k, fact in enumerate(step.concludes):
        f.store(f.load(I64, part, PartRecord.conclusions.offset + 8 * k, 8), numbers, 8 * fact, 8)
    return part


def _build_find_part(module: Module) -> None:
    """find_part(executor, key, length, step) -> address of a PartRecord, or 0."""
    f = Function(module, "find_part", [PTR, PTR, I32, I32], I64, shared=True, internal=True)
    executor, key, length, step = f.args
    e = Record(f, executor, ExecutorRecord)
    mixed = f.var(I32, (step + 1) * signed(MIX))
    with f.range(0, length) as k:
        for half in (0, 4):
            mixed.set((mixed.get() ^ f.load(I32, key, (k << 3) + half)) * signed(UNIT_MIX))
    hashed, mask, slots = mixed.get() ^ mixed.get().lshr(15), e.get("parts_mask"), e.get("part_slots").as_pointer()
    place = f.var(I32, hashed & mask)
    with f.loop() as probe:
        slot = Record(f, f.at(slots, place.get().zext(I64) * ctypes.sizeof(PartSlot)), PartSlot)
        part = slot.get("part")
        with f.leaving(part.eq(0)):
            f.ret(part)
        with f.if_(slot.get("hash").eq(hashed)):
            p = Record(f, part.as_pointer(), PartRecord)
            with f.if_(p.get("length").eq(length) & p.get("step").eq(step)):
                known, differs = p.get("key"), f.var(I64, 0)
                with f.range(0, length) as k:
                    differs.set(differs.get() | (f.load(I64, key, k << 3, 8) ^ f.load(I64, known, k << 3, 8)))
                with f.leaving(differs.get().eq(0)):
                    f.ret(part)
        place.set((place.get() + 1) & mask)
        probe.break_if(f.const(I32, 0).ne(0))
    f.ret(f.const(I64, 0))


def _build_apply(module: Module) -> None:
    """apply_part(block, part): write the runs of a part."""
    f = Function(module, "apply_part", [PTR, PTR], shared=True, internal=True)
    block, part = f.args
    p = Record(f, part, PartRecord)
    runs, source = p.get("runs"), f.var(I64, p.get("data").as_address())
    with f.range(0, p.get("num_runs")) as k:
        run = Record(f, f.at(runs, k * ctypes.sizeof(Run)), Run)
        target, count = f.at(block, run.get("offset")), run.get("words")
        with f.range(0, count) as word:
            f.store(f.load(I32, source.get().as_pointer(), word << 2), target, word << 2)
        source.set(source.get() + (count.zext(I64) << 2))
    f.ret()
