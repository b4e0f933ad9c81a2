"""Kernel: stream output, which copies primitives to the bound targets."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from backends.device.stream_target import TargetRecord
from backends.geometry.records import HandRecord, OutputRecord, RunRecord, StageCounts, StreamRecord
from backends.llvm.builder.function import BOOL, F32, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_STREAM_OUTPUT_TARGETS


def build_output(module: Module) -> None:
    """Add `output(record)`, which takes an OutputRecord: copy primitives in order, up to the first that does not fit."""
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


def build_write_streams(module: Module) -> None:
    """write_streams(run, hand): write the primitives of a HandRecord to the targets of a RunRecord, and count them.

    See StreamOutputWriter.
    """
    f = Function(module, "write_streams", [PTR, PTR], shared=True, internal=True)
    run, handed = f.args
    r, hand = Record(f, run, RunRecord), Record(f, handed, HandRecord)
    with f.range(0, r.get("num_outputs")) as k:
        o = Record(f, f.at(r.get("outputs"), k * ctypes.sizeof(OutputRecord)), OutputRecord)
        number = f.load(I32, r.address("output_stream"), k << 2)
        stream = Record(f, f.at(hand.address("streams"), number * ctypes.sizeof(StreamRecord)), StreamRecord)
        corners, count = stream.get("corners"), stream.get("count")
        with f.if_(corners.as_address().ne(0)):  # streams other than 0 exist for geometry shaders only
            f.store(hand.get("vertices"), o.address("vertices"), 0, 8)
            f.store(corners, o.address("corners"), 0, 8)
            for name, value in (("vertex_size", hand.get("size")), ("rows", hand.get("rows")), ("count", count)):
                o.set(name, value)
            _each_target(f, r, o, _read_target)
            f.call_pointer(None, r.get("output"), o.pointer)
            _each_target(f, r, o, _write_target)
            counts = Record(f, r.get("counts"), StageCounts)
            for name, value in (("needed", count), ("written", o.get("written"))):
                total = f.at(counts.address(name), number << 3)
                f.store(f.load(I64, total, 0, 8) + value.zext(I64), total, 0, 8)
    f.ret()


def _each_target(f: Function, r: Record, o: Record, use: Callable[[Function, Record, Record, Val], None]) -> None:
    """Call ``use(f, target, o, k)`` for each bound target; unbound ones have size 0."""
    with f.range(0, MAX_STREAM_OUTPUT_TARGETS) as k:
        target = f.load(PTR, r.get("targets"), k << 3, 8)
        with f.else_of(target.as_address().ne(0)) as otherwise:
            use(f, Record(f, target, TargetRecord), o, k)
            otherwise()
            f.store(f.const(I64, -1), o.address("limit"), k << 3, 8)


def _read_target(f: Function, target: Record, o: Record, k: Val) -> None:
    for field, name in (("base", "address"), ("limit", "size"), ("offset", "offset")):
        f.store(target.get(name), o.address(field), k << 3, 8)


def _write_target(f: Function, target: Record, o: Record, k: Val) -> None:
    offset = f.load(I64, o.address("offset"), k << 3, 8)
    with f.if_(offset.ne(target.get("offset"))):
        target.set("offset", offset)
        target.set("stride", f.load(I32, o.address("stride"), k << 2))
