"""Generated code: DRAW_VBO with the bound state, by the device's function."""

from __future__ import annotations

import ctypes
from contextlib import AbstractContextManager

from backends.device.calls.table import FIELDS
from backends.device.commands.bound_record import STAGES, BoundRecord, DrawCall
from backends.device.commands.client import DEFAULT_PATCH, DRAW, LEAST_DRAW, ReaderRecord
from backends.device.commands.layout import AGAIN, MOST_CHANGES, Command
from backends.entries.setters import carry_out, constant_slot, hinders
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_CONSTANT_BUFFERS, MAX_PATCH_VERTICES
from backends.software.reading.bindings import field, refuse

CALL = " ".join(FIELDS[Command.DRAW][0])
_CALL_WORDS = len(CALL.split())


def build_draw_words(module: Module) -> None:
    """draw_words(reader, words, count) -> 1 if the draw was taken. Indirect and streamed draws fall back to Python."""
    f = Function(module, "draw_words", [PTR, PTR, I32], I32, shared=True, internal=True)
    reader, words, count = f.args
    r = Record(f, reader, ReaderRecord)
    b = Record(f, r.get("bound"), BoundRecord)
    fields = {name: field(f, words, DRAW, name) for name in DRAW.split()[:LEAST_DRAW]}
    is_indexed = fields["indexed"].ne(0)
    refuse(f, hinders(b) | fields["count_from_so"].ne(0) | b.get("draw_entry").eq(0))
    refuse(f, is_indexed & r.get("index_size").eq(0))
    draw_id, patch_vertices = f.var(I32, 0), f.var(I32, DEFAULT_PATCH)
    with _has(f, count, "vertices_per_patch"):
        patch_vertices.set(field(f, words, DRAW, "vertices_per_patch"))
        refuse(f, patch_vertices.get().ugt(MAX_PATCH_VERTICES))
    with _has(f, count, "drawid"):
        draw_id.set(field(f, words, DRAW, "drawid"))
    with _has(f, count, "indirect_handle"):
        refuse(f, field(f, words, DRAW, "indirect_handle").ne(0))
    memory = f.alloca(f"[{ctypes.sizeof(DrawCall)} x i8]")
    c = Record(f, memory, DrawCall)
    has_restart = fields["primitive_restart"].ne(0)
    c.set("mode", fields["mode"])
    c.set("count", fields["count"])
    c.set("start", f.select(is_indexed, f.const(I32, 0), fields["start"]))  # an indexed draw starts at the index buffer's offset
    c.set("index_size", f.select(is_indexed, r.get("index_size"), 0))
    c.set("instance_count", fields["instance_count"])
    c.set("start_instance", fields["start_instance"])
    c.set("index_bias", f.select(is_indexed, fields["index_bias"], 0))
    c.set("primitive_restart", has_restart.zext(I32))
    c.set("restart_index", f.select(has_restart, fields["restart_index"], -1))
    c.set("draw_id", draw_id.get())
    c.set("patch_vertices", patch_vertices.get())
    f.ret(carry_out(b, "draw_entry", memory).eq(0).zext(I32))


def build_call(module: Module) -> None:
    """call(reader, words, count) -> 1 if the draw was taken. The words are as for DRAW; without words, the last draw is repeated."""
    f = Function(module, "call", [PTR, PTR, I32], I32, shared=True, internal=True)
    reader, words, count = f.args
    r = Record(f, reader, ReaderRecord)
    b, last = Record(f, r.get("bound"), BoundRecord), r.address("call")
    refuse(f, hinders(b) | b.get("draw_entry").eq(0))
    refuse(f, f.select(count.eq(0), r.get("has_call"), count.eq(_CALL_WORDS).zext(I32)).eq(0))
    with f.if_(count.ne(0)):
        size = field(f, words, CALL, "index_size")
        refuse(f, size.ne(0) & size.ne(1) & size.ne(2) & size.ne(4))
        f.call(PTR, "memcpy", last, words, f.const(I64, 4 * _CALL_WORDS))
        r.set("has_call", 1)
    f.ret(carry_out(b, "draw_entry", last).eq(0).zext(I32))


def build_slot_constants(module: Module) -> None:
    """slot_constants(reader, words, count) -> 1 if CONSTANTS and its draw were carried out.

    0 with the constants bound if only the draw failed.
    """
    f = Function(module, "slot_constants", [PTR, PTR, I32], I32, shared=True, internal=True)
    reader, words, count = f.args
    detail = f.load(I32, words, -4).lshr(8) & 0xFF
    done = f.var(I32, f.call(I32, "bind_constants", reader, detail & 7, detail.lshr(3) & 15, words, count))
    with f.if_((detail & AGAIN).ne(0) & done.get().ne(0)):
        done.set(f.call(I32, "call", reader, words, f.const(I32, 0)))
    f.ret(done.get())


def build_slot_changes(module: Module) -> None:
    """slot_changes(reader, words, count) -> 1 if CHANGES, with its draw, was carried out. Refuses words that are not bound as constants."""
    f = Function(module, "slot_changes", [PTR, PTR, I32], I32, shared=True, internal=True)
    reader, words, _ = f.args
    head = f.load(I32, words, -4)
    detail, bits = head.lshr(8) & 0xFF, head.lshr(16)
    stage, index = detail & 7, detail.lshr(3) & 15
    refuse(f, stage.uge(STAGES) | index.uge(MAX_CONSTANT_BUFFERS))
    bound = Record(f, Record(f, reader, ReaderRecord).get("bound"), BoundRecord)
    slot = constant_slot(bound, stage.zext(I64), index.zext(I64))
    size = slot.get("size").lshr(2)
    refuse(f, slot.get("room").eq(0) | bits.lshr(f.min(size, f.const(I32, MOST_CHANGES))).ne(0))
    done = f.var(I32, f.call(I32, "bind_constants", reader, stage, index, slot.get("address").as_pointer(), size))
    with f.if_(done.get().ne(0)):
        _change(f, slot.get("address").as_pointer(), bits, words)
        with f.if_((detail & AGAIN).ne(0)):
            done.set(f.call(I32, "call", reader, words, f.const(I32, 0)))
    f.ret(done.get())


def build_call_changes(module: Module) -> None:
    """call_changes(reader, words, count) -> 1 if the last draw was repeated with the words that REDRAW changes."""
    f = Function(module, "call_changes", [PTR, PTR, I32], I32, shared=True, internal=True)
    reader, words, _ = f.args
    r, bits = Record(f, reader, ReaderRecord), f.load(I32, words, -4).lshr(16)
    refuse(f, r.get("has_call").eq(0) | bits.lshr(_CALL_WORDS).ne(0))
    memory = f.alloca(f"[{_CALL_WORDS} x i32]")
    f.call(PTR, "memcpy", memory, r.address("call"), f.const(I64, 4 * _CALL_WORDS))
    _change(f, memory, bits, words)
    f.ret(f.call(I32, "call", reader, memory, f.const(I32, _CALL_WORDS)))


def _change(f: Function, target: Val, bits: Val, words: Val) -> None:
    """Write words to the places of the set bits."""
    rest, at = f.var(I32, bits), f.var(I32, 0)
    with f.loop() as loop:
        loop.break_if(rest.get().eq(0))
        f.store(f.load(I32, words, at.get() << 2), target, f.first_bit(rest.get()) << 2)
        rest.set(rest.get() & (rest.get() - 1))
        at.set(at.get() + 1)


def _has(f: Function, count: Val, name: str) -> AbstractContextManager[None]:
    """Run the body for commands that have a word of this name."""
    return f.if_(count > DRAW.split().index(name))
