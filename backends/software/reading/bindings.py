"""Generated code: commands that bind constants, vertex buffers and the index buffer. Each function returns 0 where Python has to look."""

from __future__ import annotations

import ctypes

from backends.device.commands.bound_record import BoundRecord, ConstantSlot, VertexBufferSlot
from backends.device.commands.client import (
    CONSTANTS,
    INDEX_BUFFER,
    MAX_UNIFORMS,
    UNIFORMS,
    VERTEX_BUFFER,
    BufferSlot,
    ReaderRecord,
)
from backends.device.commands.constant_memory import MAX_BYTES
from backends.device.region import ALIGNMENT
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_CONSTANT_BUFFERS, MAX_VERTEX_BUFFERS, MAX_VERTEX_STRIDE
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import STAGES

_STAGES = sum(not STAGES[processor].is_mesh for processor in Processor)
"""Stages of the protocol; they have the numbers of `Processor`."""


def field(f: Function, words: Val, names: str, name: str) -> Val:
    """A word of a command by its name; `words` points to the first."""
    return f.load(I32, words, 4 * names.split().index(name))


def refuse(f: Function, condition: Val) -> None:
    """Leave the command to Python if the condition holds."""
    with f.leaving(condition):
        f.ret(f.const(I32, 0))


def _tick(f: Function, bound: Record) -> Val:
    """The next revision."""
    clock = bound.get("clock")
    now = f.load(I64, clock) + 1
    f.store(now, clock)
    return now


def _constant_slot(f: Function, bound: Record, stage: Val, index: Val) -> Record:
    """The slot of a constant buffer, which is about to change. Refuses what is no slot."""
    refuse(f, stage.uge(_STAGES) | index.uge(MAX_CONSTANT_BUFFERS))
    f.store(_tick(f, bound), bound.address("constant_revision"), stage << 3)
    place = (stage * MAX_CONSTANT_BUFFERS + index) * ctypes.sizeof(ConstantSlot)
    return Record(f, f.at(bound.address("constants"), place), ConstantSlot)


def _bind(slot: Record, address: Val | int, size: Val | int, room: Val | int, is_native: int) -> None:
    slot.set("address", address)
    slot.set("size", size)
    slot.set("room", room)
    slot.set("is_native", is_native)


def find_buffer(f: Function, reader: Val, handle: Val) -> tuple[Val, Val]:
    """Address and size (i64) of a buffer. Refuses unknown handles."""
    return find_range(f, Record(f, reader, ReaderRecord).get("buffers"), handle)


def find_range(f: Function, table: Val, handle: Val) -> tuple[Val, Val]:
    """Address and size (i64) of the memory that a handle has in a table. Refuses unknown handles."""
    found = f.call(I64, "find_buffer", table, handle)
    refuse(f, found.eq(0))
    slot = Record(f, found.as_pointer(), BufferSlot)
    return slot.get("address"), slot.get("size")


def begin_taker(module: Module, name: str) -> tuple[Function, Val, Record, Val, Val]:
    """A function name(reader, words, count) -> 1 if the command was carried out: with reader, bound record, words and count."""
    f = Function(module, name, [PTR, PTR, I32], I32, shared=True, internal=True)
    reader, words, count = f.args
    return f, reader, Record(f, Record(f, reader, ReaderRecord).get("bound"), BoundRecord), words, count


def build_constants(module: Module) -> None:
    """constants(reader, words, count): SET_CONSTANT_BUFFER, as `ConstantMemory.put`."""
    f, reader, _, words, count = begin_taker(module, "constants")
    header = len(CONSTANTS.split())
    stage, index = field(f, words, CONSTANTS, "shader_type"), field(f, words, CONSTANTS, "index")
    _build_bind_constants(module)
    f.ret(f.call(I32, "bind_constants", reader, stage, index, f.at(words, 4 * header), count - header))


def _build_bind_constants(module: Module) -> None:
    """bind_constants(reader, stage, index, words, count) -> 1 if a copy of the words was bound, otherwise 0."""
    f = Function(module, "bind_constants", [PTR, I32, I32, PTR, I32], I32, shared=True, internal=True)
    reader, stage, index, words, count = f.args
    bound = Record(f, Record(f, reader, ReaderRecord).get("bound"), BoundRecord)
    size = f.select(count > MAX_BYTES // 4, f.const(I32, MAX_BYTES), count << 2)
    room = (size + (ALIGNMENT - 1)) & -ALIGNMENT
    refuse(f, room.zext(I64) > bound.get("constants_room"))
    slot = _constant_slot(f, bound, stage, index)
    with f.leaving(size.eq(0)):
        _bind(slot, 0, 0, 0, 0)
        f.ret(f.const(I32, 1))
    address = bound.get("constants_at")
    f.call(PTR, "memcpy", address.as_pointer(), words, size.zext(I64))
    bound.set("constants_at", address + room.zext(I64))
    bound.set("constants_room", bound.get("constants_room") - room.zext(I64))
    _bind(slot, address, size, room, 1)
    f.ret(f.const(I32, 1))


def build_uniforms(module: Module) -> None:
    """uniforms(reader, words, count): SET_UNIFORM_BUFFER."""
    f, reader, bound, words, _ = begin_taker(module, "uniforms")
    stage, index, offset, length, handle = (field(f, words, UNIFORMS, name) for name in UNIFORMS.split())
    with f.leaving(handle.eq(0)):
        _bind(_constant_slot(f, bound, stage, index), 0, 0, 0, 0)
        f.ret(f.const(I32, 1))
    address, size = find_buffer(f, reader, handle)
    begin = offset.zext(I64)
    refuse(f, (begin > size) | (offset & 3).ne(0))
    slot = _constant_slot(f, bound, stage, index)
    bound_size = f.min(f.min(length.zext(I64), size - begin), f.const(I64, MAX_UNIFORMS))
    _bind(slot, address + begin, bound_size.trunc(I32), 0, 1)
    f.ret(f.const(I32, 1))


def build_vertex_buffers(module: Module) -> None:
    """vertex_buffers(reader, words, count): SET_VERTEX_BUFFERS, which empties all slots that it does not name."""
    f, reader, bound, words, count = begin_taker(module, "vertex_buffers")
    number, made = _read_vertex_buffers(f, reader, words, count)
    target, each = bound.address("vertex_buffers"), ctypes.sizeof(VertexBufferSlot)
    f.call(PTR, "memcpy", target, made, number.zext(I64) * each)
    _empty_slots(f, bound, number)
    _end_vertex_buffers(f, bound, number)


def build_vertex_slots(module: Module) -> None:
    """vertex_slots(reader, words, count): the number of a slot, and buffers from this slot on. Other slots stay.

    Python keeps what other slots hold alive, unless generated code has bound all of them.
    """
    f, reader, bound, words, count = begin_taker(module, "vertex_slots")
    start = f.load(I32, words, 0)
    number, made = _read_vertex_buffers(f, reader, f.at(words, 4), count - 1)
    refuse(f, start.ugt(MAX_VERTEX_BUFFERS) | (start + number > MAX_VERTEX_BUFFERS))
    each, before = ctypes.sizeof(VertexBufferSlot), bound.get("num_vertex_buffers")
    refuse(f, bound.get("are_vertex_buffers_native").eq(0) & (start.ne(0) | (number < before)))
    _empty_slots(f, bound, before, start)
    f.call(PTR, "memcpy", f.at(bound.address("vertex_buffers"), start.zext(I64) * each), made, number.zext(I64) * each)
    _end_vertex_buffers(f, bound, f.max(before, start + number))


def _empty_slots(f: Function, bound: Record, first: Val, end: Val | None = None) -> None:
    """Empty slots from `first` up to `end`, by default the number of those that are bound."""
    target, each = bound.address("vertex_buffers"), ctypes.sizeof(VertexBufferSlot)
    with f.range(first, bound.get("num_vertex_buffers") if end is None else end) as k:
        slot = Record(f, f.at(target, k * each), VertexBufferSlot)
        for name in ("address", "size", "stride", "lead"):
            slot.set(name, 0)


def _end_vertex_buffers(f: Function, bound: Record, number: Val) -> None:
    """Note that slots have changed, and return."""
    bound.set("num_vertex_buffers", number)
    bound.set("are_vertex_buffers_native", 1)
    bound.set("vertex_revision", _tick(f, bound))
    f.ret(f.const(I32, 1))


def _read_vertex_buffers(f: Function, reader: Val, words: Val, count: Val) -> tuple[Val, Val]:
    """The number of groups of VERTEX_BUFFER, and their slots in memory of the stack."""
    group = len(VERTEX_BUFFER.split())
    number = count.udiv(group)
    refuse(f, number > MAX_VERTEX_BUFFERS)
    made = f.alloca(f"[{MAX_VERTEX_BUFFERS * ctypes.sizeof(VertexBufferSlot)} x i8]")
    with f.range(0, number) as k:
        stride, offset, handle = (field(f, f.at(words, k * (4 * group)), VERTEX_BUFFER, name) for name in VERTEX_BUFFER.split())
        slot = Record(f, f.at(made, k * ctypes.sizeof(VertexBufferSlot)), VertexBufferSlot)
        address, size, step = f.var(I64, 0), f.var(I64, 0), f.var(I64, 0)
        with f.if_(handle.ne(0)):
            refuse(f, stride.ugt(MAX_VERTEX_STRIDE))
            whole_at, whole_size = find_buffer(f, reader, handle)
            begin = f.min(offset.zext(I64), whole_size)
            address.set(whole_at + begin)
            size.set(whole_size - begin)
            step.set(stride.zext(I64))
        slot.set("address", address.get())
        slot.set("size", size.get())
        slot.set("stride", step.get())
        slot.set("lead", f.const(I64, 0))
    return number, made


def build_index_buffer(module: Module) -> None:
    """index_buffer(reader, words, count): SET_INDEX_BUFFER."""
    f, reader, bound, words, count = begin_taker(module, "index_buffer")
    r = Record(f, reader, ReaderRecord)
    handle = field(f, words, INDEX_BUFFER, "res_handle")
    with f.leaving(handle.eq(0)):
        _bind_indices(bound, r, 0, 0, 0)
        f.ret(f.const(I32, 1))
    refuse(f, count < len(INDEX_BUFFER.split()))
    size_of, offset = field(f, words, INDEX_BUFFER, "index_size"), field(f, words, INDEX_BUFFER, "offset")
    refuse(f, size_of.ne(1) & size_of.ne(2) & size_of.ne(4))
    address, size = find_buffer(f, reader, handle)
    begin = f.min(offset.zext(I64), size)
    _bind_indices(bound, r, address + begin, size - begin, size_of)
    f.ret(f.const(I32, 1))


def _bind_indices(bound: Record, reader: Record, address: Val | int, size: Val | int, size_of: Val | int) -> None:
    bound.set("index_address", address)
    bound.set("index_bytes", size)
    bound.set("is_index_buffer_native", 1)
    reader.set("index_size", size_of)
