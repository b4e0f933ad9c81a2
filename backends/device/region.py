"""Memory that kernels see: 64-byte aligned arrays, and a region that is filled during a frame and emptied by a flush."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

ALIGNMENT = 64
SLACK = 64  # readable bytes behind every array


def aligned(size: int) -> NDArray[np.uint8]:
    """Zeroed bytes on a 64-byte boundary, with slack behind them."""
    raw = np.zeros(size + ALIGNMENT + SLACK, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + size]


def reserved(size: int) -> NDArray[np.uint8]:
    """The same, straight from the system: pages that nobody touches cost nothing, and all go back with the array.

    The heap of C keeps large blocks that were freed, and clears them page by page when it gives them out again.
    """
    private = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}  # not shared with forks
    return np.frombuffer(mmap.mmap(-1, size + SLACK, **private), np.uint8)[:size]


class Region:
    """A bump allocator. Everything handed out lies still until `reset`."""

    def __init__(self, chunk: int = 1 << 18, spare: int = 0) -> None:
        """chunk: bytes that the system is asked for at once; spare: how many chunks stay in hand when the region is emptied."""
        self._chunk, self._most_spare = chunk, spare
        self._spare: list[NDArray[np.uint8]] = []
        self.size = 0  # bytes of the chunks that are full, and of memory that is kept with them
        self._full: list[NDArray[np.uint8]] = []
        self._keep: list[Any] = []
        self._current = aligned(chunk)
        self._base, self._used = self._current.ctypes.data, 0

    def allocate(self, size: int) -> int:
        """Address of `size` bytes whose contents are anything, 64-byte aligned, with slack."""
        size = size + SLACK + 63 & ~63
        if self._used + size > len(self._current):
            self._full.append(self._current)
            self.size += len(self._current)
            self._current = self._spare.pop() if self._spare and size <= self._chunk else aligned(max(self._chunk, size))
            self._base, self._used = self._current.ctypes.data, 0
        address = self._base + self._used
        self._used += size
        return address

    @property
    def taken(self) -> int:
        """Bytes that are handed out."""
        return self.size + self._used

    @property
    def room(self) -> int:
        """Bytes that `allocate` can give without asking the system."""
        return max(len(self._current) - self._used - SLACK & ~63, 0)

    def shorten(self, address: int, size: int) -> None:
        """What was allocated last, at `address`, needs no more than `size` bytes."""
        self._used = address - self._base + (size + SLACK + 63 & ~63)

    def copy(self, address: int, size: int, padded: int = 0) -> int:
        """A copy of `size` bytes, zero-padded to `padded` bytes."""
        target = self.allocate(max(size, padded))
        if size:
            ctypes.memmove(target, address, size)
        if padded > size:
            ctypes.memset(target + size, 0, padded - size)
        return target

    def kept(self, since: int) -> list[Any]:
        """What was kept after `keeping` had the value `since`."""
        return self._keep[since:]

    @property
    def keeping(self) -> int:
        """How many things are kept."""
        return len(self._keep)

    def keep(self, thing: Any) -> None:
        """Keeps an object alive until `reset`."""
        self._keep.append(thing)

    def keep_latest(self, memory: NDArray[np.uint8]) -> None:
        """The same for memory that many in a row keep; it counts as the region's."""
        if not self._keep or self._keep[-1] is not memory:
            self._keep.append(memory)
            self.size += len(memory)

    def reset(self) -> None:
        """Everything handed out is void."""
        if self._most_spare:
            self._spare = [chunk for chunk in (*self._full, *self._spare) if len(chunk) == self._chunk][: self._most_spare]
        self._full.clear()
        self.size = 0
        self._keep.clear()
        self._used = 0
