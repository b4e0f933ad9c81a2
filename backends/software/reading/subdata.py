"""Generated code: small writes to buffers, now or in their turn among the pending draws."""

from __future__ import annotations

from backends.device.commands.layout import SUBDATA
from backends.llvm.builder.function import I64, Module
from backends.software.reading.bindings import begin_taker, field, find_buffer, refuse
from backends.software.reading.transfers import write_buffer


def build_subdata(module: Module) -> None:
    """subdata(reader, words, count) -> 1 if the bytes were written, or wait. Refuses bytes that do not fit the words or the buffer."""
    f, reader, bound, words, count = begin_taker(module, "subdata")
    names = SUBDATA.split()
    handle, offset, size = (field(f, words, SUBDATA, name) for name in names)
    length, first = size.zext(I64), offset.zext(I64)
    refuse(f, (length + 3).lshr(2).ne((count - len(names)).zext(I64)))
    address, room = find_buffer(f, reader, handle)
    refuse(f, (first > room) | (length > room - first))
    write_buffer(f, bound, address + first, f.at(words, 4 * len(names)).as_address(), length)
