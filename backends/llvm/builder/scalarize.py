"""Gathers and scatters as loops over the lanes, for machines without such instructions.

On those machines LLVM writes a branch and a load for each lane. If there are many gathers, or their vectors are much wider than registers,
these branches are most of a shader's code, and compiling it takes ten times as long.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from backends.llvm.builder.operations import Operations
from backends.llvm.builder.types import BOOL, I64, Type
from backends.llvm.builder.values import Val

MOST = 1024
"""Most lanes, over all gathers and scatters of a function, that may be written out; for more, LLVM would take seconds."""


def is_better(f: Operations, lanes: int) -> bool:
    """True if one more gather or scatter of `lanes` lanes should be a loop. If not, its lanes count as written out."""
    if f.module.has("avx512f"):
        return False
    if lanes > (16 if f.module.has("avx2") else 8) or f.written_lanes + lanes > MOST:
        return True
    f.written_lanes += lanes
    return False


def gather(f: Operations, type: Type, pointer: Val, offsets: Val, mask: Val | None) -> Val:
    """Load one element for each lane; see `Function.gather`."""
    lanes = offsets.lanes
    results = f.lane_memory("results", type.wide(lanes))
    f.store(f.const(type.wide(lanes), 0), results)
    with lanes_of(f, offsets, mask) as (lane, offset):
        f.store(f.load(type, f.at(pointer, offset), align=_align(type)), f.at(results, lane * (type.bits // 8)), align=_align(type))
    return f.load(type.wide(lanes), results)


def scatter(f: Operations, value: Val, pointer: Val, offsets: Val, mask: Val) -> None:
    """Store one element for each lane; see `Function.scatter`."""
    one = value.type.wide(1)
    values = f.lane_memory("values", value.type)
    f.store(value, values)
    with lanes_of(f, offsets, mask) as (lane, offset):
        f.store(f.load(one, f.at(values, lane * (one.bits // 8)), align=_align(one)), f.at(pointer, offset), align=_align(one))


def _align(type: Type) -> int:
    return min(type.bits // 8, 4)


@contextmanager
def lanes_of(f: Operations, offsets: Val, mask: Val | None) -> Iterator[tuple[Val, Val]]:
    """Write a loop over the lanes of `mask`, the lowest first. The body gets the number of a lane (i64) and its offset."""
    lanes, size = offsets.lanes, offsets.type.bits // 8
    places = f.lane_memory("offsets", offsets.type)
    f.store(offsets, places)
    bits = f.const(I64, (1 << lanes) - 1 if lanes < 64 else -1) if mask is None else mask.bits_as(Type("i", lanes)).zext(I64)
    rest = f.alloca("i64")
    f.store(bits, rest, align=8)
    with f.loop() as loop:
        now = f.load(I64, rest, align=8)
        loop.break_if(now.eq(0))
        f.store(now & (now - 1), rest, align=8)
        lane = f.call(I64, "llvm.cttz.i64", now, f.const(BOOL, 1))
        yield lane, f.load(offsets.type.wide(1), f.at(places, lane * size), align=min(size, 8))
