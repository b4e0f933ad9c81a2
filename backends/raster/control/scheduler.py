"""Generated control code: worker threads that stay native, one hand-off a flush, phases that end when their work is done.

A flush is a sequence of windows of batches (`windows`). A window has two phases: batches (front end), then tiles.

Each worker has a band of tiles, and takes tiles of other bands only after its own, so that a tile stays in the caches of one CPU from frame
to frame. (A common counter for all tiles made cheap fills three times slower.)

Every participant runs `render`. It joins a phase, takes work until all is taken, and leaves the phase. The last one to leave does the
serial bookkeeping, and opens the next phase. So a phase waits only for work in progress, never for an idle worker without a CPU. (On a busy
machine, such a wait would cost even the smallest frame a tick of the operating system's scheduler.)

A flush may come in parts. Workers begin with the batches that are queued while the caller queues more (`run_ahead`). If they run out of
batches before a window is full, the window stays open with its arenas, and the next part continues it. So windows are the same as in a
flush of one part, tiles are walked no more often, and only the last part makes the caller wait.

A flush that is ended early (`backends.abi.records.Watch`) runs to the end of the phase without taking another batch or tile, and is closed
there. Python drops the remaining work.

Participants spin while they wait for the next phase, because a semaphore for each phase costs 50 microseconds and more on machines whose
idle CPUs halt, as virtual ones do: a third of the time of a frame with 60 windows. After 20 microseconds they sleep. A worker marks itself
as sleeping before it checks the state for the last time, and the opener of a phase looks for sleepers after it has published the phase, so
no wake-up is lost.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from backends.abi.records import WatchRecord
from backends.llvm.builder.environment import count_ticks, default_environment, pause, set_default_environment
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val, Var
from backends.llvm.builder.record import Record
from backends.llvm.library.polling import begin_watch, build_poll, read_clock
from backends.raster.control.waking import build_waking, worker_at
from backends.raster.control.windows import build_windows
from backends.raster.layouts import BUSY, CLOSED, JOINED, PHASE, SERIAL, TURN
from backends.raster.records import Scene, Work, Worker

_BATCHES_A_WORKER = 3  # as a power of 2: a worker is woken for so many
_BILLION, _NAP = 1_000_000_000, 20_000_000  # nanoseconds: of a second, and between polls of signals
_SYSTEM_TIME = 0  # CLOCK_REALTIME, the clock of sem_timedwait
SPIN = 20_000
"""Nanoseconds for which a participant spins before it sleeps."""
_LOOKS = 31  # as a mask: turns between readings of the clock
_MOST_TURNS = 1 << 10  # of a machine without a clock
_NONE = -1  # in the place of the word of a phase that a worker has left: it has left none
_TURNS = PHASE - TURN  # bits of the number of phases


def _wait(f: Function, semaphore: Val) -> None:
    with f.loop() as loop:
        loop.break_if(f.call(I32, "sem_wait", semaphore).eq(0))


def _watch(f: Function, s: Record) -> Record:
    return Record(f, s.get("crew.watch"), WatchRecord)


def _poll(f: Function, s: Record) -> None:
    f.call(I32, "poll", s.get("crew.watch"))


def _wait_awake(f: Function, s: Record, semaphore: Val) -> None:
    """Wait for a semaphore on the caller's thread, which polls signals and the time limit meanwhile."""
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


def _state(f: Function, s: Record) -> Val:
    return f.load(I32, s.address("shared.state"), atomic=True)


def _publish(f: Function, s: Record, word: Val) -> None:
    """Publish the state to all threads before this thread looks for sleepers."""
    f.change_atomically("xchg", s.address("shared.state"), word)


def _next_turn(word: Val) -> Val:
    """The next phase number, in the bits of a state word."""
    return (word + TURN) & _TURNS


def _may_join(f: Function, s: Record, word: Val, latest: Val) -> Val:
    """True if a worker may join the phase of a state word. latest: see `join`. A phase may be joined again after more batches arrived."""
    is_open = (word & (CLOSED | SERIAL)).eq(0)
    is_other = (latest < 0) | ((word ^ latest) & _TURNS).ne(0)
    last = f.load(I32, s.address("window.last_batch"), atomic=True)
    is_full = f.load(I32, s.address("shared.filled"), atomic=True) >= s.get("crew.window_bytes")
    has_more = (f.load(I32, s.address("shared.next_batch"), atomic=True) < last) & ~is_full & (word & PHASE).eq(0)
    return is_open & s.get("work.alone").eq(0) & (is_other | has_more)


def _sleep(f: Function, s: Record, w: Record, is_ready: Callable[[Val], Val], is_caller: bool) -> None:
    """Sleep until another thread wakes this worker. Returns at once if a word of the state `is_ready`."""
    flag = w.address("is_asleep")
    f.change_atomically("xchg", flag, f.const(I32, 1))
    is_awake = f.var(I32, 0)
    with f.if_(is_ready(_state(f, s))):
        is_awake.set(f.exchange(flag, f.const(I32, 1), f.const(I32, 0)).zext(I32))  # otherwise another thread posts the semaphore for it
    with f.if_(is_awake.get().eq(0)):
        (_wait_awake if is_caller else _wait_plain)(f, s, w.get("semaphore"))


def _wait_plain(f: Function, _: Record, semaphore: Val) -> None:
    _wait(f, semaphore)


def _has_spun(f: Function, s: Record, turns: Var, start: Var) -> Val:
    """Pause; 1 if this thread has reached its limit of spinning. turns: of the loop, at first 0."""
    pause(f)
    watch, is_over = _watch(f, s), f.var(I32, 0)
    with f.if_((turns.get() & _LOOKS).eq(0)):
        with f.else_of(watch.get("clock").as_address().eq(0)) as otherwise:
            is_over.set((turns.get() >= _MOST_TURNS).zext(I32))
            otherwise()
            now = read_clock(f, watch)
            with f.if_(turns.get().eq(0)):
                start.set(now)
            is_over.set((now - start.get() >= SPIN).zext(I32))
    turns.add(1)
    return is_over.get()


def _build_join(module: Module, name: str, *, is_caller: bool) -> None:
    """NAME(worker, left) -> state word after the worker has joined a phase; 0: no flush is running.

    left: state word of the phase that the worker has left, or _NONE. Spins, then sleeps, while other threads finish a phase.
    """
    f = Function(module, name, [PTR, I32], I32, shared=True, internal=True)
    worker, latest = f.args
    w = Record(f, worker, Worker)
    s = Record(f, w.get("scene"), Scene)
    turns, start, result = f.var(I32, 0), f.var(I64, 0), f.var(I32, 0)

    def is_ready(word: Val) -> Val:
        return (word & CLOSED).ne(0) | _may_join(f, s, word, latest)

    with f.loop() as loop:
        word = _state(f, s)
        loop.break_if((word & CLOSED).ne(0) | s.get("work.alone").ne(0))
        with f.else_of(_may_join(f, s, word, latest)) as otherwise:
            result.set(f.select(f.exchange(s.address("shared.state"), word, word + 1), word + 1, 0))
            otherwise()
            with f.if_(_has_spun(f, s, turns, start).ne(0)):
                _sleep(f, s, w, is_ready, is_caller)
                turns.set(0)
        loop.break_if(result.get().ne(0))
    with f.if_(result.get().ne(0)):
        f.call(None, "pass_on", worker)
    f.ret(result.get())


def _build_joins(module: Module) -> None:
    """join(worker, left) and, on the caller's thread, which polls signals meanwhile, join_caller(worker, left)."""
    _build_join(module, "join", is_caller=False)
    _build_join(module, "join_caller", is_caller=True)


def _build_leave(module: Module) -> None:
    """leave(worker, joined word) -> state word of the next phase, which the worker has joined; 0: the part of the flush is over.

    The last thread to leave a phase prepares the next one. -1: other threads have not left yet.
    """
    f = Function(module, "leave", [PTR, I32], I32, shared=True, internal=True)
    worker, joined = f.args
    s = Record(f, Record(f, worker, Worker).get("scene"), Scene)
    state, is_last = s.address("shared.state"), f.var(I32, 0)
    with f.loop() as loop:
        word = _state(f, s)
        is_last.set((word & JOINED).eq(1).zext(I32))
        loop.break_if(f.exchange(state, word, f.select(is_last.get().ne(0), word - 1 + SERIAL, word - 1)))
    with f.leaving(is_last.get().eq(0)):
        f.ret(f.const(I32, -1))
    with f.else_of((joined & PHASE).eq(0)) as otherwise:
        f.call(None, "begin_tiles", s.pointer, worker)
        otherwise()
        f.call(None, "end_window", s.pointer, worker)
    is_over, wanted, threads = s.get("window.finished").ne(0), s.get("window.is_wanted"), s.get("crew.threads")
    s.set("window.is_wanted", f.const(I32, 0))
    turn, helps = _next_turn(joined), s.get("crew.participants") > threads
    opened = turn | (joined & PHASE ^ PHASE) | 1
    _publish(f, s, f.select(is_over, turn | CLOSED, opened))
    with f.else_of(is_over & ~helps) as otherwise:
        f.call(I32, "sem_post", s.get("crew.done"))
        otherwise()
        f.call(None, "rouse", s.pointer, threads)
        with f.if_(~is_over & wanted.ne(0)):
            f.call(None, "summon", s.pointer, Record(f, worker, Worker).get("index"), threads + 1)
    f.ret(f.select(is_over, f.const(I32, 0), opened))


def _work(f: Function, worker: Val, name: str, phase: int) -> None:
    """Work in a phase, and add the time spent to the worker's total."""
    w, start = Record(f, worker, Worker), count_ticks(f)
    f.call(None, name, worker)
    w.set("ticks", w.get("ticks", phase) + count_ticks(f) - start, phase)


def _build_render(module: Module) -> None:
    """render(worker, joined word) and render_caller: the work of a participant, from joining a phase of a flush to the end of the flush."""
    for name, is_caller in (("render", False), ("render_caller", True)):
        f = Function(module, name, [PTR, I32], shared=True, internal=True)
        worker, joined = f.args
        word, latest = f.var(I32, joined), f.var(I32, 0)
        with f.loop() as loop:
            with f.else_of((word.get() & PHASE).eq(0)) as otherwise:
                _work(f, worker, "take_batches", 0)
                otherwise()
                _work(f, worker, "tiles", 1)
            latest.set(word.get())
            word.set(f.call(I32, "leave", worker, latest.get()))
            with f.if_(word.get().eq(-1)):
                word.set(f.call(I32, "join_caller" if is_caller else "join", worker, latest.get()))
            loop.break_if(word.get().eq(0))
        f.ret()


def _build_worker(module: Module) -> None:
    """worker(worker): the whole life of a thread, which `Crew.quit` ends. A thread that wakes after its flush is over sleeps again."""
    f = Function(module, "worker", [PTR], shared=True)
    worker = f.args[0]
    w = Record(f, worker, Worker)
    s = Record(f, w.get("scene"), Scene)
    set_default_environment(f)

    def is_ready(word: Val) -> Val:
        return (word & (CLOSED | SERIAL)).eq(0) & s.get("work.alone").eq(0)

    with f.loop() as loop:
        loop.break_if(s.get("crew.quit").ne(0))  # `Pool.close` posts the semaphore that `join` may wait for
        _sleep(f, s, w, is_ready, is_caller=False)
        loop.break_if(s.get("crew.quit").ne(0))
        joined = f.call(I32, "join", worker, f.const(I32, _NONE))
        with f.if_(joined.ne(0)):
            f.call(None, "render", worker, joined)
    f.ret()


def _build_begin(module: Module) -> None:
    """begin(scene, count) -> state word. Begins a part of a flush, `work`, with a number of participants, while no thread is in another
    part."""
    f = Function(module, "begin", [PTR, I32], I32, shared=True, internal=True)
    scene, count = f.args
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
        for name in ("num_windows", "arena_bytes"):
            s.set(f"totals.{name}", 0)
        f.call(None, "begin_window", scene)
    s.set("window.is_open", s.get("work.goes_on"))
    s.set("window.is_wanted", f.const(I32, 0))
    word = _next_turn(_state(f, s)) | count
    _publish(f, s, word)
    f.ret(word)


def _take_over(f: Function, s: Record) -> None:
    f.call(PTR, "memcpy", s.address("work"), s.address("asked"), f.const(I64, ctypes.sizeof(Work)))


def _help(f: Function, s: Record, joined: Val) -> None:
    """Let the caller render, as the last participant, if it has `joined` a part of a flush."""
    with f.if_(joined.ne(0)):
        f.call(None, "render_caller", worker_at(f, s, s.get("crew.threads")), joined)


def _join(f: Function, s: Record) -> Val:
    """The caller joins the running part of a flush; 0: none is running."""
    return f.call(I32, "join_caller", worker_at(f, s, s.get("crew.threads")), f.const(I32, _NONE))


def _build_flush(module: Module) -> None:
    """flush(scene): carries out `asked`; the caller helps or sleeps. All have left the flush when it returns.

    Work in progress becomes a part of it. While the flush runs, participants of a phase may change the Scene for the next one.
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
            joined.set(_join(f, s))
            with f.if_(is_alone):
                _help(f, s, joined.get())
                joined.set(0)
        is_begun = joined.get().ne(0)
        _take_over(f, s)
        with f.else_of(is_begun) as otherwise:
            s.set("window.is_open", s.get("work.goes_on"))
            with f.if_((joined.get() & PHASE | s.get("window.is_binned")).eq(0)):
                f.call(None, "go_on", scene)
                f.atomic_add(s.address("shared.state"), 0)  # a worker about to sleep either sees the new batches or is seen as a sleeper
            otherwise()
            word = f.call(I32, "begin", scene, helps.zext(I32))
            joined.set(f.select(helps, word, 0))
        with f.if_(~helps | is_begun | f.call(I32, "has_batches", scene).ne(0)):
            f.call(None, "summon", scene, threads, threads + 1)
        with f.if_(~helps):
            f.call(None, "rouse", scene, f.const(I32, 0))
            _wait_awake(f, s, s.get("crew.done"))
        _help(f, s, joined.get())
        _watch(f, s).set("caller", f.const(I64, 0))
    f.ret()


def _build_run_ahead(module: Module) -> None:
    """run_ahead(scene, clears, uploads, batches): lets workers begin with new batches.

    Takes the total numbers so far. Does nothing while workers are busy, since a later call finds more. Used only if the caller helps.
    """
    f = Function(module, "run_ahead", [PTR, I32, I32, I32], shared=True)
    scene, clears, uploads, batches = f.args
    s = Record(f, scene, Scene)
    is_idle = (_state(f, s) & BUSY).eq(CLOSED) & s.get("crew.is_held").eq(0)
    with f.if_(is_idle):
        fresh = batches - f.select(s.get("window.is_open").ne(0), s.get("shared.next_batch"), 0)
        with f.if_(fresh > 0):
            _take_over(f, s)
            s.set("work.num_clears", clears)
            s.set("work.num_uploads", uploads)
            s.set("work.num_batches", batches)
            s.set("work.num_resolves", 0)
            s.set("work.goes_on", 1)
            f.call(I32, "begin", scene, f.const(I32, 0))
            f.call(None, "rouse", scene, f.const(I32, 0))
            threads = s.get("crew.threads")
            f.call(None, "summon", scene, threads, f.min(threads, fresh.lshr(_BATCHES_A_WORKER) + 1) + 1)
    f.ret()


def _build_finish(module: Module) -> None:
    """finish(scene): helps with the part of a flush that `run_ahead` began. All threads have left it when this returns."""
    f = Function(module, "finish", [PTR], shared=True)
    s = Record(f, f.args[0], Scene)
    with default_environment(f):
        begin_watch(f, _watch(f, s))
        _help(f, s, _join(f, s))
        _watch(f, s).set("caller", f.const(I64, 0))
    f.ret()


def build_scheduler(module: Module) -> None:
    """flush(scene), run_ahead(scene, ...), finish(scene), worker(worker) and what they call.

    `front_end` and `tiles` must be in the same module.
    """
    for build in (
        build_poll,
        build_windows,
        build_waking,
        _build_joins,
        _build_leave,
        _build_render,
        _build_worker,
        _build_begin,
        _build_flush,
        _build_run_ahead,
        _build_finish,
    ):
        build(module)
