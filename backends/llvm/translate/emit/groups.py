"""Opcodes that read other lanes. A subgroup is always the quad, in the order (0,0) (1,0) (0,1) (1,1), whatever the lane map."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from backends.llvm.builder.environment import count_ticks
from backends.llvm.builder.function import I32, Val
from backends.llvm.translate.emit import Context, Vector, emits

_CORNERS = ((0, 0), (1, 0), (0, 1), (1, 1))


@runtime_checkable
class Neighbors(Protocol):
    """Interface of kernels with helper lanes, which run only for their neighbors' derivatives, in addition to Interface."""

    def helpers(self) -> Val:
        """The helper lanes, as an i1 vector."""
        ...


def _wide(c: Context, value: Val) -> Val:
    return c.f.splat(value, c.lane_map.lanes)


def _flags(mask: Val) -> Val:
    return mask.sext(I32)


def _chosen(c: Context, a: Val) -> Val:
    """The active lanes whose value is not 0.0."""
    return c.execution_mask() & _wide(c, a.as_float().ne(0.0))


def _spread(c: Context, mask: Val) -> Val:
    """Words of all ones in the lanes of each quad that has a lane of the mask.

    The computation uses 32-bit words, because shuffles of constant i1 vectors can send LLVM's instruction selection into an endless loop.
    """
    flags = _flags(mask)
    result = c.lane_map.pick(c.f, flags, 0, 0)
    for x, y in _CORNERS[1:]:
        result = result | c.lane_map.pick(c.f, flags, x, y)
    return result


def _first(c: Context, value: Val) -> Val:
    """The value of the lowest active lane of each lane's quad."""
    f = c.f
    value, active = _wide(c, value), _flags(c.execution_mask())
    result = c.lane_map.pick(f, value, 0, 0)
    for x, y in reversed(_CORNERS):
        result = f.select(c.lane_map.pick(f, active, x, y).ne(0), c.lane_map.pick(f, value, x, y), result)
    return result


@emits("VOTE_ANY")
def emit_vote_any(c: Context, a: Vector) -> Val:
    """All ones if x is not 0 in any active lane."""
    return _spread(c, _chosen(c, a[0]))


@emits("VOTE_ALL")
def emit_vote_all(c: Context, a: Vector) -> Val:
    """All ones if x is not 0 in every active lane."""
    against = c.execution_mask() & ~_wide(c, a[0].as_float().ne(0.0))
    return ~_spread(c, against)


@emits("VOTE_EQ")
def emit_vote_eq(c: Context, a: Vector) -> Val:
    """All ones if x has the same bits in all active lanes."""
    value = _wide(c, a[0].as_int())
    different = c.execution_mask() & value.ne(_first(c, value))
    return ~_spread(c, different)


@emits("BALLOT")
def emit_ballot(c: Context, a: Vector) -> list[Val]:
    """Bits, in x, for the active lanes of the quad whose x is not 0."""
    f = c.f
    chosen = _chosen(c, a[0]).zext(I32)
    bits = f.const(I32.wide(c.lane_map.lanes), 0)
    for number, (x, y) in enumerate(_CORNERS):
        bits = bits | (c.lane_map.pick(f, chosen, x, y) << number)
    zero = f.const(bits.type, 0)
    return [bits, zero, zero, zero]


@emits("READ_FIRST")
def emit_read_first(c: Context, a: Val) -> Val:
    """The value in the lowest active lane."""
    return _first(c, a)


@emits("READ_INVOC")
def emit_read_invoc(c: Context, a: Val, b: Val) -> Val:
    """The value in lane b.x (modulo 4)."""
    f = c.f
    value, lane = _wide(c, a), _wide(c, b) & 3
    result = c.lane_map.pick(f, value, 0, 0)
    for number, (x, y) in enumerate(_CORNERS[1:], 1):
        result = f.select(lane.eq(number), c.lane_map.pick(f, value, x, y), result)
    return result


@emits("READ_HELPER")
def emit_read_helper(c: Context) -> Val:
    """All ones in lanes without output: killed lanes and helper lanes."""
    helpers = ~c.alive_mask()
    return _flags(helpers | c.interface.helpers() if isinstance(c.interface, Neighbors) else helpers)


@emits("CLOCK")
def emit_clock(c: Context) -> list[Val]:
    """A 64-bit counter of time, in x and y."""
    count = count_ticks(c.f)
    low, high = _wide(c, count.trunc(I32)), _wide(c, count.lshr(32).trunc(I32))
    zero = c.f.const(low.type, 0)
    return [low, high, zero, zero]


@emits("MEMBAR")
def emit_membar(c: Context, a: Vector) -> list[Val]:
    """Emit nothing, because lanes access memory in program order."""
    return []


@emits("BARRIER")
def emit_barrier(c: Context) -> list[Val]:
    """Emit nothing; the translator builds the barrier if lanes have to wait for each other."""
    return []
