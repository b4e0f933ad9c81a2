"""The entries of set_vertex_buffers and set_index_buffer: known buffers, and dictionaries that name them."""

from __future__ import annotations

import ctypes

from backends.device.commands.bound_record import VertexBufferSlot
from backends.device.commands.known_objects import Kind
from backends.entries.arguments import Entry
from backends.entries.names import BUFFER, INDEX_OFFSET, KEYWORDS, OFFSET, STRIDE
from backends.entries.python_table import OBJECT_TYPE
from backends.llvm.builder.function import I32, I64, PTR, Module, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_VERTEX_BUFFERS, MAX_VERTEX_STRIDE

_MOST_OFFSET = (1 << 31) - 1
_SLOT = ctypes.sizeof(VertexBufferSlot)


def build_vertex_buffer_entry(module: Module, name: str, number: int, slot_offset: int) -> None:
    """set_vertex_buffers(buffers): as many as are bound, or more, so that no other one stays."""
    entry = Entry(module, name, number, slot_offset)
    entry.enter()
    f, b = entry.f, entry.record
    entry.fall_back(entry.count.ne(1) | entry.keywords.ne(0))
    items, count = entry.items(entry.argument(0), 1, MAX_VERTEX_BUFFERS)
    entry.fall_back(count < b.get("num_vertex_buffers"))
    made, bound = f.alloca(f"[{MAX_VERTEX_BUFFERS * _SLOT} x i8]"), b.address("vertex_buffers")
    differs = f.var(I64, (count - b.get("num_vertex_buffers")).zext(I64))
    with f.range(0, count) as k:
        thing, place = f.load(I64, items, k << 3, 8), k.zext(I64) * _SLOT
        slot = Record(f, f.at(made, place), VertexBufferSlot)
        with f.else_of(f.load(I64, thing.as_pointer(), OBJECT_TYPE, 8).eq(entry.python.get("dict_type"))) as otherwise:
            _take_mapping(entry, thing, slot)
            otherwise()
            known = entry.known(thing, Kind.VERTEX_BUFFER)
            entry.fall_back(known.eq(0))
            f.call(PTR, "memcpy", slot.pointer, known.as_pointer(), f.const(I64, _SLOT))
        old = Record(f, f.at(bound, place), VertexBufferSlot)
        for field in ("address", "size", "stride", "lead"):
            differs.set(differs.get() | (slot.get(field) ^ old.get(field)))
    with f.if_(differs.get().ne(0)):
        f.call(PTR, "memcpy", bound, made, count.zext(I64) * _SLOT)
        b.set("num_vertex_buffers", count)
        b.set("are_vertex_buffers_native", f.const(I32, 1))
        b.set("vertex_revision", entry.tick())
    entry.done()


def _take_mapping(entry: Entry, thing: Val, slot: Record) -> None:
    """Fill a slot from a dictionary with `buffer` and, in any order, `stride` and `buffer_offset`."""
    f, python = entry.f, entry.python

    def get(name: str) -> Val:
        key = python.get("names", KEYWORDS.index(name)).as_pointer()
        found = f.call_pointer(I64, python.get("dict_get").as_pointer(), thing.as_pointer(), key)
        with f.if_(found.eq(0)):  # a key that cannot be compared may have raised an error
            f.call_pointer(None, python.get("clear_error").as_pointer())
        return found

    buffer = get(BUFFER)
    entry.fall_back(buffer.eq(0))
    known = entry.known(buffer, Kind.BUFFER)
    entry.fall_back(known.eq(0))
    seen, numbers = f.var(I64, 1), []
    for name, most in ((STRIDE, MAX_VERTEX_STRIDE), (OFFSET, _MOST_OFFSET)):
        value, given = f.var(I64, 0), get(name)
        with f.if_(given.ne(0)):
            value.set(entry.integer(given, 0, most))
            seen.add(1)
        numbers.append(value.get())
    entry.fall_back(f.call_pointer(I64, python.get("dict_size").as_pointer(), thing.as_pointer()).ne(seen.get()))
    memory = Record(f, known.as_pointer(), VertexBufferSlot)
    begin = f.min(numbers[1], memory.get("size"))
    slot.set("address", memory.get("address") + begin)
    slot.set("size", memory.get("size") - begin)
    slot.set("stride", numbers[0])
    slot.set("lead", f.const(I64, 0))


def build_index_buffer_entry(module: Module, name: str, number: int, slot_offset: int) -> None:
    """set_index_buffer(index, *, index_offset=0)."""
    entry = Entry(module, name, number, slot_offset)
    entry.enter()
    f, b = entry.f, entry.record
    entry.fall_back(entry.count.ne(1) | (entry.keywords > 1))
    known = entry.known(entry.argument(0), Kind.BUFFER)
    entry.fall_back(known.eq(0))
    offset = f.var(I64, 0)
    with f.if_(entry.keywords.ne(0)):
        entry.fall_back(entry.keyword(f.const(I64, 0)).ne(entry.python.get("names", KEYWORDS.index(INDEX_OFFSET))))
        offset.set(entry.integer(entry.argument(1), 0, _MOST_OFFSET))
    memory = Record(f, known.as_pointer(), VertexBufferSlot)
    begin = f.min(offset.get(), memory.get("size"))
    b.set("index_address", memory.get("address") + begin)
    b.set("index_bytes", memory.get("size") - begin)
    b.set("is_index_buffer_native", f.const(I32, 1))
    entry.done()
