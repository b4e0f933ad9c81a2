"""Kernel: copy the rows that a stage of patches reads from the outputs of the stage before."""

from __future__ import annotations

from backends.geometry.records import PRIMITIVE
from backends.geometry.tessellation.levels import load_levels
from backends.geometry.tessellation.records import INNER, OUTER, RowsRecord
from backends.llvm.builder.function import F32, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record


def build_rows(module: Module) -> None:
    """Add `rows(record)`, which takes a RowsRecord."""
    f = Function(module, "rows", [PTR])
    r = Record(f, f.args[0], RowsRecord)
    vertices, corners, size = r.get("vertices"), r.get("corners"), r.get("vertex_size").zext(I64)
    has_corners = corners.as_address().ne(0)
    rows, registers, sources = r.get("rows"), r.get("registers"), r.address("source")
    target = f.var(PTR, r.get("target"))
    place = f.var(I32, 0)
    with f.range(0, r.get("patches")) as patch:
        with f.range(0, rows):
            number = f.var(I32, place.get())
            with f.if_(has_corners):
                number.set(f.load(I32, corners, place.get() << 2))
            vertex, here = f.at(vertices, number.get().zext(I64) * size), target.get()
            with f.range(0, registers) as k:
                source = f.load(I32, sources, k << 2)
                with f.else_of(source >= 0) as otherwise:
                    f.store(f.load(F32.wide(4), vertex, source), here, k << 4)
                    otherwise()
                    f.store(_special(f, r, patch, source), here, k << 4)
            target.set(f.at(here, registers << 4))
            place.add(1)
    f.ret()


def _special(f: Function, r: Record, patch: Val, source: Val) -> Val:
    """Return four channels of an input that no output feeds: a constant, the patch's number, or its levels."""
    number = f.splat(f.load(I32, r.get("numbers"), patch << 2), 4).as_float()
    value = f.var(F32.wide(4), f.lanes_const(F32.wide(4), (0.0, 0.0, 0.0, 1.0)))
    value.set(f.select(source.eq(PRIMITIVE), number, value.get()))
    for code, name in ((OUTER, "outer"), (INNER, "inner")):
        with f.if_(source.eq(code)):
            levels = f.const(F32.wide(4), 0.0)
            for k, level in enumerate(load_levels(r, name, patch)):
                levels = f.insert(levels, level, k)
            value.set(levels)
    return value.get()
