"""Storage for the commands of a history: memory in place of a file, up to a number of bytes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import partial

from backends.gallium.context.recording.encoder import Piece

_BLOCKS, _LEAST, _LARGEST = 16, 1 << 16, 1 << 23
"""Number of blocks of a full memory, and least and largest size of a block in bytes. Blocks are reused, because the first write to new
memory costs several times as much as the copy."""
_WRITE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64)


class _Blocks:
    """The stored bytes. The callback of generated code refers to these only, so that the `CallMemory` around them can be collected."""

    def __init__(self, most: int, spare: list[bytearray]) -> None:
        self.blocks: list[bytearray] = []
        self.size, self.most, self.lost, self._room, self._spare = 0, most, 0, 0, spare
        self._step = min(max(most // _BLOCKS, _LEAST), _LARGEST)

    def add(self, *pieces: Piece) -> None:
        """Store the pieces of whole commands. After the first ones that do not fit, all others are dropped, because they depend on them."""
        size = sum(map(len, pieces))
        if self.lost or self.size + size > self.most:
            self.lost += size
            return
        for piece in pieces:
            self._store(memoryview(piece))

    def _store(self, data: memoryview) -> None:
        while len(data):
            if not self._room:
                self.blocks.append(self._spare.pop() if self._spare else bytearray(min(self._step, self.most - self.size)))
                self._room = len(self.blocks[-1])
            block, count = self.blocks[-1], min(self._room, len(data))
            start = len(block) - self._room
            block[start : start + count] = data[:count]
            self._room -= count
            self.size += count
            data = data[count:]

    def content(self) -> bytearray:
        """A copy of all bytes."""
        found, left = bytearray(), self.size
        for block in self.blocks:
            found += memoryview(block)[:left]
            left -= min(left, len(block))
        return found

    def release(self) -> None:
        """Return the blocks to the spare list, for reuse by other memories."""
        self._spare += self.blocks
        self.blocks, self.size, self.lost = [], 0, self.lost + self.size


class CallMemory:
    """Memory for commands, instead of a file. `entry` is the address of a C function that stores bytes like `write`."""

    def __init__(self, most: int, spare: list[bytearray] | None = None) -> None:
        """Begin empty.

        most: capacity in bytes. Further bytes are counted and dropped. spare: blocks of released memories, which are used before new ones.
        """
        self._kept = _Blocks(most, [] if spare is None else spare)
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
        self._kept.add(data)
        return len(data)

    def write_whole(self, pieces: Sequence[Piece]) -> None:
        """Store all pieces of some commands, or none of them."""
        self._kept.add(*pieces)

    def close(self) -> None:
        """Do nothing; the content stays readable."""

    def content(self) -> bytearray:
        """A copy of the stored bytes."""
        return self._kept.content()

    def release(self) -> None:
        """Give the memory to other recordings. The content is lost."""
        self._kept.release()


def _take(kept: _Blocks, _: int, address: int, size: int) -> int:
    kept.add(memoryview((ctypes.c_char * size).from_address(address)).cast("B"))
    return size
