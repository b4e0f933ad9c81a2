"""Which lane is which pixel, and who its neighbours are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from backends.abi.limits import MAX_LANES, MIN_LANES
from backends.llvm.builder.function import Function, Val


@dataclass(frozen=True, slots=True)
class LaneMap:
    """The order of the lanes.

    run: a block of (lanes / rows) x rows pixels, row-major, at even coordinates; `rows` is even.
    quad, linear: lanes 4q to 4q+3 are the pixels (0,0) (1,0) (0,1) (1,1) of quad q; `linear` has no meaning beyond the group.
    """

    lanes: int
    kind: Literal["run", "quad", "linear"] = "linear"
    rows: int = 2

    def __post_init__(self) -> None:
        if self.lanes < MIN_LANES or self.lanes > MAX_LANES or self.lanes & (self.lanes - 1):
            raise ValueError(f"lanes must be a power of two from {MIN_LANES} to {MAX_LANES}, not {self.lanes}")

    @property
    def x_bit(self) -> int:
        """Xor with this: the other pixel of the row."""
        return 1

    @property
    def y_bit(self) -> int:
        """Xor with this: the other pixel of the column."""
        return self.lanes // self.rows if self.kind == "run" else 2

    def corner(self, lane: int, x: int, y: int) -> int:
        """The lane of pixel (x, y), each 0 or 1, of this lane's quad."""
        base = lane & ~(self.x_bit | self.y_bit)
        return base | (self.x_bit if x else 0) | (self.y_bit if y else 0)

    def pick(self, f: Function, value: Val, x: int | None, y: int | None) -> Val:
        """Each lane gets the value of a pixel of its quad: coordinate 0, 1, or None for its own."""
        index = []
        for lane in range(self.lanes):
            own_x, own_y = int(bool(lane & self.x_bit)), int(bool(lane & self.y_bit))
            index.append(self.corner(lane, own_x if x is None else x, own_y if y is None else y))
        return f.shuffle(value, value, index)

    def ddx(self, f: Function, value: Val, fine: bool = False) -> Val:
        """Right minus left: of the lower row for the whole quad, or of each row."""
        if value.lanes == 1:
            return value - value
        row = None if fine else 1
        return self.pick(f, value, 1, row) - self.pick(f, value, 0, row)

    def ddy(self, f: Function, value: Val, fine: bool = False) -> Val:
        """Lower minus upper: of the left column for the whole quad, or of each column."""
        if value.lanes == 1:
            return value - value
        column = None if fine else 0
        return self.pick(f, value, column, 1) - self.pick(f, value, column, 0)

    def widen(self, f: Function, mask: Val) -> Val:
        """Every lane of each quad that has some lane in `mask`."""
        across = mask | f.shuffle(mask, mask, [lane ^ self.x_bit for lane in range(self.lanes)])
        return across | f.shuffle(across, across, [lane ^ self.y_bit for lane in range(self.lanes)])
