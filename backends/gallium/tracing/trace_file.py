"""The file of a trace: commands, gathered in memory and written in large pieces. Native entries append to the same memory."""

from __future__ import annotations

import ctypes
import os
import weakref
from io import FileIO
from pathlib import Path

from backends.device.commands.bound_record import BoundRecord, observed_cell
from backends.device.commands.layout import MAGIC, PREFIX, VERSION, Command, pack

_GATHERED = 1 << 20


class TraceFile:
    """A file that is being written. A file that was cut off can be played up to there."""

    def __init__(self, path: str | os.PathLike[str], record: BoundRecord) -> None:
        """record: of the context, whose entries append while `let_entries` says so."""
        self._file = Path(path).open("wb", buffering=0)  # noqa: SIM115 - lives as long as the context
        self._record, self._memory = record, bytearray(_GATHERED)
        self._begin = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        record.recorded_at, record.python = self._begin, ctypes.addressof(observed_cell)
        # A program may end, or drop its context, without `destroy`; its trace is wanted all the more then.
        self._rest = weakref.finalize(self, _hand_over, self._file, self._memory, record, self._begin)
        self.write(PREFIX.pack(MAGIC, VERSION, 0))

    @property
    def _used(self) -> int:
        return int(self._record.recorded_at) - self._begin

    def let_entries(self, do_append: bool) -> None:
        """Let native entries append commands, or no longer."""
        self._record.recorded_room = _GATHERED - self._used if do_append else 0

    def write(self, commands: bytes) -> None:
        """Append whole commands. Native entries must not append meanwhile."""
        at = self._used
        if at + len(commands) > _GATHERED:
            self.flush()
            at = 0
        if len(commands) > _GATHERED:
            _write(self._file, memoryview(commands))
            return
        self._memory[at : at + len(commands)] = commands
        self._record.recorded_at += len(commands)

    def forget_draw(self) -> None:
        """Have the next draw written with its words: the last draw was not appended by an entry."""
        self._record.recorded_draw = 0

    def flush(self) -> None:
        """Hand everything to the operating system."""
        _hand_over(self._file, self._memory, self._record, self._begin)
        self.forget_draw()

    def close(self) -> None:
        """Write END."""
        self.let_entries(False)
        self.write(pack(Command.END))
        self.flush()
        self._rest.detach()
        self._file.close()


def _hand_over(file: FileIO, memory: bytearray, record: BoundRecord, begin: int) -> None:
    """Write the gathered commands, which begin at the address `begin` of `memory`, and forget them."""
    with memoryview(memory) as view:
        _write(file, view[: int(record.recorded_at) - begin])
    record.recorded_at = begin


def _write(file: FileIO, view: memoryview) -> None:
    at = 0
    while at < len(view):
        at += file.write(view[at:])
