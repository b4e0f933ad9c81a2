"""Commands of a recording in memory, up to a number of bytes: the file of a history."""

from __future__ import annotations

import ctypes
from functools import partial

_WRITE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64)


class _Pieces:
    """The bytes themselves, which the callback of generated code keeps, but not the `CallMemory` around them."""

    def __init__(self, most: int) -> None:
        self.pieces: list[bytes] = []
        self.size, self.most, self.lost = 0, most, 0

    def add(self, data: bytes) -> None:
        """Keep a piece. After the first one for which there is no room, nothing is kept: later commands depend on it."""
        if self.lost or self.size + len(data) > self.most:
            self.lost += len(data)
        else:
            self.pieces.append(data)
            self.size += len(data)


class CallMemory:
    """Memory for commands, instead of a file. `entry` is the address of a function like `write`, for generated code."""

    def __init__(self, most: int) -> None:
        """most: bytes that are kept. Those after them are counted and dropped."""
        self._kept = _Pieces(most)
        self._callback = _WRITE(partial(_take, self._kept))
        self.entry: int = ctypes.cast(self._callback, ctypes.c_void_p).value or 0

    @property
    def size(self) -> int:
        """Bytes that are kept."""
        return self._kept.size

    @property
    def most(self) -> int:
        """Bytes that may be kept."""
        return self._kept.most

    @property
    def lost(self) -> int:
        """Bytes for which there was no room."""
        return self._kept.lost

    def write(self, data: memoryview) -> int:
        """Keep bytes, as `write` of a file."""
        self._kept.add(bytes(data))
        return len(data)

    def close(self) -> None:
        """Keep what is there."""

    def content(self) -> bytearray:
        """A copy of what is kept."""
        return bytearray().join(self._kept.pieces)


def _take(kept: _Pieces, _: int, address: int, size: int) -> int:
    kept.add(ctypes.string_at(address, size))
    return size
