"""Memory that kernels see: 64-byte aligned arrays, and a region that is filled during a frame and emptied by a flush."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.system import private_memory

ALIGNMENT = 64
SLACK = 64  # readable bytes after every array


def aligned(size: int) -> NDArray[np.uint8]:
    """Return zeroed bytes on a 64-byte boundary, with SLACK more after them."""
    raw = np.zeros(size + ALIGNMENT + SLACK, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + size]


def reserved(size: int) -> NDArray[np.uint8]:
    """Return zeroed bytes mapped directly from the system, with SLACK more after them.

    Untouched pages cost nothing, and all pages return to the system with the array. The C heap, in contrast, keeps large freed blocks and
    clears them page by page when it reuses them. Raises MemoryError.
    """
    try:
        mapped = private_memory(size + SLACK)
    except OSError as error:
        raise MemoryError(f"the system has no {size + SLACK} bytes of memory left: {error.strerror or error}") from error
    return np.frombuffer(mapped, np.uint8)[:size]


def records(kind: Any, count: int) -> Any:
    """Return an array of zeroed records in memory of `reserved`: in a table that is mostly empty, only the used pages cost memory."""
    return (kind * count).from_buffer(reserved(ctypes.sizeof(kind) * count))


class Region:
    """A bump allocator. Memory that it hands out keeps its address until `reset`.

    watch: address of the WatchRecord (`backends.abi.records.Watch`) for shaders that run with these records, or 0.
    """

    def __init__(self, chunk: int = 1 << 18, spare: int = 0, watch: int = 0) -> None:
        """chunk: bytes requested from the system at once; spare: number of chunks that stay allocated when the region is emptied."""
        self._chunk, self._most_spare, self.watch = chunk, spare, watch
        self._spare: list[NDArray[np.uint8]] = []
        self.size = 0  # bytes of full chunks and of memory kept by `keep_latest`
        self._full: list[NDArray[np.uint8]] = []
        self._keep: list[Any] = []
        self._current = aligned(chunk)
        self._base, self._used = self._current.ctypes.data, 0

    def allocate(self, size: int) -> int:
        """Return the 64-byte aligned address of `size` uninitialized bytes, followed by slack. MemoryError, with nothing changed."""
        size = size + SLACK + 63 & ~63
        if self._used + size > len(self._current):
            fresh = self._spare.pop() if self._spare and size <= self._chunk else aligned(max(self._chunk, size))
            base = fresh.ctypes.data  # first, because it may raise MemoryError
            self._full.append(self._current)
            self.size += len(self._current)
            self._current, self._base, self._used = fresh, base, 0
        address = self._base + self._used
        self._used += size
        return address

    @property
    def taken(self) -> int:
        """Allocated bytes."""
        return self.size + self._used

    @property
    def room(self) -> int:
        """Bytes that `allocate` can return without a request to the system."""
        return max(len(self._current) - self._used - SLACK & ~63, 0)

    def shorten(self, address: int, size: int) -> None:
        """Shrink the latest allocation, which lies at `address`, to `size` bytes."""
        self._used = address - self._base + (size + SLACK + 63 & ~63)

    def copy(self, address: int, size: int, padded: int = 0) -> int:
        """Return the address of a copy of `size` bytes, padded with zeros to `padded` bytes."""
        target = self.allocate(max(size, padded))
        if size:
            ctypes.memmove(target, address, size)
        if padded > size:
            ctypes.memset(target + size, 0, padded - size)
        return target

    def kept(self, since: int) -> list[Any]:
        """Return the objects that were kept since `keeping` had the value `since`."""
        return self._keep[since:]

    @property
    def keeping(self) -> int:
        """The number of objects kept alive, as a mark for `kept`."""
        return len(self._keep)

    def keep(self, thing: Any) -> None:
        """Keep an object alive until `reset`."""
        self._keep.append(thing)

    def keep_latest(self, memory: NDArray[np.uint8]) -> None:
        """Keep memory alive until `reset`, once if several calls in a row name it, and add its bytes to `taken`."""
        if not self._keep or self._keep[-1] is not memory:
            self._keep.append(memory)
            self.size += len(memory)

    def reset(self) -> None:
        """Invalidate all memory that was handed out, and release the kept objects."""
        if self._most_spare:
            self._spare = [chunk for chunk in (*self._full, *self._spare) if len(chunk) == self._chunk][: self._most_spare]
        self._full.clear()
        self.size = 0
        self._keep.clear()
        self._used = 0
