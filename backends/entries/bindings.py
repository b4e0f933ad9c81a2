"""The entries of setters whose objects were seen before: they write words of the bound state."""

from __future__ import annotations

from backends.device.commands.bound_record import STAGE_UNITS, view_word
from backends.device.commands.known_objects import MIDDLE, Kind
from backends.entries.arguments import Entry
from backends.entries.choosing import CHOOSE_STAGES
from backends.entries.names import BINDINGS, SINGLES, UNITS
from backends.llvm.builder.function import I32, I64, Module
from backends.pipe.limits import MAX_SAMPLERS


def build_bind_entry(module: Module, name: str, number: int, slot_offset: int) -> None:
    """bind_X_state(handle). Shaders before the rasterizer decide about stages and stream output, too."""
    kind, word = BINDINGS[name]
    entry = Entry(module, name, number, slot_offset)
    entry.enter()
    f = entry.f
    entry.fall_back(entry.count.ne(1) | entry.keywords.ne(0))
    found = f.var(I64, entry.known(entry.argument(0), kind))
    is_none = entry.argument(0).eq(entry.python.get("none")) if kind in MIDDLE.values() else f.const(I32, 0).ne(0)
    entry.fall_back(found.get().eq(0) & ~is_none)
    entry.set_word(word, found.get())
    if kind is Kind.VERTEX_SHADER or kind in MIDDLE.values():
        f.call(None, CHOOSE_STAGES, entry.record.pointer)
    entry.done()


def build_unit_entry(module: Module, name: str, number: int, slot_offset: int) -> None:
    """set_sampler_views(stage, views) and bind_sampler_states(stage, samplers): known objects and None."""
    kind, first = UNITS[name]
    entry = Entry(module, name, number, slot_offset)
    entry.enter()
    f = entry.f
    entry.fall_back(entry.count.ne(2) | entry.keywords.ne(0))
    stage = entry.known(entry.argument(0), Kind.STAGE)
    entry.fall_back(stage.eq(0))
    items, count = entry.items(entry.argument(1), 0, MAX_SAMPLERS)
    numbers = f.alloca(f"[{MAX_SAMPLERS} x i64]")
    with f.range(0, count) as k:
        thing = f.load(I64, items, k << 3, 8)
        found = f.var(I64, 0)
        with f.if_(thing.ne(entry.python.get("none"))):
            found.set(entry.known(thing, kind))
            entry.fall_back(found.get().eq(0))
        f.store(found.get(), numbers, k << 3, 8)
    place = (stage.trunc(I32) - 1) * STAGE_UNITS + (view_word(0) + first)
    with f.range(0, count) as k:
        entry.set_word(place + k, f.load(I64, numbers, k << 3, 8))
    entry.done()


def build_single_entry(module: Module, name: str, number: int, slot_offset: int) -> None:
    """set_viewport_states(states) and set_scissor_states(states): a known object in place of at most one."""
    kind, word, count = SINGLES[name]
    entry = Entry(module, name, number, slot_offset)
    entry.enter()
    entry.fall_back(entry.count.ne(1) | entry.keywords.ne(0) | (entry.record.get(count) > 1))
    items, _ = entry.items(entry.argument(0), 1, 1)
    found = entry.known(entry.f.load(I64, items, 0, 8), kind)
    entry.fall_back(found.eq(0))
    entry.record.set(count, entry.f.const(I32, 1))
    entry.set_word(word, found)
    entry.done()
