"""Generated control code: worker threads that stay native, one hand-off a flush, spinning barriers inside it, MXCSR.

A flush is a sequence of windows of batches. A window has two phases: batches (front end), then tiles. Workers take batches from one
atomic counter until the records fill a part of the cache, so windows of light batches are long, and barriers few.

Each worker has a band of tiles, and takes tiles of other bands only after its own: a tile stays in the caches of one CPU from frame to
frame. (One counter for all tiles made draws that fill cheaply three times slower.)

Every participant runs `render`. Between phases all meet at a barrier, where the last to arrive does the serial bookkeeping. A worker
joins when it gets a CPU, in any phase; no participant waits for a worker that has none. (On a busy machine that would cost each frame,
however small, a tick of the operating system's scheduler.)

Participants spin at barriers, and yield the CPU after a while. (A semaphore for each phase cost 50 microseconds and more on machines
whose idle CPUs halt, as virtual ones do: a third of the time of a frame with 60 windows.)
"""

from __future__ import annotations

import ctypes

from backends.device.counters import BATCH_FIELDS
from backends.llvm.builder.environment import DEFAULT_MXCSR, set_mxcsr
from backends.llvm.builder.function import BOOL, I32, I64, PTR, Function, Module, Val, Var
from backends.llvm.builder.record import Record
from backends.raster.layouts import CLOSED
from backends.raster.records import Batch, ClearRecord, Scene, UploadRecord, Worker

LIGHT_PRIMITIVES = 256  # of a window that one thread draws between barriers
LIGHT_BYTES = 2048  # of setup records and chunks of its bins: about twenty tiles
SPINS = 4000  # turns of a barrier before it yields
_JOINED_AT = 12
ARRIVED = (1 << _JOINED_AT) - 1  # bits of `Shared.state`: number of participants that have come to the barrier
JOINED = 1 << _JOINED_AT  # unit of the number of participants, in the bits above
PHASE = 1 << 29  # bit: set in the phase of tiles; all may go on when it changes. CLOSED is the bit above


def _wait(f: Function, semaphore: Val) -> None:
    with f.loop() as loop:
        loop.break_if(f.call(I32, "sem_wait", semaphore).eq(0))


def _batch_at(f: Function, s: Record, i: Val) -> Val:
    return f.at(s.get("work.batches"), i.zext(I64) * ctypes.sizeof(Batch))


def _atomic(f: Function, operation: str, pointer: Val, value: Val) -> None:
    f.line(f"{f.fresh()} = atomicrmw {operation} {pointer}, {value} seq_cst")


def _build_take_batches(module: Module) -> None:
    """take_batches(worker): runs the front end on batches until the window is full, by number or by bytes.

    Arenas are used again from window to window."""
    f = Function(module, "take_batches", [PTR], shared=True, internal=True)
    s = Record(f, Record(f, f.args[0], Worker).get("scene"), Scene)
    with f.loop() as loop:
        loop.break_if(f.load(I32, s.address("shared.filled"), atomic=True) >= s.get("crew.window_bytes"))
        i = f.atomic_add(s.address("shared.next_batch"), 1)
        loop.break_if(i >= s.get("window.last_batch"))
        batch = _batch_at(f, s, i)
        b = Record(f, batch, Batch)
        b.set("arena", f.load(PTR, s.get("crew.arenas"), (i - s.get("window.first_batch")) << 3))
        f.call(None, "front_end", f.args[0], batch)
        _atomic(f, "add", s.address("shared.filled"), b.get("used"))
    f.ret()


def _build_begin_window(module: Module) -> None:
    """begin_window(scene): the serial work before a window, which ends where an upload comes next."""
    f = Function(module, "begin_window", [PTR], shared=True, internal=True)
    s = Record(f, f.args[0], Scene)
    first = s.get("window.first_batch")
    s.set("shared.next_batch", first)
    s.set("shared.filled", 0)
    last = f.var(I32, f.min(first + s.get("crew.window_size"), s.get("work.num_batches")))
    number = f.var(I32, s.get("window.first_upload"))
    with f.loop() as loop:
        loop.break_if(number.get() >= s.get("work.num_uploads"))
        u = Record(f, f.at(s.get("work.uploads"), number.get().zext(I64) * ctypes.sizeof(UploadRecord)), UploadRecord)
        with f.if_(u.get("before") > first):
            last.set(f.min(last.get(), u.get("before")))
        loop.break_if(u.get("before") > first)
        with f.range(0, u.get("rows")) as k:
            row, from_row = k.zext(I64) * u.get("target_stride"), k.zext(I64) * u.get("row_bytes")
            f.call(PTR, "memcpy", (u.get("target") + row).as_pointer(), (u.get("source") + from_row).as_pointer(), u.get("row_bytes"))
        number.add(1)
    s.set("window.first_upload", number.get())
    s.set("window.last_batch", last.get())
    s.set("window.ticks", f.call(I64, "llvm.readcyclecounter"))
    f.ret()


def _build_begin_tiles(module: Module) -> None:
    """begin_tiles(scene): the serial work between the phases.

    A batch whose arena was too small ends the window: the next window begins with the rest of it."""
    f = Function(module, "begin_tiles", [PTR], shared=True, internal=True)
    s = Record(f, f.args[0], Scene)
    with f.leaving(s.get("window.is_binned").ne(0)):
        s.set("window.is_binned", f.const(I32, 0))
        f.ret()
    first, last = s.get("window.first_batch"), f.min(s.get("shared.next_batch"), s.get("window.last_batch"))
    cut, bytes_ = f.var(I32, -1), f.var(I64, 0)
    totals = {name: f.var(I64, 0) for name in BATCH_FIELDS}
    with f.range(first, last) as i:
        b = Record(f, _batch_at(f, s, i), Batch)
        bytes_.add(b.get("used").zext(I64))
        with f.if_(cut.get() < 0):  # batches after the cut run again in the next window, and are counted there
            for total, field in zip(totals.values(), BATCH_FIELDS.values()):
                total.add(b.get(field).zext(I64))
            cut.set(f.select(b.get("skipped") + b.get("done") < b.get("count"), i, -1))
    for name, total in totals.items():
        s.set(f"totals.{name}", s.get(f"totals.{name}") + total.get())
    s.set("totals.arena_bytes", f.max(s.get("totals.arena_bytes"), bytes_.get()))
    s.set("window.cut", cut.get())
    s.set("window.last_batch", f.select(cut.get() < 0, last, cut.get() + 1))
    is_last = (cut.get() < 0) & (last >= s.get("work.num_batches"))
    s.set("window.is_final", is_last.zext(I32))
    s.set("window.resolving", f.select(is_last, s.get("work.num_resolves"), 0))
    tiles, participants = s.get("tiles.num_tiles"), s.get("crew.participants")
    alone = s.get("work.alone").ne(0)
    with f.range(0, participants) as i:
        w = Record(f, f.at(s.get("crew.workers"), i.zext(I64) * ctypes.sizeof(Worker)), Worker)
        w.set("band.next_tile", f.select(alone, 0, (i * tiles).udiv(participants)))
        w.set("band.end_tile", f.select(alone & (i < participants - 1), 0, ((i + 1) * tiles).udiv(participants)))
    now = f.call(I64, "llvm.readcyclecounter")
    s.set("totals.front_ticks", s.get("totals.front_ticks") + now - s.get("window.ticks"))
    s.set("window.ticks", now)
    f.ret()


def _build_end_window(module: Module) -> None:
    """end_window(scene, worker): the serial work after a window.

    Light windows that follow, each cut short by an upload, are drawn here, too. Others could not help, and barriers would take longer.
    """
    f = Function(module, "end_window", [PTR, PTR], shared=True, internal=True)
    scene, worker = f.args
    s = Record(f, scene, Scene)
    with f.loop() as loop:
        f.call(None, "leave_window", scene)
        loop.break_if(s.get("window.finished").ne(0))
        loop.break_if(f.call(I32, "is_short", scene).eq(0))
        f.call(None, "take_batches", worker)
        f.call(None, "begin_tiles", scene)
        tiles, batches = s.get("tiles.num_tiles"), s.get("window.last_batch") - s.get("window.first_batch")
        s.set("window.is_binned", f.const(I32, 1))
        loop.break_if(s.get("shared.filled") > batches * (tiles << 2) + LIGHT_BYTES)
        s.set("window.is_binned", f.const(I32, 0))
        f.call(None, "tiles", worker)
    f.ret()


def _build_is_short(module: Module) -> None:
    """is_short(scene) -> 1 if an upload ends the window, before which there are few primitives and no clears; otherwise 0."""
    f = Function(module, "is_short", [PTR], I32, shared=True, internal=True)
    s = Record(f, f.args[0], Scene)
    last, number, due = s.get("window.last_batch"), s.get("window.first_upload"), s.get("window.first_clear")
    with f.leaving((number >= s.get("work.num_uploads")) | (last >= s.get("work.num_batches"))):
        f.ret(f.const(I32, 0))
    upload = f.at(s.get("work.uploads"), number.zext(I64) * ctypes.sizeof(UploadRecord))
    with f.leaving(Record(f, upload, UploadRecord).get("before").ne(last)):
        f.ret(f.const(I32, 0))
    with f.if_(due < s.get("work.num_clears")):
        clear = f.at(s.get("work.clears"), due.zext(I64) * ctypes.sizeof(ClearRecord))
        with f.leaving(Record(f, clear, ClearRecord).get("before") < last):
            f.ret(f.const(I32, 0))
    total = f.var(I32, 0)
    with f.range(s.get("window.first_batch"), last) as i:
        total.add(Record(f, _batch_at(f, s, i), Batch).get("count"))
    f.ret((total.get() <= LIGHT_PRIMITIVES).zext(I32))


def _build_leave_window(module: Module) -> None:
    """leave_window(scene): counts what a window has drawn, and begins the next one."""
    f = Function(module, "leave_window", [PTR], shared=True, internal=True)
    s = Record(f, f.args[0], Scene)
    cut, last = s.get("window.cut"), s.get("window.last_batch")
    s.set("totals.tile_ticks", s.get("totals.tile_ticks") + f.call(I64, "llvm.readcyclecounter") - s.get("window.ticks"))
    s.set("totals.num_windows", s.get("totals.num_windows") + 1)
    clears, due = s.get("work.clears"), f.var(I32, s.get("window.first_clear"))
    with f.loop() as passed:  # those before a batch of this window, the cut one included
        passed.break_if(due.get() >= s.get("work.num_clears"))
        clear = Record(f, f.at(clears, due.get().zext(I64) * ctypes.sizeof(ClearRecord)), ClearRecord)
        passed.break_if(clear.get("before") >= last)
        due.add(1)
    s.set("window.first_clear", due.get())
    s.set("window.first_batch", f.select(cut < 0, last, cut))
    with f.if_(cut >= 0):
        b = Record(f, _batch_at(f, s, cut), Batch)
        b.set("skipped", b.get("skipped") + b.get("done"))
    s.set("window.finished", (s.get("window.first_batch") >= s.get("work.num_batches")).zext(I32))
    f.call(None, "begin_window", f.args[0])
    f.ret()


def _joined(word: Val) -> Val:
    return word.lshr(_JOINED_AT) & ARRIVED


def _pause(f: Function, turns: Var) -> None:
    f.call(None, "llvm.x86.sse2.pause")
    turns.add(1)
    with f.if_(turns.get() > SPINS):
        f.call(I32, "sched_yield")


def _build_join(module: Module) -> None:
    """join(scene) -> state word after the worker has joined the flush; 0: there is no flush to join."""
    f = Function(module, "join", [PTR], I32, shared=True, internal=True)
    s = Record(f, f.args[0], Scene)
    state = s.address("shared.state")
    result, turns = f.var(I32, 0), f.var(I32, 0)
    with f.loop() as loop:
        word = f.load(I32, state, atomic=True)
        loop.break_if((word & CLOSED).ne(0) | s.get("work.alone").ne(0))
        between = _joined(word).ne(0) & _joined(word).eq(word & ARRIVED)  # the last arriver prepares the next phase
        with f.else_of(between) as try_it:
            _pause(f, turns)
            try_it()
            pair = f.fresh()
            f.line(f"{pair} = cmpxchg {state}, {word}, {word + JOINED} seq_cst seq_cst")
            result.set(f.select(f.emit(BOOL, f"extractvalue {{ i32, i1 }} {pair}, 1"), word + JOINED, 0))
        loop.break_if(result.get().ne(0))
    f.ret(result.get())


def _build_render(module: Module) -> None:
    """render(worker, state word): the work of a participant, from joining a flush to leaving it at the end."""
    f = Function(module, "render", [PTR, I32], shared=True, internal=True)
    worker, joined = f.args
    scene = Record(f, worker, Worker).get("scene")
    s = Record(f, scene, Scene)

    def barrier(serial: str, is_end: bool) -> None:
        now = f.atomic_add(s.address("shared.state"), 1) + 1
        with f.else_of((now & ARRIVED).eq(_joined(now))) as wait_for_it:
            f.call(None, serial, *([scene, worker] if is_end else [scene]))
            is_over = s.get("window.finished").ne(0) if is_end else None
            close = f.const(I32, 0) if is_over is None else f.select(is_over, f.const(I32, CLOSED), 0)
            _atomic(f, "xor", s.address("shared.state"), close | (now & ARRIVED) | PHASE)  # in one step: no thread may see half of it
            if is_over is not None:
                with f.if_(is_over & (s.get("crew.participants") <= s.get("crew.threads"))):
                    f.call(I32, "sem_post", s.get("crew.done"))  # the caller sleeps
            wait_for_it()
            turns = f.var(I32, 0)
            with f.loop() as spin:
                word = f.load(I32, s.address("shared.state"), atomic=True)
                spin.break_if(((word ^ now) & PHASE).ne(0))
                _pause(f, turns)

    phase = f.var(I32, joined & PHASE)
    with f.loop() as loop:
        with f.if_(phase.get().eq(0)):  # a worker that joins in the phase of tiles begins there
            f.call(None, "take_batches", worker)
            barrier("begin_tiles", False)
        phase.set(0)
        f.call(None, "tiles", worker)
        barrier("end_window", True)
        loop.break_if(s.get("window.finished").ne(0))
    f.atomic_add(s.address("shared.state"), -JOINED)
    f.ret()


def _build_worker(module: Module) -> None:
    """worker(worker): the whole life of a thread, which `Crew.quit` ends. A thread that wakes after its flush is over sleeps again."""
    f = Function(module, "worker", [PTR], shared=True)
    worker = f.args[0]
    w = Record(f, worker, Worker)
    s = Record(f, w.get("scene"), Scene)
    set_mxcsr(f, DEFAULT_MXCSR)
    with f.loop() as loop:
        _wait(f, w.get("semaphore"))
        loop.break_if(s.get("crew.quit").ne(0))
        joined = f.call(I32, "join", w.get("scene"))
        with f.if_(joined.ne(0)):
            f.call(None, "render", worker, joined)
    f.ret()


def _build_flush(module: Module) -> None:
    """flush(scene): wakes the workers; the caller helps (as the last participant) or sleeps. All have left the flush when it returns."""
    f = Function(module, "flush", [PTR], shared=True)
    scene = f.args[0]
    s = Record(f, scene, Scene)
    saved = set_mxcsr(f, DEFAULT_MXCSR)
    workers, threads = s.get("crew.workers"), s.get("crew.threads")
    helps = s.get("crew.participants") > threads
    s.set("window.first_batch", 0)
    s.set("window.first_clear", 0)
    s.set("window.first_upload", 0)
    f.call(None, "begin_window", scene)
    f.store(f.select(helps, f.const(I32, JOINED), 0), s.address("shared.state"), atomic=True)

    def worker_at(i: Val) -> Val:
        return f.at(workers, i.zext(I64) * ctypes.sizeof(Worker))

    with f.range(0, f.select(s.get("work.alone").ne(0), f.const(I32, 0), threads)) as i:
        f.call(I32, "sem_post", Record(f, worker_at(i), Worker).get("semaphore"))
    with f.else_of(helps) as otherwise:
        f.call(None, "render", worker_at(threads), f.const(I32, JOINED))
        otherwise()
        _wait(f, s.get("crew.done"))
    turns = f.var(I32, 0)
    with f.loop() as loop:
        loop.break_if(_joined(f.load(I32, s.address("shared.state"), atomic=True)).eq(0))
        _pause(f, turns)
    f.call(None, "llvm.x86.sse.ldmxcsr", saved)
    f.ret()


def build_scheduler(module: Module) -> None:
    """flush(scene), worker(worker) and the functions that they call; `front_end` and `tiles` must be in the same module."""
    for build in (
        _build_take_batches,
        _build_begin_window,
        _build_begin_tiles,
        _build_leave_window,
        _build_is_short,
        _build_end_window,
        _build_join,
        _build_render,
        _build_worker,
        _build_flush,
    ):
        build(module)
