"""Generated code: copies of the client's memory into buffers, at once or queued among the pending draws."""

from __future__ import annotations

from backends.device.commands.client import COPY_TRANSFER, FROM_HOST, TRANSFER, ReaderRecord
from backends.entries.setters import USER_MEMORY, hinders, write_buffer
from backends.llvm.builder.function import I32, I64, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.software.reading.bindings import begin_taker, field, find_buffer, find_range, refuse


def take_write(f: Function, bound: Record, target: Val, source: Val, size: Val) -> None:
    """Write bytes to a buffer and return 1, or fall back to Python."""
    refuse(f, bound.get("upload_entry").eq(0) | hinders(bound, USER_MEMORY))
    f.ret(write_buffer(bound, target, source, size).eq(0).zext(I32))


def build_transfer(module: Module) -> None:
    """transfer(reader, words, count): TRANSFER3D to a buffer, from the client's memory of it."""
    _build_copy(module, "transfer", TRANSFER, "res_handle", "offset", "direction")


def build_copy_transfer(module: Module) -> None:
    """copy_transfer(reader, words, count): COPY_TRANSFER3D to a buffer, from the client's memory of another resource."""
    _build_copy(module, "copy_transfer", COPY_TRANSFER, "src_res_handle", "src_offset", "flags")


def _build_copy(module: Module, name: str, names: str, owner: str, place: str, way: str) -> None:
    f, reader, bound, words, _ = begin_taker(module, name)
    fields = {word: field(f, words, names, word) for word in names.split()}
    refuse(
        f, (fields[way] & FROM_HOST | fields["level"] | fields["y"] | fields["z"]).ne(0) | fields["height"].ne(1) | fields["depth"].ne(1)
    )
    target, room = find_buffer(f, reader, fields["res_handle"])
    source, most = find_range(f, Record(f, reader, ReaderRecord).get("memories"), fields[owner])
    first, begin, size = (fields[word].zext(I64) for word in ("x", place, "width"))
    refuse(f, size.eq(0) | (first + size > room) | (begin + size > most))
    take_write(f, bound, target + first, source + begin, size)
