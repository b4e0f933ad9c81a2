"""Bins: for each tile a chain of chunks with the offsets of the setup records that may touch it."""

from __future__ import annotations

from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val, Var
from backends.llvm.builder.record import Record
from backends.raster.layouts import CHUNK, HEADS, NO_CHUNK, SetupLayout
from backends.raster.records import Scene, Worker


def load_box(f: Function, record: Val) -> tuple[Val, Val, Val, Val, Val]:
    """min x, min y, max x, max y of a setup record in pixels, and whether the region cut the box (a nonzero word)."""
    low, high = f.load(I32, record, SetupLayout.BOX), f.load(I32, record, SetupLayout.BOX + 4)
    return low & 0x7FFF, low.lshr(16), high & 0xFFFF, high.lshr(16), low & SetupLayout.CUT


def bin_triangle(
    f: Function, d: Record, arena: Val, cursors: Val, top: Var, record: Val, size: Val, tiles_x: Val, base: Val | None = None
) -> Val:
    """Append a record to the chain of each tile that it may touch. Returns true (a scalar) if there was no room; then nothing changed.

    base: number of the first tile of its layer (None: 0)."""
    at = f.at(arena, record)
    x0, y0, x1, y1, _ = load_box(f, at)
    tx0, ty0, tx1, ty1 = x0.lshr(6), y0.lshr(6), x1.lshr(6), y1.lshr(6)
    nx, ny = tx1 - tx0 + 1, ty1 - ty0 + 1
    # The worst case is a new chunk in each tile. A triangle always fits into an empty arena.
    full = top.get() - record - size * 2 < nx * ny * CHUNK

    def append(tile: Val) -> None:
        tile = tile if base is None else tile + base
        cursor = f.var(I32, f.load(I32, cursors, tile << 2))
        with f.if_((cursor.get() & (CHUNK - 1)).eq(NO_CHUNK)):
            chunk = top.get() - CHUNK
            top.set(chunk)
            old = cursor.get()
            f.store(chunk, arena, f.select(old.eq(NO_CHUNK), (tile << 2) + HEADS, old))
            f.store(f.const(I32.wide(16), 0), arena, chunk)
            cursor.set(chunk)
        f.store(record, arena, cursor.get())
        f.store(cursor.get() + 4, cursors, tile << 2)

    with f.if_(~full):
        with f.else_of((nx | ny).eq(1)) as many:
            append(ty0 * tiles_x + tx0)
            many()
            vec = I32.wide(4)
            a, b = f.load(vec, at, SetupLayout.A), f.load(vec, at, SetupLayout.B)
            low, high = (0 - d.get("setup.tile_margin")).sext(I64), (d.get("setup.tile_margin") + 63).sext(I64)
            a64, b64 = a.sext(I64), b.sext(I64)
            reach = f.max(a64 * low, a64 * high) + f.max(b64 * low, b64 * high)
            reach = reach + (f.load(I64.wide(4), at, SetupLayout.C, 16) >> f.splat(d.get("setup.subpixel_bits").zext(I64), 4))
            with f.range(ty0, ty1 + 1) as ty:
                row = reach + b64 * (ty << 6).sext(I64)
                with f.range(tx0, tx1 + 1) as tx:
                    corner = row + a64 * (tx << 6).sext(I64)  # lane 3 is never negative
                    with f.if_(f.mask_bits(corner < 0).eq(0)):
                        append(ty * tiles_x + tx)
    return full


def build_open_arena(lanes: int, module: Module) -> None:
    """open_arena(worker, arena): empties the bins of a batch and prepares its arena for records and chunks."""
    f = Function(module, "open_arena", [PTR, PTR], internal=True)
    worker, arena = f.args
    w = Record(f, worker, Worker)
    scene, cursors, vec = Record(f, w.get("scene"), Scene), w.get("buffers.cursors"), I32.wide(lanes)
    num_tiles = scene.get("tiles.num_tiles")
    with f.range(0, num_tiles, lanes) as i:
        f.store(f.const(vec, 0), arena, (i << 2) + HEADS)
        f.store(f.const(vec, NO_CHUNK), cursors, i << 2)
    w.set("space.used", (num_tiles * 4 + (HEADS + 4 * lanes + 63)) & ~63)
    w.set("space.top", scene.get("crew.arena_size"))
    f.ret()
