"""Numbers of bound values: equal values have one number, and no number is used twice.

The number of a value is in its lower half. The upper half is the value's class: values of one class need the same code and differ only in
their data, which generated code looks up by the number.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Hashable, Iterable
from ctypes import c_uint64
from typing import Any, NamedTuple

from backends.device.commands.slot_table import SlotTable

Key = Callable[[Any], Hashable]
"""Function from a value to its content; values with equal content share a number."""

CLASS_SHIFT = 32
MIX = 0x9E3779B1
"""Factor of the hash of a number."""

MOST_FORGOTTEN = 1 << 10

MOST_VALUES = 1 << 11
"""Number of values above which unused ones are swept."""

_serials = itertools.count(1)


class Described(NamedTuple):
    """The class of a value, and the structure that generated code reads in its place.

    kind: an int is the class itself. Any other content gets its own number as class.
    """

    kind: Hashable = 0
    data: ctypes.Structure | ctypes.Array[Any] | None = None


Describe = Callable[[Any], Described]


class ValueSlot(ctypes.Structure):
    """An entry of the hash table of values; number 0: empty."""

    _fields_ = [("number", c_uint64), ("address", c_uint64)]


def hash_of_number(number: int) -> int:
    """The hash of a number, of which the lower bits are used."""
    return (number * MIX & 0xFFFFFFFF) >> 7


class Numbers:
    """Values that are bound or used in templates of draws, by number. They live until `sweep` finds them unused.

    Number 0: no value.

    Args:
        place: takes address and mask of the table of data; see `SlotTable`.

    Attributes:
        holders: functions that return numbers which `sweep` leaves alone.
    """

    def __init__(self, place: Callable[[int, int], None] = lambda address, mask: None) -> None:
        self.holders: list[Callable[[], set[int]]] = []
        self._values: dict[int, tuple[Any, Hashable, Described]] = {}
        self._most = MOST_VALUES
        self._forgotten = 0  # dead numbers that are still in the table of data
        self._of_object: dict[int, int] = {}
        self._of_content: dict[Hashable, int] = {}
        self._classes: dict[Hashable, int] = {}
        self._data: SlotTable[int] = SlotTable(ValueSlot, hash_of_number, place)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def is_crowded(self) -> bool:
        """True if enough values were added for a `sweep` to pay."""
        return len(self._values) >= self._most

    def __getitem__(self, number: int) -> Any:
        return self._values[number][0]

    def of(self, value: object, key: Key | None = None, describe: Describe | None = None) -> int:
        """The word of a value: its number, and its class in the upper half. Without `key`, values are compared by identity."""
        known = self._of_object.get(id(value))
        if known is not None:
            return known
        content: Hashable = None
        if key is not None:
            content = key(value)
            known = self._of_content.get(content)
            if known is not None:
                return known
        described = describe(value) if describe is not None else Described()
        number = next(_serials) | self._class_of(described.kind) << CLASS_SHIFT
        self._values[number] = value, content, described
        self._of_object[id(value)] = number
        if key is not None:
            self._of_content[content] = number
        if described.data is not None:
            self._data.put(number, number, ctypes.addressof(described.data))
        return number

    def forget(self, value: object, bound: Iterable[int]) -> None:
        """Forget a value that no pending draw uses, unless its number is in `bound`. Values of other holders stay until `sweep`."""
        number = self._of_object.get(id(value))
        if number is None or self.holders or number in bound:
            return
        self._drop(number)
        self._forgotten += 1
        if self._forgotten > MOST_FORGOTTEN:
            self._forgotten = 0
            self._data.keep(self._values.__contains__)

    def forget_kind(self, kind: type, living: set[int]) -> None:
        """Forget values of a type, except those with the numbers `living`, and those of the holders. No pending draw uses them."""
        used = living.union(*(numbers() for numbers in self.holders))
        gone = [number for number, (value, _, _) in self._values.items() if isinstance(value, kind) and number not in used]
        for number in gone:
            self._drop(number)
        if gone:
            self._data.keep(self._values.__contains__)

    def _drop(self, number: int) -> None:
        value, content, _ = self._values.pop(number)
        del self._of_object[id(value)]
        if content is not None:
            del self._of_content[content]

    def _class_of(self, kind: Hashable) -> int:
        if isinstance(kind, int):
            return kind
        known = self._classes.get(kind)
        if known is None:
            known = self._classes[kind] = next(_serials)
        return known

    def sweep(self, living: set[int]) -> None:
        """Forget all values except those with the numbers `living`, and those of the holders."""
        gone = self._values.keys() - living.union(*(numbers() for numbers in self.holders))
        for number in gone:
            self._drop(number)
        self._most = max(MOST_VALUES, 2 * len(self._values))
        if gone:
            self._data.keep(self._values.__contains__)
            kinds = {described.kind for _, _, described in self._values.values()}
            self._classes = {kind: number for kind, number in self._classes.items() if kind in kinds}
