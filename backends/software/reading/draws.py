"""Generated code: DRAW_VBO with the bound state, through the function that a device offers for it."""

from __future__ import annotations

import ctypes
from contextlib import AbstractContextManager

from backends.device.commands.bound_record import STOPS, BoundRecord, DrawCall
from backends.device.commands.client import DRAW, LEAST_DRAW, ReaderRecord
from backends.device.commands.layout import AGAIN
from backends.device.commands.layout import DRAW as CALL
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_PATCH_VERTICES
from backends.software.reading.bindings import field, refuse


def build_draw_words(module: Module) -> None:
    """draw_words(reader, words, count) -> 1 if the draw was taken. Indirect and streamed draws are left to Python."""
    f = Function(module, "draw_words", [PTR, PTR, I32], I32, shared=True, internal=True)
    reader, words, count = f.args
    r = Record(f, reader, ReaderRecord)
    b = Record(f, r.get("bound"), BoundRecord)
    given = {name: field(f, words, DRAW, name) for name in DRAW.split()[:LEAST_DRAW]}
    is_indexed = given["indexed"].ne(0)
    refuse(f, (b.get("hindrances") & int(STOPS)).ne(0) | given["count_from_so"].ne(0) | b.get("draw_entry").eq(0))
    refuse(f, is_indexed & r.get("index_size").eq(0))
    draw_id = f.var(I32, 0)
    with _has(f, count, "vertices_per_patch"):
        refuse(f, field(f, words, DRAW, "vertices_per_patch").ugt(MAX_PATCH_VERTICES))
    with _has(f, count, "drawid"):
        draw_id.set(field(f, words, DRAW, "drawid"))
    with _has(f, count, "indirect_handle"):
        refuse(f, field(f, words, DRAW, "indirect_handle").ne(0))
    memory = f.alloca(f"[{ctypes.sizeof(DrawCall)} x i8]")
    c = Record(f, memory, DrawCall)
    has_restart = given["primitive_restart"].ne(0)
    c.set("mode", given["mode"])
    c.set("count", given["count"])
    c.set("start", f.select(is_indexed, f.const(I32, 0), given["start"]))  # an indexed draw starts at the index buffer's offset
    c.set("index_size", f.select(is_indexed, r.get("index_size"), 0))
    c.set("instance_count", given["instance_count"])
    c.set("start_instance", given["start_instance"])
    c.set("index_bias", f.select(is_indexed, given["index_bias"], 0))
    c.set("primitive_restart", has_restart.zext(I32))
    c.set("restart_index", f.select(has_restart, given["restart_index"], -1))
    c.set("draw_id", draw_id.get())
    code = f.call_pointer(I32, b.get("draw_entry").as_pointer(), b.get("executor").as_pointer(), b.pointer, memory)
    f.ret(code.eq(0).zext(I32))


def build_call(module: Module) -> None:
    """call(reader, words, count) -> 1 if the draw was taken. The words are those of `layout.DRAW`; none: the last draw again."""
    f = Function(module, "call", [PTR, PTR, I32], I32, shared=True, internal=True)
    reader, words, count = f.args
    r = Record(f, reader, ReaderRecord)
    b, last = Record(f, r.get("bound"), BoundRecord), r.address("call")
    fields = len(CALL.split())
    refuse(f, (b.get("hindrances") & int(STOPS)).ne(0) | b.get("draw_entry").eq(0))
    refuse(f, f.select(count.eq(0), r.get("has_call"), count.eq(fields).zext(I32)).eq(0))
    with f.if_(count.ne(0)):
        size = field(f, words, CALL, "index_size")
        refuse(f, size.ne(0) & size.ne(1) & size.ne(2) & size.ne(4))
        f.call(PTR, "memcpy", last, words, f.const(I64, 4 * fields))
        r.set("has_call", 1)
    code = f.call_pointer(I32, b.get("draw_entry").as_pointer(), b.get("executor").as_pointer(), b.pointer, last)
    f.ret(code.eq(0).zext(I32))


def build_slot_constants(module: Module) -> None:
    """slot_constants(reader, words, count) -> 1 if CONSTANTS, with its draw, was carried out. Without the draw, they are bound."""
    f = Function(module, "slot_constants", [PTR, PTR, I32], I32, shared=True, internal=True)
    reader, words, count = f.args
    detail = f.load(I32, words, -4).lshr(8) & 0xFF
    done = f.var(I32, f.call(I32, "bind_constants", reader, detail & 7, detail.lshr(3) & 15, words, count))
    with f.if_((detail & AGAIN).ne(0) & done.get().ne(0)):
        done.set(f.call(I32, "call", reader, words, f.const(I32, 0)))
    f.ret(done.get())


def _has(f: Function, count: Val, name: str) -> AbstractContextManager[None]:
    """Write the body for commands that have a word of this name."""
    return f.if_(count > DRAW.split().index(name))
