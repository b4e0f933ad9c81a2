"""Lists of a template's fields at the end of docstrings, so that `help` shows which keywords a call takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields
from enum import Enum
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def takes_fields(*kinds: type) -> Callable[[F], F]:
    """Decorator of a method that takes the fields of templates by keyword: their names, types and defaults end its docstring."""

    def extended(method: F) -> F:
        if method.__doc__ is not None:  # python -OO removes docstrings
            text = "\n".join(line for kind in kinds for line in _lines(kind))
            method.__doc__ = f"{method.__doc__.rstrip()}\n\n{text}\n        "
        return method

    return extended


def _lines(kind: type) -> Iterator[str]:
    yield f"        Keywords, the fields of {kind.__name__}:"
    for item in fields(kind):
        default = "" if item.default is MISSING else f" = {_shown(item.default)}"
        yield f"            {item.name}: {item.type}{default}"


def _shown(value: Any) -> str:
    """A default as one would write it in a call; enumerations by the name of the member."""
    if isinstance(value, Enum):
        return repr(value.name)
    return hex(value) if isinstance(value, int) and value > 0xFFF else repr(value)
