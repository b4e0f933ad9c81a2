"""The file of a trace: commands, gathered in memory and written in large pieces."""

from __future__ import annotations

import os
from pathlib import Path

from backends.device.commands.layout import MAGIC, PREFIX, VERSION, Command, pack

_GATHERED = 1 << 20


class TraceFile:
    """A file that is being written. A file that was cut off can be played up to there."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = Path(path).open("wb", buffering=0)  # noqa: SIM115 - lives as long as the context
        self._gathered = bytearray(PREFIX.pack(MAGIC, VERSION, 0))

    def write(self, commands: bytes) -> None:
        """Append whole commands."""
        self._gathered += commands
        if len(self._gathered) >= _GATHERED:
            self.flush()

    def flush(self) -> None:
        """Hand everything to the operating system."""
        view = memoryview(self._gathered)
        while view:
            view = view[self._file.write(view) :]
        view.release()
        self._gathered = bytearray()

    def close(self) -> None:
        """Write END."""
        self.write(pack(Command.END))
        self.flush()
        self._file.close()
