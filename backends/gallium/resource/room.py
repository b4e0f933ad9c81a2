"""Memory for objects that methods of a context make: where there is none, pending work is carried out, and what is remembered goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")


class RoomMaker(Protocol):
    """A context."""

    def _make_room(self) -> None:
        """Carry out pending work, and let go of memory that is only remembered."""
        ...


def with_room(context: RoomMaker, make: Callable[[], T]) -> T:
    """The result of ``make()``, of a second call if there was no memory for the first.

    Screens leave out contexts that are in use, so methods ask for room themselves, where a flush may happen.
    """
    try:
        return make()
    except MemoryError:
        context._make_room()
        return make()
