"""Coverage of conservative draws: every pixel that a primitive touches, once. The rule is that of `backends.raster.front.touching`.

The list has only runs of one block each, in the format of `coverage` and `coverage_samples`, with all samples of a pixel covered. Edge
functions have 64 bits, because the grid may be finer than 1/256 pixel. The box of a record is a part of the rule and is always tested.

A primitive may be several triangles (a line, a point, a polygon that was clipped), which all touch the pixels at shared edges. Their
records are adjacent in the arena; a pixel belongs to the first one that touches it.
"""

from __future__ import annotations

from backends.abi.limits import TILE
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.raster.draw_record import Draw
from backends.raster.front.bins import load_box
from backends.raster.layouts import SetupLayout
from backends.raster.samples import Pattern
from backends.raster.tile.coverage import walk_chain
from backends.raster.tile.coverage_samples import run_size
from backends.raster.tile.hiz import HizTest
from backends.raster.tile.lists import row_lanes, run_bytes


def build_conservative_coverage(lanes: int, rows: int, pattern: Pattern | None, module: Module) -> None:
    """coverage(...), with the arguments and the result of `coverage.build_coverage`. rows: of a block, where targets have one sample."""
    f = Function(module, "coverage", [PTR, PTR, I32, PTR, I32, I32, PTR, PTR], I32)
    draw, arena, limit, cursor_slot, tile_x, tile_y, list_, farthest = f.args
    d = Record(f, draw, Draw)
    samples, rows = (0, rows) if pattern is None else (pattern.count, 2)
    spread = 0.0 if pattern is None or pattern.is_centered else 0.5
    test, tile = HizTest(f, d, farthest, (tile_x, tile_y), spread), (tile_x, tile_y)
    record_size, wanted = d.get("setup.record_size"), d.get("fragments.sample_mask")
    width, entry_bytes = lanes // rows, run_size(samples) if samples else run_bytes(lanes)
    every = f.const(I64, (1 << lanes) - 1 if lanes < 64 else -1)
    size = f.var(I32, 0)
    with walk_chain(f, arena, limit, cursor_slot, size) as entry:
        at = f.at(arena, entry)
        triangle = _Triangle(f, at, tile, lanes, rows)
        x0, y0, x1, y1 = triangle.box
        first = f.load(I32, at, record_size - SetupLayout.FIRST)
        with test.unless_hidden(at, triangle.box), f.range(y0 & -rows, y1 + 1, rows) as y, f.range(x0 & -width, x1 + 1, width) as x:
            mask = f.var(I64, triangle.touched(x, y))
            sibling = f.var(I32, first)
            with f.loop() as siblings:
                siblings.break_if((sibling.get() >= entry) | mask.get().eq(0))
                other = _Triangle(f, f.at(arena, sibling.get()), tile, lanes, rows)
                mask.set(mask.get() & (other.touched(x, y) ^ every))
                sibling.add(record_size)
            with f.if_(mask.get().ne(0)):
                slot = f.at(list_, size.get())
                word = mask.get().trunc(I32) if lanes <= 32 else f.const(I32, 1)
                for k, v in enumerate((entry, f.const(I32, 1), (tile_x | (tile_y << 16)) + (x | (y << 16)), word if not samples else 1)):
                    f.store(v if isinstance(v, Val) else f.const(I32, v), slot, 4 * k)
                for k in range(samples):
                    f.store(f.select((wanted & (1 << k)).ne(0), word, 0), slot, 16 + 4 * k)
                if lanes > 32:
                    f.store(mask.get(), slot, 16)
                size.add(entry_bytes)
    f.ret(size.get())


class _Triangle:
    """A setup record in a tile; coordinates count from the tile's corner."""

    def __init__(self, f: Function, at: Val, tile: tuple[Val, Val], lanes: int, rows: int) -> None:
        self._f = f
        wide = [v.sext(I64) for v in tile]
        slopes = [f.load(I32.wide(4), at, offset).sext(I64) for offset in (SetupLayout.A, SetupLayout.B)]
        c = f.load(I64.wide(4), at, SetupLayout.C, 16) + slopes[0] * wide[0] + slopes[1] * wide[1]
        self._edges = [[v[k] for k in range(3)] for v in (*slopes, c)]
        left, top, right, bottom, _ = load_box(f, at)
        self.box = [f.max(left - tile[0], 0), f.max(top - tile[1], 0), f.min(right - tile[0], TILE - 1), f.min(bottom - tile[1], TILE - 1)]
        dx, dy = row_lanes(lanes, rows)
        self._lanes = [f.lanes_const(I32.wide(lanes), v) for v in (dx, dy)]

    def touched(self, x: Val, y: Val) -> Val:
        """An i64 with a bit for each lane of the block at (x, y)."""
        f = self._f
        columns, rows = (lane + v for lane, v in zip(self._lanes, (x, y)))
        inside = (columns >= self.box[0]) & (columns <= self.box[2]) & (rows >= self.box[1]) & (rows <= self.box[3])
        wide_x, wide_y = columns.sext(I64), rows.sext(I64)
        for a, b, c in zip(*self._edges):
            inside = inside & (wide_x * a + wide_y * b + c >= 0)
        return inside.bits_as(I64) if inside.type.lanes == 64 else f.mask_bits(inside).zext(I64)
