"""Coverage: from the bins of a tile to the list of pixel blocks that a shading kernel walks. One kernel for all variants.

The list has two kinds of entries; shading has a copy of the fragment shader for each, with its own lane map. (With a common copy, long runs
take 20 to 80% longer, because of permutes and because nothing can be hoisted out of a row.)

  run    {record, blocks, x | y << 16, lane mask}: blocks of (lanes/rows) x rows pixels side by side, lanes row-major, at
         multiples of their sizes (`run_rows`). More than one block only if all lanes are covered. With 64 lanes the word 1
         stands for the mask, which follows as 64 bits.
  quads  {record, blocks, tile x | tile y << 16, 0} and lanes/4 words a block, x | y << 8 | mask << 16 inside the tile:
         the packed quads that a small triangle touches, or a larger one at its edges; lanes 4q..4q+3 are the pixels (0,0) (1,0)
         (0,1) (1,1) of quad q. (A triangle of 4 pixels touches 3 quads on average, which fit one block, while runs need nearly 3 blocks.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from backends.abi.limits import TILE
from backends.llvm.builder.compress import store_compressed
from backends.llvm.builder.function import BOOL, I32, I64, PTR, Function, Module, Val, Var
from backends.llvm.builder.record import Record
from backends.raster.draw_record import Draw
from backends.raster.front.bins import load_box
from backends.raster.layouts import CHUNK, NO_CHUNK, PRIM_BITS, SetupLayout
from backends.raster.tile.hiz import HizTest
from backends.raster.tile.lists import LIST_LIMIT, quad_width, row_lanes, run_bytes
from tgsi.language.record import record

WINDOW = 8  # a triangle whose box fits into WINDOW x WINDOW pixels becomes packed quads
QUADS = (WINDOW // 2) ** 2  # quads of a window, one a lane
HEAD = 16  # bytes of an entry of quads before its quads


def build_coverage(lanes: int, module: Module, quads: bool = True, rows: int = 2, packs: bool = False) -> None:
    """coverage(draw, arena, limit, &cursor, tile x, tile y, list, &farthest) -> bytes of the list.

    The kernel stops at the end of the chain, or when the list is long. Without `quads` small triangles become runs, too. With `packs`
    larger triangles have packed quads at their edges.
    """
    f = Function(module, "coverage", [PTR, PTR, I32, PTR, I32, I32, PTR, PTR], I32)
    draw, arena, limit, cursor_slot, tile_x, tile_y, list_, farthest = f.args
    test = HizTest(f, Record(f, draw, Draw), farthest, (tile_x, tile_y))
    wide_x, wide_y = tile_x.sext(I64), tile_y.sext(I64)
    size = f.var(I32, 0)
    runs_memory = f.alloca(f"[{TILE // rows * run_bytes(lanes)} x i8]") if packs else None
    with walk_chain(f, arena, limit, cursor_slot, size) as entry:
        at = f.at(arena, entry)
        a, b = f.load(I32.wide(4), at, SetupLayout.A), f.load(I32.wide(4), at, SetupLayout.B)
        c64 = f.load(I64.wide(4), at, SetupLayout.C, 16) + a.sext(I64) * wide_x + b.sext(I64) * wide_y
        c = f.max(f.min(c64, 1 << 30), -(1 << 30)).trunc(I32)  # with larger values, the sign is the same in the whole tile
        left, top, right, bottom, cut = load_box(f, at)
        box = [f.max(left - tile_x, 0), f.max(top - tile_y, 0), f.min(right - tile_x, TILE - 1), f.min(bottom - tile_y, TILE - 1)]
        entire = (box[0] | box[1]).eq(0) & (box[2] & box[3]).eq(TILE - 1)

        def divided(coverage: Coverage) -> None:
            if runs_memory is not None:
                coverage.packed(runs_memory)
            else:
                coverage.partial()

        def coverage(bounded: bool) -> Coverage:
            tile = tile_x | (tile_y << 16)
            return Coverage(
                f=f, lanes=lanes, rows=rows, list_=list_, size=size, record=entry, planes=[a, b, c], tile=tile, box=box, bounded=bounded
            )

        triangle = coverage(False)
        with f.else_of(cut.eq(0) | entire) as clipped:
            with triangle.unless_small(quads), test.unless_hidden(at, box):
                worst = c + a * box[0] + b * box[1] + f.min(a, 0) * (box[2] - box[0]) + f.min(b, 0) * (box[3] - box[1])
                covered = (f.mask_bits(worst < 0) & 7).eq(0)
                with f.if_(covered):
                    test.cover(at, box)
                with f.else_of(entire & covered) as partial:
                    triangle.whole()
                    partial()
                    divided(triangle)
            clipped()
            bounded = coverage(True)
            with bounded.unless_small(quads), test.unless_hidden(at, box):
                divided(bounded)
    f.ret(size.get())


@contextmanager
def walk_chain(f: Function, arena: Val, limit: Val, cursor_slot: Val, size: Var) -> Iterator[Val]:
    """A loop over the setup records of a tile that are shaded like the one at the cursor; yields the offset of each.

    Ends early if the list is long. The cursor then is at the first record that was not yielded, or at the end of the chain.
    """
    cursor = f.var(I32, f.load(I32, cursor_slot))
    shading = f.load(I32, arena, f.load(I32, arena, cursor.get()) + SetupLayout.PRIM)
    with f.loop() as loop:
        loop.break_if(size.get() > LIST_LIMIT)
        with f.if_((cursor.get() & (CHUNK - 1)).eq(NO_CHUNK)):
            cursor.set(f.load(I32, arena, cursor.get()))
        loop.break_if(cursor.get().eq(0))
        entry = f.load(I32, arena, cursor.get())
        loop.break_if((entry - 1).uge(limit - 1))  # 0, or dropped
        loop.break_if((f.load(I32, arena, entry + SetupLayout.PRIM) ^ shading).uge(1 << PRIM_BITS))
        cursor.set(cursor.get() + 4)
        _prefetch_record(f, arena, cursor.get())
        yield entry
    f.store(cursor.get(), cursor_slot)


_AHEAD = 4  # entries of a chain between the record that is read and the one that is prefetched
_RECORD = SetupLayout.size(1)  # bytes to prefetch, because most draws have few slots


def _prefetch_record(f: Function, arena: Val, cursor: Val) -> None:
    """Prefetch the record of a later entry, because coverage of small triangles spends two thirds of its time waiting for records.

    Entries after the end of a chain's chunk are ignored; prefetches from entries that are not written yet may use any address."""
    later = cursor + 4 * _AHEAD
    later = f.select((later & (CHUNK - 1)) < 4 * _AHEAD, cursor, later)
    record_ = f.at(arena, f.load(I32, arena, later))
    for k in range(0, _RECORD, 64):
        f.prefetch_read(f.at(record_, k))


@record(frozen=False, kw_only=True)
class Coverage:
    """One triangle in one tile. Edges are exact i32; coordinates count from the tile's corner.

    `bounded`: the region cut the box inside this tile, so pixels outside of the box are not covered.
    """

    f: Function
    lanes: int
    rows: int  # of a run's block
    list_: Val
    size: Var
    record: Val
    planes: list[Val]  # A, B and C; the first three lanes of each are edges
    tile: Val
    box: list[Val]  # min x, min y, max x, max y
    bounded: bool

    @property
    def edges(self) -> list[list[Val]]:
        """A, B and C of the three edges."""
        return [[v[k] for k in range(3)] for v in self.planes]

    @property
    def x0(self) -> Val:
        """First column, even."""
        return self.box[0] & -2

    @property
    def y0(self) -> Val:
        """First row, even."""
        return self.box[1] & -2

    def values(self, x: Val, y: Val, dx: Sequence[int], dy: Sequence[int]) -> list[Val]:
        """The three edge functions at the pixels (x + dx, y + dy)."""
        f, vec = self.f, I32.wide(len(dx))
        lane_x, lane_y = f.lanes_const(vec, dx), f.lanes_const(vec, dy)
        return [lane_x * a + lane_y * b + (c + a * x + b * y) for a, b, c in zip(*self.edges)]

    def outside_columns(self, x: Val) -> Val:
        """Negative where column x lies outside of the box."""
        return (x - self.box[0]) | (self.box[2] - x)

    def outside_rows(self, y: Val) -> Val:
        """Negative where row y lies outside of the box."""
        return (y - self.box[1]) | (self.box[3] - y)

    @contextmanager
    def unless_small(self, quads: bool) -> Iterator[None]:
        """Run the block for larger triangles only; with `quads` small ones become packed quads."""
        if not quads:
            yield
            return
        fits = (self.box[2] - self.x0 < WINDOW) & (self.box[3] - self.y0 < WINDOW)
        with self.f.else_of(fits) as larger:
            self.small()
            larger()
            yield

    def small(self) -> None:
        """Cover all 16 quads of a window at once, without a loop, or only the upper half of them, if the box fits."""
        if self.f.module.has("avx512f"):  # a vector has all 16
            self._small(QUADS)
            return
        with self.f.else_of(self.box[3] - self.y0 < WINDOW // 2) as both:
            self._small(QUADS // 2)
            both()
            self._small(QUADS)

    def _small(self, quads: int) -> None:
        """Cover the first quads of a window."""
        f, vec = self.f, I32.wide(quads)
        x0, y0 = self.x0, self.y0
        quad_x, quad_y = (numbers[:quads] for numbers in window(WINDOW))
        masks = self.quad_masks(self.values(x0, y0, quad_x, quad_y), x0, y0, quad_x, quad_y)
        in_box = (f.lanes_const(vec, quad_x) <= self.box[2] - x0) & (f.lanes_const(vec, quad_y) <= self.box[3] - y0)
        places = f.lanes_const(vec, [x | y << 8 for x, y in zip(quad_x, quad_y)]) + (x0 | (y0 << 8))
        self.end_quads(self.put_quads(masks, places, masks.ne(0) & in_box, self.size.get() + HEAD))

    def packed(self, runs_memory: Val) -> None:
        """Cover the box in windows of 16 quads. Fully covered windows become runs; the quads of partly covered ones are packed.

        Blocks at the edge of a triangle are half empty, as a rule, so packed quads take half as many vectors. They form one entry. kept:
        memory for the runs until the entry is complete; a triangle has at most one run in each row of blocks, because it is convex.
        """
        f, columns = self.f, self.lanes // self.rows
        width = max(columns, WINDOW)
        height = 4 * QUADS // width
        quad_x, quad_y = window(width)
        places = f.lanes_const(I32.wide(QUADS), [x | y << 8 for x, y in zip(quad_x, quad_y)])
        y0, zero = self.box[1] & -height, f.const(I32, 0)
        corner = self.values(zero, zero, quad_x, quad_y)
        grades = WindowGrades(self, y0, width, height)
        runs, end = f.var(I32, 0), f.var(I32, self.size.get() + HEAD)
        with f.range(y0, self.box[3] + 1, height) as y:
            partly, fully = grades.next(y)
            with f.if_(fully.ne(0)):
                blocks, x = f.popcount(fully) * (width // columns), f.first_bit(fully) * width
                for row in range(0, height, self.rows):
                    self.write_run(f.at(runs_memory, runs.get()), blocks, self.tile + (x | (y + row << 16)), self.every)
                    runs.add(run_bytes(self.lanes))
            partial = f.var(I32, partly)
            with f.loop() as windows:
                bits = partial.get()
                windows.break_if(bits.eq(0))
                partial.set(bits & (bits - 1))
                x = f.first_bit(bits) * width
                masks = self.quad_masks([e + (a * x + b * y) for e, a, b in zip(corner, *self.edges[:2])], x, y, quad_x, quad_y)
                end.set(self.put_quads(masks, places + (x | (y << 8)), masks.ne(0), end.get()))
        self.end_quads(end.get())
        four = I32.wide(4)
        with f.range(0, runs.get(), 16) as k:
            f.store(f.load(four, f.at(runs_memory, k)), f.at(self.list_, self.size.get() + k))
        self.size.add(runs.get())

    def quad_masks(self, e00: Sequence[Val], x: Val, y: Val, quad_x: Sequence[int], quad_y: Sequence[int]) -> Val:
        """Covered pixels of quads (4 bits a lane), whose first pixels are (x + quad_x, y + quad_y) and have the edge functions `e00`."""
        f, vec = self.f, I32.wide(len(quad_x))
        e10 = [e + a for e, a in zip(e00, self.edges[0])]
        e01, e11 = ([e + b for e, b in zip(es, self.edges[1])] for es in (e00, e10))
        signs = [e[0] | e[1] | e[2] for e in (e00, e10, e01, e11)]
        if self.bounded:
            at_x, at_y = f.lanes_const(vec, quad_x) + x, f.lanes_const(vec, quad_y) + y
            columns = [self.outside_columns(at_x), self.outside_columns(at_x + 1)]
            rows = [self.outside_rows(at_y), self.outside_rows(at_y + 1)]
            signs = [s | columns[k % 2] | rows[k // 2] for k, s in enumerate(signs)]
        outside = [s.lshr(31) << k for k, s in enumerate(signs)]
        return (outside[0] | outside[1] | outside[2] | outside[3]) ^ 15

    def put_quads(self, masks: Val, places: Val, alive: Val, end: Val) -> Val:
        """Write the quads of the lanes of `alive` at `end` bytes of the list. places: x | y << 8 in the tile. Returns their end."""
        store_compressed(self.f, (masks << 16) | places, alive, self.f.at(self.list_, end))
        return end + (self.f.popcount(self.f.mask_bits(alive)) << 2)

    def end_quads(self, end: Val) -> None:
        """Complete the entry of quads that ends at `end` bytes of the list, unless it is empty."""
        f, width = self.f, quad_width(self.lanes)
        per_block = width // 4
        count = (end - self.size.get() - HEAD).lshr(2)
        with f.if_(count.ne(0)):
            blocks = (count + (per_block - 1)).lshr(per_block.bit_length() - 1)
            self.put(f.at(self.list_, self.size.get()), blocks, self.tile, f.const(I32, 0))
            # Copies of the last quad pad the last block; their lanes compute and store the same bytes again.
            at = f.at(self.list_, end)
            f.store(f.splat(f.load(I32, at, -4), per_block), at)
            self.size.add(blocks * width + HEAD)

    def whole(self) -> None:
        """Cover every pixel of the tile."""
        f = self.f
        with f.range(0, TILE, self.rows) as y:
            self.put_run(f.const(I32, TILE // (self.lanes // self.rows)), self.tile + (y << 16), self.every)
            self.size.add(run_bytes(self.lanes))

    def partial(self) -> None:
        """Cover the box in rows of blocks; adjacent fully covered blocks become one entry."""
        f, bw = self.f, self.lanes // self.rows
        x0, y0 = self.box[0] & -bw, self.box[1] & -self.rows
        dx, dy = row_lanes(self.lanes, self.rows)
        lane_x, lane_y = f.lanes_const(I32.wide(self.lanes), dx), f.lanes_const(I32.wide(self.lanes), dy)
        rows = [f.var(e.type, e) for e in self.values(x0, y0, dx, dy)]
        with f.range(y0, self.box[3] + 1, self.rows) as y:
            now = [f.var(r.type, r.get()) for r in rows]
            run = f.var(BOOL, 0)  # the last entry is fully covered and of this row
            out_y = self.outside_rows(lane_y + y) if self.bounded else None
            with f.range(x0, self.box[2] + 1, bw) as x:
                e = [v.get() for v in now]
                signs = e[0] | e[1] | e[2]
                if out_y is not None:
                    signs = signs | out_y | self.outside_columns(lane_x + x)
                mask = self.bits(signs >= 0)
                covered = mask.eq(self.every)
                with f.else_of(covered & run.get()) as alone:
                    blocks = f.at(f.at(self.list_, self.size.get()), 4 - run_bytes(self.lanes))
                    f.store(f.load(I32, blocks) + 1, blocks)
                    alone()
                    self.put_run(f.const(I32, 1), self.tile + (x | (y << 16)), mask)
                    self.size.set(f.select(mask.eq(0), self.size.get(), self.size.get() + run_bytes(self.lanes)))
                run.set(covered)
                for v, old, a in zip(now, e, self.edges[0]):
                    v.set(old + a * bw)
            for r, b in zip(rows, self.edges[1]):
                r.set(r.get() + b * self.rows)

    @property
    def every(self) -> Val:
        """The mask of all lanes."""
        return self.f.const(I64, -1) if self.lanes > 32 else self.f.const(I32, (1 << self.lanes) - 1 if self.lanes < 32 else -1)

    def bits(self, mask: Val) -> Val:
        """A vector of bools as an integer with one bit a lane."""
        return mask.bits_as(I64) if self.lanes > 32 else self.f.mask_bits(mask)

    def put_run(self, blocks: Val, xy: Val, mask: Val) -> None:
        """Write a run at the end of the list without changing `size`."""
        self.write_run(self.f.at(self.list_, self.size.get()), blocks, xy, mask)

    def write_run(self, slot: Val, blocks: Val, xy: Val, mask: Val) -> None:
        """Write a run to memory."""
        if self.lanes <= 32:
            self.put(slot, blocks, xy, mask)
            return
        self.put(slot, blocks, xy, self.f.const(I32, 1))
        self.f.store(mask, slot, 16)

    def put(self, slot: Val, blocks: Val, xy: Val, mask: Val) -> None:
        """Write the head of an entry."""
        for k, v in enumerate((self.record, blocks, xy, mask)):
            self.f.store(v, slot, 4 * k)


def window(width: int) -> tuple[list[int], list[int]]:
    """Columns and rows of the first pixels of the quads of a window, row-major. width: in pixels."""
    return [i % (width // 2) * 2 for i in range(QUADS)], [i // (width // 2) * 2 for i in range(QUADS)]


class WindowGrades:
    """Finds the windows of a tile that a triangle covers partly or fully, one row of windows after the other.

    A long thin triangle touches few windows of its box. An edge function is greatest in one corner of a window and least in the opposite
    one. A window is empty if the greatest value of an edge is negative, and fully covered if the least value of no edge is.
    """

    def __init__(self, triangle: Coverage, y: Val, width: int, height: int) -> None:
        """Begin with the windows of row `y` of the tile. width, height: of a window, in pixels."""
        f, vec, box = triangle.f, I32.wide(TILE // width), triangle.box
        self._triangle, self._height = triangle, height
        columns = f.lanes_const(vec, range(0, TILE, width))
        a, b, c = triangle.planes
        up, down = (f.max(v, 0) * (width - 1) + f.max(w, 0) * (height - 1) for v, w in ((a, b), (0 - a, 0 - b)))
        greatest, span = c + b * y + up, up + down
        each = [[k] * vec.lanes for k in range(3)]
        self._greatest = [f.var(vec, columns * f.shuffle(a, a, k) + f.shuffle(greatest, greatest, k)) for k in each]
        self._spans = [f.shuffle(span, span, k) for k in each]
        shift = width.bit_length() - 1
        self._touched = self._bits(box[0].lshr(shift), box[2].lshr(shift) + 1)
        self._whole = self._bits((box[0] + (width - 1)).lshr(shift), (box[2] + 1).lshr(shift))

    def _bits(self, first: Val, end: Val) -> Val:
        """Bits from number `first` to the one before `end`."""
        one = self._triangle.f.const(I32, 1)
        return (one << self._triangle.f.max(first, end)) - (one << first)

    def next(self, y: Val) -> tuple[Val, Val]:
        """Bits of the windows of row `y` that are covered partly, and of those that are covered fully."""
        f, box, height = self._triangle.f, self._triangle.box, self._height
        greatest = [v.get() for v in self._greatest]
        least = [v - span for v, span in zip(greatest, self._spans)]
        empty, partly = (f.mask_bits((e[0] | e[1] | e[2]) < 0) for e in (greatest, least))
        fully = (partly ^ -1) & self._whole
        if self._triangle.bounded:
            fully = f.select((y >= box[1]) & (y + (height - 1) <= box[3]), fully, 0)
        for v, old, b in zip(self._greatest, greatest, self._triangle.edges[1]):
            v.set(old + b * height)
        return (empty ^ -1) & (fully ^ -1) & self._touched, fully
