"""Generated code: the step of a geometry shader."""

from __future__ import annotations

import ctypes

from backends.geometry.records import GeometryRecord, RunRecord, StreamRecord
from backends.geometry.step_parts import SHORTEN, add_count, hand_of, hand_on, step_of, stream_of, vertex_memory
from backends.llvm.builder.function import I32, I64, PTR, Function, Module
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_VERTEX_STREAMS


def build_geometry_step(module: Module, name: str) -> None:
    """NAME(run, number) -> 0, or a code that ends the draw. Runs all invocations in pieces that fit into memory."""
    f = Function(module, name, [PTR, I32], I32, shared=True, internal=True)
    run, number = f.args
    r, step = Record(f, run, RunRecord), step_of(f, run, number)
    hand, output = hand_of(f, run, number), hand_of(f, run, number + 1)
    g, stream = Record(f, step.get("record"), GeometryRecord), stream_of(f, hand)
    for field, value in (("vertices", hand.get("vertices")), ("corners", stream.get("corners")), ("numbers", stream.get("numbers"))):
        f.store(value, g.address(field), 0, 8)
    g.set("vertex_size", hand.get("size"))
    items = stream.get("count") * g.get("invocations")
    g.set("items", items)
    g.set("done", f.const(I32, 0))
    add_count(f, r, "gs_invocations", items)
    lanes, size = g.get("lanes"), g.get("out_size")
    one = lanes * g.get("limit")
    with f.loop() as loop:
        done = g.get("done")
        loop.break_if(done >= items)
        wanted = (items - done + lanes - 1).udiv(lanes).zext(I64) * one.zext(I64)
        capacity = f.min(wanted, g.get("most_vertices").zext(I64))
        place = vertex_memory(f, run, step_of(f, run, number).get("vertices"), capacity + 1, size)
        f.store(place, g.address("out_vertices"), 0, 8)
        g.set("capacity", capacity.trunc(I32))
        g.set("num_vertices", f.const(I32, 0))
        for k in range(MAX_VERTEX_STREAMS):
            for field in ("count", "generated"):
                f.store(f.const(I32, 0), g.address("streams", k), int(getattr(StreamRecord, field).offset))
        f.call_pointer(None, g.get("gather"), g.pointer)
        with f.if_(step.get("vertices").as_address().eq(0)):
            f.call(None, SHORTEN, run, place + (g.get("num_vertices") + 1).zext(I64) * size.zext(I64))
        for k in range(MAX_VERTEX_STREAMS):
            generated = f.load(I32, g.address("streams", k), int(StreamRecord.generated.offset))
            add_count(f, r, "gs_primitives", generated)
        f.store(place, output.address("vertices"), 0, 8)
        f.call(
            PTR, "memcpy", output.address("streams"), g.address("streams"), f.const(I64, MAX_VERTEX_STREAMS * ctypes.sizeof(StreamRecord))
        )
        hand_on(f, run, number)
    f.ret(f.const(I32, 0))
