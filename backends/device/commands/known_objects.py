"""Python objects that native entries recognize by their addresses: handles, templates of draws, members and names of enumerations."""

from __future__ import annotations

import ctypes
from ctypes import c_int32, c_uint64
from enum import IntEnum

from backends.device.commands.bound_record import BoundRecord, DrawCall
from backends.device.commands.slot_table import SlotTable
from backends.pipe.state import DrawInfo

MOST = 4096
"""Objects that are remembered at once; one more, and all are forgotten."""
_FEWEST_SLOTS = 256
MIX = 0x9E3779B97F4A7C15


class Kind(IntEnum):
    """Kinds of known objects, with the meaning of their values. A value is never 0."""

    DRAW_INFO = 1  # address of a DrawCall
    PRIM = 2  # PIPE_PRIM + 1
    STAGE = 3  # number of the stage + 1
    BLEND = 4  # of this and the next ones: number of the state or shader
    RASTERIZER = 5
    DEPTH_STENCIL_ALPHA = 6
    VERTEX_ELEMENTS = 7
    VERTEX_SHADER = 8  # without stream output
    FRAGMENT_SHADER = 9


class KnownSlot(ctypes.Structure):
    """An entry of the hash table of known objects; object 0: empty."""

    _fields_ = [("object", c_uint64), ("value", c_uint64), ("kind", c_int32), ("pad", c_int32)]


class KnownObjects:
    """The known objects of one context. Each is kept alive, so that no other object can have its address."""

    def __init__(self, record: BoundRecord) -> None:
        self._record = record
        self._kept: dict[tuple[int, Kind], tuple[object, object]] = {}
        self._table: SlotTable[tuple[int, Kind]] = SlotTable(KnownSlot, _hash_of, self._place, _FEWEST_SLOTS)

    def __len__(self) -> int:
        return len(self._kept)

    def learn(self, thing: object, kind: Kind, value: int, keeping: object = None) -> None:
        """Remember an object. keeping: memory that `value` is the address of."""
        if len(self._kept) >= MOST:
            self.clear()
        key, fields = (id(thing), kind), (id(thing), value, kind)
        if self._table.get(key) != fields:
            self._kept[key] = thing, keeping
            self._table.put(key, *fields)

    def learn_draw(self, info: DrawInfo) -> None:
        """Remember a checked DrawInfo."""
        if (id(info), Kind.DRAW_INFO) not in self._kept:
            call = call_of(info)
            self.learn(info, Kind.DRAW_INFO, ctypes.addressof(call), call)

    def forget(self, thing: object) -> None:
        """Forget an object, which may be unknown."""
        for kind in Kind:
            if self._table.remove((id(thing), kind)):
                del self._kept[id(thing), kind]

    def clear(self) -> None:
        """Forget all objects."""
        self._kept.clear()
        self._table.clear()

    def _place(self, address: int, mask: int) -> None:
        self._record.known, self._record.known_mask = address, mask


def call_of(info: DrawInfo) -> DrawCall:
    """The arguments of a draw as generated code reads them."""
    return DrawCall(
        mode=info.mode,
        count=info.count,
        start=info.start,
        index_size=info.index_size,
        instance_count=info.instance_count,
        start_instance=info.start_instance,
        index_bias=info.index_bias,
        primitive_restart=info.primitive_restart,
        restart_index=info.restart_index,
        draw_id=info.drawid,
    )


def _hash_of(key: tuple[int, Kind]) -> int:
    """The hash of an object's address; its low bits count."""
    return (key[0] * MIX & (1 << 64) - 1) >> 32
