"""Error that ends the command, and the command's name in messages. Imports no other module."""

from __future__ import annotations

PROGRAM = "tgsi-compile"


class UsageError(Exception):
    """Command that cannot be carried out. The message goes to stderr, and the exit code is 2."""
