"""The compiled reader of a client's commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.abi.records import layout_digest
from backends.device.commands.bound_record import BoundRecord, ClearCall, DrawCall
from backends.device.commands.client import BufferSlot, BufferTableRecord, ReaderRecord, Repeat, RepeatSlot, WireRecord, Written
from backends.device.commands.condition import QueryRecord
from backends.entries.python_table import PythonTable

if TYPE_CHECKING:
    from backends.llvm.builder.module import Module
    from backends.llvm.engine.kernel_cache import KernelCache

_LAYOUT = layout_digest(
    *(BoundRecord, BufferSlot, BufferTableRecord, ClearCall, DrawCall),
    *(PythonTable, QueryRecord, ReaderRecord, Repeat, RepeatSlot, WireRecord, Written),
)


def reader_entry(kernels: KernelCache, name: str) -> int:
    """Address of the function `read` or `answer_waits`; see `read` and `waits`. They are loaded on first use."""

    def build(module: Module) -> None:
        from backends.software.reading.read import build_reading

        build_reading(module)

    return kernels.keep(("reading", _LAYOUT), ("read", "answer_waits"), build).address[name]
