"""Memory of bindings: constants that callers give as bytes, each copied once to the place from which kernels read it, and kept buffers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.commands.bound_record import BoundRecord, ConstantSlot, VertexBufferSlot, note_kept
from backends.device.memory import Constants
from backends.device.region import ALIGNMENT, aligned
from tgsi.language.facts.limits import SOFTWARE

MAX_BYTES = SOFTWARE.constants * 16
"""Largest constant buffer."""

_CHUNK = 1 << 17
_WORDS = BoundRecord.constants.size // 8
_STEP = ConstantSlot.__dict__["address"].offset, len(bytes(ConstantSlot())) // 8


class ConstantMemory:
    """An append-only store of constants; generated code appends, too. A chunk lives as long as a binding or a pending draw refers to it."""

    def __init__(self, record: BoundRecord) -> None:
        self._record = record
        self._chunks: list[NDArray[np.uint8]] = []
        words = np.frombuffer(memoryview(record), np.uint64, _WORDS, BoundRecord.constants.offset)
        self._bound = words[_STEP[0] // 8 :: _STEP[1]]  # addresses of all slots

    def put(self, data: Any) -> Constants | None:
        """Copy the first MAX_BYTES of a contiguous buffer. Returns None for any other object."""
        try:
            source = memoryview(data).cast("B")
        except (TypeError, ValueError, BufferError):
            return None
        size = len(source)
        if size > MAX_BYTES:
            source, size = source[:MAX_BYTES], MAX_BYTES
        room, record = size + ALIGNMENT - 1 & -ALIGNMENT, self._record
        if room > record.constants_room or not self._chunks:
            self.begin()
        address, chunk = record.constants_at, self._chunks[-1]
        at = address - chunk.ctypes.data
        chunk.data[at : at + size] = source
        record.constants_at, record.constants_room = address + room, record.constants_room - room
        return Constants(address, size, 0 if size & 3 else room, chunk)

    def begin(self) -> None:
        """Begin a chunk."""
        if not self._record.draws:
            self.release()
        self._chunks.append(aligned(_CHUNK))
        note_kept(self._record)
        self._record.constants_at, self._record.constants_room = self._chunks[-1].ctypes.data, _CHUNK

    def release(self) -> None:
        """Release chunks without references; no draw is pending."""
        older, bound = self._chunks[:-1], self._bound
        if older:
            starts = [chunk.ctypes.data for chunk in older]
            used = [chunk for chunk, start in zip(older, starts) if bool(((bound >= start) & (bound < start + _CHUNK)).any())]
            self._chunks[:-1] = used

    @property
    def size(self) -> int:
        """Bytes of all chunks."""
        return _CHUNK * len(self._chunks)


class KeptMemory:
    """Keeps memory alive that its owner has released, as long as generated code has bound it, or pending draws may read it."""

    def __init__(self, record: BoundRecord) -> None:
        self._record = record
        self._kept: dict[tuple[int, int], object] = {}
        self._bound = [
            _addresses(record, BoundRecord.vertex_buffers.offset, BoundRecord.vertex_buffers.size, VertexBufferSlot()),
            _addresses(record, BoundRecord.constants.offset, BoundRecord.constants.size, ConstantSlot()),
        ]

    def __len__(self) -> int:
        return len(self._kept)

    def keep(self, address: int, size: int, owner: object) -> None:
        """Keep `owner` alive while its `size` bytes at `address` are in use."""
        if not self._record.draws:
            self.release()
        if (address, size) not in self._kept and (self._record.draws or self._is_bound(address, size)):
            self._kept[address, size] = owner
            note_kept(self._record)

    def release(self) -> None:
        """Release memory that is not bound; no draw is pending."""
        if self._kept:
            self._kept = {place: owner for place, owner in self._kept.items() if self._is_bound(*place)}

    def _is_bound(self, address: int, size: int) -> bool:
        end = address + size
        if address <= self._record.index_address <= end:
            return True
        return any(bool(((addresses >= address) & (addresses <= end)).any()) for addresses in self._bound)


def _addresses(record: BoundRecord, offset: int, size: int, slot: VertexBufferSlot | ConstantSlot) -> NDArray[np.uint64]:
    """The first word of each slot of an array of slots."""
    return np.frombuffer(memoryview(record), np.uint64, size // 8, offset)[:: len(bytes(slot)) // 8]
