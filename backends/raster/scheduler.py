"""Generated control code: worker threads that stay native, one hand-off a flush, spinning barriers inside it, MXCSR.

A flush is windows of batches; a window is two phases, batches (front end) and tiles. Batches are taken by one atomic counter.
Tiles are dealt out in bands, one a worker, and taken from other bands only when the own one is done: so a tile stays in the caches
of one CPU from frame to frame (one counter for all cost a factor of three where filling is cheap).
All participants run `render`; between phases they meet at a barrier whose last arriver does the serial bookkeeping.
(A semaphore hand-off for each phase cost 50 microseconds and more where an idle CPU halts, as in virtual machines:
a third of the time of a frame with 60 windows. So they spin, and yield the CPU after a while.)
"""

from __future__ import annotations

import ctypes

from backends.llvm.builder import I32, I64, PTR, Function, Module, Val
from backends.llvm.structs import Record
from backends.raster.records import Batch, Scene, Worker

DEFAULT_MXCSR = 0x1F80
SPINS = 4000  # turns of a barrier before it yields


def set_mxcsr(f: Function, value: int) -> Val:
    """Saves MXCSR, loads `value`; returns the slot of the saved word."""
    saved, wanted = f.alloca("i32"), f.alloca("i32")
    f.call(None, "llvm.x86.sse.stmxcsr", saved)
    f.store(f.const(I32, value), wanted)
    f.call(None, "llvm.x86.sse.ldmxcsr", wanted)
    return saved


def _wait(f: Function, semaphore: Val) -> None:
    with f.loop() as loop:
        loop.break_if(f.call(I32, "sem_wait", semaphore).eq(0))


def _batch_at(f: Function, s: Record, i: Val) -> Val:
    return f.at(s.get("batches"), i.zext(I64) * ctypes.sizeof(Batch))


def _build_take_batches(module: Module) -> None:
    f = Function(module, "take_batches", [PTR], shared=True, internal=True)
    s = Record(f, Record(f, f.args[0], Worker).get("scene"), Scene)
    with f.loop() as loop:
        i = f.atomic_add(s.address("next_batch"), 1)
        loop.break_if(i >= s.get("last_batch"))
        f.call(None, "front_end", f.args[0], _batch_at(f, s, i))
    f.ret()


def _build_begin_window(module: Module) -> None:
    f = Function(module, "begin_window", [PTR], shared=True, internal=True)
    s = Record(f, f.args[0], Scene)
    first = s.get("first_batch")
    s.set("next_batch", first)
    s.set("last_batch", f.min(first + s.get("window"), s.get("num_batches")))
    s.set("ticks", f.call(I64, "llvm.readcyclecounter"))
    f.ret()


def _build_begin_tiles(module: Module) -> None:
    """Between the phases. A batch whose arena was too small ends the window: it and what follows come again."""
    f = Function(module, "begin_tiles", [PTR], shared=True, internal=True)
    s = Record(f, f.args[0], Scene)
    first, last = s.get("first_batch"), s.get("last_batch")
    cut, bytes_ = f.var(I32, -1), f.var(I64, 0)
    with f.range(first, last) as i:
        b = Record(f, _batch_at(f, s, i), Batch)
        with f.if_((b.get("done") < b.get("count")) & (cut.get() < 0)):
            cut.set(i)
        bytes_.add(b.get("used").zext(I64))
    s.set("arena_bytes", f.max(s.get("arena_bytes"), bytes_.get()))
    s.set("cut", cut.get())
    s.set("last_batch", f.select(cut.get() < 0, last, cut.get() + 1))
    tiles, participants = s.get("num_tiles"), s.get("participants")
    with f.range(0, participants) as i:
        w = Record(f, f.at(s.get("workers"), i.zext(I64) * ctypes.sizeof(Worker)), Worker)
        w.set("next_tile", (i * tiles).udiv(participants))
        w.set("end_tile", ((i + 1) * tiles).udiv(participants))
    now = f.call(I64, "llvm.readcyclecounter")
    s.set("front_ticks", s.get("front_ticks") + now - s.get("ticks"))
    s.set("ticks", now)
    f.ret()


def _build_end_window(module: Module) -> None:
    f = Function(module, "end_window", [PTR], shared=True, internal=True)
    s = Record(f, f.args[0], Scene)
    cut, last = s.get("cut"), s.get("last_batch")
    s.set("tile_ticks", s.get("tile_ticks") + f.call(I64, "llvm.readcyclecounter") - s.get("ticks"))
    s.set("num_windows", s.get("num_windows") + 1)
    s.set("num_clears", 0)
    s.set("first_batch", f.select(cut < 0, last, cut))
    with f.if_(cut >= 0):
        b = Record(f, _batch_at(f, s, cut), Batch)
        b.set("first", b.get("first") + b.get("done"))
        b.set("count", b.get("count") - b.get("done"))
    s.set("finished", (s.get("first_batch") >= s.get("num_batches")).zext(I32))
    f.call(None, "begin_window", f.args[0])
    f.ret()


def _build_render(module: Module) -> None:
    """render(worker): what every participant of a flush runs."""
    f = Function(module, "render", [PTR], shared=True, internal=True)
    worker = f.args[0]
    scene = Record(f, worker, Worker).get("scene")
    s = Record(f, scene, Scene)

    def barrier(serial: str) -> None:
        generation = f.load(I32, s.address("generation"), atomic=True)
        arrived = f.atomic_add(s.address("arrived"), 1) + 1
        with f.else_of(arrived.eq(s.get("participants"))) as wait_for_it:
            f.call(None, serial, scene)
            s.set("arrived", 0)
            f.atomic_add(s.address("generation"), 1)
            wait_for_it()
            turns = f.var(I32, 0)
            with f.loop() as spin:
                spin.break_if(f.load(I32, s.address("generation"), atomic=True).ne(generation))
                f.call(None, "llvm.x86.sse2.pause")
                turns.add(1)
                with f.if_(turns.get() > SPINS):
                    f.call(I32, "sched_yield")

    with f.loop() as loop:
        f.call(None, "take_batches", worker)
        barrier("begin_tiles")
        f.call(None, "tiles", worker)
        barrier("end_window")
        loop.break_if(s.get("finished").ne(0))
    f.ret()


def _build_worker(module: Module) -> None:
    """worker(worker): the whole life of a thread. `quit` ends it."""
    f = Function(module, "worker", [PTR], shared=True)
    worker = f.args[0]
    w = Record(f, worker, Worker)
    s = Record(f, w.get("scene"), Scene)
    set_mxcsr(f, DEFAULT_MXCSR)
    with f.loop() as loop:
        _wait(f, w.get("start"))
        loop.break_if(s.get("quit").ne(0))
        f.call(None, "render", worker)
        with f.if_(f.atomic_add(s.address("pending"), -1).eq(1)):
            f.call(I32, "sem_post", s.get("done"))
    f.ret()


def _build_flush(module: Module) -> None:
    """flush(scene): starts the workers; the caller helps (as the last participant) or sleeps."""
    f = Function(module, "flush", [PTR], shared=True)
    scene = f.args[0]
    s = Record(f, scene, Scene)
    saved = set_mxcsr(f, DEFAULT_MXCSR)
    workers, threads = s.get("workers"), s.get("threads")
    s.set("first_batch", 0)
    s.set("pending", threads)
    f.call(None, "begin_window", scene)

    def worker_at(i: Val) -> Val:
        return f.at(workers, i.zext(I64) * ctypes.sizeof(Worker))

    with f.range(0, threads) as i:
        f.call(I32, "sem_post", Record(f, worker_at(i), Worker).get("start"))
    with f.if_(s.get("participants") > threads):
        f.call(None, "render", worker_at(threads))
    with f.if_(threads > 0):
        _wait(f, s.get("done"))
    f.call(None, "llvm.x86.sse.ldmxcsr", saved)
    f.ret()


def build_scheduler(module: Module) -> None:
    """flush(scene) and worker(worker), and what they call; `front_end` and `tiles` must be in the same module."""
    for build in (
        _build_take_batches,
        _build_begin_window,
        _build_begin_tiles,
        _build_end_window,
        _build_render,
        _build_worker,
        _build_flush,
    ):
        build(module)
