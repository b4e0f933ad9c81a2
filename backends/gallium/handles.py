"""Handles of constant state objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

S = TypeVar("S")


@dataclass(eq=False, slots=True)
class StateObject(Generic[S]):
    """A constant state object: what a `create_` call returns and `bind_` and `destroy_` take."""

    kind: str
    state: S
    is_destroyed: bool = False


def check_object(handle: Any, kind: str, name: str) -> None:
    """TypeError unless `handle` is a state object of that kind, ValueError if it was destroyed."""
    if not isinstance(handle, StateObject) or handle.kind != kind:
        given = f"a {handle.kind} object" if isinstance(handle, StateObject) else type(handle).__name__
        raise TypeError(f"{name}: what create_{kind}_state returned is wanted, not {given}")
    if handle.is_destroyed:
        raise ValueError(f"{name}: the object was destroyed")
