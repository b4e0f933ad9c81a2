"""Storage of a history's commands in memory instead of a file, up to a size limit."""

from __future__ import annotations

import ctypes
from ctypes import c_uint64
from mmap import mmap

from backends.device.commands.bound_record import BoundRecord
from backends.gallium.context.recording.encoder import Piece
from backends.gallium.tracing.command_store import CommandStore
from backends.system import private_memory

_BLOCKS, _LEAST, _LARGEST = 16, 1 << 16, 1 << 23
"""Number of blocks of a full memory, and least and largest size of a block in bytes. Blocks are reused, because the first write to new
memory costs several times as much as the copy."""
_PARTS = 8
"""Python splits commands that are larger than 1/_PARTS of a block. If a smaller one does not fit into the rest
of a block, generated code leaves that rest unused."""
_TURN = ctypes.CFUNCTYPE(None)
Block = mmap


class _Blocks:
    """The stored bytes: commands lie where they were appended, from `recorded_begin` of the context's record on.

    The callback of generated code refers to these only, so that the `CallMemory` around them can be collected.
    """

    def __init__(self, record: BoundRecord, most: int, spare: list[Block]) -> None:
        self.record, self.most, self._spare = record, most, spare
        self._step = min(max(most // _BLOCKS, _LEAST), _LARGEST)
        self.blocks: list[Block] = []
        self._used: list[int] = []  # bytes of commands in each block but the open one
        self._passed = 0  # bytes of these blocks
        self._dropped = 0  # bytes of commands that did not fit
        self._sink: Block | None = None  # memory for commands that are dropped
        self.open: Block  # memory for the next commands
        self._is_open = True
        record.recorded_size = self._step // _PARTS
        self._open(self._new_block(), most)

    @property
    def size(self) -> int:
        """Bytes in use, including gaps at the ends of blocks."""
        return self._passed if self._sink is not None else self._passed + self._written

    @property
    def lost(self) -> int:
        """Bytes of dropped commands."""
        return self._dropped if self._sink is None else self._dropped + self._written

    @property
    def _written(self) -> int:
        return self.record.recorded_at - self.record.recorded_begin if self._is_open else 0

    def _new_block(self) -> Block:
        return self._spare.pop() if self._spare else private_memory(self._step)

    def _open(self, block: Block, most: int) -> None:
        """Append to a block, up to `most` bytes."""
        record, begin, self.open = self.record, ctypes.addressof(ctypes.c_char.from_buffer(block)), block
        if block is not self._sink:
            self.blocks.append(block)
        record.recorded_begin = record.recorded_at = begin
        record.recorded_limit, record.recorded_constants = begin + min(len(block), most), 0
        if record.recorded_end:
            record.recorded_end = record.recorded_limit

    def turn(self) -> None:
        """Go on with the next block; if the memory is full, drop all further commands."""
        if self._sink is not None:
            self._dropped += self._written
            self._open(self._sink, len(self._sink))
            return
        passed = self._passed + self.record.recorded_limit - self.record.recorded_begin
        if passed >= self.most:
            self._drop()
            return
        block = self._new_block()  # may raise MemoryError, before anything has changed
        self._used.append(self._written)
        self._passed = passed
        self._open(block, self.most - passed)

    def _drop(self) -> None:
        """Drop all further commands, because they depend on one that does not fit."""
        sink = private_memory(self.record.recorded_size)
        self._used.append(self._written)
        self._passed += self._written
        self._sink = sink
        self._open(sink, len(sink))

    def add(self, *pieces: Piece) -> None:
        """Store the pieces of whole commands."""
        size = sum(map(len, pieces))
        if self._sink is None and size > self.most - self.size:
            self._drop()
        if self._sink is not None:
            self._dropped += size
            return
        for piece in pieces:
            self._store(memoryview(piece))

    def _store(self, data: memoryview) -> None:
        record = self.record
        while len(data):
            if record.recorded_at == record.recorded_limit:
                self.turn()
            start, count = self._written, min(record.recorded_limit - record.recorded_at, len(data))
            self.open[start : start + count] = data[:count]
            record.recorded_at += count
            data = data[count:]

    def content(self) -> bytearray:
        """A copy of all commands."""
        found = bytearray()
        used = [*self._used, self._written] if self._is_open and self._sink is None else self._used
        for block, count in zip(self.blocks, used):
            found += memoryview(block)[:count]
        return found

    def close(self) -> None:
        """Detach from the record, so that another recording can use it."""
        if not self._is_open:
            return
        if self._sink is not None:
            self._dropped += self._written
        else:
            self._used.append(self._written)
            self._passed += self.record.recorded_limit - self.record.recorded_begin
        self._is_open = False

    def release(self) -> None:
        """Return the blocks to the spare list, for reuse by other memories."""
        self._spare += self.blocks
        self.blocks, self._used, self._passed = [], [], 0


class CallMemory(CommandStore):
    """Memory for commands, instead of a file."""

    def __init__(self, record: BoundRecord, cell: c_uint64, most: int, spare: list[Block] | None = None) -> None:
        """Begin a recording.

        most: capacity in bytes. Further bytes are counted and dropped. spare: blocks of released memories, which are used before new ones.
        """
        super().__init__(record, cell)
        self._kept = _Blocks(record, most, [] if spare is None else spare)
        self._callback = _TURN(self._kept.turn)
        record.recorded_turn = ctypes.cast(self._callback, ctypes.c_void_p).value or 0
        self.begin()

    @property
    def size(self) -> int:
        """Bytes in use."""
        return self._kept.size

    @property
    def lost(self) -> int:
        """Bytes that were dropped."""
        return self._kept.lost

    @property
    def blocks(self) -> list[Block]:
        """The memory."""
        return self._kept.blocks

    def write(self, *pieces: Piece) -> None:
        """Store all pieces of some commands, or none of them."""
        record = self._record
        at, first = record.recorded_at, pieces[0]
        if len(pieces) > 1 or at + len(first) > record.recorded_limit:
            self._kept.add(*pieces)
            return
        start = at - record.recorded_begin
        self._kept.open[start : start + len(first)] = first
        record.recorded_at = at + len(first)

    def flush(self) -> None:
        """Do nothing; the bytes are where they belong."""

    def content(self) -> bytearray:
        """A copy of the stored bytes."""
        return self._kept.content()

    def release(self) -> None:
        """Give the memory to other recordings. The content is lost."""
        self._kept.release()

    def _end(self) -> None:
        self._kept.close()
