"""Generated control code: worker threads that stay native, one hand-off a flush, spinning barriers inside it.

A flush is a sequence of windows of batches (`windows`). A window has two phases: batches (front end), then tiles.

Each worker has a band of tiles, and takes tiles of other bands only after its own: a tile stays in the caches of one CPU from frame to
frame. (One counter for all tiles made draws that fill cheaply three times slower.)

Every participant runs `render`. Between phases all meet at a barrier, where the last to arrive does the serial bookkeeping. A worker
joins when it gets a CPU, in any phase; no participant waits for a worker that has none. (On a busy machine that would cost each frame,
however small, a tick of the operating system's scheduler.)

A flush may come in parts. Workers begin with the batches that are queued while the caller queues more (`run_ahead`). A window that is not
full when they run out of batches stays open, with what is binned in its arenas, and the next part goes on with it. So the windows are
those of a flush in one part, no tile is walked more often, and the caller waits for nobody until the last part.

A flush that is ended (`backends.abi.records.Watch`) goes on to the next barrier, where it is closed: nobody takes another batch or
tile. Python drops what is left.

Participants spin at barriers, and yield the CPU after a while. (A semaphore for each phase cost 50 microseconds and more on machines
whose idle CPUs halt, as virtual ones do: a third of the time of a frame with 60 windows.)
"""

from __future__ import annotations

import ctypes

from backends.abi.records import WatchRecord
from backends.llvm.builder.environment import count_ticks, default_environment, pause, set_default_environment
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val, Var
from backends.llvm.builder.record import Record
from backends.llvm.library.polling import begin_watch, build_poll, read_clock
from backends.raster.control.windows import build_windows, wake_first, worker_at
from backends.raster.layouts import CLOSED, PHASE
from backends.raster.records import Scene, Work, Worker

_BATCHES_A_WORKER = 3  # as a power of 2: a worker is woken for so many
_BILLION, _NAP = 1_000_000_000, 20_000_000  # nanoseconds: of a second, and between two looks at signals
_SYSTEM_TIME = 0  # CLOCK_REALTIME, which semaphores know
SPINS = 4000  # turns of a barrier before it yields
_JOINED_AT = 12
ARRIVED = (1 << _JOINED_AT) - 1  # bits of `Shared.state`: number of participants that have come to the barrier
JOINED = 1 << _JOINED_AT  # unit of the number of participants, in the bits above


def _wait(f: Function, semaphore: Val) -> None:
    with f.loop() as loop:
        loop.break_if(f.call(I32, "sem_wait", semaphore).eq(0))


def _watch(f: Function, s: Record) -> Record:
    return Record(f, s.get("crew.watch"), WatchRecord)


def _poll(f: Function, s: Record) -> None:
    f.call(I32, "poll", s.get("crew.watch"))


def _wait_awake(f: Function, s: Record, semaphore: Val) -> None:
    """Wait for a semaphore on the thread of the caller, which looks at signals and at the time meanwhile."""
    until, watch = f.alloca("[2 x i64]"), _watch(f, s)
    wait = watch.get("wait")
    with f.else_of(wait.as_address().eq(0)) as otherwise:
        _wait(f, semaphore)
        otherwise()
        with f.loop() as loop:
            end = read_clock(f, watch, f.const(I32, _SYSTEM_TIME)) + _NAP
            f.store(end.udiv(_BILLION), until, 0, 8)
            f.store(end.urem(_BILLION), until, 8, 8)
            loop.break_if(f.call_pointer(I32, wait, semaphore, until).eq(0))
            _poll(f, s)


def _joined(word: Val) -> Val:
    return word.lshr(_JOINED_AT) & ARRIVED


def _pause(f: Function, s: Record, turns: Var) -> None:
    pause(f)
    turns.add(1)
    with f.if_(turns.get() > SPINS):
        f.call(I32, "sched_yield")
        _poll(f, s)


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
            _pause(f, s, turns)
            try_it()
            result.set(f.select(f.exchange(state, word, word + JOINED), word + JOINED, 0))
        loop.break_if(result.get().ne(0))
    f.ret(result.get())


def _build_render(module: Module) -> None:
    """render(worker, state word): the work of a participant, from joining a flush to leaving it at the end."""
    f = Function(module, "render", [PTR, I32], shared=True, internal=True)
    worker, joined = f.args
    scene = Record(f, worker, Worker).get("scene")
    s = Record(f, scene, Scene)

    def barrier(serial: str) -> None:
        now = f.atomic_add(s.address("shared.state"), 1) + 1
        with f.else_of((now & ARRIVED).eq(_joined(now))) as wait_for_it:
            f.call(None, serial, scene, worker)
            is_over = s.get("window.finished").ne(0)
            close = f.select(is_over, f.const(I32, CLOSED), 0)
            f.change_atomically("xor", s.address("shared.state"), close | (now & ARRIVED) | PHASE)
            with f.if_(is_over & (s.get("crew.participants") <= s.get("crew.threads"))):
                f.call(I32, "sem_post", s.get("crew.done"))  # the caller sleeps
            wait_for_it()
            turns = f.var(I32, 0)
            with f.loop() as spin:
                word = f.load(I32, s.address("shared.state"), atomic=True)
                spin.break_if(((word ^ now) & PHASE).ne(0))
                _pause(f, s, turns)

    phase, is_over = f.var(I32, joined & PHASE), f.var(I32, 0)
    with f.loop() as loop:
        with f.if_(phase.get().eq(0)):  # a worker that joins in the phase of tiles begins there
            f.call(None, "take_batches", worker)
            barrier("begin_tiles")
            is_over.set(s.get("window.finished"))
        loop.break_if(is_over.get().ne(0))
        phase.set(0)
        f.call(None, "tiles", worker)
        barrier("end_window")
        loop.break_if(s.get("window.finished").ne(0))
    f.atomic_add(s.address("shared.state"), -JOINED)
    f.ret()


def _build_worker(module: Module) -> None:
    """worker(worker): the whole life of a thread, which `Crew.quit` ends. A thread that wakes after its flush is over sleeps again."""
    f = Function(module, "worker", [PTR], shared=True)
    worker = f.args[0]
    w = Record(f, worker, Worker)
    s = Record(f, w.get("scene"), Scene)
    set_default_environment(f)
    with f.loop() as loop:
        _wait(f, w.get("semaphore"))
        loop.break_if(s.get("crew.quit").ne(0))
        joined = f.call(I32, "join", w.get("scene"))
        with f.if_(joined.ne(0)):
            f.call(None, "render", worker, joined)
    f.ret()


def _build_begin(module: Module) -> None:
    """begin(scene, state word): begins a part of a flush, `work`, while no thread is in another one."""
    f = Function(module, "begin", [PTR, I32], shared=True, internal=True)
    scene, state = f.args
    s = Record(f, scene, Scene)
    with f.else_of(s.get("window.is_open").ne(0)) as otherwise:
        f.call(None, "go_on", scene)
        s.set("window.ticks", count_ticks(f))
        otherwise()
        s.set("window.first_batch", 0)
        s.set("window.first_clear", 0)
        s.set("window.first_upload", 0)
        s.set("window.is_longer", 0)
        s.set("window.pass_number", 0)
        for name in ("front_ticks", "tile_ticks", "num_windows", "arena_bytes"):
            s.set(f"totals.{name}", 0)
        f.call(None, "begin_window", scene)
    s.set("window.is_open", s.get("work.goes_on"))
    f.store(state, s.address("shared.state"), atomic=True)
    f.ret()


def _take_over(f: Function, s: Record) -> None:
    f.call(PTR, "memcpy", s.address("work"), s.address("asked"), f.const(I64, ctypes.sizeof(Work)))


def _leave_together(f: Function, s: Record) -> None:
    """Wait until all have left a part of a flush that is closed."""
    turns = f.var(I32, 0)
    with f.loop() as loop:
        loop.break_if(_joined(f.load(I32, s.address("shared.state"), atomic=True)).eq(0))
        _pause(f, s, turns)


def _help(f: Function, s: Record, joined: Val) -> None:
    """The caller renders, as the last participant, if it has `joined` a part of a flush."""
    with f.if_(joined.ne(0)):
        f.call(None, "render", worker_at(f, s, s.get("crew.threads")), joined)
    _leave_together(f, s)


def _build_flush(module: Module) -> None:
    """flush(scene): carries out `asked`; the caller helps or sleeps. All have left the flush when it returns.

    What workers are doing becomes a part of it. A participant that has not arrived at a barrier may change what the next step reads.
    """
    f = Function(module, "flush", [PTR], shared=True)
    scene = f.args[0]
    s = Record(f, scene, Scene)
    with default_environment(f):
        begin_watch(f, _watch(f, s))
        threads = s.get("crew.threads")
        helps, is_alone = s.get("crew.participants") > threads, s.get("asked.alone").ne(0)
        joined = f.var(I32, 0)
        with f.if_(helps):
            joined.set(f.call(I32, "join", scene))
            with f.if_(joined.get().ne(0) & is_alone):
                f.call(None, "render", worker_at(f, s, threads), joined.get())
                joined.set(0)
        is_begun = joined.get().ne(0)
        with f.if_(~is_begun):
            _leave_together(f, s)
        _take_over(f, s)
        s.set("window.is_awake", f.const(I32, 0))
        with f.else_of(is_begun) as otherwise:
            s.set("window.is_open", s.get("work.goes_on"))
            with f.if_((joined.get() & PHASE | s.get("window.is_binned")).eq(0)):
                f.call(None, "go_on", scene)
            otherwise()
            joined.set(f.select(helps, f.const(I32, JOINED), 0))
            f.call(None, "begin", scene, joined.get())
        with f.if_(~helps | is_begun | f.call(I32, "has_batches", scene).ne(0)):
            f.call(None, "wake", scene)
        with f.if_(~helps):
            _wait_awake(f, s, s.get("crew.done"))
        _help(f, s, joined.get())
        _watch(f, s).set("caller", f.const(I64, 0))
    f.ret()


def _build_run_ahead(module: Module) -> None:
    """run_ahead(scene, clears, uploads, batches): lets workers begin with batches that no part of the flush has had.

    Takes the numbers of all so far. Does nothing while workers are busy: they find more the next time. Only where the caller helps.
    """
    f = Function(module, "run_ahead", [PTR, I32, I32, I32], shared=True)
    scene, clears, uploads, batches = f.args
    s = Record(f, scene, Scene)
    is_idle = (f.load(I32, s.address("shared.state"), atomic=True) & ~PHASE).eq(CLOSED) & s.get("crew.is_held").eq(0)
    with f.if_(is_idle):
        fresh = batches - f.select(s.get("window.is_open").ne(0), s.get("shared.next_batch"), 0)
        with f.if_(fresh > 0):
            _take_over(f, s)
            s.set("work.num_clears", clears)
            s.set("work.num_uploads", uploads)
            s.set("work.num_batches", batches)
            s.set("work.num_resolves", 0)
            s.set("work.goes_on", 1)
            f.call(None, "begin", scene, f.const(I32, 0))
            wake_first(f, s, f.min(s.get("crew.threads"), fresh.lshr(_BATCHES_A_WORKER) + 1))
    f.ret()


def _build_finish(module: Module) -> None:
    """finish(scene): helps with the part of a flush that `run_ahead` began. All have left it when this returns."""
    f = Function(module, "finish", [PTR], shared=True)
    s = Record(f, f.args[0], Scene)
    with default_environment(f):
        begin_watch(f, _watch(f, s))
        _help(f, s, f.call(I32, "join", s.pointer))
        _watch(f, s).set("caller", f.const(I64, 0))
    f.ret()


def build_scheduler(module: Module) -> None:
    """flush(scene), run_ahead(scene, ...), finish(scene), worker(worker) and what they call.

    `front_end` and `tiles` must be in the same module.
    """
    for build in (
        build_poll,
        build_windows,
        _build_join,
        _build_render,
        _build_worker,
        _build_begin,
        _build_flush,
        _build_run_ahead,
        _build_finish,
    ):
        build(module)
