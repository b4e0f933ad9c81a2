"""Generated code: a template's `Draw` record with the addresses of the vertex and index buffers that are bound now."""

from __future__ import annotations

import ctypes

from backends.device.commands.bound_record import BoundRecord, VertexBufferSlot
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.raster.draw_record import Draw
from backends.software.commands.memory import allocate
from backends.software.commands.records import ExecutorRecord, ReadRange, TemplateRecord

_UNLIMITED = 0xFFFFFFFF


def build_placed_draw(module: Module) -> None:
    """placed_draw(executor, bound, template, indices) -> address of a Draw record, 0 if there is no room.

    The latest record serves again while the frame, the vertex buffers and the address of the indices stay the same.
    """
    f = Function(module, "placed_draw", [PTR, PTR, PTR, I64], I64, shared=True, internal=True)
    executor, bound, template, indices = f.args
    e, b, t = Record(f, executor, ExecutorRecord), Record(f, bound, BoundRecord), Record(f, template, TemplateRecord)
    frame, revision = e.get("frame"), b.get("vertex_revision")
    is_known = t.get("frame").eq(frame)
    with f.leaving(is_known & t.get("vertex_revision").eq(revision) & t.get("indices").eq(indices)):
        f.ret(t.get("placed"))
    made = allocate(f, executor, ctypes.sizeof(Draw))
    with f.leaving(made.eq(0)):
        f.ret(made)
    target = made.as_pointer()
    f.call(PTR, "memcpy", target, t.get("content"), f.const(I64, ctypes.sizeof(Draw)))
    d = Record(f, target, Draw)
    f.store(indices, d.address("assembly.indices"), 0, 8)
    with f.range(0, t.get("num_attributes")) as a:
        _write_attribute(f, e, b, t, d, a)
    with f.if_(~is_known):
        reads = t.get("reads")
        with f.range(0, t.get("num_reads")) as k:
            r = Record(f, f.at(reads, k.zext(I64) * ctypes.sizeof(ReadRange)), ReadRange)
            f.call(None, "note_read", executor, r.get("address"), r.get("size"))
    t.set("frame", frame)
    t.set("vertex_revision", revision)
    t.set("indices", indices)
    t.set("placed", made)
    f.ret(made)


def _write_attribute(f: Function, e: Record, b: Record, t: Record, d: Record, a: Val) -> None:
    """Write address, stride and limit of attribute `a`; without memory it reads zeros."""
    is_read_now = t.get("staged").as_address().ne(0)
    slot = f.load(I32, t.address("buffer"), a << 2)
    size_of = f.load(I32, t.address("element_bytes"), a << 2).zext(I64)
    offset = f.load(I32, t.address("source_offset"), a << 2).zext(I64)
    address, stride, limit = f.var(I64, 0), f.var(I64, 0), f.var(I64, 0)
    f.store(e.get("zeros"), d.address("fetch.attribute"), a << 3, 8)
    with f.if_(slot >= 0):
        v = Record(f, f.at(b.address("vertex_buffers"), slot.zext(I64) * ctypes.sizeof(VertexBufferSlot)), VertexBufferSlot)
        size = v.get("size")
        with f.if_(v.get("address").ne(0) & (size - offset >= size_of)):
            address.set(v.get("address"))
            stride.set(v.get("stride"))
            limit.set(_UNLIMITED)
            with f.if_(stride.get().ne(0)):
                whole = (size - offset - size_of).udiv(stride.get()) + 1
                limit.set(f.min(whole, f.const(I64, _UNLIMITED)))
            f.store(address.get() + offset, d.address("fetch.attribute"), a << 3, 8)
            with f.if_(~is_read_now):
                f.call(None, "note_read", e.pointer, address.get(), size)
    f.store(stride.get(), d.address("fetch.stride"), a << 3, 8)
    f.store(limit.get().trunc(I32), d.address("fetch.limit"), a << 2)
