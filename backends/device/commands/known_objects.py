"""Python objects that native entries recognize by their addresses: handles, templates of draws, members and names of enumerations."""

from __future__ import annotations

import ctypes
from ctypes import c_int32, c_uint64
from enum import IntEnum

from backends.device.commands.bound_record import BoundRecord, DrawCall
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
        self._kept: dict[tuple[int, Kind], tuple[object, int, object]] = {}
        self._build(_FEWEST_SLOTS)

    def __len__(self) -> int:
        return len(self._kept)

    def learn(self, thing: object, kind: Kind, value: int, keeping: object = None) -> None:
        """Remember an object. keeping: memory that `value` is the address of."""
        if len(self._kept) >= MOST:
            self.clear()
        key = id(thing), kind
        known = self._kept.get(key)
        if known is not None and known[1] == value:
            return
        self._kept[key] = thing, value, keeping
        if known is not None or 2 * len(self._kept) > len(self._slots):
            self._build(len(self._slots) if known is not None else 2 * len(self._slots))
        else:
            self._enter(*key, value)

    def learn_draw(self, info: DrawInfo) -> None:
        """Remember a checked DrawInfo."""
        if (id(info), Kind.DRAW_INFO) not in self._kept:
            call = call_of(info)
            self.learn(info, Kind.DRAW_INFO, ctypes.addressof(call), call)

    def forget(self, thing: object) -> None:
        """Forget an object, which may be unknown."""
        found = [key for kind in Kind if (key := (id(thing), kind)) in self._kept]
        for key in found:
            del self._kept[key]
        if found:
            self._build(len(self._slots))

    def clear(self) -> None:
        """Forget all objects."""
        if self._kept:
            self._kept.clear()
            self._build(_FEWEST_SLOTS)

    def _build(self, size: int) -> None:
        self._slots = (KnownSlot * size)()
        self._record.known, self._record.known_mask = ctypes.addressof(self._slots), size - 1
        for (address, kind), (_, value, _) in self._kept.items():
            self._enter(address, kind, value)

    def _enter(self, address: int, kind: Kind, value: int) -> None:
        mask = len(self._slots) - 1
        place = slot_of(address) & mask
        while self._slots[place].object:
            place = place + 1 & mask
        slot = self._slots[place]
        slot.object, slot.value, slot.kind = address, value, kind


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


def slot_of(address: int) -> int:
    """The number from which on an object's entry is searched; its low bits count."""
    return (address * MIX & (1 << 64) - 1) >> 32
