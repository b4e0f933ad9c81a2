"""Votes, ballots and values of other invocations of a subgroup, and helper invocations."""

from __future__ import annotations

from frontends.spirv.emit.arithmetic import integers
from frontends.spirv.emit.builtins import system_value
from frontends.spirv.emit.code import Ref, Refs, destination, immediate
from frontends.spirv.emit.registry import emits
from frontends.spirv.emit.state import State
from frontends.spirv.module.errors import Op
from tgsi.language.literals import float_bits


def _flag(s: State, value: Refs) -> list[Ref]:
    """A bool as the float that the vote opcodes take."""
    return s.code.lanes("AND", value, immediate(float_bits(1.0)) * len(value))


@emits("GroupNonUniformAll", "GroupNonUniformAny")
def _vote(s: State, op: Op) -> None:
    name = "VOTE_ALL" if op.name.endswith("All") else "VOTE_ANY"
    s.bind(op, s.code.each(name, _flag(s, integers(s, op.id(1)))))


@emits("SubgroupAllKHR", "SubgroupAnyKHR")
def _vote_khr(s: State, op: Op) -> None:
    name = "VOTE_ALL" if "All" in op.name else "VOTE_ANY"
    s.bind(op, s.code.each(name, _flag(s, integers(s, op.id(0)))))


@emits("GroupNonUniformAllEqual", "SubgroupAllEqualKHR")
def _equal(s: State, op: Op) -> None:
    value = integers(s, op.id(1 if "NonUniform" in op.name else 0))
    votes = s.code.each("VOTE_EQ", value)
    is_equal = votes[:1]
    for vote in votes[1:]:
        is_equal = s.code.lanes("AND", is_equal, [vote])
    s.bind(op, is_equal)


@emits("GroupNonUniformElect")
def _elect(s: State, op: Op) -> None:
    lane = s.code.new(1)
    own = [Ref(system_value(s, "SUBGROUP_INVOCATION"), 0)]
    s.code.emit("READ_FIRST", destination(lane), s.code.source(own))
    s.bind(op, s.code.lanes("USEQ", lane, own))


@emits("GroupNonUniformBallot", "SubgroupBallotKHR")
def _ballot(s: State, op: Op) -> None:
    value = integers(s, op.id(1 if "NonUniform" in op.name else 0))
    mask = s.code.one("BALLOT", s.code.source(_flag(s, value)), words=2)
    s.bind(op, [*mask, *immediate(0, 0)])


@emits("GroupNonUniformBroadcastFirst", "SubgroupFirstInvocationKHR")
def _first(s: State, op: Op) -> None:
    s.bind(op, s.code.lanes("READ_FIRST", integers(s, op.id(1 if "NonUniform" in op.name else 0))))


@emits("GroupNonUniformBroadcast", "SubgroupReadInvocationKHR")
def _broadcast(s: State, op: Op) -> None:
    first = 1 if "NonUniform" in op.name else 0
    value, lane = integers(s, op.id(first)), integers(s, op.id(first + 1))
    result = s.code.new(len(value))
    for place in range(0, len(value), 4):
        part = s.code.packed(value[place : place + 4], plain=True)
        s.code.emit("READ_INVOC", destination(result[place : place + 4]), part, s.code.source(lane))
    s.bind(op, result)


@emits("GroupNonUniformBallotBitCount", "GroupNonUniformBallotFindLSB", "GroupNonUniformBallotFindMSB")
def _ballot_bits(s: State, op: Op) -> None:
    counts = op.name.endswith("BitCount")
    mask = integers(s, op.id(2 if counts else 1))[:1]
    if counts and op.id(1):
        below = Ref(system_value(s, "SUBGROUP_LE_MASK" if op.id(1) == 1 else "SUBGROUP_LT_MASK"), 0)
        mask = s.code.lanes("AND", mask, [below])
    s.bind(op, s.code.lanes("POPC" if counts else "LSB" if op.name.endswith("LSB") else "UMSB", mask))


@emits("GroupNonUniformInverseBallot", "GroupNonUniformBallotBitExtract")
def _ballot_test(s: State, op: Op) -> None:
    mask = integers(s, op.id(1))[:1]
    lane = integers(s, op.id(2)) if len(op.operands) > 2 else [Ref(system_value(s, "SUBGROUP_INVOCATION"), 0)]
    bit = s.code.lanes("AND", s.code.lanes("USHR", mask, lane), immediate(1))
    s.bind(op, s.code.lanes("USNE", bit, immediate(0)))


@emits("IsHelperInvocationEXT")
def _helper(s: State, op: Op) -> None:
    s.bind(op, s.code.one("READ_HELPER"))


@emits("DemoteToHelperInvocation")
def _demote(s: State, op: Op) -> None:
    s.code.emit("DEMOTE")


@emits("ReadClockKHR")
def _clock(s: State, op: Op) -> None:
    s.bind(op, s.code.one("CLOCK", words=2))
