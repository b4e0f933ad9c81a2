"""What ends a command, and its name in messages: nothing here needs any other module."""

from __future__ import annotations

PROGRAM = "tgsi-compile"


class UsageError(Exception):
    """The command cannot be carried out: its message goes to stderr, and the exit code is 2."""
