"""Storage for the commands of a history: memory in place of a file, up to a number of bytes."""

from __future__ import annotations

import ctypes
from functools import partial

_WRITE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64)


class _Pieces:
    """The stored bytes. The callback of generated code refers to these only, so that the `CallMemory` around them can be collected."""

    def __init__(self, most: int) -> None:
        self.pieces: list[bytes] = []
        self.size, self.most, self.lost = 0, most, 0

    def add(self, data: bytes) -> None:
        """Store a piece. After the first one that does not fit, all others are dropped, because later commands depend on it."""
        if self.lost or self.size + len(data) > self.most:
            self.lost += len(data)
        else:
            self.pieces.append(data)
            self.size += len(data)


class CallMemory:
    """Memory for commands, instead of a file. `entry` is the address of a C function that does what `write` does."""

    def __init__(self, most: int) -> None:
        """most: capacity in bytes. Further bytes are counted and dropped."""
        self._kept = _Pieces(most)
        self._callback = _WRITE(partial(_take, self._kept))
        self.entry: int = ctypes.cast(self._callback, ctypes.c_void_p).value or 0

    @property
    def size(self) -> int:
        """Stored bytes."""
        return self._kept.size

    @property
    def most(self) -> int:
        """Capacity in bytes."""
        return self._kept.most

    @property
    def lost(self) -> int:
        """Bytes that were dropped."""
        return self._kept.lost

    def write(self, data: memoryview) -> int:
        """Store bytes, as a file's `write`."""
        self._kept.add(bytes(data))
        return len(data)

    def close(self) -> None:
        """Do nothing; the content stays readable."""

    def content(self) -> bytearray:
        """A copy of the stored bytes."""
        return bytearray().join(self._kept.pieces)


def _take(kept: _Pieces, _: int, address: int, size: int) -> int:
    kept.add(ctypes.string_at(address, size))
    return size
