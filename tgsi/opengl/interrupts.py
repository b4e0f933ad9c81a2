"""Ctrl-C inside of commands: KeyboardInterrupt cannot pass through C, so it is raised when the program returns to Python.

Python runs signal handlers at the next bytecode, which belongs to a command if the program spends its time in C. There, the handler only
notes the signal. When the command's frame ends, the signal is set again, without running Python code: if C calls another command, the same
happens again; if C returns, the program's own frame handles it.
"""

from __future__ import annotations

import ctypes
import signal
import threading
import weakref
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

pending: list[bool] = []
"""Not empty if a signal arrived inside a command. The command then keeps the result of `rearm` until its frame ends."""

_codes: set[CodeType] = set()
_last: list[Any] = []


class _Mark:
    """An object that sets the signal again when it is freed."""


def rearm() -> _Mark:
    """An object that sets the signal again when it is freed."""
    pending.clear()
    mark = _Mark()
    interrupt = ctypes.pythonapi.PyErr_SetInterrupt  # a function without parameters, called as the callback of a weak reference
    interrupt.argtypes, interrupt.restype = [ctypes.py_object], None
    _last[:] = [weakref.ref(mark, interrupt)]
    return mark


def watch(code: CodeType) -> None:
    """Note signals that arrive in frames of `code`, if called in the main thread and SIGINT has Python's default handler."""
    _codes.add(code)
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _handle)


def uninterrupted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function for C that notes signals instead of raising them."""

    def call(*values: Any) -> Any:
        try:
            return function(*values)
        finally:
            if pending:
                _mark = rearm()

    watch(call.__code__)
    return call


def _handle(number: int, frame: FrameType | None) -> None:
    place = frame
    while place is not None:
        if place.f_code in _codes:
            pending.append(True)
            return
        place = place.f_back
    signal.default_int_handler(number, frame)
