"""Handles of constant state objects, and the small pieces of bindings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any, Generic, TypeVar

from tgsi.language.record import record

S = TypeVar("S")
T = TypeVar("T")


@record(frozen=False, eq=False)
class StateObject(Generic[S]):
    """A constant state object: the result of a `create_` call, which `bind_` and `destroy_` take.

    owner: stands for the context that made it. bound: what a device knows of the object, once it was bound.
    """

    kind: str
    state: S
    owner: object = field(repr=False)
    is_destroyed: bool = False
    bound: Any = None


def check_object(handle: Any, kind: str, owner: object, name: str) -> None:
    """TypeError unless `handle` is a state object of that kind, ValueError if another context made it or it was destroyed."""
    if not isinstance(handle, StateObject) or handle.kind != kind:
        given = f"a {handle.kind} object" if isinstance(handle, StateObject) else type(handle).__name__
        raise TypeError(f"{name}: what create_{kind}_state returned is wanted, not {given}")
    if handle.owner is not owner:
        raise ValueError(f"{name}: the object belongs to another context")
    if handle.is_destroyed:
        raise ValueError(f"{name}: the object was destroyed")


@record(eq=False)
class VertexBuffer:
    """A vertex buffer binding: a Resource, or bytes or an array that is copied at once. Stride 0 repeats one vertex.

    The `stride` of an array defaults to the distance of its rows (axis 0). `buffer_offset` is where vertex 0 begins; it may be negative.
    """

    buffer: Any
    stride: int | None = None
    buffer_offset: int = 0


def place(items: list[T | None], start: int, new: Sequence[T | None]) -> None:
    """Put `new` into `items` from `start` on; the list grows as needed and ends with a bound entry."""
    items.extend([None] * (start + len(new) - len(items)))
    items[start : start + len(new)] = new
    while items and items[-1] is None:
        items.pop()
