"""The entry of buffer_subdata: bytes or an array for a known buffer."""

from __future__ import annotations

from backends.device.commands.bound_record import Hindrance, VertexBufferSlot
from backends.device.commands.known_objects import Kind
from backends.entries.arguments import Entry
from backends.entries.names import AT, KEYWORDS
from backends.entries.python_table import BUFFER_DATA, BUFFER_LENGTH, BUFFER_SIZE
from backends.llvm.builder.function import I32, I64, Module
from backends.llvm.builder.record import Record

_MOST_OFFSET = (1 << 62) - 1


def build_upload_entry(module: Module, name: str, number: int, slot_offset: int) -> None:
    """buffer_subdata(resource, data, *, offset=0)."""
    entry = Entry(module, name, number, slot_offset)
    entry.enter()
    f, b, python = entry.f, entry.record, entry.python
    entry.fall_back(entry.count.ne(2) | (entry.keywords > 1) | b.get("upload_entry").eq(0))
    entry.fall_back((b.get("hindrances") & int(Hindrance.USER_MEMORY)).ne(0))
    known = entry.known(entry.argument(0), Kind.BUFFER)
    entry.fall_back(known.eq(0))
    offset = f.var(I64, 0)
    with f.if_(entry.keywords.ne(0)):
        entry.fall_back(entry.keyword(f.const(I64, 0)).ne(python.get("names", KEYWORDS.index(AT))))
        offset.set(entry.integer(entry.argument(2), 0, _MOST_OFFSET))
    memory, view = Record(f, known.as_pointer(), VertexBufferSlot), f.alloca(f"[{BUFFER_SIZE} x i8]", 16)
    got = f.call_pointer(I32, python.get("get_buffer").as_pointer(), entry.argument(1).as_pointer(), view, f.const(I32, 0))
    with f.leaving(got.ne(0)):
        f.call_pointer(None, python.get("clear_error").as_pointer())
        entry.leave()
    size, code = f.load(I64, view, BUFFER_LENGTH, 8), f.var(I32, 1)
    target, source = memory.get("address") + offset.get(), f.load(I64, view, BUFFER_DATA, 8)
    is_apart = (source + size).ule(target) | (target + size).ule(source)
    with f.if_((offset.get() <= memory.get("size")) & (size <= memory.get("size") - offset.get()) & is_apart):
        code.set(f.call_pointer(I32, b.get("upload_entry").as_pointer(), b.get("executor").as_pointer(), target, source, size))
    f.call_pointer(None, python.get("release_buffer").as_pointer(), view)
    entry.fall_back(code.get().ne(0))
    entry.done()
