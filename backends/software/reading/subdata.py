"""Generated code: small writes to buffers, at once or queued among the pending draws."""

from __future__ import annotations

from backends.device.calls.table import FIELDS
from backends.device.commands.layout import Command
from backends.llvm.builder.function import I32, I64, Module
from backends.software.reading.bindings import begin_taker, find_buffer, refuse
from backends.software.reading.transfers import take_write


def build_subdata(module: Module) -> None:
    """subdata(reader, words, count) -> 1 if the bytes were written or queued. Refuses bytes that do not fit the words or the buffer."""
    f, reader, bound, words, count = begin_taker(module, "subdata")
    names, _ = FIELDS[Command.SUBDATA]
    handle, offset, size = (f.load(I32, words, 4 * place) for place in range(len(names)))
    length, first = size.zext(I64), offset.zext(I64)
    refuse(f, (length + 3).lshr(2).ne((count - len(names)).zext(I64)))
    address, room = find_buffer(f, reader, handle)
    refuse(f, (first > room) | (length > room - first))
    take_write(f, bound, address + first, f.at(words, 4 * len(names)).as_address(), length)
