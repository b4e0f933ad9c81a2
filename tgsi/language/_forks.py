"""Locks after a fork.

A child process has one thread, the one that forked. A lock that another thread held would never be released there, and work that another
thread had begun would never finish. So locks are made anew in the child, and their owners forget such work. CPython does not free the
locks of modules that are being imported, and many of our modules are imported on first use, so a fork waits for imports. If an import of
another thread began after the wait or takes too long, the child imports that module again.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from importlib import _bootstrap
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar


class _Lock(Protocol):
    def _at_fork_reinit(self) -> None: ...


class Renewed(Protocol):
    """An object that holds work of threads."""

    def renew_in_child(self) -> None:
        """Forget, in a child process, the work of the parent's other threads. Locks are free already."""


_L = TypeVar("_L")
_locks: weakref.WeakSet[_Lock] = weakref.WeakSet()
_awaited: list[Callable[[], threading.RLock | None]] = []
_taken: list[threading.RLock] = []  # during a fork
_items: weakref.WeakSet[Renewed] = weakref.WeakSet()


if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:
    _T = TypeVar("_T")

    class cached_property(Generic[_T]):
        """`functools.cached_property` without the lock that it has before CPython 3.12: a fork could leave that lock taken in the child."""

        def __init__(self, func: Callable[[Any], _T]) -> None:
            self.func, self.__doc__ = func, func.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.attrname = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value


def freed_after_fork(lock: _L) -> _L:
    """Return the lock, of `threading`, after registering it to be released in every child process."""
    _locks.add(lock)  # type: ignore[arg-type]
    return lock


def wait_before_fork(find: Callable[[], threading.RLock | None]) -> None:
    """Let every fork wait until no other thread holds the lock that `find` returns. Locks are taken in the order of these calls."""
    _awaited.append(find)


def renew_after_fork(item: Renewed) -> None:
    """Have `item.renew_in_child()` called in every child process, as long as the item lives."""
    _items.add(item)


_PATIENCE = 10.0  # seconds that a fork waits for imports; one that waits for the network would not end


def _is_importing() -> bool:
    """Return true if another thread imports a module."""
    me = threading.get_ident()
    held = (reference() for reference in list(getattr(_bootstrap, "_module_locks", {}).values()))
    return any(getattr(lock, "owner", None) not in (None, me) for lock in held)


def _let_go() -> None:
    while _taken:
        _taken.pop().release()


def _wait() -> None:
    until = time.monotonic() + _PATIENCE
    while True:
        for lock in [lock for find in list(_awaited) if (lock := find()) is not None]:
            lock.acquire()
            _taken.append(lock)
        if not _is_importing() or time.monotonic() > until:
            return
        _let_go()  # imported modules may need them time.sleep(0.001)


def _forget_imports() -> None:
    """Let modules that other threads of the parent were importing be imported anew."""
    me, locks = threading.get_ident(), getattr(_bootstrap, "_module_locks", {})
    for name, reference in list(locks.items()):
        lock = reference()
        if lock is None or getattr(lock, "owner", me) == me:
            continue
        spec = getattr(sys.modules.get(name), "__spec__", None)
        if lock.owner is not None and getattr(spec, "_initializing", False):
            del sys.modules[name]
        locks.pop(name, None)  # even if a thread was about to take it
    getattr(_bootstrap, "_blocking_on", {}).clear()


def _renew() -> None:
    _let_go()
    _forget_imports()
    for lock in list(_locks):
        lock._at_fork_reinit()
    for item in list(_items):
        item.renew_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait, after_in_parent=_let_go, after_in_child=_renew)
