"""Kinds of arguments, with their ranges, defaults and units: columns of the table of calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, replace
from enum import Enum
from typing import Any

from backends.pipe import checks
from backends.pipe.enums import lookup
from tgsi.language.record import record

REQUIRED: Any = type("Required", (), {"__repr__": lambda self: "required"})()
"""Marker for arguments without a default."""
U32 = (1 << 32) - 1


def _as_given(value: Any, name: str) -> Any:
    return value


@record
class Argument:
    """An argument.

    text: its description. range: the possible values in words; `low` and `high`: the range of an integer. check: function that returns the
    checked value, or raises TypeError or ValueError with a message that begins with the name; `_as_given` where the method itself checks.
    kinds: templates whose fields are also taken by keyword. is_template: the argument is one of them. enumeration: of its values, or None.
    """

    text: str
    _: KW_ONLY
    default: Any = REQUIRED
    range: str = ""
    low: int = 0
    high: int = U32
    check: Callable[[Any, str], Any] = _as_given
    is_template: bool = False
    kinds: tuple[type, ...] = ()
    enumeration: type[Enum] | None = None

    def by(self, default: Any) -> Argument:
        """Return this argument with another default."""
        return replace(self, default=default)


def integer(text: str, low: int = 0, high: int = U32, *, default: Any = REQUIRED) -> Argument:
    """An integer from `low` to `high`."""

    def check(value: Any, name: str) -> int:
        return checks.integer(value, name, low, high)

    return Argument(text, default=default, range=f"{low} to {high}", low=low, high=high, check=check)


def enumerated(text: str, kind: Any, *, default: Any = REQUIRED) -> Argument:
    """A member of an enumeration, its name or its number."""
    return _enumerated(text, kind, lookup, kind.__name__, default)


def flags(text: str, kind: Any, *, default: Any = REQUIRED) -> Argument:
    """A set of flags: a member, a number, names."""
    return _enumerated(text, kind, checks.flags, f"flags of {kind.__name__}", default)


def _enumerated(text: str, kind: Any, find: Callable[[Any, Any, str], Any], range: str, default: Any) -> Argument:
    return Argument(text, default=default, range=range, check=lambda value, name: find(kind, value, name), enumeration=kind)


def plain(text: str, check: Callable[[Any, str], Any], *, default: Any = REQUIRED) -> Argument:
    """A value checked by a function of `backends.pipe.checks`."""
    return Argument(text, default=default, check=check)


def template(text: str, *kinds: type) -> Argument:
    """A template, or None; its fields are also taken by keyword."""
    names = ", ".join(kind.__name__ for kind in kinds)
    return Argument(text, default=None, range=names, is_template=True, kinds=kinds)
