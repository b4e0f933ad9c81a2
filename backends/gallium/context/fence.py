"""Fences: ends of flushes, signaled when everything before the flush is in memory."""

from __future__ import annotations

from typing import Protocol


class FenceOwner(Protocol):
    """The context of a fence. `completed`: number of the latest fence before which everything is in memory."""

    completed: int

    def synchronize(self) -> None:
        """Carry out everything so far."""
        ...


class Fence:
    """The end of a flush. A deferred flush is carried out by the first caller that finishes the fence."""

    def __init__(self, context: FenceOwner, number: int) -> None:
        self._context = context
        self._number = number

    def __repr__(self) -> str:
        return f"<Fence {self._number} {'signaled' if self.is_signaled else 'pending'}>"

    @property
    def is_signaled(self) -> bool:
        """True once everything before the flush is in memory."""
        return self._context.completed >= self._number

    def finish(self) -> bool:
        """Carry out the work before the fence. The fence is signaled afterwards. Only the owner of the context may call this."""
        if not self.is_signaled:
            self._context.synchronize()
        return True
