"""Generated code: sleeping workers are woken along a tree, in which each woken worker wakes a few more.

So the opener of a phase for 64 processors wakes a few workers and begins to work; waking all of them would take longer than many phases.
Workers form a ring that begins with the thread that opened the phase; the one at place n wakes those at places WAKES * n + 1 to WAKES * (n
+ 1), unless they are awake, or their share of the work is already taken.
"""

from __future__ import annotations

import ctypes

from backends.llvm.builder.function import BOOL, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.raster.layouts import PHASE
from backends.raster.records import Scene, Worker

WAKES = 4
"""Workers that each participant wakes. With up to five participants, the opener of a phase wakes all of them."""


def worker_at(f: Function, s: Record, i: Val) -> Val:
    """Address of a worker's record."""
    return f.at(s.get("crew.workers"), i.zext(I64) * ctypes.sizeof(Worker))


def _rouse(f: Function, w: Record) -> None:
    """Wake a worker if it sleeps."""
    flag = w.address("is_asleep")
    with f.if_(f.load(I32, flag, atomic=True).ne(0)), f.if_(f.exchange(flag, f.const(I32, 1), f.const(I32, 0))):
        f.call(I32, "sem_post", w.get("semaphore"))


def _build_rouse(module: Module) -> None:
    """rouse(scene, number): wakes a participant if it sleeps, even without work, because one participant has to end the phase."""
    f = Function(module, "rouse", [PTR, I32], shared=True, internal=True)
    s = Record(f, f.args[0], Scene)
    with f.if_(f.args[1] < s.get("crew.participants")):
        _rouse(f, Record(f, worker_at(f, s, f.args[1]), Worker))
    f.ret()


def _build_rouse_after(module: Module) -> None:
    """rouse_after(scene, place): wakes the children of the thread at this place of the ring."""
    f = Function(module, "rouse_after", [PTR, I32], shared=True, internal=True)
    scene, place = f.args
    s = Record(f, scene, Scene)
    ring, opener = s.get("crew.threads") + 1, s.get("window.opener")
    first = place * WAKES + 1
    with f.range(first, f.min(first + WAKES, s.get("window.summoned"))) as i:
        number = opener + i
        w = Record(f, worker_at(f, s, f.select(number >= ring, number - ring, number)), Worker)
        with f.if_(_has_work(f, s, w)):
            _rouse(f, w)
    f.ret()


def _has_work(f: Function, s: Record, w: Record) -> Val:
    """True if batches remain or, in a phase of tiles, tiles of the worker's band."""
    result = f.var(
        BOOL, f.load(I32, s.address("shared.next_batch"), atomic=True) < f.load(I32, s.address("window.last_batch"), atomic=True)
    )
    with f.if_((f.load(I32, s.address("shared.state"), atomic=True) & PHASE).ne(0)):
        result.set(f.load(I32, w.address("band.next_tile"), atomic=True) < w.get("band.end_tile"))
    return result.get()


def _build_summon(module: Module) -> None:
    """summon(scene, opener, count): wakes sleepers, up to `count` participants with the opener, for a phase that is open."""
    f = Function(module, "summon", [PTR, I32, I32], shared=True, internal=True)
    scene, opener, count = f.args
    s = Record(f, scene, Scene)
    with f.if_(s.get("work.alone").eq(0)):
        s.set("window.opener", opener)
        s.set("window.summoned", count)
        f.call(None, "rouse_after", scene, f.const(I32, 0))
    f.ret()


def _build_pass_on(module: Module) -> None:
    """pass_on(worker): wakes the children of a worker that has joined a phase."""
    f = Function(module, "pass_on", [PTR], shared=True, internal=True)
    w = Record(f, f.args[0], Worker)
    s = Record(f, w.get("scene"), Scene)
    place = w.get("index") - s.get("window.opener")
    place = f.select(place < 0, place + s.get("crew.threads") + 1, place)
    with f.if_(place * WAKES + 1 < s.get("window.summoned")):
        f.call(None, "rouse_after", s.pointer, place)
    f.ret()


def build_waking(module: Module) -> None:
    """summon(scene, opener, count), pass_on(worker), rouse(scene, number)."""
    for build in (_build_rouse, _build_rouse_after, _build_summon, _build_pass_on):
        build(module)
