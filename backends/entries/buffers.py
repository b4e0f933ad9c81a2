"""The entries of set_vertex_buffers and set_index_buffer: known buffers, and dictionaries with known buffers."""

from __future__ import annotations

from backends.device.commands.bound_record import VertexBufferSlot
from backends.device.commands.known_objects import Kind
from backends.entries.arguments import Entry, Taken
from backends.entries.python_table import OBJECT_TYPE
from backends.entries.setters import SLOT_FIELDS, SLOTS, VERTEX_SLOT, fill_vertex_slot, put_index_buffer, put_vertex_buffers
from backends.llvm.builder.function import I64, PTR, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_VERTEX_BUFFERS, MAX_VERTEX_STRIDE

_MOST_OFFSET = (1 << 31) - 1


def build_vertex_buffer_entry(entry: Entry) -> None:
    """set_vertex_buffers(buffers): as many as are bound, or more, so that no other one stays."""
    entry.enter()
    f, b, taken = entry.f, entry.record, Taken(entry)
    things = taken.given("buffers")
    taken.parse()
    items, count = entry.items(things.get(), 1, MAX_VERTEX_BUFFERS)
    entry.fall_back(count < b.get("num_vertex_buffers"))
    filled, bound = f.alloca(SLOTS), b.address("vertex_buffers")
    differs = f.var(I64, (count - b.get("num_vertex_buffers")).zext(I64))
    with f.range(0, count) as k:
        thing, place = f.load(I64, items, k << 3, 8), k.zext(I64) * VERTEX_SLOT
        slot = Record(f, f.at(filled, place), VertexBufferSlot)
        with f.else_of(f.load(I64, thing.as_pointer(), OBJECT_TYPE, 8).eq(entry.python.get("dict_type"))) as otherwise:
            _take_mapping(entry, thing, slot)
            otherwise()
            known = entry.known(thing, Kind.VERTEX_BUFFER)
            entry.fall_back(known.eq(0))
            f.call(PTR, "memcpy", slot.pointer, known.as_pointer(), f.const(I64, VERTEX_SLOT))
        old = Record(f, f.at(bound, place), VertexBufferSlot)
        for field in SLOT_FIELDS:
            differs.set(differs.get() | (slot.get(field) ^ old.get(field)))
    with f.if_(differs.get().ne(0)):
        put_vertex_buffers(b, filled, 0, count, count)
    entry.done()


def _take_mapping(entry: Entry, thing: Val, slot: Record) -> None:
    """Fill a slot from a dictionary with `buffer` and, in any order, `stride` and `buffer_offset`."""
    f, python = entry.f, entry.python

    def get(name: str) -> Val:
        item = f.call_pointer(I64, python.get("dict_get").as_pointer(), thing.as_pointer(), entry.name(name).as_pointer())
        with f.if_(item.eq(0)):  # a key that cannot be compared may have raised an error
            f.call_pointer(None, python.get("clear_error").as_pointer())
        return item

    buffer = get("buffer")
    entry.fall_back(buffer.eq(0))
    known = entry.known(buffer, Kind.BUFFER)
    entry.fall_back(known.eq(0))
    seen, numbers = f.var(I64, 1), []
    for name, most in (("stride", MAX_VERTEX_STRIDE), ("buffer_offset", _MOST_OFFSET)):
        value, entry_item = f.var(I64, 0), get(name)
        with f.if_(entry_item.ne(0)):
            value.set(entry.integer(entry_item, 0, most))
            seen.add(1)
        numbers.append(value.get())
    entry.fall_back(f.call_pointer(I64, python.get("dict_size").as_pointer(), thing.as_pointer()).ne(seen.get()))
    memory = Record(f, known.as_pointer(), VertexBufferSlot)
    fill_vertex_slot(slot, (memory.get("address"), memory.get("size")), numbers[1], numbers[0])


def build_index_buffer_entry(entry: Entry) -> None:
    """set_index_buffer(index, *, index_offset=0)."""
    entry.enter()
    taken = Taken(entry)
    known, offset = taken.known("index", Kind.BUFFER), taken.integer("index_offset", _MOST_OFFSET)
    taken.parse()
    memory = Record(entry.f, known.get().as_pointer(), VertexBufferSlot)
    put_index_buffer(entry.record, (memory.get("address"), memory.get("size")), offset.get())
    entry.done()
