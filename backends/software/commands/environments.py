"""Generated code: the environment of one stage of a draw, a copy of the template's with the bound constants, views and samplers."""

from __future__ import annotations

import ctypes

from backends.abi.records import SamplerRecord, ShaderEnv, TextureRecord
from backends.device.commands.bound_record import STAGE_UNITS, TABLES, BoundRecord, ConstantSlot, view_word
from backends.device.region import ALIGNMENT
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.llvm.builder.values import Var
from backends.pipe.limits import MAX_CONSTANT_BUFFERS, MAX_SAMPLER_VIEWS
from backends.software.commands.copies import copy_words, return_found, return_latest, set_latest
from backends.software.commands.memory import allocate, leave, note_met
from backends.software.commands.records import AWAITS_UPLOAD, Code, EnvironmentRecipe, ExecutorRecord

_FIXED = 2
"""Words of a key before the units: the recipe, and the revision of constants and tables."""
_MOST_KEY = _FIXED + STAGE_UNITS
_HEAD = (ctypes.sizeof(ShaderEnv) + ALIGNMENT - 1) & -ALIGNMENT


def build_environment(module: Module) -> None:
    """environment(executor, bound, recipe, is_same) -> address of a ShaderEnv, 0 if memory ran out, or AWAITS_UPLOAD.

    is_same: not 0 if no word has changed since the last use of the recipe.

    A copy is reused until the frame ends or the stage's constants, views or samplers change. Bytes that may change without a call are
    copied for every draw. See `backends.device.environment` for the rules of sizes.
    """
    _build_place(module)
    _build_place_units(module)
    f = Function(module, "environment", [PTR, PTR, PTR, I32], I64, shared=True, internal=True)
    executor, bound, recipe, is_same = f.args
    e, r = Record(f, executor, ExecutorRecord), Record(f, recipe, EnvironmentRecipe)
    stage, units = r.get("stage"), r.get("units")
    revisions = f.at(bound, BoundRecord.constant_revision.offset)
    revision = f.select(r.get("is_revised").eq(0), f.const(I64, 0), f.load(I64, revisions, stage << 3, 8))
    frame, length = e.get("frame"), (units << 1) + _FIXED
    key = f.alloca(f"[{_MOST_KEY} x i64]")
    f.store(recipe.as_address(), key, 0, 8)
    f.store(revision, key, 8, 8)
    with f.if_(is_same.ne(0)):
        return_latest(f, r, frame, key, _FIXED)
    views = f.at(bound, (stage * (8 * STAGE_UNITS)).zext(I64) + (BoundRecord.words.offset + 8 * view_word(0)))
    copy_words(f, f.at(key, 8 * _FIXED), views, units)
    copy_words(f, f.at(key, (units.zext(I64) << 3) + 8 * _FIXED), f.at(views, 8 * MAX_SAMPLER_VIEWS), units)
    return_latest(f, r, frame, key, length)
    return_found(f, executor, r, frame, key, length)
    textures = _HEAD + units.zext(I64) * ctypes.sizeof(TextureRecord)
    kept_key = textures + units.zext(I64) * ctypes.sizeof(SamplerRecord)
    environment = allocate(f, executor, kept_key + (length.zext(I64) << 3))
    with f.leaving(environment.eq(0)):
        f.ret(environment)
    target = environment.as_pointer()
    f.call(PTR, "memcpy", target, r.get("content"), f.const(I64, ctypes.sizeof(ShaderEnv)))
    f.store(e.get("watch"), target, ShaderEnv.watch.offset, 8)
    reaches = r.get("reaches")
    with f.if_(reaches.ne(0)):
        tables = f.at(e.address("tables"), (reaches - 1).zext(I64) * (8 * TABLES))
        for number, field in enumerate((ShaderEnv.buffers, ShaderEnv.counters, ShaderEnv.images)):
            f.store(f.load(I64, tables, 8 * number, 8), target, field.offset, 8)
    with f.if_(units.ne(0)):
        at = f.at(target, _HEAD), f.at(target, textures)
        for field, address in zip((ShaderEnv.textures, ShaderEnv.samplers), at):
            f.store(address, target, field.offset, 8)
        f.call(None, "place_units", executor, bound, views, *at, units)
    changes = f.var(I32, reaches)  # environments with tables are never shared
    _place_constants(f, executor, bound, r, target, changes)
    with f.else_of(changes.get().eq(0)) as otherwise:
        words = f.at(target, kept_key)
        copy_words(f, words, key, length)
        f.call(None, "note_copy", executor, words, length, environment)
        set_latest(r, frame, words.as_address(), environment)
        otherwise()
        r.set("frame", 0)
    f.ret(environment)


def _place_constants(f: Function, executor: Val, bound: Val, r: Record, target: Val, changes: Var) -> None:
    """Write the addresses of a stage's constant buffers into an environment. Returns 0 or AWAITS_UPLOAD from the function on failure.

    changes: set to a nonzero number if a buffer was copied that may change without a call.
    """
    e, stage = Record(f, executor, ExecutorRecord), r.get("stage")
    slots = f.at(bound, (stage * (MAX_CONSTANT_BUFFERS * ctypes.sizeof(ConstantSlot))).zext(I64) + BoundRecord.constants.offset)
    with f.range(0, r.get("num_constants")) as k:
        slot = f.load(I32, r.address("slot"), k << 2)
        bound_slot = f.at(slots, slot * ctypes.sizeof(ConstantSlot))
        declared, is_whole = f.load(I32, r.address("declared"), k << 2), f.load(I32, r.address("is_whole"), k << 2)
        c = Record(f, bound_slot, ConstantSlot)
        limit = f.select(is_whole.ne(0), c.get("size"), declared)
        size = f.min(c.get("size"), limit) & ~3
        readable = f.max(size, declared)
        place = f.var(I64, c.get("address"))
        in_place = place.get().ne(0) & (c.get("room") > 0) & (declared <= c.get("room"))
        changes.set(changes.get() | f.select(place.get().ne(0) & ~in_place, f.const(I32, 1), 0))
        with f.else_of(in_place) as otherwise:
            e.set("held", e.get("held") + c.get("room").zext(I64))
            otherwise()
            with f.leaving(f.call(I32, "awaits_upload", executor, place.get(), size.zext(I64)).ne(0)):
                f.ret(f.const(I64, AWAITS_UPLOAD))
            note_met(f, e, place.get(), size.zext(I64))
            place.set(f.call(I64, "place", executor, place.get(), size, readable))
            with f.leaving(place.get().eq(0)):
                f.ret(f.const(I64, 0))
        f.store(place.get(), f.at(target, ShaderEnv.constants.offset), slot << 3, 8)
        f.store(readable.lshr(2), f.at(target, ShaderEnv.constant_words.offset), slot << 2)


def return_if_missing(f: Function, environment: Val) -> None:
    """Return a code from the function if an environment is missing."""
    leave(f, environment.eq(0), Code.MEMORY)
    leave(f, environment.eq(AWAITS_UPLOAD), Code.FULL)


def _build_place(module: Module) -> None:
    """place(executor, source, size, readable) -> address of a copy of `size` bytes, followed by zeros; 0 if memory ran out."""
    f = Function(module, "place", [PTR, I64, I32, I32], I64, shared=True, internal=True)
    executor, source, length, readable = f.args
    copy = allocate(f, executor, readable.zext(I64))
    with f.leaving(copy.eq(0)):
        f.ret(copy)
    size: Val = f.select(source.eq(0), f.const(I32, 0), length).zext(I64)
    target = copy.as_pointer()
    with f.if_(size.ne(0)):
        f.call(PTR, "memcpy", target, source.as_pointer(), size)
    f.call(PTR, "memset", f.at(target, size), f.const(I32, 0), readable.zext(I64) - size)
    f.ret(copy)


def _build_place_units(module: Module) -> None:
    """place_units(executor, bound, views, textures, samplers, units): copy the records of the bindings of the first units.

    Memory of the views is noted as read. Units without a view or a sampler get zeros.
    """
    f = Function(module, "place_units", [PTR, PTR, PTR, PTR, PTR, I32], shared=True, internal=True)
    executor, bound, words, textures, samplers, units = f.args
    for target, kind, first in ((textures, TextureRecord, 0), (samplers, SamplerRecord, 8 * MAX_SAMPLER_VIEWS)):
        size = f.const(I64, ctypes.sizeof(kind))
        with f.range(0, units) as k:
            number, place = f.load(I64, words, (k << 3) + first, 8), f.at(target, k.zext(I64) * ctypes.sizeof(kind))
            data = f.var(I64, 0)
            with f.if_(number.ne(0)):
                data.set(f.call(I64, "find_value", bound, number))
            with f.else_of(data.get().ne(0)) as otherwise:
                f.call(PTR, "memcpy", place, data.get().as_pointer(), size)
                if kind is TextureRecord:
                    record = Record(f, place, TextureRecord)
                    f.call(None, "note_read", executor, record.get("base").as_address(), record.get("size"), f.const(I64, 1))
                otherwise()
                f.call(PTR, "memset", place, f.const(I32, 0), size)
    f.ret()
