"""Vectors on the stack, for scalar code that loops over lanes."""

from __future__ import annotations

from backends.llvm.builder.function import I32, Val
from backends.llvm.translate.emit import Context


class Column:
    """One 32-bit word for each lane, during one instruction. Offsets are bytes: 4 times the lane's number, as in `lanes_of`."""

    def __init__(self, c: Context, value: Val | None = None) -> None:
        self.f, self.lanes = c.f, c.lane_map.lanes
        self.place = c.scratch.take()
        self.set(value if value is not None else self.f.const(I32, 0))

    def set(self, value: Val) -> None:
        """Store all lanes."""
        self.f.store(self.f.splat(value.as_int(), self.lanes), self.place)

    def get(self) -> Val:
        """Load all lanes."""
        return self.f.load(I32.wide(self.lanes), self.place)

    def at(self, offset: Val) -> Val:
        """Word of the lane at `offset` bytes."""
        return self.f.load(I32, self.place, offset)

    def put(self, offset: Val, value: Val) -> None:
        """Store the word of one lane."""
        self.f.store(value.as_int(), self.place, offset)
