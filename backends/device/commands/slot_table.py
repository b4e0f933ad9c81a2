"""Hash tables that Python fills and generated code searches: open addressing, at most half full."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
FEWEST = 64


class SlotTable(Generic[K]):
    """Entries by key. An entry lies at the first free place from `hash & mask` on; an empty one ends a search.

    Args:
        slot: the structure of an entry. Its first field is 0 where the entry is empty.
        hash_of: the hash of a key, of which the lower bits are used.
        place: takes the address of the entries and their number - 1, now and whenever they change.
        fewest: least capacity in entries, a power of 2.
    """

    def __init__(
        self, slot: type[ctypes.Structure], hash_of: Callable[[K], int], place: Callable[[int, int], None], fewest: int = FEWEST
    ) -> None:
        self._slot, self._hash, self._place, self._fewest = slot, hash_of, place, fewest
        self._fields: dict[K, tuple[int, ...]] = {}
        self.slots: Any = None
        self._keys: dict[int, K] = {}
        self._at: dict[K, int] = {}
        self._rebuild({}, fewest)

    def __len__(self) -> int:
        return len(self._fields)

    def __contains__(self, key: K) -> bool:
        return key in self._fields

    def get(self, key: K) -> tuple[int, ...] | None:
        """The fields of an entry."""
        return self._fields.get(key)

    def put(self, key: K, *fields: int) -> None:
        """Add or replace an entry. The first field is not 0."""
        is_new = key not in self._fields
        if is_new and 2 * len(self._fields) + 2 > len(self.slots):
            self._rebuild(self._fields, 2 * len(self.slots))  # first, because it may raise MemoryError
        if is_new:
            self._enter(key, fields)
        else:
            self.slots[self._at[key]] = self._slot(*fields)
        self._fields[key] = fields

    def remove(self, key: K) -> bool:
        """Remove an entry. Returns false if it does not exist."""
        if self._fields.pop(key, None) is None:
            return False
        mask, place = len(self.slots) - 1, self._at.pop(key)
        moved = []
        while place in self._keys:  # later entries of the run may have been displaced by this one
            moved.append(self._keys.pop(place))
            self.slots[place] = self._slot()
            place = place + 1 & mask
        for other in moved[1:]:
            self._enter(other, self._fields[other])
        return True

    def keep(self, living: Callable[[K], bool]) -> None:
        """Remove all entries except those for which `living` returns true."""
        remaining = {key: fields for key, fields in self._fields.items() if living(key)}
        if len(remaining) < len(self._fields):
            self._rebuild(remaining, max(self._fewest, 1 << (2 * len(remaining)).bit_length()))

    def clear(self) -> None:
        """Remove all entries."""
        self.keep(lambda key: False)

    def _rebuild(self, fields: dict[K, tuple[int, ...]], size: int) -> None:
        """Take other entries, with room for `size`. After a MemoryError the old table remains in use."""
        old = self.slots, self._keys, self._at
        self.slots, self._keys, self._at = (self._slot * size)(), {}, {}
        try:
            for key, values in fields.items():
                self._enter(key, values)
            self._place(ctypes.addressof(self.slots), size - 1)
        except BaseException:
            self.slots, self._keys, self._at = old
            raise
        self._fields = fields

    def _enter(self, key: K, fields: tuple[int, ...]) -> None:
        mask = len(self.slots) - 1
        place = self._hash(key) & mask
        while place in self._keys:
            place = place + 1 & mask
        self.slots[place] = self._slot(*fields)
        self._keys[place], self._at[key] = key, place
