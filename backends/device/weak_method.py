"""Bound methods that do not keep their object alive."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")


def weak_method(method: Callable[P, R]) -> Callable[[], Callable[P, R] | None]:
    """Return a function that returns the bound method, or None once its object is gone.

    `weakref.WeakMethod` does the same, but prints "Exception ignored" at the end of a process whose last traceback holds its object.
    """
    owner = weakref.ref(getattr(method, "__self__"))  # noqa: B009 (a Callable has none for mypy)
    name = method.__name__

    def bound() -> Callable[P, R] | None:
        return cast("Callable[P, R] | None", getattr(owner(), name, None))

    return bound
