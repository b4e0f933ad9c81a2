"""Generated code: checks of memory that programs of draws access, against Python's approvals and against pending work."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from backends.device.commands.bound_record import TABLES, BoundRecord, shader_word
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.software.commands.records import MOST_APPROVED, REACHED, ApprovedDraw, ExecutorRecord, ReadRange


def build_is_approved(module: Module) -> None:
    """is_approved(executor, bound) -> 1 if Python has approved a draw with the bound programs and memory, whose tables are then placed;
    otherwise 0.
    """
    f = Function(module, "is_approved", [PTR, PTR], I32, shared=True, internal=True)
    executor, bound = f.args
    e, b = Record(f, executor, ExecutorRecord), Record(f, bound, BoundRecord)
    with f.range(0, f.min(e.get("num_approved"), MOST_APPROVED)) as k:
        a = Record(f, f.at(e.address("approved"), k * ctypes.sizeof(ApprovedDraw)), ApprovedDraw)
        same = a.get("bound").eq(bound.as_address()) & a.get("revision").eq(b.get("memory_revision"))
        for place, processor in enumerate(REACHED):
            same = same & a.get("shaders", place).eq(b.get("words", shader_word(processor)))
        with f.leaving(same):
            for place in range(TABLES * len(REACHED)):
                e.set("tables", a.get("tables", place), place)
            f.ret(f.const(I32, 1))
    f.ret(f.const(I32, 0))


def build_meets_written(module: Module) -> None:
    """meets_written(executor, address, bytes) -> 1 if programs of pending draws may write any of these bytes, else 0."""
    _build_meets(module, "meets_written", lambda e: e.get("written"), "num_written")


def build_meets_targets(module: Module) -> None:
    """meets_targets(executor, address, bytes) -> 1 if the bound framebuffer overlaps these bytes, else 0."""
    _build_meets(module, "meets_targets", lambda e: e.address("targets"), "num_targets")


def _build_meets(module: Module, name: str, ranges: Callable[[Record], Val], count: str) -> None:
    f = Function(module, name, [PTR, I64, I64], I32, shared=True, internal=True)
    executor, address, size = f.args
    e, end = Record(f, executor, ExecutorRecord), address + size
    first = ranges(e)
    with f.range(0, e.get(count)) as k:
        r = Record(f, f.at(first, k.zext(I64) * ctypes.sizeof(ReadRange)), ReadRange)
        with f.leaving(r.get("address").ult(end) & address.ult(r.get("address") + r.get("size"))):
            f.ret(f.const(I32, 1))
    f.ret(f.const(I32, 0))
