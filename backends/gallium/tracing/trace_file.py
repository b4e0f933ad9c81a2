"""The file of a trace: commands, gathered in memory and written in pieces. Native entries also append to this memory and write it.

The destination is a file, or other memory (`call_memory`).
"""

from __future__ import annotations

import ctypes
import io
import os
import weakref
from collections.abc import Sequence
from ctypes import c_uint64
from typing import Protocol

from backends.device.commands.bound_record import BoundRecord
from backends.device.commands.layout import MAGIC, PREFIX, VERSION, Command, pack
from backends.gallium.context.recording.encoder import Piece
from backends.gallium.tracing.call_memory import CallMemory
from backends.system import address_of

_GATHERED = 1 << 20
"""Size of the buffer in bytes. A write between two draws slows the following draws, so a frame's commands should fit."""


class Sink(Protocol):
    """The destination of commands."""

    def write(self, data: memoryview, /) -> int:
        """Write bytes and return the number written, perhaps fewer than passed."""
        ...

    def write_whole(self, pieces: Sequence[Piece], /) -> None:
        """Write all pieces of some commands, or none of them."""
        ...

    def close(self) -> None:
        """Close the destination."""
        ...


class _File(io.FileIO):
    """A file without a buffer of its own. What a full disk cuts off is the end of a truncated trace."""

    def write_whole(self, pieces: Sequence[Piece]) -> None:
        """Write all pieces."""
        for piece in pieces:
            at = 0
            while at < len(piece):
                at += self.write(memoryview(piece)[at:])


class TraceFile:
    """A trace that is being written to a file or to memory. A truncated one can be played up to its end."""

    def __init__(self, target: str | os.PathLike[str] | CallMemory, record: BoundRecord, cell: c_uint64) -> None:
        """record: of the context, whose entries append while `let_entries` says so. cell: of its class, for `BoundRecord.python`."""
        self._file: Sink
        if isinstance(target, CallMemory):
            self._file, entry = target, (target.entry, 0)
        else:
            file = _File(target, "wb")
            self._file, entry = file, (address_of("write"), file.fileno())
        self._record, self._memory = record, bytearray(_GATHERED)
        self._begin = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        record.recorded_begin = record.recorded_from = record.recorded_at = self._begin
        record.recorded_size, record.python = _GATHERED, ctypes.addressof(cell)
        record.recorded_write, record.recorded_file = entry
        record.recorded_constants = record.has_recorded_draw = record.is_inside_call = 0
        # Programs may exit, or drop the context, without `destroy`. Their traces are the most wanted ones.
        self._rest = weakref.finalize(self, _hand_over, self._file, self._memory, record)
        self.write(PREFIX.pack(MAGIC, VERSION, 0))

    def let_entries(self, do_append: bool) -> None:
        """Allow or forbid native entries to append commands."""
        record = self._record
        record.recorded_constants = 0
        record.recorded_end = self._begin + _GATHERED if do_append else 0

    def write(self, *pieces: Piece) -> None:
        """Append the pieces of whole commands. Native entries must not append at the same time."""
        record, size = self._record, sum(map(len, pieces))
        at = record.recorded_at - self._begin
        if at + size > _GATHERED:
            self.flush()
            at = 0
        if size > _GATHERED:
            self._file.write_whole(pieces)
            return
        for piece in pieces:
            self._memory[at : at + len(piece)] = piece
            at += len(piece)
        record.recorded_at = self._begin + at

    def forget_draw(self) -> None:
        """Have the next draw written in full, because the last draw was not appended by an entry."""
        self._record.has_recorded_draw = 0

    def flush(self) -> None:
        """Hand everything to the operating system."""
        _hand_over(self._file, self._memory, self._record)

    def close(self) -> None:
        """Write END."""
        self.let_entries(False)
        try:
            self.write(pack(Command.END))
            self.flush()
        finally:
            self._rest.detach()
            self._record.recorded_write = self._record.is_inside_call = self._record.records_calls = 0
            self._file.close()


def _hand_over(file: Sink, memory: bytearray, record: BoundRecord) -> None:
    """Write and clear the buffer. After an error, the rest may be written later."""
    begin, at, end = record.recorded_begin, record.recorded_from, record.recorded_at
    with memoryview(memory) as view:
        while at < end:
            at += file.write(view[at - begin : end - begin])
            record.recorded_from = at
    record.recorded_from = record.recorded_at = begin
