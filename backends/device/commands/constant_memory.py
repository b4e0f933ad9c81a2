"""Constants that callers give as bytes: each is copied once, to the place from which kernels read it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.commands.bound_record import BoundRecord, ConstantSlot
from backends.device.memory import Constants
from backends.device.region import aligned
from tgsi.language.facts.limits import SOFTWARE

MAX_BYTES = SOFTWARE.constants * 16
"""Largest constant buffer."""

LINE = 64  # bytes; constants begin on a multiple
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
        """Copy the first MAX_BYTES of a contiguous buffer. Returns None for an object that is no such buffer."""
        try:
            source = memoryview(data).cast("B")
        except (TypeError, ValueError, BufferError):
            return None
        size = len(source)
        if size > MAX_BYTES:
            source, size = source[:MAX_BYTES], MAX_BYTES
        room, record = size + LINE - 1 & -LINE, self._record
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
        self._record.constants_at, self._record.constants_room = self._chunks[-1].ctypes.data, _CHUNK

    def release(self) -> None:
        """Let go of chunks that nothing refers to; no draw is pending."""
        older, bound = self._chunks[:-1], self._bound
        if older:
            starts = [chunk.ctypes.data for chunk in older]
            kept = [chunk for chunk, start in zip(older, starts) if bool(((bound >= start) & (bound < start + _CHUNK)).any())]
            self._chunks[:-1] = kept

    @property
    def size(self) -> int:
        """Bytes of all chunks."""
        return _CHUNK * len(self._chunks)
