"""Budgets of time: the seconds that a call may take, on the thread that makes it.

The outermost call that has a limit begins a budget. Python that may run long calls `check` between its steps; native code ends at
`deadline` (`Watch` in `backends/abi/records.py`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tgsi.language.diagnostics import Diagnostic, Severity, TimeLimitError
from tgsi.language.facts.limits import NEVER
from tgsi.language.record import record


def now() -> int:
    """The time in nanoseconds, by the clock that native code reads."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) if hasattr(time, "CLOCK_MONOTONIC") else time.monotonic_ns()


@record
class Budget:
    """A call, its limit in seconds, the setting that raises the limit, and the time at which the call ends."""

    name: str
    seconds: float
    setting: str
    deadline: int


class _Held(threading.local):
    budget: Budget | None = None


_held = _Held()


@contextmanager
def limited(name: str, seconds: float | None, setting: str) -> Iterator[None]:
    """Give the body at most `seconds` (None: no limit), unless it is a part of a call that has a budget.

    name: the call. setting: the argument that has the limit.
    """
    if seconds is None or _held.budget is not None:
        yield
        return
    _held.budget = Budget(name, seconds, setting, now() + int(seconds * 1e9))
    try:
        yield
    finally:
        _held.budget = None


def is_held() -> bool:
    """Return true if the calling thread is in a call with a limit."""
    return _held.budget is not None


def deadline() -> int:
    """The end of the current budget; NEVER without one."""
    budget = _held.budget
    return NEVER if budget is None else budget.deadline


def check() -> None:
    """Raise TimeLimitError if the current budget is used up."""
    budget = _held.budget
    if budget is not None and now() > budget.deadline:
        raise error()


def raise_error() -> None:
    """Raise the error of the current budget."""
    raise error()


def error() -> TimeLimitError:
    """The error of the current budget."""
    budget = _held.budget
    if budget is None:
        return TimeLimitError((Diagnostic("B064", Severity.ERROR, "the time limit was exceeded"),))
    hint = f"give {budget.setting} more, or split the work into smaller calls"
    text = f"{budget.name}: it took longer than the limit of {budget.seconds:g} seconds"
    return TimeLimitError((Diagnostic("B064", Severity.ERROR, text, hint=hint),))
