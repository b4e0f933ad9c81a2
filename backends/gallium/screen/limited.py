"""Contexts whose calls have a time limit (`Screen(time_limit=...)`): each public method begins a budget."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from inspect import isroutine
from typing import Any

from backends.gallium.context.context import Context
from tgsi.language import budgets

_LIMITED = frozenset(name for name in dir(Context) if not name.startswith("_") and isroutine(getattr(Context, name)))
"""Methods of Gallium, all that are public."""


@cache
def limited(kind: type[Context]) -> type[Context]:
    """The class of contexts whose methods end at the limit of their screen. A method that another one calls is a part of that call."""

    class Limited(kind):  # type: ignore[valid-type, misc]
        __doc__ = kind.__doc__

        def __getattribute__(self, name: str) -> Any:
            attribute = super().__getattribute__(name)
            return _limited(attribute, name, self.time_limit) if name in _LIMITED and not budgets.is_held() else attribute

    Limited.__name__, Limited.__qualname__ = kind.__name__, kind.__qualname__
    return Limited


def _limited(method: Callable[..., Any], name: str, seconds: float | None) -> Callable[..., Any]:
    @wraps(method)
    def call(*args: Any, **keywords: Any) -> Any:
        with budgets.limited(name, seconds, "Screen(time_limit=...)"):
            return method(*args, **keywords)

    return call
