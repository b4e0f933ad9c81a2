"""Coverage of multisampled targets: as `coverage`, with a mask for each sample. There is a kernel for each pattern, shared by all shaders.

The list has the same two kinds of entries, with longer tails (S samples, at most 32 lanes):

  run    {record, blocks, x | y << 16, 1} and S lane masks. More than one block only where every sample of all lanes is covered.
  quads  {record, blocks, tile x | tile y << 16, 0}, then arrays of lanes/4 words a block: x | y << 8 of each quad, and for each
         eight samples their masks, four bits a sample: bit 4 * (s % 8) + p is sample s of pixel p.

Samples excluded by the draw's sample mask are in no mask. Edge functions are evaluated at each sample, with its offset added before
rounding: coverage is exact for each sample, and a sample on a shared edge belongs to exactly one of its triangles.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from backends.abi.limits import TILE
from backends.llvm.builder.compress import store_compressed
from backends.llvm.builder.function import BOOL, I32, I64, PTR, Function, Module, Val, Var
from backends.llvm.builder.record import Record
from backends.raster.draw_record import Draw
from backends.raster.front.bins import load_box
from backends.raster.layouts import SetupLayout
from backends.raster.samples import SUBPIXEL_BITS, Pattern
from backends.raster.tile.coverage import QUADS, WINDOW, walk_chain, window
from backends.raster.tile.hiz import HizTest
from backends.raster.tile.lists import quad_width, row_lanes
from tgsi.language.record import record

PER_WORD = 8  # samples in a word of masks of packed quads
PART_BITS = 4
PART = 1 << PART_BITS  # a tile is first tested in parts of PART x PART pixels


def run_size(samples: int) -> int:
    """Bytes of a run's entry."""
    return 16 + 4 * samples


def mask_words(samples: int) -> int:
    """Words of sample masks for each packed quad."""
    return -(-samples // PER_WORD)


def build_sample_coverage(pattern: Pattern, lanes: int, module: Module, quads: bool = True) -> None:
    """coverage(...), with the arguments and the result of `coverage.build_coverage`."""
    f = Function(module, "coverage", [PTR, PTR, I32, PTR, I32, I32, PTR, PTR], I32)
    draw, arena, limit, cursor_slot, tile_x, tile_y, list_, farthest = f.args
    d = Record(f, draw, Draw)
    test = HizTest(f, d, farthest, (tile_x, tile_y), 0.0 if pattern.is_centered else 0.5)
    wide_x, wide_y, size = tile_x.sext(I64), tile_y.sext(I64), f.var(I32, 0)
    with walk_chain(f, arena, limit, cursor_slot, size) as entry:
        at = f.at(arena, entry)
        a, b = f.load(I32.wide(4), at, SetupLayout.A), f.load(I32.wide(4), at, SetupLayout.B)
        fine = f.load(I64.wide(4), at, SetupLayout.C, 16) + ((a.sext(I64) * wide_x + b.sext(I64) * wide_y) << SUBPIXEL_BITS)
        center = f.max(f.min(fine >> SUBPIXEL_BITS, 1 << 30), -(1 << 30)).trunc(I32)  # beyond that the sign is the same all over the tile
        fraction = fine.trunc(I32) & ((1 << SUBPIXEL_BITS) - 1)
        moved = [center + ((fraction + a * x + b * y) >> SUBPIXEL_BITS) for x, y in pattern.steps(d)]
        low, high = moved[0], moved[0]
        for c in moved[1:]:
            low, high = f.min(low, c), f.max(high, c)
        left, top, right, bottom, cut = load_box(f, at)
        box = [f.max(left - tile_x, 0), f.max(top - tile_y, 0), f.min(right - tile_x, TILE - 1), f.min(bottom - tile_y, TILE - 1)]
        entire = (box[0] | box[1]).eq(0) & (box[2] & box[3]).eq(TILE - 1)

        coverage = partial(
            SampleCoverage,
            f=f,
            lanes=lanes,
            list_=list_,
            size=size,
            record=entry,
            a=_edges(a),
            b=_edges(b),
            c=[_edges(c) for c in moved],
            low=_edges(low),
            high=_edges(high),
            tile=tile_x | (tile_y << 16),
            box=box,
            wanted=d.get("fragments.sample_mask"),
        )
        triangle = coverage(bounded=False)
        with f.else_of(cut.eq(0) | entire) as clipped:
            with f.else_of(triangle.fits_window() if quads else f.const(BOOL, 0)) as larger:
                with test.unless_hidden(at, box):
                    triangle.small()
                larger()
                with test.unless_hidden(at, box):
                    worst = low + a * box[0] + b * box[1] + f.min(a, 0) * (box[2] - box[0]) + f.min(b, 0) * (box[3] - box[1])
                    covered = (f.mask_bits(worst < 0) & 7).eq(0)
                    with f.if_(covered):
                        test.cover(at, box)
                    with f.else_of(entire & covered) as crossed:
                        triangle.whole()
                        crossed()
                        triangle.partial()
            clipped()
            bounded = coverage(bounded=True)
            with test.unless_hidden(at, box):
                with f.else_of(bounded.fits_window() if quads else f.const(BOOL, 0)) as larger:
                    bounded.small()
                    larger()
                    bounded.partial()
    f.ret(size.get())


def _edges(values: Val) -> list[Val]:
    """The values of the three edges."""
    return [values[k] for k in range(3)]


@record(frozen=False, kw_only=True)
class SampleCoverage:
    """One triangle in one tile. E = A*x + B*y + C(sample), exact i32; coordinates count from the tile's corner.

    `bounded`: the region cut the box inside this tile, so pixels outside of the box do not count."""

    f: Function
    lanes: int
    list_: Val
    size: Var
    record: Val
    a: list[Val]  # of three edges
    b: list[Val]
    c: list[list[Val]]  # of three edges, for each sample
    low: list[Val]  # the least of all samples, of three edges
    high: list[Val]  # the greatest
    tile: Val
    box: list[Val]  # min x, min y, max x, max y
    bounded: bool
    wanted: Val  # the sample mask

    @property
    def _corner(self) -> tuple[Val, Val]:
        """First column and row, even."""
        return self.box[0] & -2, self.box[1] & -2

    def fits_window(self) -> Val:
        """True if the triangle is small enough for packed quads."""
        x0, y0 = self._corner
        return (self.box[2] - x0 < WINDOW) & (self.box[3] - y0 < WINDOW)

    def _slopes(self, x: Val, y: Val, dx: Sequence[int], dy: Sequence[int]) -> list[Val]:
        """A*x + B*y of the three edges at the pixels (x + dx, y + dy)."""
        f, vec = self.f, I32.wide(len(dx))
        lane_x, lane_y = f.lanes_const(vec, dx), f.lanes_const(vec, dy)
        return [lane_x * a + lane_y * b + (a * x + b * y) for a, b in zip(self.a, self.b)]

    @staticmethod
    def _signs(slopes: Sequence[Val], c: Sequence[Val]) -> Val:
        """Negative where a sample lies outside of at least one edge."""
        e = [s + v for s, v in zip(slopes, c)]
        return e[0] | e[1] | e[2]

    def _outside(self, v: Val, axis: int) -> Val:
        """Negative where a column (row) lies outside of the box."""
        return (v - self.box[axis]) | (self.box[axis + 2] - v)

    # -- packed quads -------------------------------------------------------------------------------------------------
    def small(self) -> None:
        """Cover all 16 quads of a window at once: no loop, and one branch, for a triangle that covers nothing."""
        f, vec = self.f, I32.wide(QUADS)
        x0, y0 = self._corner
        quad_x, quad_y = window(WINDOW)
        slopes = [self._slopes(x0, y0, [x + p % 2 for x in quad_x], [y + p // 2 for y in quad_y]) for p in range(4)]
        limits: list[Val | None] = [None] * 4
        if self.bounded:
            x, y = f.lanes_const(vec, quad_x) + x0, f.lanes_const(vec, quad_y) + y0
            columns, rows = ([self._outside(v + k, axis) for k in range(2)] for axis, v in enumerate((x, y)))
            limits = [columns[p % 2] | rows[p // 2] for p in range(4)]
        masks = []
        for first in range(0, len(self.c), PER_WORD):
            outside, used = f.const(vec, 0), f.const(I32, 0)
            for s, c in enumerate(self.c[first : first + PER_WORD]):
                for p in range(4):
                    sign, limit = self._signs(slopes[p], c), limits[p]
                    sign = sign if limit is None else sign | limit
                    outside = outside | (sign.lshr(31) << (4 * s + p))
                used = used | f.select((self.wanted & (1 << (first + s))).ne(0), f.const(I32, 15 << 4 * s), 0)
            masks.append((outside ^ -1) & used)
        any_ = masks[0]
        for m in masks[1:]:
            any_ = any_ | m
        in_box = (f.lanes_const(vec, quad_x) <= self.box[2] - x0) & (f.lanes_const(vec, quad_y) <= self.box[3] - y0)
        alive = any_.ne(0) & in_box
        places = f.lanes_const(vec, [x | y << 8 for x, y in zip(quad_x, quad_y)]) + (x0 | (y0 << 8))
        count = f.popcount(f.mask_bits(alive))
        with f.if_(count.ne(0)):
            width = quad_width(self.lanes)
            per_block = width // 4
            blocks = (count + (per_block - 1)).lshr(per_block.bit_length() - 1)
            slot = self._put(blocks, self.tile, 0)
            for k, words in enumerate([places, *masks]):
                start = f.at(slot, blocks * (k * width) + 16)
                store_compressed(f, words, alive, start)
                # Copies of the last quad fill the last block: their lanes compute and store the same bytes again.
                end = f.at(start, count << 2)
                f.store(f.splat(f.load(I32, end, -4), per_block), end)
            self.size.add(blocks * (width * (1 + len(masks))) + 16)

    # -- runs ---------------------------------------------------------------------------------------------------------
    def _word(self, sample: int) -> Val:
        """The mask of all lanes if the draw's sample mask has the sample, otherwise 0."""
        every = (1 << self.lanes) - 1 if self.lanes < 32 else -1
        return self.f.select((self.wanted & (1 << sample)).ne(0), self.f.const(I32, every), 0)

    def _put_run(self, blocks: Val, xy: Val, masks: Sequence[Val]) -> None:
        """Write a run at the end of the list, without adding its bytes to `size`."""
        slot = self._put(blocks, xy, 1)
        for k, mask in enumerate(masks):
            self.f.store(mask, slot, 16 + 4 * k)

    def whole(self) -> None:
        """Cover every sample of the tile."""
        f = self.f
        masks = [self._word(k) for k in range(len(self.c))]
        with f.range(0, TILE, 2) as y:
            self._put_run(f.const(I32, TILE // (self.lanes // 2)), self.tile + (y << 16), masks)
            self.size.add(run_size(len(self.c)))

    def _parts(self) -> tuple[Val, Val]:
        """Two words with a bit for each part of the tile (16 x 16 pixels): the fully covered parts, and the parts outside of an edge."""
        f, n = self.f, TILE // PART
        vec = I32.wide(n * n)
        lane_x, lane_y = (
            f.lanes_const(vec, [PART * (i % n) for i in range(n * n)]),
            f.lanes_const(vec, [PART * (i // n) for i in range(n * n)]),
        )
        least, most = [], []
        for a, b, low, high in zip(self.a, self.b, self.low, self.high):
            corner = lane_x * a + lane_y * b
            least.append(corner + (low + (f.min(a, 0) + f.min(b, 0)) * (PART - 1)))
            most.append(corner + (high + (f.max(a, 0) + f.max(b, 0)) * (PART - 1)))
        outside = f.mask_bits((most[0] | most[1] | most[2]) < 0)
        if self.bounded:
            return f.const(I32, 0), outside
        return f.mask_bits((least[0] | least[1] | least[2]) >= 0), outside

    def partial(self) -> None:
        """Cover the box in rows of blocks.

        Blocks in full or empty parts of the tile need no test. Other blocks are first tested with the least and the greatest constant of
        all samples; only undecided blocks test every sample.
        """
        f, bw = self.f, self.lanes // 2
        vec, every = I32.wide(self.lanes), (1 << self.lanes) - 1 if self.lanes < 32 else -1
        x0, y0 = self.box[0] & -bw, self._corner[1]
        dx, dy = row_lanes(self.lanes)
        lane_x, lane_y = f.lanes_const(vec, dx), f.lanes_const(vec, dy)
        full, outside = self._parts()
        run = f.var(BOOL, 0)  # the last entry is fully covered and of this row

        def cover(x: Val, y: Val) -> None:
            with f.else_of(run.get()) as alone:
                blocks = f.at(f.at(self.list_, self.size.get()), 4 - run_size(len(self.c)))
                f.store(f.load(I32, blocks) + 1, blocks)
                alone()
                self._put_run(f.const(I32, 1), self.tile + (x | (y << 16)), [self._word(k) for k in range(len(self.c))])
                self.size.add(run_size(len(self.c)))
            run.set(1)

        with f.range(y0, self.box[3] + 1, 2) as y:
            run.set(0)
            rows = [lane_x * a + lane_y * b + b * y for a, b in zip(self.a, self.b)]
            out_y = self._outside(lane_y + y, 1) if self.bounded else None
            with f.range(x0, self.box[2] + 1, bw) as x:
                part = (y.lshr(PART_BITS) * (TILE // PART)) + x.lshr(PART_BITS)
                with f.else_of((outside.lshr(part) & 1).ne(0)) as touched:
                    run.set(0)
                    touched()
                    with f.else_of((full.lshr(part) & 1).ne(0)) as looked_at:
                        cover(x, y)
                        looked_at()
                        slopes = [row + a * x for row, a in zip(rows, self.a)]
                        limit = out_y | self._outside(lane_x + x, 0) if out_y is not None else None

                        def inside(c: Sequence[Val], slopes: list[Val] = slopes, limit: Val | None = limit) -> Val:
                            signs = self._signs(slopes, c)
                            return f.mask_bits((signs if limit is None else signs | limit) >= 0)

                        with f.else_of(inside(self.low).eq(every)) as edge:
                            cover(x, y)
                            edge()
                            run.set(0)
                            with f.if_(inside(self.high).ne(0)):
                                self._put_masks(x, y, [inside(c) & self._word(k) for k, c in enumerate(self.c)])

    def _put_masks(self, x: Val, y: Val, masks: Sequence[Val]) -> None:
        """Write one block, and add its bytes to `size` if at least one sample of it is covered."""
        f, size = self.f, run_size(len(self.c))
        self._put_run(f.const(I32, 1), self.tile + (x | (y << 16)), masks)
        union = masks[0]
        for mask in masks[1:]:
            union = union | mask
        self.size.set(f.select(union.eq(0), self.size.get(), self.size.get() + size))

    def _put(self, blocks: Val, xy: Val, kind: int) -> Val:
        """Write the head of an entry at the end of the list without changing `size`. Returns its address."""
        slot = self.f.at(self.list_, self.size.get())
        for k, v in enumerate((self.record, blocks, xy, self.f.const(I32, kind))):
            self.f.store(v, slot, 4 * k)
        return slot
