"""The log of the server: lines on stderr and, on request, in a file."""

from __future__ import annotations

import contextlib
import logging
import sys
from pathlib import Path

LOG = logging.getLogger("tgsi.vtest")
COMMANDS = 5
"""Log level of lines about every command of a client."""

LEVELS = {"commands": COMMANDS, "debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
_FILE_FORMAT = "%(asctime)s %(levelname)s %(process)d: %(message)s"


class _Stderr(logging.Handler):
    """Writes lines to stderr, until its reader closes it."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        with contextlib.suppress(OSError, ValueError):
            print(f"tgsi-vtest: {record.getMessage()}", file=sys.stderr, flush=True)


def set_up(level: int, file: Path | None = None, file_level: int = logging.DEBUG) -> None:
    """Write lines of at least `level` to stderr, and append those of at least `file_level` to a file.

    Raises OSError if the file cannot be written.
    """
    logging.addLevelName(COMMANDS, "COMMANDS")
    for handler in LOG.handlers[:]:
        LOG.removeHandler(handler)
        handler.close()
    LOG.propagate = False
    handlers: list[logging.Handler] = [_Stderr(level)]
    if file is not None:
        try:
            added = logging.FileHandler(file, encoding="utf-8")
        except OSError as error:
            raise OSError(f"{file}: cannot be written: {error.strerror}") from None
        added.setLevel(file_level)
        added.setFormatter(logging.Formatter(_FILE_FORMAT))
        handlers.append(added)
    for handler in handlers:
        LOG.addHandler(handler)
    LOG.setLevel(min(handler.level for handler in handlers))
