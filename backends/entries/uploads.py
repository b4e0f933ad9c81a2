"""The entry of buffer_subdata: bytes or an array for a known buffer."""

from __future__ import annotations

from backends.device.commands.bound_record import VertexBufferSlot
from backends.device.commands.known_objects import Kind
from backends.entries.arguments import Entry, Taken
from backends.entries.setters import USER_MEMORY, hinders, write_buffer
from backends.llvm.builder.function import I32
from backends.llvm.builder.record import Record

_MOST_OFFSET = (1 << 62) - 1


def build_upload_entry(entry: Entry) -> None:
    """buffer_subdata(resource, data, *, offset=0)."""
    entry.enter()
    f, b, taken = entry.f, entry.record, Taken(entry)
    known, thing, offset = taken.known("resource", Kind.BUFFER), taken.given("data"), taken.integer("offset", _MOST_OFFSET)
    taken.parse()
    entry.fall_back(b.get("upload_entry").eq(0) | hinders(b, USER_MEMORY))
    memory = Record(f, known.get().as_pointer(), VertexBufferSlot)
    view, source, size = entry.bytes_of(thing.get())
    code, target = f.var(I32, 1), memory.get("address") + offset.get()
    is_apart = (source + size).ule(target) | (target + size).ule(source)
    with f.if_((offset.get() <= memory.get("size")) & (size <= memory.get("size") - offset.get()) & is_apart):
        code.set(write_buffer(b, target, source, size))
    entry.release(view)
    entry.fall_back(code.get().ne(0))
    entry.done()
