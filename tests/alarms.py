"""Timers whose signals a test's own handler takes."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest


class Interruption(BaseException):
    """An exception of a handler. Only the test catches it, as with KeyboardInterrupt."""


@contextmanager
def alarms(every: float, handle: Callable[[], Any]) -> Iterator[None]:
    """Call ``handle()`` in a signal handler every so many seconds."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("the system has no timers")
    before = signal.signal(signal.SIGALRM, lambda *_: handle())
    signal.setitimer(signal.ITIMER_REAL, every, every)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def interrupted(after: float = 0.3, within: float = 1.2) -> Iterator[None]:
    """Raise Interruption in a handler after so many seconds. The body must let it through within so many seconds more."""
    begin = time.perf_counter()

    def handle() -> None:
        if time.perf_counter() - begin >= after:
            signal.setitimer(signal.ITIMER_REAL, 2, 2)  # again, should a finalizer have taken the exception
            raise Interruption

    try:
        with alarms(0.02, handle):
            yield
    except Interruption:
        pass
    else:
        pytest.fail("the work was over before the signal came")
    assert time.perf_counter() - begin < after + within
