"""The account of a client: the bytes of everything that it holds.

The screen counts resources from their creation until the last view or binding releases their memory. Everything else is counted here, in
the same account. Python's memory for an object is a generous estimate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.tools.vtest.protocol.errors import CommandError

if TYPE_CHECKING:
    from backends.gallium.resource.layout import Accounting

OBJECT = 2048
"""Bytes of a resource, view, query, state or other object besides its memory and texts."""

TEXT = 64
"""Bytes of a program for each byte of its text."""

SUB_CONTEXT = 8 << 20
SMALL = 1 << 16
"""Largest size of a message or transfer in bytes that is not counted, because the connection's buffer has room for it."""


class Account:
    """Bytes that a client holds.

    Attributes:
        memory: the counters of the client's screen.
        freed: number of objects freed since it was reset to 0.
    """

    def __init__(self, memory: Accounting) -> None:
        self.memory = memory
        self.freed = 0

    def take(self, size: int, field: str) -> None:
        """Count bytes before they are allocated. Raises CommandError, naming the field, if the client would hold too many."""
        try:
            self.memory.take(size)
        except MemoryError:
            limit = self.memory.limit or 0
            text = f"{size} bytes are needed; the client holds {self.memory.used} of {limit} bytes (--memory-mib)"
            raise CommandError(field, text) from None

    def give(self, size: int) -> None:
        """Count bytes that were freed."""
        self.freed += 1
        self.memory.give(size)
