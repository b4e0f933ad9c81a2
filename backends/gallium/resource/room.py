"""Memory for objects that methods of a context make: if it runs out, pending work is carried out, and caches are released."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")


class RoomMaker(Protocol):
    """A context."""

    def _make_room(self) -> None:
        """Carry out pending work, and release cached memory."""
        ...


def with_room(context: RoomMaker, make: Callable[[], T]) -> T:
    """The result of ``make()``, of a second call if there was no memory for the first.

    Screens skip contexts that are in use, so methods make room themselves, at points where a flush is allowed.
    """
    try:
        return make()
    except MemoryError:
        context._make_room()
        return make()
