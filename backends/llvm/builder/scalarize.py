"""Gathers and scatters as calls of loops over the lanes, for machines without such instructions.

On those machines LLVM writes a branch and a load for each lane. If there are many gathers, or their vectors are much wider than registers,
these branches are most of a shader's code, and compiling it takes ten times as long. The loops stand in functions of their own, one a type:
written out in place, they would end a block of the program at each gather, and nothing would be computed once for several.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from backends.llvm.builder.operations import Operations
from backends.llvm.builder.types import BOOL, I64, PTR, Type
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
    results = f.lane_memory("results", type.wide(offsets.lanes))
    name = f"gather.{type.suffix}.{offsets.type.suffix}"
    if not f.module.defines(name):
        g = f.helper(name, (PTR, PTR, PTR, I64))
        base, places, found, bits = g.args
        g.store(g.const(type.wide(offsets.lanes), 0), found)
        with _loop(g, bits, places, offsets.type) as (lane, offset):
            g.store(g.load(type, g.at(base, offset), align=_align(type)), g.at(found, lane * (type.bits // 8)), align=_align(type))
        g.ret()
    f.call(None, name, pointer, _placed(f, offsets), results, _bits(f, offsets.lanes, mask))
    return f.load(type.wide(offsets.lanes), results)


def scatter(f: Operations, value: Val, pointer: Val, offsets: Val, mask: Val) -> None:
    """Store one element for each lane; see `Function.scatter`."""
    one = value.type.wide(1)
    values = f.lane_memory("values", value.type)
    f.store(value, values)
    name = f"scatter.{one.suffix}.{offsets.type.suffix}"
    if not f.module.defines(name):
        g = f.helper(name, (PTR, PTR, PTR, I64))
        base, places, given, bits = g.args
        with _loop(g, bits, places, offsets.type) as (lane, offset):
            g.store(g.load(one, g.at(given, lane * (one.bits // 8)), align=_align(one)), g.at(base, offset), align=_align(one))
        g.ret()
    f.call(None, name, pointer, _placed(f, offsets), values, _bits(f, offsets.lanes, mask))


def _align(type: Type) -> int:
    return min(type.bits // 8, 4)


def _placed(f: Operations, offsets: Val) -> Val:
    """Memory with the offsets. They are stored once for several uses in a row, such as those of the channels of a register."""
    places = f.lane_memory("offsets", offsets.type)
    if f.placed != (f.block, offsets.name):
        f.store(offsets, places)
        f.placed = f.block, offsets.name
    return places


def _bits(f: Operations, lanes: int, mask: Val | None) -> Val:
    every = f.const(I64, (1 << lanes) - 1 if lanes < 64 else -1)
    if mask is None:
        return every
    return f.select(mask, every, 0) if mask.lanes == 1 else mask.bits_as(Type("i", lanes)).zext(I64)


@contextmanager
def lanes_of(f: Operations, offsets: Val, mask: Val | None) -> Iterator[tuple[Val, Val]]:
    """Write a loop over the lanes of `mask`, the lowest first. The body gets the number of a lane (i64) and its offset."""
    with _loop(f, _bits(f, offsets.lanes, mask), _placed(f, offsets), offsets.type) as found:
        yield found


@contextmanager
def _loop(f: Operations, bits: Val, places: Val, type: Type) -> Iterator[tuple[Val, Val]]:
    """Write a loop over the set bits. The body gets the number of a bit (i64) and the element of `places`, a vector of `type`."""
    rest, size = f.alloca("i64"), type.bits // 8
    f.store(bits, rest, align=8)
    with f.loop() as loop:
        now = f.load(I64, rest, align=8)
        loop.break_if(now.eq(0))
        f.store(now & (now - 1), rest, align=8)
        lane = f.call(I64, "llvm.cttz.i64", now, f.const(BOOL, 1))
        yield lane, f.load(type.wide(1), f.at(places, lane * size), align=min(size, 8))
