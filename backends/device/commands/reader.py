"""The reader of a client's commands: tables that generated code reads, filled by the functions that carry commands out in Python.

Generated code carries out commands on known objects, and leaves everything else, including mistakes of the client, to Python.
"""

from __future__ import annotations

import ctypes
import struct
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from backends.device.commands.bound_record import BoundRecord, DrawCall
from backends.device.commands.client import (
    MAX_WORDS,
    BufferSlot,
    BufferTableRecord,
    CommandRow,
    ReaderRecord,
    RepeatSlot,
    Use,
    hash_of_handle,
    hash_of_words,
)
from backends.device.commands.numbers import Numbers

Rows = Sequence[tuple[int, CommandRow]]
"""Rows of commands by number."""

MOST_REPEATS = 1 << 12
_SLOTS = 2 * MOST_REPEATS
_HEAD, _WRITTEN = struct.Struct("iiII"), struct.Struct("qQ")
_FEWEST = 64
_READ = ctypes.PYFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32)


def _let_go_of_nothing(owner: int) -> None:
    return None


def address_of_words(words: memoryview) -> int:
    """Address of the first word of a message, which is not empty; 0 if the memory cannot be written."""
    return 0 if words.readonly else ctypes.addressof(ctypes.c_uint32.from_buffer(words))


class Buffers:
    """The buffers of a client by handle.

    Attributes:
        record: points to the hash table; it stays where it is.
    """

    def __init__(self) -> None:
        self.record = BufferTableRecord()
        self._ranges: dict[int, tuple[int, int]] = {}
        self._place: dict[int, int] = {}
        self._rebuild(_FEWEST)

    def __len__(self) -> int:
        return len(self._ranges)

    def range_of(self, handle: int) -> tuple[int, int] | None:
        """Address and size of the buffer of a handle, or None."""
        return self._ranges.get(handle)

    def around(self, addresses: Sequence[int]) -> list[int]:
        """Handles of the buffers that have a byte at one of the addresses, which are sorted."""
        last = len(addresses)
        return [
            handle
            for handle, (begin, size) in self._ranges.items()
            if (place := bisect_left(addresses, begin)) < last and addresses[place] < begin + size
        ]

    def put(self, handle: int, address: int, size: int) -> None:
        """Add a buffer under a handle that is free."""
        self._ranges[handle] = address, size
        if 2 * (self._used + 1) > len(self._slots):
            self._rebuild(max(_FEWEST, 1 << (4 * len(self._ranges)).bit_length()))
        else:
            self._enter(handle)

    def remove(self, handle: int) -> None:
        """Remove a handle; unknown ones are ignored."""
        if self._ranges.pop(handle, None) is not None:
            self._slots[self._place.pop(handle)].use = Use.REMOVED

    def _rebuild(self, size: int) -> None:
        self._slots: Any = (BufferSlot * size)()
        self.record.slots, self.record.mask, self._used = ctypes.addressof(self._slots), size - 1, 0
        for handle in self._ranges:
            self._enter(handle)

    def _enter(self, handle: int) -> None:
        place = hash_of_handle(handle) & self.record.mask
        while self._slots[place].use != Use.FREE:
            place = place + 1 & self.record.mask
        slot = self._slots[place]
        slot.handle, slot.use = handle, Use.LIVE
        slot.address, slot.size = self._ranges[handle]
        self._place[handle], self._used = place, self._used + 1


class Reader:
    """Carries out commands of a client in generated code, up to the first that needs Python.

    Attributes:
        record: read and written by generated code.
        let_go: called with the owner of a repeated command that `forget` drops.
    """

    let_go: Callable[[int], None]

    def __init__(
        self,
        bound: BoundRecord,
        numbers: Numbers,
        entry: int,
        rows: Rows,
        buffers: Buffers,
        memories: Buffers,
        queries: Buffers | None = None,
    ) -> None:
        """Prepare the record.

        Args:
            bound, numbers: of a context's state.
            entry: address of the generated function, 0 if the device has none.
            rows: of the commands that it takes.
            buffers: resources that are buffers, by handle.
            memories: the client's memory of resources, by the same handles.
            queries: QueryRecords by handle; None: Python begins and ends all queries.
        """
        self._words = (ctypes.c_uint64 * (ctypes.sizeof(bound) // 8)).from_buffer(bound)
        queries = Buffers() if queries is None else queries
        self._kept, self.let_go = (buffers, memories, queries), _let_go_of_nothing
        self._read = _READ(entry) if entry else None
        self._slots, self._used = (RepeatSlot * _SLOTS)(), 0
        self._known: dict[bytes, tuple[int, Any, tuple[Hashable, ...], tuple[int, ...], int]] = {}
        self._of_tag: dict[Hashable, set[bytes]] = {}
        self.record = r = ReaderRecord(
            bound=ctypes.addressof(bound),
            buffers=ctypes.addressof(buffers.record),
            memories=ctypes.addressof(memories.record),
            queries=ctypes.addressof(queries.record),
            repeats=ctypes.addressof(self._slots),
            repeats_mask=_SLOTS - 1,
        )
        for number, row in rows:
            r.rows[number] = row
        self._at = ctypes.addressof(r)
        self._call_words = (ctypes.c_uint32 * (ctypes.sizeof(DrawCall) // 4)).from_buffer(r, ReaderRecord.call.offset)
        numbers.holders.append(self._numbers)

    @property
    def index_size(self) -> int:
        """Bytes of an index of the bound index buffer; 0: none is bound."""
        return int(self.record.index_size)

    def set_index_size(self, size: int) -> None:
        """Set `index_size`, for indices that Python has bound."""
        self.record.index_size = size

    @property
    def last_draw(self) -> list[int]:
        """The words of the last draw of Kind.CALL, no words if there was none."""
        return list(self._call_words) if self.record.has_call else []

    def note_draw(self, words: Sequence[int]) -> None:
        """Set `last_draw`; no words clear it."""
        self.record.has_call = len(words) > 0
        for place, word in enumerate(words):
            self._call_words[place] = word

    def read(self, address: int, first: int, end: int) -> int:
        """Carry out commands from word `first` on, of `end` words at `address`. Returns the first word for Python."""
        return self._read(self._at, address, first, end) if self._read is not None else first

    # -- repeated commands -----------------------------------------------------------------------------------------------
    def learn(
        self,
        head: int,
        words: memoryview,
        places: Iterable[int],
        tags: Sequence[Hashable] = (),
        *,
        unless: int = 0,
        hinders: int = 0,
        owner: int = 0,
    ) -> None:
        """Let generated code repeat a command from now on: it sets the words at `places` to their present values.

        Args:
            head: the header of the command.
            words: the words after it.
            places: the numbers of all words of the BoundRecord that the command sets. No command between two equal ones may change their
                values.
            tags: objects of the command; `forget` of one of them drops the command.
            unless: Hindrance bits with which the command goes to Python.
            hinders: Hindrance bits that the command sets.
            owner: passed to `let_go` when the command is dropped.
        """
        key = head.to_bytes(4, "little") + bytes(words)
        if len(words) >= MAX_WORDS or self._read is None or key in self._known:
            self.let_go(owner)
            return
        if self._used >= MOST_REPEATS:
            self.forget_all()
        written = [(place, self._words[place]) for place in places]
        data = _HEAD.pack(len(key) // 4, len(written), unless, hinders) + key + b"".join(_WRITTEN.pack(*item) for item in written)
        entry = ctypes.create_string_buffer(data, len(data))
        hashed = hash_of_words(memoryview(key).cast("I"))
        place = hashed & _SLOTS - 1
        while self._slots[place].use != Use.FREE:
            place = place + 1 & _SLOTS - 1
        slot, self._used = self._slots[place], self._used + 1
        slot.hash, slot.entry, slot.use = hashed, ctypes.addressof(entry), Use.LIVE
        self._known[key] = place, entry, tuple(tags), tuple(number for _, number in written), owner
        for tag in tags:
            self._of_tag.setdefault(tag, set()).add(key)

    def forget(self, tag: Hashable) -> None:
        """Stop repeating the commands with a tag, so that Python carries them out."""
        for key in self._of_tag.pop(tag, ()):
            place, _, tags, _, owner = self._known.pop(key)
            self._slots[place].use = Use.REMOVED
            self.let_go(owner)
            for other in tags:
                if other != tag:
                    self._of_tag[other].discard(key)

    def forget_all(self) -> None:
        """Stop repeating commands."""
        owners = [owner for *_, owner in self._known.values()]
        self._known.clear()
        self._of_tag.clear()
        ctypes.memset(self._slots, 0, ctypes.sizeof(self._slots))
        self._used = 0
        for owner in owners:
            self.let_go(owner)

    def _numbers(self) -> set[int]:
        """Numbers of the values that repeated commands write."""
        return {number for *_, numbers, _ in self._known.values() for number in numbers}
