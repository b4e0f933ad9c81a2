"""Memory that its owner has let go of while generated code has bound it, or while pending draws may read it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from backends.device.commands.bound_record import BoundRecord, ConstantSlot, VertexBufferSlot


class KeptMemory:
    """Keeps such memory alive until nothing refers to it."""

    def __init__(self, record: BoundRecord) -> None:
        self._record = record
        self._kept: list[tuple[int, int, object]] = []
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
        if self._record.draws or self._is_bound(address, size):
            self._kept.append((address, size, owner))

    def release(self) -> None:
        """Let go of memory that is not bound; no draw is pending."""
        if self._kept:
            self._kept = [item for item in self._kept if self._is_bound(*item[:2])]

    def _is_bound(self, address: int, size: int) -> bool:
        end = address + size
        if address <= self._record.index_address <= end:
            return True
        return any(bool(((found >= address) & (found <= end)).any()) for found in self._bound)


def _addresses(record: BoundRecord, offset: int, size: int, slot: VertexBufferSlot | ConstantSlot) -> NDArray[np.uint64]:
    """The first word of each slot of an array of slots."""
    return np.frombuffer(memoryview(record), np.uint64, size // 8, offset)[:: len(bytes(slot)) // 8]
