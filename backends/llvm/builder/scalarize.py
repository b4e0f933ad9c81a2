"""Gathers and scatters for machines without such instructions: as a load for each lane, or as calls of loops over the lanes.

On those machines LLVM writes a branch and a load for each lane. If there are many gathers, or their vectors are much wider than registers,
these branches are most of a shader's code, and compiling it takes ten times as long. The loops are in separate functions, one for each
type; in place, they would end a basic block at each gather, and prevent common subexpressions across gathers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from backends.llvm.builder.operations import Operations
from backends.llvm.builder.types import BOOL, I8, I64, PTR, Type
from backends.llvm.builder.values import Val

MOST = 1024
"""Limit of the lanes of all unrolled gathers and scatters of a function; for more, LLVM would take seconds."""

_WIDEST = 8
"""Bytes of the widest element."""


def is_better(f: Operations, lanes: int, *, loads: bool = False) -> bool:
    """True if another gather (`loads`) or scatter of `lanes` lanes should be a loop. If not, its lanes are added to the unrolled ones."""
    if f.module.has("avx512f"):
        return False
    widest = 8 if not f.module.has("avx2") else 32 if loads else 16
    if lanes > widest or f.written_lanes + lanes > MOST:
        return True
    f.written_lanes += lanes
    return False


def takes_loads(f: Operations, lanes: int) -> bool:
    """True if a gather of `lanes` lanes should be `load_lanes`: on AVX2, for which LLVM writes a branch for each lane of a mask."""
    return lanes > 1 and f.module.has("avx2") and not f.module.has("avx512f")


def load_lanes(f: Operations, type: Type, pointer: Val, offsets: Val, mask: Val | None) -> Val:
    """Load one element for each lane, without a branch: lanes outside of `mask` load a zero constant. See `Function.gather`.

    Programs that index registers compile in 70% of the time needed with branches, and no branch can be mispredicted.
    """
    n = offsets.type.lanes
    if mask is not None:
        nothing = Val(f, PTR, f.module.constant("nothing", I8, [0] * _WIDEST))
        places = f.pure(PTR.wide(n), f"getelementptr i8, {pointer}, {offsets.zext(I64) if offsets.type.bits == 32 else offsets}")
        chosen = f.select(mask, places, f.splat(nothing, n))
        pointers = [chosen[k] for k in range(n)]
    else:
        pointers = [f.at(pointer, offset) for offset in lane_offsets(offsets)]
    loaded = f.const(type.wide(n), 0)
    for lane, place in enumerate(pointers):
        loaded = f.insert(loaded, f.load(type, place, align=_align(type)), lane)
    return loaded


def lane_offsets(offsets: Val) -> list[Val]:
    """Lanes of offsets, unsigned i32 or i64, as i64 scalars. 32-bit offsets are extracted in pairs."""
    n = offsets.type.lanes
    if n == 1 or offsets.type.bits == 64:
        return [offsets[k].zext(I64) for k in range(n)] if n > 1 else [offsets.zext(I64)]
    twos = offsets.bits_as(I64.wide(n // 2))
    return [offset for two in map(twos.__getitem__, range(n // 2)) for offset in (two & 0xFFFFFFFF, two.lshr(32))]


def gather(f: Operations, type: Type, pointer: Val, offsets: Val, mask: Val | None) -> Val:
    """Load one element for each lane; see `Function.gather`."""
    results = f.lane_memory("results", type.wide(offsets.lanes))
    name = f"gather.{type.suffix}.{offsets.type.suffix}"
    if not f.module.defines(name):
        g = f.helper(name, (PTR, PTR, PTR, I64))
        base, places, results_at, bits = g.args
        g.store(g.const(type.wide(offsets.lanes), 0), results_at)
        with _loop(g, bits, places, offsets.type) as (lane, offset):
            g.store(g.load(type, g.at(base, offset), align=_align(type)), g.at(results_at, lane * (type.bits // 8)), align=_align(type))
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
        base, places, values_at, bits = g.args
        with _loop(g, bits, places, offsets.type) as (lane, offset):
            g.store(g.load(one, g.at(values_at, lane * (one.bits // 8)), align=_align(one)), g.at(base, offset), align=_align(one))
        g.ret()
    f.call(None, name, pointer, _placed(f, offsets), values, _bits(f, offsets.lanes, mask))


def _align(type: Type) -> int:
    return min(type.bits // 8, 4)


def _placed(f: Operations, offsets: Val) -> Val:
    """Memory with the offsets, stored once for consecutive uses, such as the channels of a register."""
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
    with _loop(f, _bits(f, offsets.lanes, mask), _placed(f, offsets), offsets.type) as lane:
        yield lane


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
