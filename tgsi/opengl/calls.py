"""Commands in Python, registered by name, and the C functions that call them with the current context.

A handler gets the context and the command's arguments as numbers; pointers are addresses. It raises GLError for OpenGL errors. No exception
reaches C: any other exception is recorded as GL_INVALID_OPERATION, and its traceback is printed if TGSI_OPENGL_DEBUG is set.
"""

from __future__ import annotations

import _thread
import os
import sys
import threading
import traceback
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from tgsi.opengl.errors import GLError
from tgsi.opengl.interrupts import pending, rearm, watch
from tgsi.opengl.lists import is_inside, is_listed
from tgsi.opengl.native_calls import native_function
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.registry.table import command as registered
from tgsi.opengl.registry.table import rows

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

F = TypeVar("F", bound=Callable[..., Any])

HANDLERS: dict[str, Callable[..., Any]] = {}
"""Handlers of all supported commands, by name."""

INTERRUPT_DELAY = 0.01
"""Seconds after which an interrupt that arrived inside a command is raised again."""

_functions: dict[str, Any] = {}
_handled: dict[str, Any] = {}
_current: dict[int, Context] = {}


def command(*names: str) -> Callable[[F], F]:
    """Register a function as the handler of these commands."""

    def register(function: F) -> F:
        for name in names:
            assert name in rows(), name
            assert name not in HANDLERS, name
            HANDLERS[name] = function
        return function

    return register


def current() -> Context | None:
    """The calling thread's context. C++ threads have a new Python thread state in each call, so the thread's number identifies it."""
    return _current.get(threading.get_ident())


def make_current(context: Context | None) -> None:
    """Make a context, or None, current in the calling thread."""
    before = _current.pop(threading.get_ident(), None)
    if before is not None and before.native is not None:
        before.native.enter(is_current=False)
    if context is not None:
        _current[threading.get_ident()] = context
        if context.native is not None:
            context.native.enter(is_current=True)


def threads_of(context: Context) -> list[int]:
    """Threads in which the context is current."""
    return [thread for thread, item in _current.items() if item is context]


@cache
def _aliases() -> dict[str, list[str]]:
    """Groups of names of the same command, by each of its names."""
    groups: dict[str, list[str]] = {}
    for name in rows():
        row = registered(name)
        other = row.alias if row is not None and row.alias else name
        group = groups.setdefault(other, groups.get(name) or [other])
        if name not in group:
            group.append(name)
        groups[name] = group
    return groups


def find_handler(name: str) -> Callable[..., Any] | None:
    """The handler of a command, by any of its names."""
    handler = HANDLERS.get(name)
    if handler is None and name in rows():
        handler = next((HANDLERS[other] for other in _aliases().get(name, ()) if other in HANDLERS), None)
    return handler


def offered() -> list[str]:
    """All names of all supported commands."""
    return [name for name in rows() if find_handler(name) is not None]


def function_for(name: str) -> Any:
    """The C function of a command as a ctypes object that lives as long as the process; None if the command is not supported."""
    function = _functions.get(name)
    if function is None:
        function = _functions[name] = native_function(name, python_function_for) or python_function_for(name)
    return function


def python_function_for(name: str) -> Any:
    """The C function that calls the handler of a command; None if the command is not supported."""
    function = _handled.get(name)
    if function is None:
        handler, row = find_handler(name), registered(name)
        if handler is None or row is None:
            return None
        kinds = "".join(parameter.kind for parameter in row.parameters)
        listed = is_listed(name, row.result, kinds) and not getattr(handler, "lists_itself", False)
        function = _handled[name] = row.prototype()(_entry(name, handler, row.result, listed=listed))
    return function


def lists_itself(function: F) -> F:
    """Mark a handler that adds itself to an open display list."""
    function.lists_itself = True  # type: ignore[attr-defined]
    return function


def _entry(name: str, handler: Callable[..., Any], result: str, *, listed: bool) -> Callable[..., Any]:
    threads, ident = _current, threading.get_ident
    nothing = None if result == "v" else 0
    outside = not is_inside(name)

    def entry(*values: Any) -> Any:
        context: Any = None
        try:
            context = threads.get(ident())
            if context is None:
                return nothing
            if context.native is not None:
                context.native.valid[0] = 0
            elif context.watch is not None:
                context.watch.begin(context, name, values)
            if context.batch is not None:
                context.batch.absorb()
                if outside:
                    context.report(GL.INVALID_OPERATION, name, "a primitive is open")
                    return nothing
            if listed and context.list is not None:
                context.list.items.append((handler, values))
                if not context.list.executes:
                    return nothing
            result = handler(context, *values)
        except GLError as error:
            context.report(error.code, name, str(error))
        except MemoryError as error:
            context.report(GL.OUT_OF_MEMORY, name, str(error))
        except KeyboardInterrupt:  # raised in someone else's handler; raise it again a little later
            threading.Timer(INTERRUPT_DELAY, _thread.interrupt_main).start()
        except Exception as error:
            if os.environ.get("TGSI_OPENGL_DEBUG"):
                traceback.print_exc(file=sys.stderr)
            context.report(GL.INVALID_OPERATION, name, f"{type(error).__name__}: {error}")
        else:
            return nothing if result is None else result
        finally:
            if pending:
                _mark = rearm()
        return nothing

    watch(entry.__code__)
    return entry
