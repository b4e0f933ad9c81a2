"""The entry of set_stream_output_targets: targets that were bound before, and exact numbers."""

from __future__ import annotations

from backends.device.commands.known_objects import Kind
from backends.device.stream_target import TargetRecord
from backends.entries.arguments import Entry, Taken
from backends.entries.choosing import CHOOSE_STAGES
from backends.llvm.builder.function import I64, PTR, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_STREAM_OUTPUT_TARGETS

_APPEND, _U32 = -1, (1 << 32) - 1


def build_output_entry(entry: Entry) -> None:
    """set_stream_output_targets(targets, *, offsets). Python releases targets that were destroyed while they were bound."""
    entry.enter()
    f, b, taken = entry.f, entry.record, Taken(entry)
    targets, places = f.alloca(f"[{MAX_STREAM_OUTPUT_TARGETS} x i64]"), f.alloca(f"[{MAX_STREAM_OUTPUT_TARGETS} x i64]")
    for slot in range(MAX_STREAM_OUTPUT_TARGETS):
        bound = b.get("stream_targets", slot)
        with f.if_(bound.ne(0)):
            entry.fall_back(Record(f, bound.as_pointer(), TargetRecord).get("ended").ne(0))
        f.store(f.const(I64, 0), targets, 8 * slot, 8)
        f.store(f.const(I64, _APPEND), places, 8 * slot, 8)

    def take_targets(thing: Val) -> None:
        items, count = entry.items(thing, 0, MAX_STREAM_OUTPUT_TARGETS)
        with f.range(0, count) as k:
            one = f.load(I64, items, k << 3, 8)
            with f.if_(one.ne(entry.python.get("none"))):
                target = entry.known(one, Kind.OUTPUT_TARGET)
                entry.fall_back(target.eq(0))
                f.store(target, targets, k << 3, 8)

    def take_offsets(thing: Val) -> None:
        items, count = entry.items(thing, 0, MAX_STREAM_OUTPUT_TARGETS)
        with f.range(0, count) as k:
            offset = entry.integer(f.load(I64, items, k << 3, 8), _APPEND, _U32)
            place = f.select(offset.eq(_U32), f.const(I64, _APPEND), offset)
            entry.fall_back(place.ne(_APPEND) & (place & 3).ne(0))
            f.store(place, places, k << 3, 8)

    taken.by("targets", take_targets)
    taken.by("offsets", take_offsets)
    taken.parse()
    for slot in range(MAX_STREAM_OUTPUT_TARGETS):
        target, place = f.load(I64, targets, 8 * slot, 8), f.load(I64, places, 8 * slot, 8)
        with f.if_(target.ne(0) & place.ne(_APPEND)):
            Record(f, target.as_pointer(), TargetRecord).set("offset", place)
    f.call(PTR, "memcpy", b.address("stream_targets"), targets, f.const(I64, 8 * MAX_STREAM_OUTPUT_TARGETS))
    f.call(None, CHOOSE_STAGES, b.pointer)
    entry.done()
