"""The entry of set_constant_buffer: bytes or an array for one slot of a stage."""

from __future__ import annotations

import ctypes

from backends.device.commands.bound_record import BoundRecord, ConstantSlot
from backends.device.commands.constant_memory import MAX_BYTES
from backends.device.commands.known_objects import Kind
from backends.device.region import ALIGNMENT
from backends.entries.arguments import Entry
from backends.entries.names import INDEX, KEYWORDS
from backends.entries.python_table import BUFFER_DATA, BUFFER_LENGTH, BUFFER_SIZE
from backends.entries.recording import Before, append_constants, constant_bytes, lacks_room, plain_number
from backends.llvm.builder.function import I32, I64, PTR, Module
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_CONSTANT_BUFFERS


def build_constant_entry(module: Module, name: str, number: int, slot_offset: int, *, records: bool = False) -> None:
    """set_constant_buffer(stage, buffer, *, index=0). See `ConstantMemory.put`. records: the context is observed, so append the call."""
    entry = Entry(module, name, number, slot_offset)
    entry.enter()
    f, b, python = entry.f, entry.record, entry.python
    entry.fall_back(entry.count.ne(2) | (entry.keywords > 1))
    stage = entry.known(entry.argument(0), Kind.STAGE)
    thing = entry.argument(1)
    entry.fall_back(stage.eq(0) | thing.eq(python.get("none")))
    index = f.var(I64, 0)
    with f.if_(entry.keywords.ne(0)):
        entry.fall_back(entry.keyword(f.const(I64, 0)).ne(python.get("names", KEYWORDS.index(INDEX))))
        index.set(entry.integer(entry.argument(2), 0, MAX_CONSTANT_BUFFERS - 1))
    view = f.alloca(f"[{BUFFER_SIZE} x i8]", 16)
    got = f.call_pointer(I32, python.get("get_buffer").as_pointer(), thing.as_pointer(), view, f.const(I32, 0))
    with f.leaving(got.ne(0)):
        f.call_pointer(None, python.get("clear_error").as_pointer())
        entry.leave()
    size = f.min(f.load(I64, view, BUFFER_LENGTH, 8), f.const(I64, MAX_BYTES))
    room, left = (size + (ALIGNMENT - 1)) & -ALIGNMENT, b.get("constants_room")
    release = python.get("release_buffer").as_pointer()
    is_left = size.eq(0) | ((size & 3).ne(0) | lacks_room(b, constant_bytes(f, size)) if records else room > left)
    with f.leaving(is_left):
        f.call_pointer(None, release, view)
        entry.leave()
    if records:
        with f.leaving(room > left):
            result = entry.call_python(plain_number(name))
            with f.if_(result.ne(0)):
                append_constants(f, b, stage - 1, index.get(), f.load(PTR, view, BUFFER_DATA, 8), size)
            f.call_pointer(None, release, view)
            f.ret(result)
    address = b.get("constants_at")
    f.call(PTR, "memcpy", address.as_pointer(), f.load(PTR, view, BUFFER_DATA, 8), size)
    b.set("constants_at", address + room)
    b.set("constants_room", left - room)
    place = (stage - 1) * MAX_CONSTANT_BUFFERS + index.get()
    slot = Record(f, f.at(b.address("constants"), place * ctypes.sizeof(ConstantSlot)), ConstantSlot)
    before = Before(slot) if records else None
    slot.set("address", address)
    slot.set("size", size.trunc(I32))
    slot.set("room", f.select((size & 3).ne(0), f.const(I64, 0), room).trunc(I32))
    slot.set("is_native", f.const(I32, 1))
    f.store(entry.tick(), f.at(b.pointer, BoundRecord.constant_revision.offset), (stage - 1) << 3, 8)
    f.call_pointer(None, release, view)
    if records:
        append_constants(f, b, stage - 1, index.get(), address.as_pointer(), size, before)
    entry.done()
