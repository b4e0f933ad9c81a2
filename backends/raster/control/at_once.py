"""Generated control code: tiles that run at once while other work stays pending, and copies of rows as such tiles."""

from __future__ import annotations

import ctypes

from backends.abi.limits import TILE
from backends.abi.records import WatchRecord
from backends.device.copy_job import Crewed
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.llvm.library.polling import is_stopped, read_clock
from backends.raster.records import CopierRecord, Scene, Tiles, Window, Work

ROW = 65 * 64
"""Contiguous bytes are divided into rows of this size: an odd number of cache lines, so that rows fall into different sets."""

TRIALS = 16
"""Number of copies after which the other method is timed again."""
_SHARE = 8  # of the latest copy in the average time of its way
_MOST_TIMES, _GRACE = 4, 10_000  # a copy counts as at most so many averages, and so many nanoseconds more

_KEPT = {"asked": Work, "tiles": Tiles, "window": Window}


def build_run_tiles(module: Module) -> None:
    """run_tiles(scene, job, tiles_x, tiles_y, alone): runs the kernel of a ResolveRecord on `tiles_x` times `tiles_y` tiles at once.

    Pending work and the size of the framebuffer do not change. alone: the caller does all of the work.
    """
    f = Function(module, "run_tiles", [PTR, PTR, I32, I32, I32], shared=True)
    scene, job, tiles_x, tiles_y, alone = f.args
    s = Record(f, scene, Scene)
    f.call(None, "finish", scene)
    saved = [(s.address(name), f.alloca(f"[{ctypes.sizeof(layout)} x i8]", 16), ctypes.sizeof(layout)) for name, layout in _KEPT.items()]
    for place, memory, size in saved:
        f.call(PTR, "memcpy", memory, place, f.const(I64, size))
    others = [(name, s.get(name)) for name in ("shared.next_batch", "shared.filled", "crew.participants")]
    for name in ("window.is_open", *(f"asked.num_{what}" for what in ("passes", "batches", "clears", "uploads"))):
        s.set(name, f.const(I32, 0))
    s.set("asked.resolves", job)
    s.set("asked.num_resolves", f.const(I32, 1))
    s.set("asked.alone", alone)
    s.set("crew.participants", f.select(alone.ne(0), s.get("crew.threads") + 1, s.get("crew.participants")))
    for name, value in (("tiles_x", tiles_x), ("num_tiles", tiles_x * tiles_y), ("layer_tiles", tiles_x * tiles_y)):
        s.set(f"tiles.{name}", value)
    s.set("tiles.layers", f.const(I32, 1))
    f.call(None, "flush", scene)
    for place, memory, size in saved:
        f.call(PTR, "memcpy", place, memory, f.const(I64, size))
    for name, value in others:
        s.set(name, value)
    f.ret()


def build_copy_at_once(module: Module) -> None:
    """copy_at_once(copier, source, source stride, target, target stride, bytes of a row, rows, Crewed) -> 0 if the rows were copied.

    Otherwise Python takes over, because the kernel or the number of threads does not exist yet, or the copy was interrupted.

    All threads together are 1.5 times as fast as one if each has a CPU. On a busy machine a thread that loses its CPU delays the end by a
    tick of the system's scheduler, several times the length of a copy. Both methods give the same bytes, so measured times decide: a
    running average for each method, in which outliers are damped.
    """
    f = Function(module, "copy_at_once", [PTR, I64, I64, I64, I64, I64, I64, I32], I32, shared=True)
    copier, source, source_stride, target, target_stride, row, rows, crewed = f.args
    c = Record(f, copier, CopierRecord)
    s = Record(f, c.get("scene"), Scene)
    watch = Record(f, s.get("crew.watch"), WatchRecord)
    is_unknown = crewed.eq(int(Crewed.UNKNOWN)) & s.get("crew.is_held").ne(0)
    with f.leaving(c.get("job.kernel").as_address().eq(0) | is_unknown):
        f.ret(f.const(I32, 1))
    f.call(None, "finish", s.pointer)
    start = _time(f, watch)
    c.set("copies", c.get("copies") + 1)
    size = row * rows
    with f.if_(size.ne(c.get("bytes"))):
        c.set("bytes", size)
        for k in range(2):
            c.set("times", f.const(I64, 0), k)
    crew_time, alone_time = c.get("times", 0), c.get("times", 1)
    usual = (alone_time.ne(0) & (alone_time < crew_time)).zext(I32)
    is_trial = (c.get("copies") & (TRIALS - 1)).eq(0)
    way = f.select(is_trial, 1 - usual, usual) | crewed.eq(int(Crewed.NO)).zext(I32)
    width, height = f.var(I32, row.trunc(I32)), f.var(I32, rows.trunc(I32))
    strides = {"source_stride": f.var(I64, source_stride), "target_stride": f.var(I64, target_stride)}
    with f.if_((rows <= 1) | (source_stride.eq(row) & target_stride.eq(row))):
        whole = size.udiv(ROW)
        done = whole * ROW
        f.call(PTR, "memcpy", (target + done).as_pointer(), (source + done).as_pointer(), size - done)
        for value in strides.values():
            value.set(f.const(I64, ROW))
        width.set(f.const(I32, ROW))
        height.set(whole.trunc(I32))
    c.set("job.source", source.as_pointer())
    c.set("job.target", target.as_pointer())
    for name, value in strides.items():
        c.set(f"job.{name}", value.get())
    c.set("job.box", width.get(), 2)
    c.set("job.box", height.get(), 3)
    with f.if_(height.get() > 0):
        tiles = (height.get() + (TILE - 1)).udiv(TILE)
        f.call(None, "run_tiles", s.pointer, c.address("job"), f.const(I32, 1), tiles, way)
    with f.leaving(is_stopped(f, watch)):
        f.ret(f.const(I32, 1))
    _learn(f, c, way, _time(f, watch) - start)
    f.ret(f.const(I32, 0))


def _time(f: Function, watch: Record) -> Val:
    """The time in nanoseconds; 0 on systems without a clock."""
    time = f.var(I64, 0)
    with f.if_(watch.get("clock").as_address().ne(0)):
        time.set(read_clock(f, watch))
    return time.get()


def _learn(f: Function, c: Record, way: Val, time: Val) -> None:
    """Add the time of a copy to the average of its method, which begins with the first time."""
    place = f.at(c.address("times"), way.zext(I64) << 3)
    old = f.load(I64, place, 0, 8)
    counted = f.min(f.max(time, f.const(I64, 1)), old * _MOST_TIMES + _GRACE)
    f.store(f.select(old.eq(0), f.max(time, f.const(I64, 1)), old + (counted - old).sdiv(_SHARE)), place, 0, 8)
