"""Generated code: the environment of one stage of a draw, a copy of its template's with the constants that are bound now."""

from __future__ import annotations

import ctypes

from backends.abi.records import ShaderEnv
from backends.device.commands.bound_record import BoundRecord, ConstantSlot
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_CONSTANT_BUFFERS
from backends.software.commands.memory import allocate
from backends.software.commands.records import EnvironmentRecipe, ExecutorRecord

_CHANGING = -1  # a revision that no binding has


def build_environment(module: Module) -> None:
    """environment(executor, bound, recipe) -> address of a ShaderEnv, 0 if there is no room.

    The latest copy serves again while neither the frame nor the stage's constants have changed. Bytes that may change without a call are
    copied for every draw. See `backends.device.environment.place_constants` for the rules of sizes.
    """
    _build_place(module)
    f = Function(module, "environment", [PTR, PTR, PTR], I64, shared=True, internal=True)
    executor, bound, recipe = f.args
    e, r = Record(f, executor, ExecutorRecord), Record(f, recipe, EnvironmentRecipe)
    stage, count = r.get("stage"), r.get("num_constants")
    revisions = f.at(bound, BoundRecord.constant_revision.offset)
    revision = f.select(count.eq(0), f.const(I64, 0), f.load(I64, revisions, stage << 3, 8))
    with f.leaving(r.get("frame").eq(e.get("frame")) & r.get("revision").eq(revision)):
        f.ret(r.get("address"))
    made = allocate(f, executor, ctypes.sizeof(ShaderEnv))
    with f.leaving(made.eq(0)):
        f.ret(made)
    target = made.as_pointer()
    f.call(PTR, "memcpy", target, r.get("content"), f.const(I64, ctypes.sizeof(ShaderEnv)))
    slots = f.at(bound, (stage * (MAX_CONSTANT_BUFFERS * ctypes.sizeof(ConstantSlot))).zext(I64) + BoundRecord.constants.offset)
    changes = f.var(I32, 0)
    with f.range(0, count) as k:
        slot = f.load(I32, r.address("slot"), k << 2)
        bound_slot = f.at(slots, slot * ctypes.sizeof(ConstantSlot))
        declared, is_whole = f.load(I32, r.address("declared"), k << 2), f.load(I32, r.address("is_whole"), k << 2)
        c = Record(f, bound_slot, ConstantSlot)
        limit = f.select(is_whole.ne(0), c.get("size"), declared)
        size = f.min(c.get("size"), limit) & ~3
        readable = f.max(size, declared)
        address = f.var(I64, c.get("address"))
        in_place = address.get().ne(0) & (c.get("room") > 0) & (declared <= c.get("room"))
        changes.set(changes.get() | f.select(address.get().ne(0) & ~in_place, f.const(I32, 1), 0))
        with f.else_of(in_place) as otherwise:
            e.set("held", e.get("held") + c.get("room").zext(I64))
            otherwise()
            address.set(f.call(I64, "place", executor, address.get(), size, readable))
            with f.leaving(address.get().eq(0)):
                f.ret(f.const(I64, 0))
        f.store(address.get(), f.at(target, ShaderEnv.constants.offset), slot << 3, 8)
        f.store(readable.lshr(2), f.at(target, ShaderEnv.constant_words.offset), slot << 2)
    r.set("frame", e.get("frame"))
    r.set("revision", f.select(changes.get().ne(0), f.const(I64, _CHANGING), revision))
    r.set("address", made)
    f.ret(made)


def _build_place(module: Module) -> None:
    """place(executor, source, size, readable) -> address of a copy of `size` bytes, followed by zeros; 0 if there is no room."""
    f = Function(module, "place", [PTR, I64, I32, I32], I64, shared=True, internal=True)
    executor, source, given, readable = f.args
    made = allocate(f, executor, readable.zext(I64))
    with f.leaving(made.eq(0)):
        f.ret(made)
    size: Val = f.select(source.eq(0), f.const(I32, 0), given).zext(I64)
    target = made.as_pointer()
    with f.if_(size.ne(0)):
        f.call(PTR, "memcpy", target, source.as_pointer(), size)
    f.call(PTR, "memset", f.at(target, size), f.const(I32, 0), readable.zext(I64) - size)
    f.ret(made)
