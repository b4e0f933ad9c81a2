"""Generated code: prepared targets (`prepared`) become the targets of a new pass."""

from __future__ import annotations

import ctypes

from backends.device.commands.bound_record import BoundRecord, Hindrance
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_TARGETS
from backends.raster.control.passes import MOST_PASSES
from backends.raster.records import PassRecord, Scene
from backends.software.commands.records import ExecutorRecord, PreparedTargets, ReadRange


def build_bind_targets(module: Module) -> None:
    """bind_targets(executor, bound) -> 1 if the open pass now has the bound targets; 0: Python has to bind them."""
    f = Function(module, "bind_targets", [PTR, PTR], I32, shared=True, internal=True)
    executor, bound = f.args
    e, b = Record(f, executor, ExecutorRecord), Record(f, bound, BoundRecord)
    prepared = b.get("targets")
    _refuse(f, prepared.eq(0))
    p, s = Record(f, prepared.as_pointer(), PreparedTargets), Record(f, e.get("scene"), Scene)
    number, passes = e.get("num_passes") - 1, s.get("asked.passes")
    opened = _pass(f, passes, number)
    with f.if_(opened.get("prepared").ne(p.get("opened.prepared"))):
        _refuse(f, (number + 1 >= MOST_PASSES) | e.get("num_written").ne(0))  # Python flushes, or every draw falls back to Python
        has_tiles = p.get("opened.num_tiles") <= s.get("crew.most_tiles")
        _refuse(f, ~has_tiles | (p.get("arena_size") > s.get("crew.arena_size").zext(I64)))
        batches, clears = e.get("num_batches"), e.get("num_clears")
        place = f.var(I32, number)
        with f.else_of(number.eq(0)) as later:
            is_large = p.get("arena_size") << 1 < s.get("crew.arena_size").zext(I64)
            _refuse(f, (batches | clears).eq(0) & is_large)  # the only pass may have too little memory
            place.set((batches | clears).ne(0).zext(I32))
            later()
            before = _pass(f, passes, number - 1)
            _refuse(f, before.get("end_batch").eq(batches) & before.get("end_clear").eq(clears))  # workers may already be in an empty pass
            place.set(number + 1)
        with f.if_(place.get() > number):
            opened.set("end_batch", batches)
            opened.set("end_clear", clears)
        f.call(PTR, "memcpy", _pass(f, passes, place.get()).pointer, p.address("opened"), f.const(I64, ctypes.sizeof(PassRecord)))
        s.set("asked.num_passes", place.get() + 1)
        e.set("num_passes", place.get() + 1)
        f.call(PTR, "memcpy", e.address("targets"), p.address("targets"), f.const(I64, ctypes.sizeof(ReadRange) * MAX_TARGETS))
        for name in ("framebuffer", "width", "height", "num_targets", "has_integers"):
            e.set(name, p.get(name))
        e.set("targets_id", p.get("opened.prepared"))
        e.set("is_layered", f.const(I32, 0))
        e.set("closed", batches)
        e.set("pass_reads", e.get("num_reads"))
        e.set("epoch", e.get("epoch") + 1)
        e.set("num_approved", f.const(I32, 0))
        e.set("template", f.const(I64, 0))
    b.set("hindrances", b.get("hindrances") & ~int(Hindrance.TARGETS))
    f.ret(f.const(I32, 1))


def _pass(f: Function, passes: Val, number: Val) -> Record:
    return Record(f, f.at(passes, number.zext(I64) * ctypes.sizeof(PassRecord)), PassRecord)


def _refuse(f: Function, condition: Val) -> None:
    with f.leaving(condition):
        f.ret(f.const(I32, 0))
