"""The entry of draw_vbo: a DrawInfo that was drawn before, or plain fields by keyword."""

from __future__ import annotations

import ctypes
from dataclasses import fields

from backends.device.commands.bound_record import DrawCall, VertexBufferSlot
from backends.device.commands.known_objects import Kind
from backends.device.stream_target import TargetRecord
from backends.entries.arguments import Entry
from backends.entries.recording import MOST_DRAW, append_draw, lacks_room
from backends.entries.setters import carry_out, hinders
from backends.llvm.builder.function import I32, I64, PTR, Val
from backends.llvm.builder.record import Record
from backends.llvm.builder.values import Var
from backends.pipe.enums import Prim
from backends.pipe.ranges import RANGES
from backends.pipe.state import DrawInfo

_RANGES = RANGES[DrawInfo]
_STREAMED = "count_from_stream_output"
_TAKEN = (*(item.name for item in fields(DrawInfo) if item.name != "indexed"), _STREAMED)
"""Fields of DrawInfo that the entry takes by keyword, and the target that gives `count`."""
_PLACES = {"drawid": "draw_id", "vertices_per_patch": "patch_vertices", "min_index": "pad", "max_index": "pad", _STREAMED: "count"}
"""Fields of DrawCall that have other names. Mere hints are stored in the padding, which is not read."""


def build_draw_entry(entry: Entry) -> None:
    """draw_vbo(info=None, *, ...). Python writes draws whose arguments it has to check."""
    f, b, method, entry.recorded_as = entry.f, entry.record, entry.recorded_as, 0
    entry.enter(has_own_words=True)
    entry.fall_back(hinders(b) | b.get("executor").eq(0) | (entry.count > 1))
    if entry.records:
        entry.fall_back(lacks_room(b, MOST_DRAW))
    memory = f.alloca(f"[{ctypes.sizeof(DrawCall) // 4} x i32]")
    call = Record(f, memory, DrawCall)
    info = f.var(I64, 0)
    with f.if_(entry.count.ne(0)):
        thing = entry.argument(0)
        with f.if_(thing.ne(entry.python.get("none"))):
            info.set(entry.known(thing, Kind.DRAW_INFO))
            entry.fall_back(info.get().eq(0))
    with f.else_of(info.get().ne(0)) as otherwise:
        f.call(PTR, "memcpy", memory, info.get().as_pointer(), f.const(I64, ctypes.sizeof(DrawCall)))
        otherwise()
        f.call(PTR, "memset", memory, f.const(I32, 0), f.const(I64, ctypes.sizeof(DrawCall)))
        call.set("mode", int(DrawInfo().mode))
        call.set("instance_count", 1)
        call.set("restart_index", -1)
    target = f.var(I64, 0)
    with f.range(0, entry.keywords.trunc(I32)) as k:
        _take_keyword(entry, memory, entry.keyword(k.zext(I64)), entry.argument(entry.count + k.zext(I64)), target, method)
    with f.if_(target.get().ne(0)):
        call.set("count", _streamed_count(entry, Record(f, target.get().as_pointer(), TargetRecord)))
    if entry.records:
        _carry_out_recorded(entry, memory, target.get().ne(0) | call.get("mode").eq(int(Prim.PATCHES)), method)
    else:
        entry.fall_back(carry_out(b, "draw_entry", memory).ne(0))
    entry.done()


def _carry_out_recorded(entry: Entry, call: Val, has_more: Val, method: int) -> None:
    """Draw, and append the draw. has_more: the words of DRAW lack a target of stream output or the number of vertices of a patch."""
    f, b, written = entry.f, entry.record, entry.f.var(I64, 0)
    with f.if_(has_more):
        written.set(entry.write_call(method))
    with f.leaving(carry_out(b, "draw_entry", call).ne(0)):
        with f.leaving(has_more):
            entry.leave(method)
        result = entry.call_plain()
        with f.if_(result.ne(0)):
            append_draw(f, b, call)
        f.ret(result)
    with f.else_of(has_more) as otherwise:
        entry.append(written.get())
        otherwise()
        append_draw(f, b, call)


def _streamed_count(entry: Entry, target: Record) -> Val:
    """Number of vertices in a target of stream output: by the stride of vertex buffer 0, otherwise by that of its writer."""
    f, b = entry.f, entry.record
    first = Record(f, b.address("vertex_buffers"), VertexBufferSlot)
    stride = f.select(first.get("address").ne(0), first.get("stride"), target.get("stride").zext(I64))
    count = f.select(stride > 0, target.get("offset").udiv(f.max(stride, f.const(I64, 1))), f.const(I64, 0))
    entry.fall_back(count > _RANGES["count"][1])
    return count.trunc(I32)


def _take_keyword(entry: Entry, memory: Val, name: Val, thing: Val, target: Var, method: int) -> None:
    """Write one field of the call. target: takes the address of the TargetRecord that is named. method: for calls with other arguments."""
    f, number = entry.f, entry.f.var(I32, -1)
    for k, taken in enumerate(_TAKEN):
        number.set(f.select(name.eq(entry.name(taken)), f.const(I32, k), number.get()))
    entry.fall_back(number.get() < 0, method)
    place, value = number.get(), f.var(I64, 0)
    with f.else_of(place.eq(_TAKEN.index("mode"))) as others:
        mode = entry.known(thing, Kind.PRIM)
        entry.fall_back(mode.eq(0))
        value.set(mode - 1)
        others()
        with f.else_of(place.eq(_TAKEN.index("primitive_restart"))) as numbers:
            value.set(entry.truth(thing))
            numbers()
            with f.else_of(place.eq(_TAKEN.index(_STREAMED))) as plain:
                target.set(entry.known(thing, Kind.STREAM_TARGET))
                entry.fall_back(target.get().eq(0))
                plain()
                value.set(_number(entry, place, thing))
    offsets = [int(getattr(DrawCall, _PLACES.get(name, name)).offset) for name in _TAKEN]
    table = f.module.constant("keyword_offsets", I32, offsets)
    f.store(value.get().trunc(I32), f.at(memory, f.load(I32, f.value(PTR, table), place << 2)))


def _number(entry: Entry, place: Val, thing: Val) -> Val:
    """The number (i64) of a field, in its range."""
    f, limits = entry.f, [_RANGES.get(name, (0, 0)) for name in _TAKEN]
    value = entry.integer(thing, min(low for low, _ in limits), max(high for _, high in limits))
    low, high = (
        f.load(I64, f.value(PTR, f.module.constant(name, I64, [pair[k] for pair in limits])), place << 3, 8)
        for k, name in enumerate(("keyword_lows", "keyword_highs"))
    )
    is_odd = place.eq(_TAKEN.index("index_size")) & value.eq(3)
    entry.fall_back((value < low) | (value > high) | is_odd)
    return value
