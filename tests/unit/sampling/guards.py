"""Memory that ends at an inaccessible page, and numbers that try to reach the page."""

from __future__ import annotations

import ctypes
import mmap
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from backends.abi.records import TextureRecord

READABLE = 64
"""Bytes after a texture's last row that kernels may read."""


class Laid(Protocol):
    """Texture in memory."""

    @property
    def record(self) -> TextureRecord:
        """Record with the texture's address."""
        ...

    @property
    def memory(self) -> NDArray[np.uint8]:
        """Bytes of the texture, and some more."""
        ...


class Guarded:
    """Memory that ends at an unreadable page."""

    def __init__(self, size: int) -> None:
        page = mmap.PAGESIZE
        pages = -(-size // page)
        self._map = mmap.mmap(-1, (pages + 1) * page)
        self._hold = (ctypes.c_char * len(self._map)).from_buffer(self._map)
        base = ctypes.addressof(self._hold)
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        assert libc.mprotect(base + pages * page, page, 0) == 0
        self.address = base + pages * page - size

    def close(self) -> None:
        del self._hold
        self._map.close()


def guarded(bound: Laid) -> Guarded:
    """Move a texture to the end of guarded memory."""
    size = bound.record.size + READABLE
    memory = Guarded(size)
    ctypes.memmove(memory.address, bound.memory.ctypes.data, size)
    bound.record.base = memory.address
    return memory


def wild(count: int) -> NDArray[np.uint32]:
    """Random bits, and floats of all magnitudes."""
    rng = np.random.default_rng(11)
    words = rng.integers(0, 2**32, (count, 5), dtype=np.uint32)
    words[::2] = (rng.uniform(-1, 1, (count // 2, 5)) * 2.0 ** rng.integers(-40, 40, (count // 2, 5))).astype(np.float32).view(np.uint32)
    return words
