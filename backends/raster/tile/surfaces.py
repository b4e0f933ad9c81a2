"""The pixels of a block in memory: words of texels as lanes, for the two lane maps.

Texels that a later entry will load again are stored in full vectors (a select, not a masked store) on a fixed grid, so that the CPU can
forward the store to the load. Unaligned blocks with masked stores made small triangles with a depth test half as fast.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import field

from backends.abi.limits import TILE
from backends.llvm.builder.function import I32, I64, Function, Type, Val
from backends.llvm.builder.record import Record
from backends.raster.records import Scene, Worker
from backends.raster.tile.lists import run_bytes
from tgsi.language.record import record

_FEW = 4  # entries for each row of blocks in a tile: two triangles that share an edge have as many
_LINE = 64  # bytes of a cache line

_ROWS_AHEAD = 8
_LONG_RUN = 4  # blocks
_STREAMED = 8  # words of a store that bypasses the caches
WIDE = 8  # bytes of a texel from which the rows of a block are whole cache lines


@record(frozen=False)
class Target:
    """A bound surface in a kernel: its address, bytes a row, bytes a texel (1, 2, 4, 8 or 16)."""

    base: Val
    stride: Val
    texel_bytes: int
    sample_stride: Val | None = None  # bytes from the plane of a sample to the next one

    def sample(self, f: Function, number: Val) -> Target:
        """The plane of one sample."""
        assert self.sample_stride is not None
        base = f.at(self.base, number.zext(I64) * self.sample_stride)
        return Target(base, self.stride, self.texel_bytes)


@record(frozen=False)
class Block:
    """The rows of a block in one surface. Loads give one i32 vector for each word of a texel; texels below 32 bits are zero-extended."""

    f: Function
    texel_bytes: int
    lanes: int
    row_pixels: int
    rows: list[Val] = field(default_factory=list)
    streams: Val | None = None  # scalar, true if full blocks bypass the caches; rows are then aligned

    @property
    def words(self) -> int:
        """Words of a texel."""
        return max(self.texel_bytes // 4, 1)

    @property
    def _element(self) -> Type:
        return Type("i", min(8 * self.texel_bytes, 32))

    def load(self) -> list[Val]:
        """Load the texels: a vector for each word of a texel."""
        f, w = self.f, self.words
        part = self._element.wide(self.row_pixels * w)
        whole = f.concat([f.load(part, r, 0, min(self.texel_bytes, 4)) for r in self.rows])
        if w == 1:
            return [whole.zext(I32)]
        return [f.shuffle(whole, whole, range(k, self.lanes * w, w)) for k in range(w)]

    def _parts(self, words: Sequence[Val]) -> list[Val]:
        f, w = self.f, self.words
        if w == 1:
            whole = words[0].trunc(self._element)
        elif w == 2:
            whole = f.shuffle(words[0], words[1], [i // 2 + self.lanes * (i % 2) for i in range(2 * self.lanes)])
        else:
            low, high = (f.concat([words[k], words[k + 1]]) for k in (0, 2))
            whole = f.shuffle(low, high, [i // 4 + self.lanes * (i % 4) for i in range(4 * self.lanes)])
        n = self.row_pixels * w
        if n == 1:
            return [whole[k] for k in range(len(self.rows))]
        return [f.shuffle(whole, whole, range(k * n, (k + 1) * n)) for k in range(len(self.rows))]

    def store(self, words: Sequence[Val]) -> None:
        """Store all texels of the block. Padding quads are stored before the quad that they repeat."""
        for part, r in reversed([*zip(self._parts(words), self.rows)]):
            self.f.store(part, r, 0, min(self.texel_bytes, 4))

    def store_masked(self, words: Sequence[Val], mask: Val, full: Val | None = None) -> None:
        """Store the texels of the lanes in `mask`. Slow if a later entry loads them again: see the module.

        full: scalar, true if all lanes are in the mask; passed if only coverage can remove lanes.
        """
        f, w = self.f, self.words
        has_fast_masks = f.module.has("avx512f")  # AMD takes 38 to 45 cycles for a masked store of AVX2, and 8 to 14 for `_blend`
        if not has_fast_masks and full is not None:
            with f.else_of(~full, unlikely=True) as otherwise:  # without branch weights LLVM merges both branches
                self._blend(words, mask)
                otherwise()
                self._store_full(words)
            return
        if not has_fast_masks or self.texel_bytes < 4 or self.row_pixels * w < 4:
            self._blend(words, mask)
            return
        for k, (part, r) in reversed([*enumerate(zip(self._parts(words), self.rows))]):
            pixels = [k * self.row_pixels + i // w for i in range(self.row_pixels * w)]
            f.masked_store(part, r, f.shuffle(mask, mask, pixels))

    def _store_full(self, words: Sequence[Val]) -> None:
        if self.streams is None:
            self.store(words)
            return
        f = self.f
        with f.else_of(self.streams) as usual:
            for part, r in zip(self._parts(words), self.rows):
                for k in range(0, part.type.lanes, _STREAMED):
                    piece = f.shuffle(part, part, range(k, k + _STREAMED))
                    f.line(f"store {piece}, {f.at(r, 4 * k)}, align {4 * _STREAMED}, !nontemporal !1")
            usual()
            self.store(words)

    def store_over(self, words: Sequence[Val], old: Sequence[Val], mask: Val, full: Val | None) -> None:
        """Store all texels: `words` in the lanes of `mask`, `old` elsewhere. full: as for `store_masked`."""
        f = self.f
        if full is None or f.module.has("avx512f"):
            self.store(self.merged(words, old, mask))
            return
        with f.else_of(~full, unlikely=True) as otherwise:
            self.store(self.merged(words, old, mask))
            otherwise()
            self.store(words)

    def _blend(self, words: Sequence[Val], mask: Val) -> None:
        """Load the texels, replace those of the lanes in `mask`, and store all."""
        self.store(self.merged(words, self.load(), mask))

    def merged(self, words: Sequence[Val], old: Sequence[Val], mask: Val) -> list[Val]:
        """`words` in the lanes of `mask`, and `old`, loaded texels, elsewhere."""
        if self.f.has_word_masks:  # LLVM would make one masked store of a load, a selection and a store
            old = [self.f.pure(o.type, f"freeze {o}") for o in old]
        return [self.f.select(mask, new, o) for new, o in zip(words, old)]


class RunView:
    """Blocks of a run in a surface: lanes are row-major in blocks of `rows` rows."""

    def __init__(self, f: Function, target: Target, lanes: int, x: Val, y: Val, rows: int = 2, streams: Val | None = None) -> None:
        self.f, self.step = f, lanes // rows * target.texel_bytes
        top = f.at(target.base, y.zext(I64) * target.stride + x.zext(I64) * target.texel_bytes)
        self.starts = [top]
        for _ in range(1, rows):
            self.starts.append(f.at(self.starts[-1], target.stride))
        self.block = Block(f, target.texel_bytes, lanes, lanes // rows, streams=streams if target.texel_bytes >= WIDE else None)

    def move(self, k: Val) -> Block:
        """The k-th block along the run."""
        self.block.rows = [self.f.at(s, k * self.step) for s in self.starts]
        return self.block

    def prefetch(self, k: Val) -> None:
        """Prefetch the texels of the k-th block."""
        for start in self.starts:
            self.f.prefetch(self.f.at(start, k * self.step))


def views_ahead(f: Function, targets: Sequence[Target], lanes: int, run: tuple[tuple[Val, Val], Val], rows: int) -> list[RunView]:
    """Views of targets `_ROWS_AHEAD` rows below a run, for `prefetch`. run: its first pixel and its number of blocks.

    A row of a tile has too few cache lines for the CPU's prefetcher to detect the stride. Triangles with short runs rarely have such
    rows.
    """
    (x, y), blocks = run
    later = f.select(blocks >= _LONG_RUN, f.min(y + _ROWS_AHEAD, (y | (TILE - 1)) - (rows - 1)), y)
    return [RunView(f, t, lanes, x, later, rows) for t in targets]


class QuadView:
    """Blocks of packed quads in a surface: two texels for each row of a quad."""

    def __init__(self, f: Function, target: Target, lanes: int, x: Val, y: Val) -> None:
        self.f, self.target = f, target
        self.corner = f.at(target.base, y.zext(I64) * target.stride + x.zext(I64) * target.texel_bytes)
        self.block = Block(f, target.texel_bytes, lanes, 2)

    def move(self, words: Sequence[Val]) -> Block:
        """The quads at x | y << 8 inside the tile."""
        self.block.rows = [row for word in words for row in self._rows(word)]
        return self.block

    def prefetch(self, word: Val) -> None:
        """Prefetch the texels of the quad at x | y << 8 inside the tile."""
        for row in self._rows(word):
            self.f.prefetch(row)

    def _rows(self, word: Val) -> tuple[Val, Val]:
        f, t = self.f, self.target
        top = f.at(self.corner, (word.lshr(8) & 63).zext(I64) * t.stride + ((word & 63) * t.texel_bytes).zext(I64))
        return top, f.at(top, t.stride)


@record(frozen=False)
class _Pixels(Block):
    """Unrelated pixels, one row each. Of two lanes with the same pixel the later one is stored last."""

    def store_masked(self, words: Sequence[Val], mask: Val, full: Val | None = None) -> None:
        """Store all texels in the order of lanes; `mask` must have all lanes."""
        for part, r in zip(self._parts(words), self.rows):
            self.f.store(part, r, 0, min(self.texel_bytes, 4))


class PixelView:
    """Vectors of single pixels in a surface."""

    def __init__(self, f: Function, target: Target, lanes: int, x: Val, y: Val) -> None:
        """x, y: of the tile."""
        self.f, self.target = f, target
        self.corner = f.at(target.base, y.zext(I64) * target.stride + x.zext(I64) * target.texel_bytes)
        self.offsets = f.alloca(str(I32.wide(lanes)))
        self.block = _Pixels(f, target.texel_bytes, lanes, 1)

    def move(self, pixels: Val) -> Block:
        """The pixels at x | y << 8 inside the tile."""
        f, t = self.f, self.target
        f.store((pixels.lshr(8) & 63) * t.stride.trunc(I32) + (pixels & 63) * t.texel_bytes, self.offsets, 0, 4)
        self.block.rows = [f.at(self.corner, f.load(I32, self.offsets, 4 * k)) for k in range(self.block.lanes)]
        return self.block


def bound_target(
    f: Function, s: Record, layer: Val | None, name: str, index: int, texel_bytes: int, *, has_samples: bool = False
) -> Target:
    """A surface of the Scene `s`: "color" number `index`, or "depth". layer: its layer; None: the first."""
    targets = s.part("targets")
    base = targets.get(name, index)
    if layer is not None:
        base = f.at(base, layer.zext(I64) * targets.get(f"{name}_layer", index))
    return Target(base, targets.get(f"{name}_stride", index), texel_bytes, targets.get(f"{name}_sample", index) if has_samples else None)


def streams(f: Function, targets: Sequence[Target], lanes: int, size: Val) -> Val | None:
    """True, a scalar, if full blocks bypass the caches, which saves the reading of lines that are overwritten. None: never.

    Targets do not fit into the caches, and the list has the last triangles of the tile: few, so that they hardly cover each other.
    size: bytes of the list.
    """
    wide = [t for t in targets if t.texel_bytes >= WIDE]
    if not wide or not f.module.has("x86") or f.module.has("avx512f"):
        return None
    w = Record(f, f.args[0], Worker)
    s = Record(f, w.get("scene"), Scene)
    is_few = size <= _FEW * (TILE // 2) * run_bytes(lanes)
    per_tile = TILE * TILE * sum(t.texel_bytes for t in targets)
    is_large = s.get("tiles.num_tiles").zext(I64) * per_tile > s.get("crew.last_cache")
    joined = functools.reduce(operator.or_, [v for t in wide for v in (t.base.cast("ptrtoint", I64), t.stride)])
    return w.get("tile.is_last").ne(0) & is_few & is_large & (joined & (_LINE - 1)).eq(0)
