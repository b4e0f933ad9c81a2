"""Fences: ends of flushes, signaled when everything before the flush is in memory."""

from __future__ import annotations

import threading
import time
from typing import Protocol

from backends.gallium.threads.gate import Gate


class FenceOrder(Protocol):
    """The order of a context's work. `completed`: number of the latest fence before which everything is in memory."""

    completed: int

    def synchronize(self) -> None:
        """Carry out everything so far."""
        ...


class FenceOwner(Protocol):
    """The context of a fence."""

    _gate: Gate

    @property
    def order(self) -> FenceOrder:
        """The order of its work."""
        ...


class Fence:
    """The end of a flush. A deferred flush is carried out by the first caller that finishes the fence, in whatever thread.

    screen: of the context that made the fence.
    """

    def __init__(self, context: FenceOwner, number: int, screen: object) -> None:
        self.screen = screen
        self._context = context
        self._number = number
        self._helper: threading.Thread | None = None

    def __repr__(self) -> str:
        return f"<Fence {self._number} {'signaled' if self.is_signaled else 'pending'}>"

    @property
    def is_signaled(self) -> bool:
        """True once everything before the flush is in memory."""
        return self._context.order.completed >= self._number

    def is_of(self, context: object) -> bool:
        """Return True if a context made the fence."""
        return self._context is context

    def begin(self) -> threading.Thread:
        """Have the work before the fence carried out by a separate thread, as soon as no thread is in a method of the context."""
        if self._helper is None or not self._helper.is_alive():  # a child process has no threads of its parent
            self._helper = threading.Thread(target=self._carry_out, name="fence", daemon=True)
            self._helper.start()
        return self._helper

    def finish(self, seconds: float | None = None) -> bool:
        """Wait until the work before the fence is carried out, by the calling thread or, within `seconds`, by a separate thread.

        Returns True if the fence is signaled.
        """
        if self.is_signaled:
            return True
        if seconds is None:
            self._carry_out()
            return self.is_signaled
        until = time.monotonic() + min(seconds, threading.TIMEOUT_MAX / 2)
        self.begin().join(max(0.0, until - time.monotonic()))
        return self.is_signaled

    def _carry_out(self) -> None:
        with self._context._gate.held() as is_open:
            if is_open and not self.is_signaled:
                self._context.order.synchronize()
