"""Generated code: carries out the commands of a message, up to the first that needs Python."""

from __future__ import annotations

import ctypes

from backends.device.commands.client import CommandRow, Kind, ReaderRecord
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.software.reading.barriers import build_barrier
from backends.software.reading.bindings import build_constants, build_index_buffer, build_uniforms, build_vertex_buffers, build_vertex_slots
from backends.software.reading.clears import build_clear_call, build_clear_words
from backends.software.reading.draws import build_call, build_call_changes, build_draw_words, build_slot_changes, build_slot_constants
from backends.software.reading.queries import build_query
from backends.software.reading.subdata import build_subdata
from backends.software.reading.tables import build_find, build_repeat
from backends.software.reading.transfers import build_copy_transfer, build_transfer
from backends.software.reading.waits import build_answer_waits

_TAKEN_BY = {
    Kind.DRAW: "draw_words",
    Kind.CONSTANTS: "constants",
    Kind.UNIFORMS: "uniforms",
    Kind.VERTEX_BUFFERS: "vertex_buffers",
    Kind.INDEX_BUFFER: "index_buffer",
    Kind.CALL: "call",
    Kind.VERTEX_SLOTS: "vertex_slots",
    Kind.SLOT_CONSTANTS: "slot_constants",
    Kind.SUBDATA: "subdata",
    Kind.TRANSFER: "transfer",
    Kind.COPY_TRANSFER: "copy_transfer",
    Kind.CLEAR: "clear_words",
    Kind.CLEAR_CALL: "clear_call",
    Kind.BARRIER: "barrier",
    Kind.QUERY: "query",
    Kind.SLOT_CHANGES: "slot_changes",
    Kind.CALL_CHANGES: "call_changes",
}


def build_read(module: Module) -> None:
    """read(reader, words, first, end) -> place of the first word for Python; `end` if there is none."""
    f = Function(module, "read", [PTR, PTR, I32, I32], I32, shared=True)
    reader, words, first, end = f.args
    r = Record(f, reader, ReaderRecord)
    at = f.var(I32, first)
    with f.loop() as loop:
        here = at.get()
        loop.break_if(here >= end)
        command = f.at(words, here.zext(I64) << 2)
        head = f.load(I32, command)
        row = Record(f, f.at(r.address("rows"), (head & 255) * ctypes.sizeof(CommandRow)), CommandRow)
        kind, length = row.get("kind"), f.var(I32, head.lshr(16))
        with f.if_(kind >= int(Kind.SLOT_CHANGES)):
            length.set(f.popcount(length.get()))
        count = length.get()
        after = here + count + 1
        loop.break_if((after > end) | kind.eq(int(Kind.PYTHON)))
        loop.break_if(_is_irregular(f, row, count) | (head.lshr(8) & 255 & ~row.get("detail")).ne(0))
        done, body = f.var(I32, kind.eq(int(Kind.NOTHING)).zext(I32)), f.at(command, 4)
        with f.if_(kind.eq(int(Kind.REPEATED))):
            done.set(f.call(I32, "repeat", reader, command, count + 1))
        for number, name in _TAKEN_BY.items():
            with f.if_(kind.eq(int(number))):
                done.set(f.call(I32, name, reader, body, count))
        loop.break_if(done.get().eq(0))
        r.set("read", r.get("read") + 1)
        at.set(after)
    f.ret(at.get())


def _is_irregular(f: Function, row: Record, count: Val) -> Val:
    """True if a command of the row cannot have `count` words."""
    fields, group = row.get("fields"), row.get("group")
    over = count - fields
    rest = f.select(over > 0, over, 0).urem(f.max(group, 1))
    return (count < row.get("least")) | ((over > 0) & (group.eq(0) | rest.ne(0)))


def build_reading(module: Module) -> None:
    """read and answer_waits, with the functions that they call."""
    for build in (
        build_find,
        build_repeat,
        build_constants,
        build_uniforms,
        build_vertex_buffers,
        build_index_buffer,
        build_draw_words,
        build_call,
        build_vertex_slots,
        build_slot_constants,
        build_slot_changes,
        build_call_changes,
        build_subdata,
        build_clear_words,
        build_clear_call,
        build_transfer,
        build_copy_transfer,
        build_barrier,
        build_query,
        build_read,
        build_answer_waits,
    ):
        build(module)
