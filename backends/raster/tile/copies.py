"""Copies of rows in native code. A tile has TILE rows here, so that the threads of a flush share a large copy."""

from __future__ import annotations

from backends.abi.limits import TILE
from backends.abi.records import ResolveRecord
from backends.llvm.builder.function import I8, I32, I64, PTR, Function, Module
from backends.llvm.builder.record import Record

LINE = 64  # bytes of a load, and of a store


def build_copy(module: Module) -> None:
    """copy(record, x, y): copies the rows y .. y + TILE that lie inside of the record's box. The box counts bytes and rows, from 0 on.

    Vectors of a line each, row after row: the C library's memcpy would use x86's string instruction, which is slow for unaligned targets on
    some processors. Interleaving several rows is never faster, and half as fast on Zen 5.
    """
    f = Function(module, "copy", [PTR, I32, I32])
    record, _, y = f.args
    r = Record(f, record, ResolveRecord)
    size, bottom = r.get("box", 2), f.min(y + TILE, r.get("box", 3))
    line, whole = I32.wide(LINE // 4), size & -LINE
    with f.range(y, bottom) as row:
        at = row.zext(I64)
        source, target = f.at(r.get("source"), at * r.get("source_stride")), f.at(r.get("target"), at * r.get("target_stride"))
        with f.range(0, whole, LINE) as k:
            f.store(f.load(line, source, k, 1), target, k, 1)
        with f.else_of((size >= LINE) & (whole < size)) as narrow:
            f.store(f.load(line, source, size - LINE, 1), target, size - LINE, 1)
            narrow()
            with f.range(whole, size) as k:
                f.store(f.load(I8, source, k, 1), target, k, 1)
    f.ret()
