"""Memory to which commands of a recording are appended, by native entries and by Python: that of a file, or of a history."""

from __future__ import annotations

import ctypes
import itertools
from abc import ABC, abstractmethod
from ctypes import c_uint64

from backends.device.commands.bound_record import BoundRecord
from backends.device.commands.layout import MAGIC, PREFIX, VERSION, Command, pack
from backends.gallium.context.recording.encoder import Piece

_numbers = itertools.count(1)


class CommandStore(ABC):
    """Commands in memory that the context's record describes, so that native entries append, too.

    A recording that ends early can be played up to its end.
    """

    def __init__(self, record: BoundRecord, cell: c_uint64) -> None:
        """record: of the context, whose entries append while `let_entries` says so. cell: of its class, for `BoundRecord.python`."""
        self._record = record
        record.python, record.recording = ctypes.addressof(cell), next(_numbers) & 0x7FFFFFFF
        record.recorded_write = record.recorded_turn = record.recorded_from = 0
        record.recorded_constants = record.has_recorded_draw = record.is_inside_call = 0

    def begin(self) -> None:
        """Write the first bytes of a recording."""
        self.write(PREFIX.pack(MAGIC, VERSION, 0))

    def let_entries(self, do_append: bool) -> None:
        """Allow or forbid native entries to append commands."""
        record = self._record
        record.recorded_constants = 0
        record.recorded_end = record.recorded_limit if do_append else 0

    @abstractmethod
    def write(self, *pieces: Piece) -> None:
        """Append the pieces of whole commands. Native entries must not append at the same time."""

    def forget_draw(self) -> None:
        """Have the next draw written in full, because the last draw was not appended by an entry."""
        self._record.has_recorded_draw = 0

    @abstractmethod
    def flush(self) -> None:
        """Hand everything to the operating system."""

    def close(self) -> None:
        """Write END."""
        self.let_entries(False)
        try:
            self.write(pack(Command.END))
            self.flush()
        finally:
            record = self._record
            record.recorded_write = record.recorded_turn = record.recording = record.is_inside_call = record.records_calls = 0
            self._end()

    @abstractmethod
    def _end(self) -> None:
        """Close the destination. Generated code no longer appends."""
