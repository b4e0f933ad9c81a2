"""Copies of rows in native code. A tile stands for TILE rows, so that the threads of a flush share the rows of a large copy."""

from __future__ import annotations

from backends.abi.limits import TILE
from backends.abi.records import ResolveRecord
from backends.llvm.builder.function import I8, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record

TOGETHER = 4  # rows; several streams of reads hide more of the memory's latency than one
LINE = 64  # bytes of a load, and of a store


def build_copy(module: Module) -> None:
    """copy(record, x, y): copies the rows y .. y + TILE that lie inside of the record's box. The box counts bytes and rows, from 0 on.

    Vectors of a line each: memcpy of the C library takes the instruction of x86 for strings here, which is slower by a fifth and more
    where the target is not aligned.
    """
    f = Function(module, "copy", [PTR, I32, I32])
    record, _, y = f.args
    r = Record(f, record, ResolveRecord)
    size, bottom = r.get("box", 2), f.min(y + TILE, r.get("box", 3))
    line, whole = I32.wide(LINE // 4), size & -LINE

    def copy_rows(top: Val, count: int) -> None:
        rows = [
            (f.at(r.get("source"), at * r.get("source_stride")), f.at(r.get("target"), at * r.get("target_stride")))
            for at in ((top + k).zext(I64) for k in range(count))
        ]

        def copy_line(at: Val) -> None:
            values = [f.load(line, source, at, 1) for source, _ in rows]
            for value, (_, target) in zip(values, rows):
                f.store(value, target, at, 1)

        with f.range(0, whole, LINE) as at:
            copy_line(at)
        with f.else_of((size >= LINE) & (whole < size)) as narrow:
            copy_line(size - LINE)
            narrow()
            with f.range(whole, size) as at:
                for source, target in rows:
                    f.store(f.load(I8, source, at, 1), target, at, 1)

    together = y + ((bottom - y) & -TOGETHER)
    with f.range(y, together, TOGETHER) as top:
        copy_rows(top, TOGETHER)
    with f.range(together, bottom) as top:
        copy_rows(top, 1)
    f.ret()
