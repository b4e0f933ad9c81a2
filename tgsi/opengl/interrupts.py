"""Ctrl-C inside of commands: C cannot carry KeyboardInterrupt, so it is raised when the program is back in Python.

Python runs handlers of signals in the next bytecode, which for a program that spends its time in C is that of a command. There the handler
only notes the signal. When the command's frame ends, the signal is set again, without Python in between: if C calls another command, the
same happens there; if C returns, the program's own frame sees it.
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
"""Not empty if a signal came inside of a command. The command then keeps the result of `rearm` until its frame ends."""

_codes: set[CodeType] = set()
_last: list[Any] = []


class _Mark:
    """An object whose end sets the signal again."""


def rearm() -> _Mark:
    """An object that sets the signal again when it is freed."""
    pending.clear()
    mark = _Mark()
    interrupt = ctypes.pythonapi.PyErr_SetInterrupt  # it takes nothing, and is called as a callback of a weak reference
    interrupt.argtypes, interrupt.restype = [ctypes.py_object], None
    _last[:] = [weakref.ref(mark, interrupt)]
    return mark


def watch(code: CodeType) -> None:
    """Note signals that come in frames of `code`, if the main thread calls this and Python's own handler is that of SIGINT."""
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
