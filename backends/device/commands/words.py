"""Attributes whose values lie in a `BoundRecord`: each is a word that generated code may read and change."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Hashable, Iterable
from typing import Any, Generic, Protocol, TypeVar, overload

from backends.device.commands.bound_record import BoundRecord
from backends.device.commands.numbers import Describe, Key, Numbers

T = TypeVar("T")

_clock = ctypes.c_int64(1)
CLOCK = ctypes.addressof(_clock)
"""Address of the counter of revisions. Each change of any record gets a revision of its own."""


def tick() -> int:
    """The next revision."""
    _clock.value += 1
    return _clock.value


def same_value(value: object) -> Hashable:
    """Key of a value that is compared by ==."""
    return type(value), value


def same_floats(value: Iterable[Any]) -> Hashable:
    """Key of numbers, or of rows of numbers, by their bits: 0.0 differs from -0.0."""
    items = tuple(value)
    if items and not isinstance(items[0], (int, float)):
        return tuple(map(same_floats, items))
    return array("d", items).tobytes()


class HasWords(Protocol):
    """An object whose attributes are stored as words of a record."""

    record: BoundRecord
    numbers: Numbers


class WordOf(Generic[T]):
    """Attribute of a `HasWords`: the value whose number is in the word at `place`. 0 means `default`.

    key: content by which equal values share a number; None compares by identity. describe: class and data of a value.
    """

    def __init__(self, place: int, default: T, key: Key | None = same_value, describe: Describe | None = None) -> None:
        self.place, self.default, self.key, self.describe = place, default, key, describe

    @overload
    def __get__(self, owner: None, kind: type) -> WordOf[T]: ...
    @overload
    def __get__(self, owner: HasWords, kind: type) -> T: ...
    def __get__(self, owner: HasWords | None, kind: type) -> T | WordOf[T]:
        if owner is None:
            return self
        number = owner.record.words[self.place]
        return owner.numbers[number] if number else self.default

    def __set__(self, owner: HasWords, value: T) -> None:
        record = owner.record
        number = 0 if value is self.default else owner.numbers.of(value, self.key, self.describe)
        if record.words[self.place] != number:
            record.words[self.place] = number
            record.are_words_new = 1


class SequenceOf(WordOf[tuple[T, ...]]):
    """A `WordOf` a tuple, whose length is also in the field `count` of the record."""

    def __init__(self, place: int, count: str, key: Key, describe: Describe) -> None:
        super().__init__(place, (), key, describe)
        self.count = count

    def __set__(self, owner: HasWords, value: tuple[T, ...]) -> None:
        super().__set__(owner, value)
        setattr(owner.record, self.count, len(value))


class Units(Generic[T]):
    """The views or the samplers of a stage: words from `place` on. An empty unit is None."""

    def __init__(self, owner: HasWords, place: int, count: int, describe: Describe) -> None:
        self._owner, self._place, self._count, self._describe = owner, place, count, describe

    def bound(self) -> list[T | None]:
        """The units up to the last bound one."""
        return self.first(self._count)

    def first(self, count: int) -> list[T | None]:
        """The first `count` units, up to the last bound one."""
        record, numbers = self._owner.record, self._owner.numbers
        bound = record.words[self._place : self._place + count]
        while bound and not bound[-1]:
            bound.pop()
        return [numbers[number] if number else None for number in bound]

    def put(self, first: int, items: Iterable[T | None]) -> None:
        """Bind items to units from `first` on."""
        record, number_of, describe = self._owner.record, self._owner.numbers.of, self._describe
        words = record.words
        for place, item in enumerate(items, self._place + first):
            words[place] = 0 if item is None else number_of(item, None, describe)
        record.are_words_new = 1
