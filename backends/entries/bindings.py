"""The entries of setters whose objects were seen before: they write words of the bound state."""

from __future__ import annotations

from backends.device.calls.row import Listed, OneWord, Units
from backends.device.calls.table import CALLS
from backends.device.commands.bound_record import STAGE_UNITS, view_word
from backends.device.commands.known_objects import Kind
from backends.entries.arguments import Entry, Taken
from backends.entries.choosing import CHOOSE_STAGES
from backends.entries.setters import put_word
from backends.llvm.builder.function import I32, I64
from backends.pipe.limits import MAX_SAMPLERS


def build_setter_entry(entry: Entry) -> None:
    """A method whose effect on the bound state is a column of its row."""
    effect = CALLS[entry.method].effect
    entry.enter()
    if isinstance(effect, OneWord):
        _bind(entry, effect)
    elif isinstance(effect, Listed):
        _bind_single(entry, effect)
    elif isinstance(effect, Units):
        _bind_units(entry, effect)
    entry.done()


def _bind(entry: Entry, effect: OneWord) -> None:
    """One known object. Shaders before the rasterizer decide about stages and stream output, too."""
    assert effect.known is not None
    (argument,) = CALLS[entry.method].positional
    taken = Taken(entry)
    bound = taken.known(argument, effect.known, or_none=effect.takes_none)
    taken.parse()
    put_word(entry.record, effect.word, bound.get())
    if effect.chooses_stages:
        entry.f.call(None, CHOOSE_STAGES, entry.record.pointer)


def _bind_units(entry: Entry, effect: Units) -> None:
    """Known objects and None for the first units of a stage."""
    f, taken = entry.f, Taken(entry)
    stage, things = taken.known("stage", Kind.STAGE), taken.given(effect.items)
    taken.parse()
    items, count = entry.items(things.get(), 0, MAX_SAMPLERS)
    numbers = f.alloca(f"[{MAX_SAMPLERS} x i64]")
    with f.range(0, count) as k:
        thing = f.load(I64, items, k << 3, 8)
        bound = f.var(I64, 0)
        with f.if_(thing.ne(entry.python.get("none"))):
            bound.set(entry.known(thing, effect.known))
            entry.fall_back(bound.get().eq(0))
        f.store(bound.get(), numbers, k << 3, 8)
    place = (stage.get().trunc(I32) - 1) * STAGE_UNITS + (view_word(0) + effect.first)
    with f.range(0, count) as k:
        put_word(entry.record, place + k, f.load(I64, numbers, k << 3, 8))


def _bind_single(entry: Entry, effect: Listed) -> None:
    """A known object, or None."""
    (argument,) = CALLS[entry.method].positional
    taken = Taken(entry)
    things = taken.given(argument)
    taken.parse()
    entry.fall_back(entry.record.get(effect.count) > 1)
    items, _ = entry.items(things.get(), 1, 1)
    bound = entry.known(entry.f.load(I64, items, 0, 8), effect.known)
    entry.fall_back(bound.eq(0))
    entry.record.set(effect.count, 1)
    put_word(entry.record, effect.word, bound)
