"""The walk over tiles: batches in order (alternating coverage and shading), with the clears between them, then multisample resolves."""

from __future__ import annotations

import ctypes

from backends.abi.limits import TILE
from backends.abi.records import ResolveRecord, WatchRecord
from backends.llvm.builder.function import BOOL, F32, I32, I64, PTR, Function, Module, Val, Var
from backends.llvm.builder.record import Record
from backends.llvm.library.polling import is_stopped
from backends.raster.draw_record import Draw
from backends.raster.layouts import CHUNK, HEADS, NO_CHUNK, PRIM_BITS, HizUse, SetupLayout
from backends.raster.records import Batch, ClearRecord, Scene, Span, Worker
from backends.raster.tile.coarse import INFINITY

POLLED = 1 << 14
"""Work between polls of signals and time, in bytes of lists of pixels. A list that covers a whole tile has about 1 KB."""
_TILE, _CLEAR = 64, 16  # work of a tile, and of a clear of a tile
_AHEAD = 8  # prefetch distance of clears in rows, which makes them twice as fast if targets exceed the caches


def build_tile_walk(module: Module) -> None:
    """tiles(worker): draws all tiles that it can take, the worker's own band first.

    Each tile runs the window's clears and batches in order and, after the last window of a flush, resolves its samples. An interrupted
    flush does not change the tile.
    """
    _build_clear_tile(module)
    _build_clear_due(module)
    f = Function(module, "tiles", [PTR], shared=True, internal=True)
    worker = f.args[0]
    w = Record(f, worker, Worker)
    s = Record(f, w.get("scene"), Scene)
    list_, tiles_x, layer_tiles, layers = w.get("buffers.list"), s.get("tiles.tiles_x"), s.get("tiles.layer_tiles"), s.get("tiles.layers")
    batches, first, last = s.get("work.batches"), s.get("window.first_batch"), s.get("window.last_batch")
    num_clears, due = s.get("window.end_clear"), f.var(I32, 0)
    resolves, resolving = s.get("work.resolves"), s.get("window.resolving")
    cursor, work = f.alloca("i32"), f.var(I32, 0)
    watch = Record(f, s.get("crew.watch"), WatchRecord)
    owner, done, next_tile = f.var(I32, w.get("index")), f.var(I32, 0), f.var(I32, 0)
    with f.loop() as loop:
        _take_tile(f, s, owner, done, next_tile)
        loop.break_if((done.get() >= s.get("crew.participants")) | is_stopped(f, watch))
        tile = next_tile.get()
        layer = tile.udiv(layer_tiles)
        inside = tile - layer * layer_tiles
        w.set("tile.layer", layer)
        ty = inside.udiv(tiles_x)
        x, y = (inside - ty * tiles_x) << 6, ty << 6
        farthest = f.at(s.get("tiles.farthest"), tile.zext(I64) << 2)
        place = [x, y, layer, (layer + 1).eq(layers), farthest]
        due.set(s.get("window.first_clear"))
        with f.range(first, last) as i:
            with f.if_(due.get() < num_clears):
                due.set(f.call(I32, "clear_due", s.pointer, due.get(), i, *place))
            b = Record(f, f.at(batches, i.zext(I64) * ctypes.sizeof(Batch)), Batch)
            limit, is_last_batch = b.get("limit"), (i + 1).eq(last) & resolving.eq(0)
            with f.if_(limit.ne(0)):
                arena = b.get("arena")
                f.store(f.load(I32, arena, (tile << 2) + HEADS), cursor)
                _draw_chain(f, w, b, list_, [arena, limit, cursor, x, y], farthest, is_last_batch, work)
        with f.if_(s.get("window.is_final").ne(0) & (due.get() < num_clears)):
            f.call(I32, "clear_due", s.pointer, due.get(), last, *place)
        with f.range(0, resolving) as k:
            resolve = f.at(resolves, k.zext(I64) * ctypes.sizeof(ResolveRecord))
            f.call_pointer(None, Record(f, resolve, ResolveRecord).get("kernel"), resolve, x, y)
        work.set(work.get() + (due.get() - s.get("window.first_clear")) * _CLEAR + _TILE)
    _publish(f)
    f.ret()


def _draw_chain(f: Function, w: Record, b: Record, list_: Val, chain: list[Val], farthest: Val, is_last: Val, work: Var) -> None:
    """Draw the triangles of a batch in a tile, and add to `work`. chain: as `coverage` takes it. is_last: it is the tile's last batch."""
    s = Record(f, w.get("scene"), Scene)
    arena, limit, cursor, *_ = chain
    watch = Record(f, s.get("crew.watch"), WatchRecord)
    spans = f.at(s.get("work.spans"), b.get("first_span").zext(I64) * ctypes.sizeof(Span))
    shading = f.var(I32, _next_shading(f, arena, limit, cursor))
    with f.loop() as runs:  # of triangles that are shaded alike
        runs.break_if(shading.get() < 0)
        span = Record(f, f.at(spans, shading.get().zext(I64) * ctypes.sizeof(Span)), Span)
        size = _cover_span(f, w, span, list_, chain, farthest)
        shading.set(_next_shading(f, arena, limit, cursor))
        w.set("tile.is_last", (is_last & (shading.get() < 0)).zext(I32))
        _shade_span(f, w, span, list_, arena, size)
        work.add(size)
        with f.if_(work.get() > POLLED, unlikely=True):
            work.set(0)
            with f.leaving(f.call(I32, "poll", watch.pointer).ne(0)):
                _publish(f)
                f.ret()


def _publish(f: Function) -> None:
    """Let other threads see all earlier stores, those past the caches (`streams`) included, before any later one."""
    f.line("fence seq_cst")


def _take_tile(f: Function, s: Record, owner: Var, done: Var, tile: Var) -> None:
    """Set `tile` to the next one of a band, beginning with that of worker `owner`. `done` counts the empty bands."""
    workers, participants = s.get("crew.workers"), s.get("crew.participants")
    with f.loop() as search:
        band = Record(f, f.at(workers, owner.get().zext(I64) * ctypes.sizeof(Worker)), Worker)
        end = band.get("band.end_tile")
        with f.if_(f.load(I32, band.address("band.next_tile"), atomic=True) < end):  # many workers look at each empty band
            tile.set(f.atomic_add(band.address("band.next_tile"), 1))
            search.break_if(tile.get() < end)
        done.add(1)
        search.break_if(done.get() >= participants)
        owner.add(1)
        with f.if_(owner.get() >= participants):
            owner.set(0)


def _cover_span(f: Function, w: Record, span: Record, list_: Val, chain: list[Val], farthest: Val) -> Val:
    """Cover the next triangles of a tile's chain. Returns the bytes of the list for `_shade_span`.

    chain: arena, limit, cursor, x and y, as `coverage` takes them."""
    draw = span.get("draw")
    d = Record(f, draw, Draw)
    coverage = d.get("entries.coverage")
    with f.if_((d.get("hiz.uses") & HizUse.RAISES).ne(0)):
        f.store(f.const(F32, INFINITY), farthest)
    w.set("tile.fragment_env", span.get("fragment_env"))
    return f.call_pointer(I32, coverage, draw, *chain, list_, farthest)


def _shade_span(f: Function, w: Record, span: Record, list_: Val, arena: Val, size: Val) -> None:
    draw = span.get("draw")
    f.call_pointer(None, Record(f, draw, Draw).get("entries.shade"), w.pointer, draw, arena, list_, size)


def _next_shading(f: Function, arena: Val, limit: Val, cursor_slot: Val) -> Val:
    """Number of the span that shades the next triangle of the chain as its own span does; -1: the chain ends here."""
    shading = f.var(I32, -1)
    cursor = f.var(I32, f.load(I32, cursor_slot))
    with f.if_((cursor.get() & (CHUNK - 1)).eq(NO_CHUNK)):
        cursor.set(f.load(I32, arena, cursor.get()))
    with f.if_(cursor.get().ne(0)):
        entry = f.load(I32, arena, cursor.get())
        with f.if_((entry - 1).ult(limit - 1)):
            shading.set(f.load(I32, arena, entry + SetupLayout.PRIM).lshr(PRIM_BITS))
    f.store(cursor.get(), cursor_slot)
    return shading.get()


def _build_clear_due(module: Module) -> None:
    """clear_due(scene, first, batch, x, y, layer, is last, farthest) -> number of the first clear after those that precede the batch.

    Carries out the clears from number `first` on that precede the batch, for one tile."""
    f = Function(module, "clear_due", [PTR, I32, I32, I32, I32, I32, BOOL, PTR], I32, internal=True)
    scene, first, batch, x, y, layer, is_last, farthest = f.args
    s = Record(f, scene, Scene)
    clears, num_clears = s.get("work.clears"), s.get("window.end_clear")
    due = f.var(I32, first)
    with f.loop() as loop:
        loop.break_if(due.get() >= num_clears)
        clear = Record(f, f.at(clears, due.get().zext(I64) * ctypes.sizeof(ClearRecord)), ClearRecord)
        loop.break_if(clear.get("before") > batch)
        f.call(None, "clear_tile", clear.pointer, x, y, layer, is_last)
        with f.if_(clear.get("has_depth").ne(0)):
            f.store(clear.get("farthest"), farthest)
        due.add(1)
    f.ret(due.get())


def _build_clear_tile(module: Module) -> None:
    """clear_tile(clear record, x, y, layer, is last): clears one tile of a layer, 64 bytes at a time.

    Surfaces can have more layers than tiles have: the last layer's tile clears the layers after it, too."""
    f = Function(module, "clear_tile", [PTR, I32, I32, I32, BOOL], internal=True)
    record, x, y, first, is_last = f.args
    r = Record(f, record, ClearRecord)
    line = I32.wide(16)
    texel, stride = r.get("texel_bytes"), r.get("row_stride")
    pattern, keep = f.load(line, r.address("pattern"), 0, 4), f.load(line, r.address("keep"), 0, 4)
    bytes_ = texel * TILE
    corner = f.at(r.get("base"), y.zext(I64) * stride + (x * texel).zext(I64))

    def rows(base: Val, masked: bool) -> None:
        with f.range(0, TILE) as row:
            start, later = (f.at(base, r.zext(I64) * stride) for r in (row, f.min(row + _AHEAD, TILE - 1)))
            with f.range(0, bytes_, 64) as k:
                there = f.at(start, k)
                f.prefetch(f.at(later, k))
                value = (f.load(line, there, 0, 64) & keep) | pattern if masked else pattern
                f.store(value, there, 0, 64)

    layers = r.get("layers")
    with f.range(first, f.select(is_last, layers, f.min(first + 1, layers))) as layer:
        base = f.at(corner, layer.zext(I64) * r.get("layer_stride"))
        with f.else_of(r.get("masked").ne(0)) as whole:
            rows(base, True)
            whole()
            rows(base, False)
    f.ret()
