"""Python objects that native entries recognize by their addresses: handles, templates of draws, members and names of enumerations."""

from __future__ import annotations

import ctypes
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from ctypes import c_int32, c_uint32, c_uint64
from enum import IntEnum
from functools import partial
from typing import NamedTuple, Protocol

from backends.device.commands.bound_record import BoundRecord, DrawCall, VertexBufferSlot
from backends.device.commands.slot_table import SlotTable
from backends.pipe.limits import MAX_COLOR_BUFFERS, MAX_TARGETS
from backends.pipe.state import DrawInfo
from tgsi.language.facts.stages import PIPELINE

MOST = 4096
"""Capacity in objects; adding one more clears the table."""
MOST_ALIKE = 16
"""Capacity in framebuffers with the same first surface; adding one more evicts the oldest."""
_FEWEST_SLOTS = 256
_SEEN = 16
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
    VERTEX_SHADER = 8
    FRAGMENT_SHADER = 9
    SAMPLER_VIEW = 10
    SAMPLER = 11
    VIEWPORT = 12  # number of a single viewport; likewise the next three
    SCISSOR = 13
    COLOR = 14
    REFERENCE = 15
    BUFFER = 16  # address of a VertexBufferSlot: memory of a buffer, without a stride
    VERTEX_BUFFER = 17  # address of a VertexBufferSlot
    STREAM_TARGET = 18  # address of a TargetRecord
    TARGETS = 19  # address of a TargetsKey; the object is the first surface
    CLEAR_BUFFERS = 20  # PIPE_CLEAR bits
    TEXTURE = 21  # address of a TextureSlot
    SECOND_SHADER = 22  # number of a shader of the second stage of PIPELINE, likewise the next two
    THIRD_SHADER = 23
    FOURTH_SHADER = 24
    OUTPUT_TARGET = 25  # address of a TargetRecord whose memory is not that of the caller
    QUERY = 26  # address of a QueryRecord


MIDDLE = dict(zip(PIPELINE[1:-1], (Kind.SECOND_SHADER, Kind.THIRD_SHADER, Kind.FOURTH_SHADER), strict=True))
"""Kinds of shaders between the vertex shader and the rasterizer, by stage."""


class KnownSlot(ctypes.Structure):
    """An entry of the hash table of known objects; object 0: empty."""

    _fields_ = [
        ("object", c_uint64),
        ("value", c_uint64),
        ("kind", c_int32),
        ("pad", c_int32),
        ("end", c_uint64),  # address of an i32 that becomes nonzero when the object is destroyed; 0: none
        ("gone", c_uint64),  # address of an i32 that becomes nonzero when the object is freed and its address may be reused
    ]


class KnownMemory(NamedTuple):
    """Memory that belongs to a value. When the object is forgotten, it goes to `KeptMemory.keep`."""

    slot: VertexBufferSlot
    owner: object


class _Entry(NamedTuple):
    """A known object.

    thing: the object itself if weak references to it are impossible (names, numbers), otherwise a weak reference.
    keeping: the object at the address `value`. end: see KnownSlot. gone: not 0 once the object is gone.
    """

    thing: object
    keeping: object
    end: c_int32 | None
    gone: c_int32


class Target(Protocol):
    """A surface. ended: not 0 once it was destroyed, or is gone."""

    ended: c_int32


class TargetsKey(ctypes.Structure):
    """The surfaces of known targets. Object 0: no surface; `ends` are the addresses of their `ended`, or 0."""

    _fields_ = [
        ("next", c_uint64),  # another key with the same first surface; 0: none
        ("targets", c_uint64),  # for `BoundRecord.targets`
        ("objects", c_uint64 * MAX_TARGETS),
        ("ends", c_uint64 * MAX_TARGETS),
        ("count", c_int32),  # color buffers
        ("pad", c_int32),
    ]


class KnownTargets:
    """The framebuffers with the same first surface. A framebuffer is gone with any of its surfaces (`ended`).

    Attributes:
        key: the latest one, head of a linked list. Its address is fixed.
    """

    def __init__(self, end: Callable[[int], None]) -> None:
        """end: called with the `targets` of a key that is forgotten."""
        self.key, self._end = TargetsKey(), end
        self._known: dict[tuple[int, ...], tuple[int, Sequence[c_int32 | None]]] = {}
        self._others: list[TargetsKey] = []

    def learn(self, colors: Sequence[Target | None], depth: Target | None, targets: int) -> None:
        """Add a framebuffer."""
        objects = (*map(_address, colors), *[0] * (MAX_COLOR_BUFFERS - len(colors)), _address(depth), len(colors))
        for old in [objects] if objects in self._known else list(self._known)[: len(self._known) + 1 - MOST_ALIKE]:
            self._end(self._known.pop(old)[0])
        ends = [None if item is None else item.ended for item in (*colors, *[None] * (MAX_COLOR_BUFFERS - len(colors)), depth)]
        self._known[objects] = targets, ends
        self._write()

    def _write(self) -> None:
        """Write the keys of all framebuffers, the latest first. The list is not empty."""
        keys = [self.key, *(TargetsKey() for _ in range(len(self._known) - 1))]
        for place, (known, (address, ends)) in enumerate(reversed(self._known.items())):
            key = keys[place]
            key.next = ctypes.addressof(keys[place + 1]) if place + 1 < len(keys) else 0
            key.targets, key.objects[:], key.count = address, known[:MAX_TARGETS], known[MAX_TARGETS]
            key.ends[:] = [0 if end is None else ctypes.addressof(end) for end in ends]
        self._others = keys[1:]

    def forget_ended(self) -> bool:
        """Forget the framebuffers with a destroyed surface. Returns true if none remains."""
        ended = [objects for objects, (_, ends) in self._known.items() if any(end is not None and end.value for end in ends)]
        for objects in ended:
            self._end(self._known.pop(objects)[0])
        if ended and self._known:
            self._write()
        return not self._known

    def let_go(self) -> None:
        """Forget all of them, because their first surface is forgotten."""
        for targets, _ in self._known.values():
            self._end(targets)
        self._known.clear()


class KnownObjects:
    """The known objects of one context.

    It keeps only names and numbers alive; entries of other objects become invalid when these are freed.
    """

    def __init__(self, record: BoundRecord, keep: Callable[[int, int, object], None]) -> None:
        """keep: takes memory (address, bytes, owner) of objects that are forgotten."""
        self._record, self._keep = record, keep
        self._kept: dict[tuple[int, Kind], _Entry] = {}
        self._gone: deque[tuple[tuple[int, Kind], c_int32]] = deque()  # of entries whose objects are gone: their keys and `gone`
        self._seen: deque[object] = deque(maxlen=_SEEN)  # objects, or weak references to them
        self._table: SlotTable[tuple[int, Kind]] = SlotTable(KnownSlot, _hash_of, self._place, _FEWEST_SLOTS)

    def __len__(self) -> int:
        return len(self._kept)

    def learn(self, thing: object, kind: Kind, value: int, keeping: object = None, end: c_int32 | None = None) -> None:
        """Remember an object. keeping: memory that `value` is the address of. end: see KnownSlot."""
        if self._gone:
            self.forget_gone()
        if len(self._kept) >= MOST:
            self.clear()
        key = id(thing), kind
        place = 0 if end is None else ctypes.addressof(end)
        known = self._table.get(key)
        if known is not None and known[1] == value and known[4] == place:
            return
        gone = c_int32(0)
        try:
            reference: object = weakref.ref(thing, partial(_note_gone, self._gone, key, gone))
        except TypeError:
            reference = thing
        self._kept[key] = _Entry(reference, keeping, end, gone)
        self._table.put(key, id(thing), value, kind, 0, place, ctypes.addressof(gone))

    def is_second(self, thing: object) -> bool:
        """True if an object of a numerous kind was requested recently, so that an entry pays."""
        if any(seen is thing or (type(seen) is weakref.ref and seen() is thing) for seen in self._seen):
            return True
        try:
            self._seen.append(weakref.ref(thing))
        except TypeError:
            self._seen.append(thing)
        return False

    def learn_memory(self, thing: object, kind: Kind, slot: VertexBufferSlot, owner: object, end: c_int32) -> None:
        """Remember a buffer, or a vertex buffer, that `slot` describes. owner: keeps its bytes alive."""
        if not self._knows(thing, kind):
            self.learn(thing, kind, ctypes.addressof(slot), KnownMemory(slot, owner), end)

    def learn_targets(self, colors: Sequence[Target | None], depth: Target | None, targets: int, end: Callable[[int], None]) -> None:
        """Remember a framebuffer with at least one surface. end: called with `targets` when it is forgotten."""
        first = next(item for item in (*colors, depth) if item is not None)
        known = self._kept[id(first), Kind.TARGETS].keeping if self._knows(first, Kind.TARGETS) else None
        known_targets = known if isinstance(known, KnownTargets) else KnownTargets(end)
        known_targets.learn(colors, depth, targets)
        self.learn(first, Kind.TARGETS, ctypes.addressof(known_targets.key), known_targets, first.ended)

    def learn_draw(self, info: DrawInfo) -> None:
        """Remember a checked DrawInfo."""
        if not self._knows(info, Kind.DRAW_INFO):
            call = call_of(info)
            self.learn(info, Kind.DRAW_INFO, ctypes.addressof(call), call)

    def _knows(self, thing: object, kind: Kind) -> bool:
        if self._gone:
            self.forget_gone()
        return (id(thing), kind) in self._kept

    def forget(self, thing: object) -> None:
        """Forget an object, which may be unknown."""
        for kind in Kind:
            self._forget((id(thing), kind))

    def forget_gone(self) -> None:
        """Forget objects that are gone."""
        while self._gone:
            key, gone = self._gone.popleft()
            entry = self._kept.get(key)
            if entry is not None and entry.gone is gone:
                self._forget(key)

    def forget_ended(self) -> None:
        """Forget objects that are gone or destroyed, and framebuffers with such a surface."""
        self.forget_gone()
        for key, entry in list(self._kept.items()):
            has_ended = entry.end is not None and entry.end.value
            if has_ended or (isinstance(entry.keeping, KnownTargets) and entry.keeping.forget_ended()):
                self._forget(key)

    def forget_kind(self, wanted: Kind) -> None:
        """Forget all objects of a kind."""
        for key in [key for key in self._kept if key[1] is wanted]:
            self._forget(key)

    def _forget(self, key: tuple[int, Kind]) -> None:
        if self._table.remove(key):
            self._let_go(self._kept.pop(key).keeping)

    def clear(self) -> None:
        """Forget all objects."""
        for entry in self._kept.values():
            self._let_go(entry.keeping)
        self._kept.clear()
        self._gone.clear()
        self._seen.clear()
        self._table.clear()

    def _let_go(self, keeping: object) -> None:
        if isinstance(keeping, KnownMemory):
            self._keep(keeping.slot.address, keeping.slot.size, keeping.owner)
        elif isinstance(keeping, KnownTargets):
            keeping.let_go()

    def _place(self, address: int, mask: int) -> None:
        self._record.known, self._record.known_mask = address, mask


def _note_gone(queue: deque[tuple[tuple[int, Kind], c_int32]], key: tuple[int, Kind], gone: c_int32, _: object) -> None:
    """Hide an object from generated code. The garbage collector may call this at any time, so the tables change later."""
    gone.value = 1
    queue.append((key, gone))


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
        patch_vertices=info.vertices_per_patch,
    )


def _hash_of(key: tuple[int, Kind]) -> int:
    """The hash of an object's address, of which the low bits are used."""
    return (key[0] * MIX & (1 << 64) - 1) >> 32


def _address(thing: object) -> int:
    return 0 if thing is None else id(thing)


CLASS = 1 << 31
"""Bit of the first word of a block: the object is a class, and the block describes how to write its instances."""


class WordsSlot(ctypes.Structure):
    """An entry of the table of objects whose words in recordings are known: handles, names, classes of records. Empty if `object` is 0.

    words: address of a block: a count, then that many words. Count 0: the object was freed, and its address may be reused. The block of a
    class has the number of its fields combined with CLASS, its number among the records, and the byte offset of each field in an instance.
    """

    _fields_ = [("object", c_uint64), ("words", c_uint64)]


def block_of(first: int, *words: int) -> ctypes.Array[c_uint32]:
    """A block in memory."""
    return (c_uint32 * (1 + len(words)))(first, *words)
