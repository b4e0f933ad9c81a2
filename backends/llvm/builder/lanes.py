"""Lanes as pixels: their order in a vector, the neighbors of a pixel in its quad, derivatives; words that an index in each lane chooses."""

from __future__ import annotations

from typing import Literal

from backends.abi.limits import MAX_LANES, MIN_LANES
from backends.llvm.builder.function import I32, Function, Val
from tgsi.language.record import record


@record
class LaneMap:
    """The order of the lanes in a vector. `kind` is one of:

    run: a block of (lanes / rows) x rows pixels, row-major, at even coordinates; `rows` is even.
    quad: lanes 4q to 4q+3 are the pixels (0,0) (1,0) (0,1) (1,1) of quad q.
    linear: the same order of quads; lanes of different quads are unrelated.
    threads: as linear, but runs of `lanes` / `rows` lanes, threads of a block, are usually neighbors along x.
    """

    lanes: int
    kind: Literal["run", "quad", "linear", "threads"] = "linear"
    rows: int = 2

    def __post_init__(self) -> None:
        if self.lanes < MIN_LANES or self.lanes > MAX_LANES or self.lanes & (self.lanes - 1):
            raise ValueError(f"lanes must be a power of two from {MIN_LANES} to {MAX_LANES}, not {self.lanes}")

    @property
    def x_bit(self) -> int:
        """Mask to XOR with a lane number: gives the horizontal neighbor in the quad."""
        return 1

    @property
    def y_bit(self) -> int:
        """Mask to XOR with a lane number: gives the vertical neighbor in the quad."""
        return self.lanes // self.rows if self.kind == "run" else 2

    @property
    def side_by_side(self) -> int:
        """Number of lanes in a row that are neighbors in a row of pixels or threads."""
        return self.lanes // self.rows if self.kind in ("run", "threads") else 1

    def corner(self, lane: int, x: int, y: int) -> int:
        """Lane of pixel (x, y), each 0 or 1, of the quad that contains `lane`."""
        base = lane & ~(self.x_bit | self.y_bit)
        return base | (self.x_bit if x else 0) | (self.y_bit if y else 0)

    def pick(self, f: Function, value: Val, x: int | None, y: int | None) -> Val:
        """The value of pixel (x, y) of each lane's quad; a coordinate is 0, 1, or None for the lane's own."""
        index = []
        for lane in range(self.lanes):
            own_x, own_y = int(bool(lane & self.x_bit)), int(bool(lane & self.y_bit))
            index.append(self.corner(lane, own_x if x is None else x, own_y if y is None else y))
        return f.shuffle(value, value, index)

    def ddx(self, f: Function, value: Val, fine: bool = False) -> Val:
        """Derivative along x: right minus left, of the lower row for the whole quad, or of each row (`fine`)."""
        if value.lanes == 1:
            return value - value
        row = None if fine else 1
        return self.pick(f, value, 1, row) - self.pick(f, value, 0, row)

    def ddy(self, f: Function, value: Val, fine: bool = False) -> Val:
        """Derivative along y: lower minus upper, of the left column for the whole quad, or of each column (`fine`)."""
        if value.lanes == 1:
            return value - value
        column = None if fine else 0
        return self.pick(f, value, column, 1) - self.pick(f, value, column, 0)

    def widen(self, f: Function, mask: Val) -> Val:
        """Mask of all lanes of the quads that have a lane in `mask`."""
        across = mask | f.shuffle(mask, mask, [lane ^ self.x_bit for lane in range(self.lanes)])
        return across | f.shuffle(across, across, [lane ^ self.y_bit for lane in range(self.lanes)])


def permuted(f: Function, words: Val, index: Val) -> Val:
    """Word `index` (0 to 7) of 8 words, in each of 8 lanes. The module's processor has AVX2."""
    return f.call(I32.wide(8), "llvm.x86.avx2.permd", words, index)


def permuted_pair(f: Function, first: Val, second: Val, index: Val) -> Val:
    """Word `index` (0 to 31) of two vectors of 16 words, in each of 16 lanes. The module's processor has AVX-512."""
    return f.call(I32.wide(16), "llvm.x86.avx512.vpermi2var.d.512", first, index, second)
