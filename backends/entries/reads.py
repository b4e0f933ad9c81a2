"""The entry of texture_read: the first level of a known texture into memory of the caller."""

from __future__ import annotations

from backends.device.commands.bound_record import STOPS, Hindrance, TextureSlot
from backends.device.commands.known_objects import Kind
from backends.device.copy_job import Crewed
from backends.entries.arguments import Entry, Taken
from backends.entries.setters import hinders
from backends.llvm.builder.function import I32, I64, PTR
from backends.llvm.builder.record import Record
from backends.pipe.limits import LARGE_COPY

_STOPS = int(STOPS | Hindrance.OWN_SAMPLES | Hindrance.FENCE)


def build_read_entry(entry: Entry) -> None:
    """texture_read(resource, into). Other threads run Python while pending work is carried out, but cannot enter the context."""
    entry.enter()
    f, b, python, taken = entry.f, entry.record, entry.python, Taken(entry)
    texture, into = taken.known("resource", Kind.TEXTURE), taken.given("into")
    taken.parse()
    entry.fall_back(b.get("executor").eq(0) | b.get("has_listener").ne(0) | hinders(b, _STOPS))
    known = texture.get()
    t = Record(f, known.as_pointer(), TextureSlot)
    source, stride, row, rows = (t.get(field) for field in ("address", "stride", "row_bytes", "rows"))
    needed, extent = row * rows, stride * rows
    is_large = needed >= LARGE_COPY
    entry.fall_back(is_large & b.get("copy_entry").eq(0))
    view, target, length = entry.bytes_of(into.get(), is_written=True)
    code = f.var(I32, 1)
    is_apart = (source + extent).ule(target) | (target + length).ule(source)
    memory = t.get("owner").as_pointer()  # another thread may destroy the texture meanwhile
    f.call_pointer(None, python.get("take_reference").as_pointer(), memory)
    with f.if_((length >= needed) & is_apart):
        owner, thread = b.get("owner"), f.call_pointer(I64, python.get("thread").as_pointer())
        b.set("owner", thread)
        state = f.call_pointer(PTR, python.get("save_thread").as_pointer())
        code.set(f.call_pointer(I32, b.get("read_entry").as_pointer(), b.get("executor").as_pointer(), source, extent))
        with f.if_(is_large & code.get().eq(0)):
            copied = (source, stride, target, row, row, rows, f.const(I32, int(Crewed.UNKNOWN)))
            code.set(f.call_pointer(I32, b.get("copy_entry").as_pointer(), b.get("copier").as_pointer(), *copied))
        f.call_pointer(None, python.get("restore_thread").as_pointer(), state)
        b.set("owner", owner)
        is_there = entry.known(entry.argument(0), Kind.TEXTURE).eq(known)
        code.set(f.select(is_there, code.get(), 1))
    with f.if_(code.get().eq(0) & ~is_large):
        with f.range(0, rows.trunc(I32)) as k:
            at, place = source + k.zext(I64) * stride, target + k.zext(I64) * row
            f.call(PTR, "memcpy", place.as_pointer(), at.as_pointer(), row)
    f.call_pointer(None, python.get("drop_reference").as_pointer(), memory)
    entry.release(view)
    entry.fall_back(code.get().ne(0))
    entry.done()
