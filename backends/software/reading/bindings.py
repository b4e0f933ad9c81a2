"""Generated code: commands that bind constants, vertex buffers and the index buffer. Each function returns 0 to fall back to Python."""

from __future__ import annotations

from backends.device.commands.bound_record import BoundRecord, VertexBufferSlot
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
from backends.entries.setters import (
    SLOTS,
    VERTEX_SLOT,
    copy_constants,
    fill_vertex_slot,
    put_constants,
    put_index_buffer,
    put_vertex_buffers,
    room_of,
)
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
    """Fall back to Python if the condition holds."""
    with f.leaving(condition):
        f.ret(f.const(I32, 0))


def _bind_constants(f: Function, bound: Record, stage: Val, index: Val, *memory: Val | int) -> None:
    """Bind constants (address, size, allocated size) to a slot. Refuses invalid stages and slots."""
    refuse(f, stage.uge(_STAGES) | index.uge(MAX_CONSTANT_BUFFERS))
    put_constants(bound, stage.zext(I64), index.zext(I64), *memory)


def find_buffer(f: Function, reader: Val, handle: Val) -> tuple[Val, Val]:
    """Address and size (i64) of a buffer. Refuses unknown handles."""
    return find_range(f, Record(f, reader, ReaderRecord).get("buffers"), handle)


def find_range(f: Function, table: Val, handle: Val) -> tuple[Val, Val]:
    """Address and size (i64) of a handle's memory in a table. Refuses unknown handles."""
    entry = f.call(I64, "find_buffer", table, handle)
    refuse(f, entry.eq(0))
    slot = Record(f, entry.as_pointer(), BufferSlot)
    return slot.get("address"), slot.get("size")


def begin_taker(module: Module, name: str) -> tuple[Function, Val, Record, Val, Val]:
    """Begin a function name(reader, words, count) -> 1 if the command was carried out. Returns reader, bound record, words and count."""
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
    """bind_constants(reader, stage, index, words, count) -> 1 if a copy of the words is bound, otherwise 0."""
    f = Function(module, "bind_constants", [PTR, I32, I32, PTR, I32], I32, shared=True, internal=True)
    reader, stage, index, words, count = f.args
    bound = Record(f, Record(f, reader, ReaderRecord).get("bound"), BoundRecord)
    size = f.min(count.zext(I64) << 2, f.const(I64, MAX_BYTES))
    room = room_of(size)
    refuse(f, room > bound.get("constants_room"))
    with f.leaving(size.eq(0)):
        _bind_constants(f, bound, stage, index, 0, 0, 0)
        f.ret(f.const(I32, 1))
    refuse(f, stage.uge(_STAGES) | index.uge(MAX_CONSTANT_BUFFERS))
    _bind_constants(f, bound, stage, index, copy_constants(bound, words, size), size.trunc(I32), room.trunc(I32))
    f.ret(f.const(I32, 1))


def build_uniforms(module: Module) -> None:
    """uniforms(reader, words, count): SET_UNIFORM_BUFFER."""
    f, reader, bound, words, _ = begin_taker(module, "uniforms")
    stage, index, offset, length, handle = (field(f, words, UNIFORMS, name) for name in UNIFORMS.split())
    with f.leaving(handle.eq(0)):
        _bind_constants(f, bound, stage, index, 0, 0, 0)
        f.ret(f.const(I32, 1))
    address, size = find_buffer(f, reader, handle)
    begin = offset.zext(I64)
    refuse(f, (begin > size) | (offset & 3).ne(0))
    bound_size = f.min(f.min(length.zext(I64), size - begin), f.const(I64, MAX_UNIFORMS))
    _bind_constants(f, bound, stage, index, address + begin, bound_size.trunc(I32), 0)
    f.ret(f.const(I32, 1))


def build_vertex_buffers(module: Module) -> None:
    """vertex_buffers(reader, words, count): SET_VERTEX_BUFFERS, which empties all slots that it does not name."""
    f, reader, bound, words, count = begin_taker(module, "vertex_buffers")
    number, slots = _read_vertex_buffers(f, reader, words, count)
    put_vertex_buffers(bound, slots, 0, number, number)
    f.ret(f.const(I32, 1))


def build_vertex_slots(module: Module) -> None:
    """vertex_slots(reader, words, count): the number of a slot, and buffers from this slot on. Other slots are unchanged.

    Python keeps the buffers of other slots alive, unless generated code has bound all of them.
    """
    f, reader, bound, words, count = begin_taker(module, "vertex_slots")
    start = f.load(I32, words, 0)
    number, slots = _read_vertex_buffers(f, reader, f.at(words, 4), count - 1)
    refuse(f, start.ugt(MAX_VERTEX_BUFFERS) | (start + number > MAX_VERTEX_BUFFERS))
    before = bound.get("num_vertex_buffers")
    refuse(f, bound.get("are_vertex_buffers_native").eq(0) & (start.ne(0) | (number < before)))
    put_vertex_buffers(bound, slots, start, number, f.max(before, start + number))
    f.ret(f.const(I32, 1))


def _read_vertex_buffers(f: Function, reader: Val, words: Val, count: Val) -> tuple[Val, Val]:
    """The number of groups of VERTEX_BUFFER, and their slots on the stack."""
    group = len(VERTEX_BUFFER.split())
    number = count.udiv(group)
    refuse(f, number > MAX_VERTEX_BUFFERS)
    slots = f.alloca(SLOTS)
    f.call(PTR, "memset", slots, f.const(I32, 0), number.zext(I64) * VERTEX_SLOT)
    with f.range(0, number) as k:
        stride, offset, handle = (field(f, f.at(words, k * (4 * group)), VERTEX_BUFFER, name) for name in VERTEX_BUFFER.split())
        with f.if_(handle.ne(0)):
            refuse(f, stride.ugt(MAX_VERTEX_STRIDE))
            slot = Record(f, f.at(slots, k * VERTEX_SLOT), VertexBufferSlot)
            fill_vertex_slot(slot, find_buffer(f, reader, handle), offset.zext(I64), stride.zext(I64))
    return number, slots


def build_index_buffer(module: Module) -> None:
    """index_buffer(reader, words, count): SET_INDEX_BUFFER."""
    f, reader, bound, words, count = begin_taker(module, "index_buffer")
    r = Record(f, reader, ReaderRecord)
    handle = field(f, words, INDEX_BUFFER, "res_handle")
    with f.leaving(handle.eq(0)):
        put_index_buffer(bound, None)
        r.set("index_size", 0)
        f.ret(f.const(I32, 1))
    refuse(f, count < len(INDEX_BUFFER.split()))
    size_of, offset = field(f, words, INDEX_BUFFER, "index_size"), field(f, words, INDEX_BUFFER, "offset")
    refuse(f, size_of.ne(1) & size_of.ne(2) & size_of.ne(4))
    put_index_buffer(bound, find_buffer(f, reader, handle), offset.zext(I64))
    r.set("index_size", size_of)
    f.ret(f.const(I32, 1))
