"""Kernel: stream output, which copies primitives to the bound targets."""

from __future__ import annotations

from backends.geometry.records import OutputRecord
from backends.llvm.builder.function import BOOL, F32, I32, I64, PTR, Function, Module
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_STREAM_OUTPUT_TARGETS


def build_output(module: Module) -> None:
    """Add `output(record)`, which takes an OutputRecord: copy primitives in order, until one has no room."""
    f = Function(module, "output", [PTR])
    record = Record(f, f.args[0], OutputRecord)
    outputs, rows, count = record.get("num_outputs"), record.get("rows"), record.get("count")
    vertices, size, corners = record.get("vertices"), record.get("vertex_size").zext(I64), record.get("corners")
    needs = f.alloca(f"[{MAX_STREAM_OUTPUT_TARGETS} x i64]")  # bytes of a target that a primitive needs; 0: no output goes to the target
    for t in range(MAX_STREAM_OUTPUT_TARGETS):
        f.store(f.const(I64, 0), needs, 8 * t, 8)
    with f.range(0, outputs) as o:
        target = f.load(I32, record.address("target"), o << 2)
        end = f.load(I32, record.address("place"), o << 2) + f.load(I32, record.address("size"), o << 2)
        stride = f.load(I32, record.address("stride"), target << 2)
        end_of_last = (stride * (rows - 1) + end).zext(I64)
        f.store(f.max(f.load(I64, needs, target << 3, 8), end_of_last), needs, target << 3, 8)
    written = f.var(I32, 0)
    with f.loop() as loop:
        number = written.get()
        loop.break_if(number >= count)
        full = f.const(BOOL, 0)
        for t in range(MAX_STREAM_OUTPUT_TARGETS):
            need = f.load(I64, needs, 8 * t, 8)
            full = full | (need.ne(0) & (record.get("offset", t) + need > record.get("limit", t)))
        loop.break_if(full)
        with f.range(0, rows) as row:
            vertex = f.at(vertices, f.load(I32, corners, (number * rows + row) << 2).zext(I64) * size)
            with f.range(0, outputs) as o:
                target = f.load(I32, record.address("target"), o << 2)
                start = f.load(I64, record.address("offset"), target << 3)
                base = f.at(f.load(PTR, record.address("base"), target << 3), start)
                to = f.at(base, f.load(I32, record.address("place"), o << 2))
                source = f.at(vertex, f.load(I32, record.address("source"), o << 2))
                bytes_ = f.load(I32, record.address("size"), o << 2)
                with f.else_of(bytes_.eq(16)) as parts:
                    f.store(f.load(F32.wide(4), source), to)
                    parts()
                    with f.range(0, bytes_, 4) as k:
                        f.store(f.load(I32, source, k), to, k)
            for t in range(MAX_STREAM_OUTPUT_TARGETS):
                with f.if_(f.load(I64, needs, 8 * t, 8).ne(0)):
                    record.set("offset", record.get("offset", t) + record.get("stride", t).zext(I64), t)
        written.set(number + 1)
    record.set("written", written.get())
    f.ret()
