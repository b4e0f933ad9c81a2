"""The entry of set_constant_buffer: bytes or an array for one slot of a stage."""

from __future__ import annotations

from backends.device.commands.constant_memory import MAX_BYTES
from backends.device.commands.known_objects import Kind
from backends.entries.arguments import Entry, Taken
from backends.entries.recording import Before, append_constants, constant_bytes, lacks_room
from backends.entries.setters import constant_slot, copy_constants, put_constants, room_of
from backends.llvm.builder.function import I32, I64


def build_constant_entry(entry: Entry) -> None:
    """set_constant_buffer(stage, buffer, *, index=0). See `ConstantMemory.put`."""
    entry.enter(has_own_words=True)
    f, b, taken = entry.f, entry.record, Taken(entry)
    known, thing, index = taken.known("stage", Kind.STAGE), taken.given("buffer"), taken.integer("index")
    taken.parse()
    entry.fall_back(thing.get().eq(entry.python.get("none")))
    stage, slot = known.get() - 1, index.get()
    view, source, length = entry.bytes_of(thing.get())
    size = f.min(length, f.const(I64, MAX_BYTES))
    room, available = room_of(size), b.get("constants_room")
    is_left = size.eq(0) | ((size & 3).ne(0) | lacks_room(b, constant_bytes(f, size)) if entry.records else room > available)
    with f.leaving(is_left):
        entry.release(view)
        entry.leave()
    if entry.records:
        with f.leaving(room > available):
            result = entry.call_plain()
            with f.if_(result.ne(0)):
                append_constants(f, b, stage, slot, source.as_pointer(), size)
            entry.release(view)
            f.ret(result)
    address = copy_constants(b, source.as_pointer(), size)
    before = Before(constant_slot(b, stage, slot)) if entry.records else None
    put_constants(b, stage, slot, address, size.trunc(I32), f.select((size & 3).ne(0), f.const(I64, 0), room).trunc(I32))
    entry.release(view)
    if entry.records:
        append_constants(f, b, stage, slot, address.as_pointer(), size, before)
    entry.done()
