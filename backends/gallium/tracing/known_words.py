"""The known words of a recording: what native entries need to write calls without Python.

Names, members of enumerations and handles are learned from the calls that Python has recorded. Records need not be learned: their classes
are known from the beginning, and generated code writes any instance field by field.
"""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable
from dataclasses import fields
from enum import Enum
from functools import cache
from typing import Any

from backends.device.calls.errors import Unwritable
from backends.device.commands.bound_record import BoundRecord
from backends.device.commands.known_objects import CLASS, MIX, WordsSlot, block_of
from backends.device.commands.layout import Tag
from backends.device.commands.slot_table import SlotTable
from backends.gallium.context.recording.handles import OBJECTS
from backends.gallium.context.recording.values import RECORDS, ValueWriter

MOST_NAMES = 4096
"""Capacity in names and members; adding one more clears the table."""
_MOST_TEXT = 64
_MOST_GONE = 256
_FEWEST_SLOTS = 256
_DESCRIPTOR_MEMBER, _MEMBER_OFFSET = 40, 16  # PyMemberDescrObject.d_member, PyMemberDef.offset
_Block = ctypes.Array[ctypes.c_uint32]


class KnownWords:
    """The table of a recording. It keeps names and members alive, but not the objects behind handles."""

    def __init__(self, record: BoundRecord, handle_of: Callable[[Any], int | None]) -> None:
        """handle_of: returns the handle of an object, or None if it has none yet."""
        self._record, self._handle_of = record, handle_of
        self._blocks: dict[int, _Block] = {}  # by address of the object
        self._names: dict[int, object] = {}
        self._of_handle: dict[int, tuple[int, _Block]] = {}
        self._gone: dict[int, _Block] = {}  # of objects that are gone, by address
        self._table: SlotTable[int] = SlotTable(WordsSlot, _hash_of, self._place, _FEWEST_SLOTS)
        for kind, block in _classes().items():
            self._put(id(kind), block)

    def learn(self, value: Any) -> None:
        """Let generated code write the names, members and handles in a value that Python has written."""
        kind = type(value)
        if kind in (tuple, list):
            for item in value:
                self.learn(item)
        elif kind is dict:
            for key, item in value.items():
                self.learn(key)
                self.learn(item)
        elif isinstance(value, OBJECTS):
            self._learn_object(value)
        elif (kind is str and len(value) <= _MOST_TEXT) or isinstance(value, Enum):
            self._learn_name(value)
        elif kind in RECORDS:
            for item in fields(kind):
                self.learn(getattr(value, item.name))

    def end(self, handle: int) -> None:
        """Hide an object from generated code. The garbage collector may call this at any time, so the table changes later."""
        known = self._of_handle.pop(handle, None)
        if known is not None:
            known[1][0] = 0
            self._gone[known[0]] = known[1]

    def _learn_object(self, thing: Any) -> None:
        handle = self._handle_of(thing)
        if handle is not None and handle not in self._of_handle:
            self.learn_handle(thing, handle)

    def learn_handle(self, thing: object, handle: int) -> None:
        """Let generated code write the handle of an object."""
        key = id(thing)
        block = self._gone.pop(key, None)
        if block is not None:  # the address of an object that is gone, as programs create a view for each draw
            block[2] = handle
            block[0] = 2
        else:
            if len(self._gone) >= _MOST_GONE:
                self._forget_gone()
            block = self._put(key, block_of(2, Tag.HANDLE, handle))
        self._of_handle[handle] = key, block

    def _learn_name(self, thing: object) -> None:
        if id(thing) in self._names:
            return
        if len(self._names) >= MOST_NAMES:
            for key in self._names:
                self._remove(key)
            self._names.clear()
        try:
            block = self._words(thing)
        except Unwritable:
            return
        self._names[id(thing)] = thing
        self._put(id(thing), block)

    def _words(self, thing: object) -> _Block:
        writer = ValueWriter(self._handle_of)
        writer.write(thing)
        words = memoryview(writer.words).cast("I")
        return block_of(len(words), *words)

    def _put(self, key: int, block: _Block) -> _Block:
        self._gone.pop(key, None)
        self._table.put(key, key, ctypes.addressof(block))
        self._blocks[key] = block
        return block

    def _remove(self, key: int) -> None:
        self._table.remove(key)
        del self._blocks[key]

    def _forget_gone(self) -> None:
        while self._gone:
            self._remove(self._gone.popitem()[0])

    def _place(self, address: int, mask: int) -> None:
        self._record.recorded_words, self._record.recorded_words_mask = address, mask


@cache
def _classes() -> dict[type, _Block]:
    """The blocks of the classes of records."""
    found = {}
    for number, kind in enumerate(RECORDS):
        if (offsets := field_offsets(kind)) is not None:
            found[kind] = block_of(CLASS | len(offsets), number, *offsets)
    return found


def field_offsets(kind: type) -> tuple[int, ...] | None:
    """Byte offsets of the fields in instances of a class of records; None if they are not all slots."""
    members = [inspect.getattr_static(kind, item.name, None) for item in fields(kind)]
    return tuple(map(_offset, members)) if all(map(inspect.ismemberdescriptor, members)) else None


def _offset(member: object) -> int:
    definition = ctypes.c_uint64.from_address(id(member) + _DESCRIPTOR_MEMBER).value
    return ctypes.c_int64.from_address(definition + _MEMBER_OFFSET).value


def _hash_of(address: int) -> int:
    return (address * MIX & (1 << 64) - 1) >> 32
