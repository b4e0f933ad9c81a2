"""The entry of draw_vbo: a DrawInfo that was drawn before, or plain fields by keyword."""

from __future__ import annotations

import ctypes

from backends.device.commands.bound_record import STOPS, DrawCall, VertexBufferSlot
from backends.device.commands.known_objects import Kind
from backends.device.stream_target import TargetRecord
from backends.entries.arguments import Entry
from backends.entries.names import BIAS, INDEX_SIZE, KEYWORDS, MODE, PATCH, PLAIN, RESTART, STREAMED
from backends.entries.recording import MOST_DRAW, append_draw, lacks_room, plain_number
from backends.llvm.builder.function import I32, I64, PTR, Module, Val
from backends.llvm.builder.record import Record
from backends.llvm.builder.values import Var
from backends.pipe.enums import Prim

_U32 = (1 << 32) - 1
_TAKEN = KEYWORDS[: KEYWORDS.index(STREAMED) + 1]
"""Fields of DrawInfo that the entry takes by keyword, and the target that gives `count`."""


def _offset(name: str) -> int:
    return int(getattr(DrawCall, {**PLAIN, PATCH: "patch_vertices", STREAMED: "count"}.get(name, name)).offset)


def build_draw_entry(module: Module, name: str, number: int, slot_offset: int, *, records: bool = False) -> None:
    """draw_vbo(info=None, *, ...). records: the context is observed, so append the call."""
    entry = Entry(module, name, number, slot_offset)
    entry.enter()
    f, b = entry.f, entry.record
    entry.fall_back((b.get("hindrances") & int(STOPS)).ne(0) | b.get("executor").eq(0) | (entry.count > 1))
    if records:
        entry.fall_back(lacks_room(b, MOST_DRAW))
    memory = f.alloca(f"[{ctypes.sizeof(DrawCall) // 4} x i32]")
    call = Record(f, memory, DrawCall)
    given = f.var(I64, 0)
    with f.if_(entry.count.ne(0)):
        thing = entry.argument(0)
        with f.if_(thing.ne(entry.python.get("none"))):
            given.set(entry.known(thing, Kind.DRAW_INFO))
            entry.fall_back(given.get().eq(0))
    with f.else_of(given.get().ne(0)) as otherwise:
        f.call(PTR, "memcpy", memory, given.get().as_pointer(), f.const(I64, ctypes.sizeof(DrawCall)))
        otherwise()
        f.call(PTR, "memset", memory, f.const(I32, 0), f.const(I64, ctypes.sizeof(DrawCall)))
        call.set("mode", f.const(I32, 4))
        call.set("instance_count", f.const(I32, 1))
        call.set("restart_index", f.const(I32, -1))
    target = f.var(I64, 0)
    with f.range(0, entry.keywords.trunc(I32)) as k:
        _take_keyword(entry, memory, entry.keyword(k.zext(I64)), entry.argument(entry.count + k.zext(I64)), target)
    with f.if_(target.get().ne(0)):
        call.set("count", _streamed_count(entry, Record(f, target.get().as_pointer(), TargetRecord)))
    if records:
        entry.fall_back(target.get().ne(0))
        entry.fall_back(call.get("mode").eq(int(Prim.PATCHES)))  # the words of a draw have no number of vertices of a patch
    code = f.call_pointer(I32, b.get("draw_entry").as_pointer(), b.get("executor").as_pointer(), b.pointer, memory)
    if records:
        with f.leaving(code.ne(0)):
            result = entry.call_python(plain_number(name))
            with f.if_(result.ne(0)):
                append_draw(f, b, memory)
            f.ret(result)
        append_draw(f, b, memory)
    else:
        entry.fall_back(code.ne(0))
    entry.done()


def _streamed_count(entry: Entry, target: Record) -> Val:
    """Number of vertices in a target of stream output: by the stride of vertex buffer 0, otherwise by that of its writer."""
    f, b = entry.f, entry.record
    first = Record(f, b.address("vertex_buffers"), VertexBufferSlot)
    stride = f.select(first.get("address").ne(0), first.get("stride"), target.get("stride").zext(I64))
    count = f.select(stride > 0, target.get("offset").udiv(f.max(stride, f.const(I64, 1))), f.const(I64, 0))
    entry.fall_back(count > _U32)
    return count.trunc(I32)


def _take_keyword(entry: Entry, memory: Val, name: Val, thing: Val, target: Var) -> None:
    """Write one field of the call. target: takes the address of the TargetRecord that is named."""
    f, python = entry.f, entry.python
    number = f.var(I32, -1)
    for k in range(len(_TAKEN)):
        number.set(f.select(name.eq(python.get("names", k)), f.const(I32, k), number.get()))
    entry.fall_back(number.get() < 0)
    place, value = number.get(), f.var(I64, 0)
    with f.else_of(place.eq(KEYWORDS.index(MODE))) as others:
        mode = entry.known(thing, Kind.PRIM)
        entry.fall_back(mode.eq(0))
        value.set(mode - 1)
        others()
        with f.else_of(place.eq(KEYWORDS.index(RESTART))) as numbers:
            is_true = thing.eq(python.get("true"))
            entry.fall_back(~(is_true | thing.eq(python.get("false"))))
            value.set(is_true.zext(I64))
            numbers()
            with f.else_of(place.eq(KEYWORDS.index(STREAMED))) as plain:
                target.set(entry.known(thing, Kind.STREAM_TARGET))
                entry.fall_back(target.get().eq(0))
                plain()
                value.set(_number(entry, place, thing))
    offsets = f.module.constant("keyword_offsets", I32, [_offset(name) for name in _TAKEN])
    f.store(value.get().trunc(I32), f.at(memory, f.load(I32, f.value(PTR, offsets), place << 2)))


def _number(entry: Entry, place: Val, thing: Val) -> Val:
    """The number (i64) of a field. Wrong ones are left to the Python method."""
    f = entry.f
    is_bias = place.eq(KEYWORDS.index(BIAS))
    found = entry.integer(thing, -(1 << 31), _U32)
    low = f.select(is_bias, f.const(I64, -(1 << 31)), 0)
    high = f.select(is_bias, f.const(I64, (1 << 31) - 1), f.const(I64, _U32))
    high = f.select(place.eq(KEYWORDS.index(PATCH)), f.const(I64, 32), high)
    high = f.select(place.eq(KEYWORDS.index(INDEX_SIZE)), f.const(I64, 4), high)
    is_three = place.eq(KEYWORDS.index(INDEX_SIZE)) & found.eq(3)
    entry.fall_back((found < low) | (found > high) | is_three)
    return found
