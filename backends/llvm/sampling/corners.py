"""The four texels of a bilinear filter, for texels of 32 bits: two 64-bit loads for each lane, one in each of two adjacent rows.

All lanes read the same mip level, so the lower row is at the same distance in all of them, and each lane's offset is extracted only once.
If the rows or columns of only some lanes wrap, texels are read one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.llvm.builder.function import F64, I32, I64, Function, Val
from backends.llvm.builder.scalarize import lane_offsets
from backends.llvm.sampling.fetch import load_scattered
from backends.llvm.sampling.texture import Level, Texture
from backends.llvm.sampling.windows import windows_of
from backends.llvm.sampling.wrap import Axis

_TEXEL = 4
"""Bytes of a texel."""


class Corners:
    """Loads the four texels around each lane's position: left and right of the upper row, then of the lower row.

    The results are four vectors of words, one for each corner, unless a subclass arranges the bytes in another way.
    """

    def __init__(self, f: Function, texture: Texture, level: Level, axes: tuple[Axis, Axis], start: Val) -> None:
        """level: the same in all lanes. axes: s and t, without a border. start: offset of the left upper texel."""
        self.f, self.texture, self.level, self.axes, self.start = f, texture, level, axes, start

    def load(self) -> list[Val]:
        """The four vectors. In lanes on the last column of a texture that does not repeat, the right texels are undefined."""
        f = self.f
        variables = [f.var(I32.wide(self.start.lanes)) for _ in range(4)]

        def keep(values: Sequence[Val]) -> None:
            for variable, value in zip(variables, values, strict=True):
                variable.set(value)

        is_fixed, distance = self._lower_row()
        with f.else_of(~is_fixed, unlikely=True) as otherwise:
            keep(self.of_any_places())
            otherwise()
            lower = f.at(self.texture.base, distance)
            windows = windows_of(f, self.texture, self.start)
            if windows is None:
                keep(self.of_places(lower, lane_offsets(self.start)))
            else:
                with f.else_of(windows.are_near) as far:
                    windows.prefetch(f.at(lower, distance))
                    keep(self.of_rows([word for base in (self.texture.base, lower) for word in windows.load(base)]))
                    far()
                    keep(self.of_places(lower, lane_offsets(self.start)))
        return [variable.get() for variable in variables]

    def of_rows(self, corners: Sequence[Val]) -> list[Val]:
        """The four vectors from the words of each corner."""
        return list(corners)

    def of_squares(self, squares: Sequence[Val]) -> list[Val]:
        """The four vectors from each lane's square, four words."""
        return self.f.transpose4(quads(self.f, squares))

    def of_places(self, lower: Val, places: Sequence[Val]) -> list[Val]:
        """The four vectors from a load of two texels in each row. lower: base of the lower rows. places: offset of each lane (i64)."""
        return [word for base in (self.texture.base, lower) for word in load_pairs(self.f, base, places)]

    def _lower_row(self) -> tuple[Val, Val]:
        """Truth (i1) that the lower row is equally far away in all lanes and that no row wraps, and that distance in bytes (i64)."""
        f, (s, t), level = self.f, self.axes, self.level
        step, last = self.level.row_stride[0].sext(I64), level.height[0] - 1
        is_last = t.first.eq(f.splat(last, t.first.lanes))
        any_last = f.any(is_last)
        is_fixed = ~any_last | f.all(is_last)
        if s.repeats:
            is_fixed = is_fixed & ~f.any(s.first.eq(level.width - 1))
        around = (0 - last).sext(I64) * step if t.repeats else f.const(I64, 0)
        return is_fixed, f.select(any_last, around, step)

    def of_any_places(self) -> list[Val]:
        """The four vectors of texels at any place: gathered by AVX-512, otherwise in a loop, as this is rare and its code is long."""
        f, n, start = self.f, self.start.lanes, self.start
        across, below = self._differences()
        places = (start, start + across, start + below, start + below + across)
        if f.module.has("avx512f"):
            return [load_scattered(f, self.texture, place, None)[0] for place in places]
        table, squares = f.lane_memory("places", start.type.wide(4 * n)), f.lane_memory("squares", I32.wide(4 * n))
        size = start.type.bits // 8
        for k, place in enumerate(places):
            f.store(place, table, k * n * size)
        with f.range(0, n) as lane:
            square = f.const(I32.wide(4), 0)
            for k in range(4):
                place = f.load(start.type.wide(1), f.at(table, lane * size), k * n * size)
                square = f.insert(square, f.load(I32, f.at(self.texture.base, place)), k)
            f.store(square, f.at(squares, lane * 16), align=16)
        return self.of_squares([f.load(I32.wide(4), squares, 16 * k, align=16) for k in range(n)])

    def _differences(self) -> tuple[Val, Val]:
        """Bytes from the left to the right and from the upper to the lower texels of each lane, in the type of offsets."""
        s, t = self.axes
        assert s.second is not None
        assert t.second is not None
        across, below = s.second - s.first, t.second - t.first
        if self.texture.key.is_wide:
            across, below = across.sext(I64), below.sext(I64)
        return across << 2, below * self.level.row_stride


def load_corners(f: Function, texture: Texture, level: Level, axes: tuple[Axis, Axis], start: Val, *, is_finite: bool) -> list[Val]:
    """Words of the left, right, lower left and lower right texel. is_finite: any texel may be read with a weight of 0."""
    s, _ = axes
    corners = Corners(f, texture, level, axes, start).load()
    if is_finite or s.repeats:
        return corners
    is_last = s.first.eq(level.width - 1)
    return [word for left, right in zip(corners[::2], corners[1::2]) for word in (left, f.select(is_last, left, right))]


def quads(f: Function, squares: Sequence[Val]) -> list[Val]:
    """Squares, four words a lane, as the rows of `transpose4`."""
    return [f.concat([squares[g + j] for g in range(0, len(squares), 4)]) for j in range(4)]


def load_pairs(f: Function, base: Val, places: Sequence[Val]) -> tuple[Val, Val]:
    """Word at `base` + places[k] bytes, and the next one. A load for each lane is faster than the gather instructions of today's CPUs.

    Pairs are joined in such an order that every 128 bits of the results come from the same 128 bits of both vectors.
    """
    n = len(places)
    pairs = []
    for k in range(0, n, 2):
        pair = f.const(F64.wide(2), 0.0)
        for lane in range(2):
            pair = f.insert(pair, f.load(F64, f.at(base, places[k + lane])), lane)
        pairs.append(pair)
    low, high = (f.concat(pairs[k::2]).bits_as(I32.wide(n)) for k in range(2))
    first = [k for block in range(0, n, 4) for k in (block, block + 2, n + block, n + block + 2)]
    return f.shuffle(low, high, first), f.shuffle(low, high, [k + 1 for k in first])
