"""Errors that end a command, and the command's name in messages. This module imports no other one."""

from __future__ import annotations

PROGRAM = "tgsi-compile"


class UsageError(Exception):
    """The command cannot be carried out: its message goes to stderr, and the exit code is 2."""
