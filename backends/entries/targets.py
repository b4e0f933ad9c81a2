"""The entry of set_framebuffer_state, for surfaces that were bound together before."""

from __future__ import annotations

from backends.device.commands.bound_record import Hindrance
from backends.device.commands.known_objects import Kind, TargetsKey
from backends.entries.arguments import Entry, Taken
from backends.entries.setters import hinders
from backends.llvm.builder.function import I32, I64, PTR, Function, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_COLOR_BUFFERS, MAX_TARGETS

_STOPS = int(Hindrance.USER_MEMORY | Hindrance.OWN_SAMPLES)


def build_target_entry(entry: Entry) -> None:
    """set_framebuffer_state(*, cbufs, zsbuf)."""
    entry.enter()
    f, b, taken = entry.f, entry.record, Taken(entry)
    entry.fall_back(entry.keywords.eq(0) | b.get("executor").eq(0) | hinders(b, _STOPS))
    objects, count = f.alloca(f"[{MAX_TARGETS} x i64]"), f.var(I32, 0)
    f.call(PTR, "memset", objects, f.const(I32, 0), f.const(I64, 8 * MAX_TARGETS))

    def take_colors(thing: Val) -> None:
        items, size = entry.items(thing, 0, MAX_COLOR_BUFFERS)
        count.set(size)
        with f.range(0, size) as place:
            f.store(_surface(entry, f.load(I64, items, place << 3, 8)), objects, place << 3, 8)

    taken.by("cbufs", take_colors)
    taken.by("zsbuf", lambda thing: f.store(_surface(entry, thing), objects, 8 * MAX_COLOR_BUFFERS, 8))
    taken.parse()
    first = f.var(I64, 0)
    for nearer in reversed(range(MAX_TARGETS)):
        thing = f.load(I64, objects, 8 * nearer, 8)
        first.set(f.select(thing.ne(0), thing, first.get()))
    entry.fall_back(first.get().eq(0))
    known_key = f.var(I64, entry.known(first.get(), Kind.TARGETS))
    with f.loop() as search:
        entry.fall_back(known_key.get().eq(0))
        key = Record(f, known_key.get().as_pointer(), TargetsKey)
        search.break_if(_fits(f, key, objects, count.get()))
        known_key.set(key.get("next"))
    key = Record(f, known_key.get().as_pointer(), TargetsKey)
    b.set("targets", key.get("targets"))
    b.set("hindrances", b.get("hindrances") | int(Hindrance.TARGETS))
    entry.done()


def _surface(entry: Entry, thing: Val) -> Val:
    """The address of an object, 0 for None."""
    return entry.f.select(thing.eq(entry.python.get("none")), 0, thing)


def _fits(f: Function, key: Record, objects: Val, count: Val) -> Val:
    """True if a key has these objects, none of which was destroyed."""
    differs = f.var(I64, (key.get("count") ^ count).zext(I64))
    with f.range(0, MAX_TARGETS) as place:
        differs.set(differs.get() | (f.load(I64, f.at(key.address("objects"), place << 3), 0, 8) ^ f.load(I64, objects, place << 3, 8)))
    with f.if_(differs.get().eq(0)):
        with f.range(0, MAX_TARGETS) as place:
            end = f.load(I64, f.at(key.address("ends"), place << 3), 0, 8)
            with f.if_(end.ne(0)):
                differs.set(differs.get() | f.load(I32, end.as_pointer()).zext(I64))
    return differs.get().eq(0)
