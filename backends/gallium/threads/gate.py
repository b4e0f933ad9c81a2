"""One caller at a time: the gate records which thread is in a method of the context.

A second thread gets an error. Methods of the screen, which any thread may call at any time, take their turn between two methods of the
context; then the context's own callers wait for them. Native entries compare the same word (`BoundRecord.owner`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import isfunction
from threading import get_ident
from typing import Any, TypeVar

from backends.device.commands.bound_record import BoundRecord, Holder, owner_of
from tgsi.language._forks import freed_after_fork, renew_after_fork

C = TypeVar("C", bound=type)
_PAUSE = 2e-4  # seconds between two looks of a screen's method at a context that is in use
_FREE, _SCREEN, _DESTROYED, _LOST, _INTERRUPTED = map(int, Holder)
_GUARDED = "guarded"
"""Attribute of a guarded method: the function inside."""
_AT_ANY_TIME = frozenset({"destroy", "fence_server_sync"})
"""Methods that take their turn themselves."""


class Gate:
    """The word that names the thread in a context.

    Attributes:
        word: the word, as an array of one number. The global interpreter lock makes a read and the following write one step: nothing that
            can switch threads may come in between.
        left: called with the name of each method of the context that has returned, before the context is released; None: no callback.
    """

    def __init__(self, record: BoundRecord) -> None:
        self.word = owner_of(record)
        self.left: Callable[[str], None] | None = None
        self._record = record
        self._turn = freed_after_fork(threading.Lock())  # held by the screen's method that has the context
        renew_after_fork(self)

    def renew_in_child(self) -> None:
        """Refuse every later method if another thread was in the context, whose state may be half of a change."""
        if self.word[0] not in (_FREE, _DESTROYED, get_ident()):
            self.word[0] = _LOST

    def enter(self, name: str) -> None:
        """Take the context for a method of that name, after a method of the screen has released it.

        Raises:
            ValueError: the context was destroyed.
            RuntimeError: the process was forked while another thread was in a method of the context.
            RuntimeError: another thread is in a method of the context.
        """
        word, me = self.word, get_ident()
        while True:
            owner = word[0]
            if owner == _FREE:
                word[0] = me
                return
            if owner == _DESTROYED:
                raise ValueError(f"{name}: the context was destroyed")
            if owner == _LOST:
                raise RuntimeError(f"{name}: another thread was in the context when this process was forked; create a new context here")
            if owner == _INTERRUPTED:
                raise RuntimeError(f"{name}: the context is at work; a signal handler that interrupts it cannot use it")
            if owner != _SCREEN:
                raise RuntimeError(
                    f"{name}: the context is in use by another thread; give each thread its own context, or let them take turns"
                )
            with self._turn:
                pass

    def listen(self, left: Callable[[str], None] | None) -> None:
        """Set `left`. Native entries go through the gate as long as there is one."""
        self.left, self._record.has_listener = left, left is not None

    @property
    def is_mine(self) -> bool:
        """True if the calling thread is in a method of the context."""
        return self.word[0] == get_ident()

    def close(self) -> None:
        """Refuse every later method."""
        self.word[0] = _DESTROYED

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Hold the context for a method of the screen, as soon as no method of the context runs. False: it was destroyed or lost."""
        word = self.word
        if self.is_mine:
            yield True
            return
        with self._turn:
            while (owner := word[0]) not in (_DESTROYED, _LOST):
                if owner == _FREE:
                    word[0] = _SCREEN
                    break
                time.sleep(_PAUSE)
            try:
                yield owner == _FREE
            finally:
                if word[0] == _SCREEN:
                    word[0] = _FREE

    @contextmanager
    def held_if_free(self) -> Iterator[bool]:
        """Hold the context for a method of the screen if it is free at this moment. False: it is in use, destroyed or lost."""
        word = self.word
        if not self._turn.acquire(blocking=False):
            yield False
            return
        try:
            if is_free := word[0] == _FREE:
                word[0] = _SCREEN
            try:
                yield is_free
            finally:
                if is_free and word[0] == _SCREEN:
                    word[0] = _FREE
        finally:
            self._turn.release()


def one_at_a_time(owner: C) -> C:
    """Let every public method of a class of contexts take the context first. Names with an underscore are for its parts alone."""
    guarded: dict[Callable[..., Any], Callable[..., Any]] = {}  # some methods have two names
    for name in dir(owner):
        method = getattr(owner, name)
        if not name.startswith("_") and isfunction(method) and name not in _AT_ANY_TIME:
            guarded[method] = guarded.get(method) or _guarded(method)
            setattr(owner, name, guarded[method])
    return owner


def _guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    name = method.__name__
    method = vars(method).get(_GUARDED, method)  # a subclass inherits guarded methods

    @wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        gate = self._gate
        word, me = gate.word, get_ident()
        owner = word[0]
        if owner == me:
            return method(self, *args, **kwargs)
        if owner:
            gate.enter(name)
        else:
            word[0] = me
        try:
            result = method(self, *args, **kwargs)
            if gate.left is not None:
                gate.left(name)
            return result
        finally:
            word[0] = _FREE

    vars(call)[_GUARDED] = method
    return call
