"""Kernel: run the geometry shader invocations of a chunk and pack the vertices and primitives that they emit, in order."""

from __future__ import annotations

import ctypes

from backends.geometry.records import GeometryRecord, StreamRecord
from backends.llvm.builder.environment import default_environment
from backends.llvm.builder.function import F32, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.llvm.translate.emission import BEGINS
from backends.pipe.limits import MAX_VERTEX_STREAMS

_LENGTH, _LAST, _BEFORE = 0, 4 * MAX_VERTEX_STREAMS, 8 * MAX_VERTEX_STREAMS
"""Byte offsets of the state of an invocation's strips, four words each by stream: length, last vertex, and the vertex before that."""


def build_gather(module: Module) -> None:
    """Add `gather(record)`, which takes a GeometryRecord.

    The kernel runs items from `done` on, a vector at a time, until all are done or the output might not have room for the next vector.
    """
    _build_item(module)
    f = Function(module, "gather_all", [PTR], internal=True)
    record = Record(f, f.args[0], GeometryRecord)
    items, lanes, limit, capacity = (record.get(name) for name in ("items", "lanes", "limit", "capacity"))
    shader, counts = record.get("shader"), record.get("counts")
    done = f.var(I32, record.get("done"))
    with f.loop() as loop:
        first = done.get()
        loop.break_if(first >= items)
        loop.break_if(record.get("num_vertices") + lanes * limit > capacity)
        f.call_pointer(None, shader, f.args[0], first)
        batch = f.min(items - first, lanes)
        with f.range(0, batch) as lane:
            f.call(None, "gather_item", f.args[0], first + lane, lane, f.load(I32, counts, lane << 2))
        done.set(first + batch)
    record.set("done", done.get())
    f.ret()
    f = Function(module, "gather", [PTR])
    with default_environment(f):
        f.call(None, "gather_all", *f.args)
    f.ret()


def _build_item(module: Module) -> None:
    """Add `gather_item(record, item, lane, count)`: pack the `count` vertices of one invocation."""
    f = Function(module, "gather_item", [PTR, I32, I32, I32], internal=True)
    record, (item, lane, count) = Record(f, f.args[0], GeometryRecord), f.args[1:]
    size, rows, limit = record.get("out_size"), record.get("out_rows"), record.get("limit")
    number = f.load(I32, record.get("numbers"), item.udiv(record.get("invocations")) << 2)
    own = lane * limit
    source = f.var(PTR, f.at(record.get("emitted"), own.zext(I64) * size.zext(I64)))
    marks, out = f.at(record.get("marks"), own << 2), record.get("out_vertices")
    strips = f.alloca(f"[{3 * MAX_VERTEX_STREAMS} x i32]")
    f.store(f.const(I32.wide(MAX_VERTEX_STREAMS), 0), strips)
    packed = f.var(I32, record.get("num_vertices"))
    with f.range(0, count) as v:
        mark, vertex = f.load(I32, marks, v << 2), source.get()
        at = (mark & (MAX_VERTEX_STREAMS - 1)) << 2
        entry = f.at(record.address("streams"), (mark & (MAX_VERTEX_STREAMS - 1)) * ctypes.sizeof(StreamRecord))
        stream = Record(f, entry, StreamRecord)
        length = f.select((mark & BEGINS).ne(0), 0, f.load(I32, strips, at + _LENGTH))
        is_wanted, is_whole = stream.get("corners").as_address().ne(0), length + 1 >= rows
        with f.if_(is_whole):
            stream.set("generated", stream.get("generated") + 1)
        with f.if_(is_wanted):
            new, last, before = packed.get(), f.load(I32, strips, at + _LAST), f.load(I32, strips, at + _BEFORE)
            target = f.at(out, new.zext(I64) * size.zext(I64))
            with f.range(0, size, 16) as k:
                f.store(f.load(F32.wide(4), vertex, k), target, k)
            with f.if_(is_whole):
                _primitive(f, record, stream, number, [before, last, new], (length & 1).ne(0))
            f.store(last, strips, at + _BEFORE)
            f.store(new, strips, at + _LAST)
            packed.add(1)
        f.store(length + 1, strips, at + _LENGTH)
        source.set(f.at(vertex, size))
    record.set("num_vertices", packed.get())
    f.ret()


def _primitive(f: Function, record: Record, stream: Record, number: Val, strip: list[Val], odd: Val) -> None:
    """Append one primitive to a stream, made of the last vertices of a strip.

    An odd triangle is reordered so that its provoking vertex keeps its place.
    """
    before, last, new = strip
    rows, count, first = record.get("out_rows"), stream.get("count"), record.get("provokes_first").ne(0)
    corners = f.at(stream.get("corners"), (count * rows) << 2)
    provoking = f.var(I32, new)
    with f.if_(rows.eq(1)):
        f.store(new, corners)
    with f.if_(rows.eq(2)):
        f.store(last, corners)
        f.store(new, corners, 4)
        provoking.set(f.select(first, last, new))
    with f.if_(rows.eq(3)):
        a = f.select(odd & ~first, last, before)
        b = f.select(odd, f.select(first, new, before), last)
        c = f.select(odd & first, last, new)
        for k, corner in enumerate((a, b, c)):
            f.store(corner, corners, 4 * k)
        provoking.set(f.select(first, before, new))
    own, at = f.var(I32, number), record.get("number_at")
    with f.if_(at >= 0):
        vertex = f.at(record.get("out_vertices"), provoking.get().zext(I64) * record.get("out_size").zext(I64))
        own.set(f.load(I32, vertex, at))
    f.store(own.get(), stream.get("numbers"), count << 2)
    stream.set("count", count + 1)
