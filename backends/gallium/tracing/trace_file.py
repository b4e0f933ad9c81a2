"""The file of a trace: commands, gathered in memory and written in pieces. Native entries also append to this memory and write it."""

from __future__ import annotations

import ctypes
import io
import os
import weakref
from ctypes import c_uint64

from backends.device.commands.bound_record import BoundRecord
from backends.gallium.context.recording.encoder import Piece
from backends.gallium.tracing.command_store import CommandStore
from backends.system import address_of

_GATHERED = 1 << 20
"""Size of the buffer in bytes. A write between two draws slows the following draws, so a frame's commands should fit."""


class TraceFile(CommandStore):
    """A trace that is being written to a file. What a full disk cuts off is the end of a truncated trace."""

    def __init__(self, path: str | os.PathLike[str], record: BoundRecord, cell: c_uint64) -> None:
        self._file, self._memory = io.FileIO(path, "wb"), bytearray(_GATHERED)  # first, because the file may not be writable
        super().__init__(record, cell)
        self._begin = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        record.recorded_begin = record.recorded_from = record.recorded_at = self._begin
        record.recorded_limit, record.recorded_size = self._begin + _GATHERED, _GATHERED
        record.recorded_write, record.recorded_file = address_of("write"), self._file.fileno()
        # Programs may exit, or drop the context, without `destroy`. Their traces are the most wanted ones.
        self._rest = weakref.finalize(self, _hand_over, self._file, self._memory, record)
        self.begin()

    def write(self, *pieces: Piece) -> None:
        """Append the pieces of whole commands. Native entries must not append at the same time."""
        record, size = self._record, sum(map(len, pieces))
        at = record.recorded_at - self._begin
        if at + size > _GATHERED:
            self.flush()
            at = 0
        if size > _GATHERED:
            for piece in pieces:
                _write_all(self._file, memoryview(piece))
            return
        for piece in pieces:
            self._memory[at : at + len(piece)] = piece
            at += len(piece)
        record.recorded_at = self._begin + at

    def flush(self) -> None:
        """Hand everything to the operating system."""
        _hand_over(self._file, self._memory, self._record)

    def _end(self) -> None:
        self._rest.detach()
        self._file.close()


def _write_all(file: io.FileIO, data: memoryview) -> None:
    while len(data):
        data = data[file.write(data) :]


def _hand_over(file: io.FileIO, memory: bytearray, record: BoundRecord) -> None:
    """Write and clear the buffer. After an error, the rest may be written later."""
    begin, at, end = record.recorded_begin, record.recorded_from, record.recorded_at
    with memoryview(memory) as view:
        while at < end:
            at += file.write(view[at - begin : end - begin])
            record.recorded_from = at
    record.recorded_from = record.recorded_at = begin
