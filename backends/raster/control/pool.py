"""Workers: native threads, their scratch memory, and the hand-off of a flush."""

from __future__ import annotations

import ctypes
import functools
import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.abi.limits import MAX_LANES
from backends.abi.records import ResolveRecord, Watch, has_watches
from backends.device.copy_job import Copy, Crewed
from backends.device.counters import Intervals, Place, counted
from backends.device.framebuffer import Framebuffer
from backends.device.region import aligned, reserved
from backends.llvm.engine.engine import Library
from backends.pipe.limits import MAX_ATTRIBUTES, MAX_TARGET_SAMPLES, MOST_INTERVALS
from backends.raster.control.passes import Passes, tiles_of
from backends.raster.layouts import (
    BUSY,
    CACHE_SLOTS,
    CLOSED,
    MAX_OUTPUTS,
    MAX_SPANS,
    MAX_VERTEX_SLOTS,
    POLYGON,
    SYSTEM_VALUES,
    VertexLayout,
)
from backends.raster.records import CopierRecord, PassRecord, Scene, Work, Worker
from backends.raster.tile.coarse import INFINITY
from backends.raster.tile.lists import list_capacity
from backends.system import Semaphores, cache_bytes
from tgsi.language.facts.limits import NEVER

MIN_WINDOW_BYTES, MAX_WINDOW_BYTES = 1 << 20, 4 << 20  # shorter windows would mostly wait; longer ones do not fit the caches
_PAUSE = 1e-4  # seconds between polls of busy workers
_VECTOR = 4 * MAX_LANES

_RUN_TILES = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int32] * 3)
_COPY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, *[ctypes.c_int64] * 6, ctypes.c_int32)


class _Threads:
    """The native threads of a pool. Holds no reference to the pool, so that a garbage-collected pool ends them."""

    def __init__(self, scene: Scene, workers: Any, count: int, library: Library) -> None:
        self.scene, self.workers, self.count, self.library = scene, workers, count, library
        self._semaphores = Semaphores(0)
        self._threads: list[threading.Thread] = []
        self._process = -1

    def start(self) -> bool:
        """Start the threads unless they run: on first use, and again in a child process after a fork.

        Returns False if the system refuses a thread; then none keeps running, and the next call tries again.
        """
        if not self.are_running:
            self._threads = []
            try:
                self._begin()
            except (RuntimeError, MemoryError):
                self._end()
                return False
            self._process = os.getpid()
        return True

    def _begin(self) -> None:
        self._semaphores, scene = Semaphores(self.count + 1), self.scene
        for w, handle in zip(self.workers, self._semaphores.handles):
            w.semaphore, w.is_asleep = handle, 0
        scene.crew.done, scene.crew.quit, scene.crew.is_held = self._semaphores.handles[self.count], 0, 0
        scene.shared.state = CLOSED
        body, size = self.library.entry("worker"), ctypes.sizeof(Worker)
        for i in range(self.count):
            t = threading.Thread(target=body, args=(ctypes.addressof(self.workers) + size * i,), name=f"raster-{i}", daemon=True)
            t.start()
            self._threads.append(t)

    @property
    def are_running(self) -> bool:
        """True if this process has the threads."""
        return self._process == os.getpid()

    def stop(self) -> None:
        """End and join the threads; a child process has no threads to join."""
        if self.are_running:
            self._end()

    def _end(self) -> None:
        self.scene.crew.quit = self.scene.crew.is_held = 1
        for number in range(len(self._threads)):
            self._semaphores.post(number)
        for t in self._threads:
            t.join()
        self._semaphores.close()
        self._threads, self._process = [], -1


@functools.cache
def window_bytes(participants: int) -> int:
    """Bytes of setup records in a window: as many as stay in the second-level caches of the participants until the tiles are drawn."""
    return min(max(participants * (cache_bytes(2) or 1 << 20), MIN_WINDOW_BYTES), MAX_WINDOW_BYTES)


class Pool:
    """The threads of a renderer, and the Scene and scratch memory that a flush works on.

    Arguments: number of native threads; whether the caller of a flush helps them; the module with `flush` and `worker`; most primitives of
    a batch; most batches of a window; smallest size of an arena in bytes.

    Attributes:
        flush_address: address of the function that carries out a flush.
        copy_address: address of the function that copies rows (`backends.raster.control.at_once`).
        run_ahead: address of the function that lets the workers begin before a flush (`backends.raster.control.scheduler`), 0 if there
            is no CPU for them.
        watch: ends a flush early, if a signal handler raises or a time limit is exceeded.
        is_limited: there may be a time limit.
        drop: returns the function that drops pending work after such an end.
    """

    def __init__(self, threads: int, helps: bool, library: Library, batch: int, window: int, arena: int) -> None:
        self.scene, self.window = Scene(), window
        self.workers = (Worker * (threads + 1))()  # the last is the caller
        self._arena_minimum, self._keep, self._cursors = arena, list[Any](), list[NDArray[Any]]()
        self.arenas: list[NDArray[Any]] = []
        self.arena_size = 0
        self.coarse = np.zeros(0, np.float32)  # one bound a tile
        s = self.scene
        self.passes = Passes(s.asked)
        crew = s.crew
        crew.batch_size, crew.window_size, crew.window_bytes = batch, window, window_bytes(threads + helps)
        crew.threads, crew.participants, crew.last_cache = threads, threads + helps, cache_bytes(3) or NEVER
        crew.workers, self._participants = ctypes.addressof(self.workers), threads + helps
        prims, corners = batch * (POLYGON - 2) + 256, batch * (POLYGON + 8) + 256
        sizes = {
            "vertices": corners * VertexLayout.size(MAX_VERTEX_SLOTS),
            "cache": CACHE_SLOTS * 16,
            "list": list_capacity(8, MAX_TARGET_SAMPLES),  # the narrowest width needs most
            "polygon": 2 * POLYGON * VertexLayout.size(MAX_VERTEX_SLOTS),
            "soa_in": MAX_ATTRIBUTES * 4 * _VECTOR,
            "soa_out": (MAX_OUTPUTS + 1) * 4 * _VECTOR,
            "system": SYSTEM_VALUES * _VECTOR,
        }
        sizes["invocations"], sizes["intervals"] = 4 * MAX_SPANS, 8 * MOST_INTERVALS
        sizes |= dict.fromkeys(("clip_masks", "vertex_id", "instance_id"), corners * 4)
        sizes |= dict.fromkeys(("t0", "t1", "t2", "prim", "u0", "u1", "u2", "uprim"), prims * 4)
        intervals: list[NDArray[np.int64]] = []
        for i, w in enumerate(self.workers):
            w.scene, w.index = ctypes.addressof(s), i
            for name, size in sizes.items():
                memory = reserved(size)
                self._keep.append(memory)
                setattr(w.buffers, name, memory.ctypes.data)
                if name == "intervals":
                    intervals.append(memory.view(np.int64))
        self.intervals = Intervals(intervals)
        self._flush, self._finish = library.entry("flush"), library.entry("finish")
        self._run_tiles, self.copy_address = _RUN_TILES(library.address["run_tiles"]), library.address["copy_at_once"]
        self._copy = _COPY(self.copy_address)
        self.watch = Watch(library.address["poll"] if has_watches() else 0)
        self.is_limited = False
        self.drop: Callable[[], Callable[[], None] | None] = _nothing
        self._stop, crew.watch = self.watch.record, ctypes.addressof(self.watch.record)
        self.flush_address = library.address["flush"]
        self.run_ahead = library.address["run_ahead"] if helps and threads else 0
        s.shared.state, crew.is_held = CLOSED, 1
        self._threads = _Threads(s, self.workers, threads, library)
        self._finalizer = weakref.finalize(self, self._threads.stop)
        _pools.add(self)

    def begin_pass(self, framebuffer: Framebuffer, num_batches: int, num_clears: int) -> None:
        """Let later work draw to other targets; see `Passes.begin`. MemoryError, with nothing changed."""
        if not self.passes.has_work(num_batches, num_clears):
            self.finish()  # workers may have begun the open pass, which the new one replaces
        self._fit(tiles_of(framebuffer, 1))
        self.passes.begin(framebuffer, num_batches, num_clears)
        if self.passes.count == 1:
            self._fit(self.passes.record, shrinks=True)

    def size_pass(self, layers: int) -> None:
        """Let the open pass draw to its first layer, or to all layers. MemoryError, with nothing changed."""
        self.finish()
        self._fit(tiles_of(self.passes.framebuffer, layers))
        self.passes.size(layers)
        record, s = self.passes.record, self.scene
        if s.window.is_open and s.window.pass_number == self.passes.count - 1:
            s.tiles.num_tiles, s.tiles.layers = record.num_tiles, record.layers
            self._bin_again()

    def _fit(self, record: PassRecord, *, shrinks: bool = False) -> None:
        """Resize memory for a pass. All allocations come first, so that a MemoryError changes nothing.

        shrinks: no other pass needs larger arenas.
        """
        num_tiles, s = record.num_tiles, self.scene
        size, cursor = self.arena_for(record), num_tiles * 4 + 4 * MAX_LANES
        is_other_size = size > self.arena_size or (shrinks and 2 * size < self.arena_size)
        has_cursors = bool(self._cursors) and cursor <= len(self._cursors[0])
        if num_tiles <= len(self.coarse) and has_cursors and not is_other_size:
            return
        coarse = self.coarse if num_tiles <= len(self.coarse) else np.full(num_tiles, INFINITY, np.float32)
        arenas = [reserved(size) for _ in range(self.window)] if is_other_size else self.arenas
        cursors = self._cursors if has_cursors else [aligned(cursor) for _ in self.workers]
        addresses = np.array([a.ctypes.data for a in arenas], np.uint64)
        self.finish()
        self._bin_again()
        self.coarse, self.arenas, self._cursors, self._addresses = coarse, arenas, cursors, addresses
        s.tiles.farthest, s.crew.arenas = coarse.ctypes.data, addresses.ctypes.data
        s.crew.most_tiles = min(len(coarse), len(cursors[0]) // 4 - MAX_LANES)
        if is_other_size:
            self.arena_size = s.crew.arena_size = size
        for w, memory in zip(self.workers, cursors):
            w.buffers.cursors = memory.ctypes.data

    def arena_for(self, record: PassRecord) -> int:
        """Bytes of an arena for the worst case of a single primitive of a pass."""
        return int(max(self._arena_minimum, record.layer_tiles * 76 + record.num_tiles * 4 + 64 * 1024) + 63) & ~63

    def _bin_again(self) -> None:
        """Discard results that workers have binned ahead of a flush, because the arenas or the tiles change."""
        s = self.scene
        if s.window.is_open:
            s.shared.next_batch, s.shared.filled = s.window.first_batch, 0
            self.coarse[:] = INFINITY

    def end_flush(self) -> None:
        """End the present flush, complete or not, so that the next part begins a new one."""
        self.finish()
        self.scene.window.is_open = 0
        self.passes.restart()

    def carry_out(self, hand_over: Callable[[Work], object], alone: bool) -> None:
        """Run the last part of a flush. ``hand_over(work)`` fills the Work, and returns the objects that must live until the end. See
        `run`."""
        held = hand_over(self.scene.asked)
        try:
            self.run(alone)
            del held
        finally:
            self.end_flush()

    def run(self, alone: bool = False) -> None:
        """Run the last part of a flush: batches that no worker has begun. alone: the caller does all of it, tile after tile,

        as it always does if the system has no threads.

        Raises:
            ValueError: the pool is closed.
        """
        s, is_ready = self.scene, self._is_ready()
        if is_ready and not alone:
            self._call(self._flush)
            return
        s.asked.alone, s.crew.participants = 1, s.crew.threads + 1
        try:
            self._call(self._flush)
        finally:
            s.asked.alone, s.crew.participants = 0, self._participants

    @property
    def is_closed(self) -> bool:
        """True after `close`."""
        return not self._finalizer.alive

    def check_open(self) -> None:
        """ValueError if the pool is closed."""
        if self.is_closed:
            raise ValueError("the renderer is closed")

    def _is_ready(self) -> bool:
        """True if threads are running, which are started if necessary. ValueError if the pool is closed."""
        self.check_open()
        return self._threads.start()

    def _call(self, entry: Callable[..., object], *arguments: int) -> None:
        """Run native code that the watch may interrupt. All threads have left it when this returns or raises."""
        if self.is_limited:
            self.watch.set_limit()
        entry(ctypes.addressof(self.scene), *arguments)
        if self.is_limited:
            self._stop.limit = NEVER
        if self._stop.stop:
            self.scene.window.is_open = 0
            self.stopped()

    def stopped(self) -> None:
        """Drop pending work, and raise the exception for which the watch interrupted native code."""
        reason = self.watch.take_reason()
        try:
            drop = self.drop()
            if drop is not None:
                drop()
        finally:
            reason()

    @property
    def is_idle(self) -> bool:
        """True if no worker is in a part of a flush; a child process has no workers."""
        return bool(self.scene.shared.state & BUSY == CLOSED) or not self._threads.are_running

    def finish(self) -> None:
        """Help workers finish the part that they began ahead of a flush."""
        if not self.is_idle:
            self._call(self._finish)

    def wait(self) -> None:
        """Wait until no worker is in a part of a flush. Any thread may wait; only the owner of the pool helps."""
        while not self.is_idle:
            time.sleep(_PAUSE)

    def hold(self) -> None:
        """Wait for the workers, and keep them from beginning work ahead of a flush."""
        self.scene.crew.is_held = 1
        self.wait()

    def let_go(self) -> None:
        """End a `hold`, if there are workers."""
        self.scene.crew.is_held = not self._threads.are_running

    def run_tiles(self, job: ResolveRecord, tiles_x: int, tiles_y: int, alone: bool = False) -> None:
        """Run a kernel on `tiles_x` times `tiles_y` tiles at once. Pending work and the size of the framebuffer do not change."""
        is_ready = self._is_ready()
        self._call(self._run_tiles, ctypes.addressof(job), tiles_x, tiles_y, alone or not is_ready)

    def copy_rows(self, copier: CopierRecord, job: Copy) -> None:
        """Copy rows of bytes at once; pending work does not change. `copier` has a kernel."""
        crewed, sizes = Crewed.YES if self._is_ready() else Crewed.NO, (job.row_bytes, job.rows)
        places = job.source, job.source_stride, job.target, job.target_stride
        self._call(lambda _: self._copy(ctypes.addressof(copier), *places, *sizes, crewed))

    def counts(self) -> dict[str, Any]:
        """Running totals of all threads, by the names of their counters."""
        totals = {name: sum(int(getattr(worker.counters, name)) for worker in self.workers) for name in counted(Place.WORKER)}
        return totals | {name: int(getattr(self.scene.totals, name)) for name in counted(Place.BATCH)}

    def close(self) -> None:
        """End the threads. A second call does nothing."""
        self.finish()
        self._finalizer()


def _nothing() -> None:
    return None


_pools: weakref.WeakSet[Pool] = weakref.WeakSet()


def _hold_all() -> None:
    """Finish all work before a fork, because a child process has no worker threads."""
    for pool in list(_pools):
        pool.hold()


def _let_all_go() -> None:
    for pool in list(_pools):
        pool.let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold_all, after_in_parent=_let_all_go)
