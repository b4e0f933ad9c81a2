"""Plain values that users give: of the right type, or an error that names the argument."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any


def mapping(name: str, value: Any) -> Mapping[Any, Any]:
    """A mapping, empty for None. TypeError for anything else."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a dict, not {type(value).__name__}")
    return value


def integer(name: str, value: Any, least: int, most: int) -> int:
    """A whole number, of numpy or not. TypeError for anything else, ValueError outside of `least` to `most`."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an integer from {least} to {most}, not {type(value).__name__}")
    try:
        found = index(value)
    except TypeError:
        raise TypeError(f"{name} must be one integer from {least} to {most}, not an array") from None
    if not least <= found <= most:
        raise ValueError(f"{name} must be from {least} to {most}, not {found}")
    return found


def number(name: str, value: Any) -> float:
    """A number as a float. TypeError for anything else."""
    try:
        if not isinstance(value, str | bytes | bytearray):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise TypeError(f"{name} must be a number, not {type(value).__name__}")
