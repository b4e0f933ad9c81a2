"""Numbers of bound values: equal values have one number, and no number is used twice."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable
from typing import Any

Key = Callable[[Any], Hashable]
"""Function from a value to its content; values with equal content share a number."""

_serials = itertools.count(1)


class Numbers:
    """Values that are bound or that templates of draws were made of, by number. They live until `sweep` finds them unused.

    Number 0 stands for nothing.

    Attributes:
        holders: functions that return numbers which `sweep` leaves alone.
    """

    def __init__(self) -> None:
        self.holders: list[Callable[[], set[int]]] = []
        self._values: dict[int, tuple[Any, Hashable]] = {}
        self._of_object: dict[int, int] = {}
        self._of_content: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, number: int) -> Any:
        return self._values[number][0]

    def of(self, value: object, key: Key | None = None) -> int:
        """The number of a value; without `key`, of this very object."""
        known = self._of_object.get(id(value))
        if known is not None:
            return known
        content: Hashable = None
        if key is not None:
            content = key(value)
            known = self._of_content.get(content)
            if known is not None:
                return known
        number = next(_serials)
        self._values[number] = value, content
        self._of_object[id(value)] = number
        if key is not None:
            self._of_content[content] = number
        return number

    def sweep(self, living: set[int]) -> None:
        """Forget all values but those with the numbers `living`, and those of the holders."""
        for number in self._values.keys() - living.union(*(numbers() for numbers in self.holders)):
            value, content = self._values.pop(number)
            del self._of_object[id(value)]
            if content is not None:
                del self._of_content[content]
