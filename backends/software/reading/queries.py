"""Generated code: beginnings and ends of queries that count samples."""

from __future__ import annotations

from backends.device.commands.client import ReaderRecord
from backends.device.commands.condition import QueryRecord
from backends.entries.queries import change_query
from backends.llvm.builder.function import I32, Module
from backends.llvm.builder.record import Record
from backends.software.reading.bindings import begin_taker, find_range, refuse


def build_query(module: Module) -> None:
    """query(reader, words, count) -> 1 if a query was begun or ended. Falls back for errors, and for all queries while counting is
    paused."""
    f, reader, bound, words, _ = begin_taker(module, "query")
    is_end = (f.load(I32, words, -4).lshr(8) & 0xFF).ne(0)
    address, _ = find_range(f, Record(f, reader, ReaderRecord).get("queries"), f.load(I32, words))
    change_query(f, bound, Record(f, address.as_pointer(), QueryRecord), is_end, lambda condition: refuse(f, condition))
    f.ret(f.const(I32, 1))
