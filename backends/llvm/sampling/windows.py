"""Texels of neighboring pixels from a few vector loads, instead of a load for each lane.

A row of pixels that shows a texture magnified or at its own size reads a short run of texels in one row. With AVX2 or AVX-512 one vector
load covers the run, and a permutation with an index for each lane selects its texel. Other processors use windows only if consecutive
pixels read consecutive texels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from backends.llvm.builder.function import BOOL, I32, Function, Val
from backends.llvm.builder.lanes import permuted, permuted_pair
from backends.llvm.builder.scalarize import lane_offsets
from backends.llvm.sampling.rows import SHORTEST, are_in_step, load_rows
from backends.llvm.sampling.texture import Texture

_PIXELS = 8
"""Number of adjacent pixels that share a window."""

_TEXEL = 4
"""Bytes of a texel."""


class Windows(ABC):
    """Loads a texel (a word, at an offset that is a multiple of 4) and the next one for each lane.

    All lanes must be near the first lane of their row of pixels.
    """

    @property
    @abstractmethod
    def are_near(self) -> Val:
        """Scalar (i1), true if every lane is near."""

    @abstractmethod
    def prefetch(self, base: Val) -> None:
        """Prefetch the texels that `load` would read, for the next row of pixels: hardware does not prefetch a row of texels ahead."""

    @abstractmethod
    def load(self, base: Val) -> tuple[Val, Val]:
        """Texel of each lane, and the next one. Up to 64 bytes after a lane's offset are read."""


def windows_of(f: Function, texture: Texture, start: Val) -> Windows | None:
    """Windows for lanes at `start`; None if rows of pixels are too short."""
    if texture.key.is_wide or texture.row < SHORTEST:
        return None
    return _Permuted(f, start) if f.module.has("avx2") and texture.row >= _PIXELS else _InStep(f, start, texture.row)


class _InStep(Windows):
    """Windows of lanes that read consecutive texels in each row of `row` pixels."""

    def __init__(self, f: Function, start: Val, row: int) -> None:
        self.f, self.start, self.row = f, start, row

    @property
    def are_near(self) -> Val:
        return are_in_step(self.f, [self.start], self.row, _TEXEL)

    def prefetch(self, base: Val) -> None:
        for lane in range(0, self.start.lanes, self.row):
            self.f.prefetch_read(self.f.at(base, self.start[lane]))

    def load(self, base: Val) -> tuple[Val, Val]:
        left, right = (load_rows(self.f, I32, self.f.at(base, x), self.start, self.row) for x in (0, _TEXEL))
        return left, right


class _Permuted(Windows):
    """Windows of 8 lanes, each of 8 texels from its first lane on, or of 15 with AVX-512."""

    def __init__(self, f: Function, start: Val) -> None:
        self.f, self._start = f, start
        self._is_wide = f.module.has("avx512f") and start.lanes % (2 * _PIXELS) == 0
        self._distance = start - f.shuffle(start, start, [lane & -_PIXELS for lane in range(start.lanes)])
        self._firsts = [start[lane] for lane in range(0, start.lanes, _PIXELS)]

    @property
    def are_near(self) -> Val:
        f, most = self.f, (2 * _PIXELS - 2 if self._is_wide else _PIXELS - 1) * _TEXEL
        if not self._is_wide:
            return f.all(self._distance.ule(most))
        near = f.var(BOOL, 0)  # test one row first: far lanes need these scalars anyway
        places = lane_offsets(self._start)
        with f.if_((places[_PIXELS - 1] - places[0]).ule(most)):
            near.set(f.all(self._distance.ule(most)))
        return near.get()

    def prefetch(self, base: Val) -> None:
        for first in self._firsts:
            self.f.prefetch_read(self.f.at(base, first))

    def load(self, base: Val) -> tuple[Val, Val]:
        parts = [self._pair(base, group) for group in range(0, len(self._firsts), 2 if self._is_wide else 1)]
        left, right = (self.f.concat(side) for side in zip(*parts))
        return left, right

    def _pair(self, base: Val, group: int) -> Sequence[Val]:
        f, distance = self.f, self._distance
        index = distance.lshr(2)
        if not self._is_wide:
            index = f.shuffle(index, index, range(group * _PIXELS, (group + 1) * _PIXELS))
            start = f.at(base, self._firsts[group])
            return [permuted(f, f.load(I32.wide(_PIXELS), start, x), index) for x in (0, _TEXEL)]
        wide = I32.wide(2 * _PIXELS)
        second = f.lanes_const(wide, [0] * _PIXELS + [2 * _PIXELS] * _PIXELS)
        index = f.shuffle(index, index, range(group * _PIXELS, (group + 2) * _PIXELS)) + second
        tables = [f.load(wide, f.at(base, first)) for first in self._firsts[group : group + 2]]
        return [permuted_pair(f, tables[0], tables[1], index + step) for step in (0, 1)]
