"""Expansions of sums, products, comparisons and rounding. Each function adds the instructions that replace one opcode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from passes.lower.expansion import Expansion, broadcast, magnitude, negated
from tgsi.language.channels import source_channels
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import DstOperand, SrcOperand

INFINITY = float("inf")
X, Y, Z, W = 1, 2, 4, 8

Expand = Callable[[Expansion], None]


def lrp(e: Expansion) -> None:
    """Scale the difference, then add the start."""
    a, b, start = (e.source(number) for number in range(3))
    e.last("MAD", a, e.make("ADD", 0, e.mask, b, negated(start)), start)


def mad(e: Expansion) -> None:
    """Multiply, then add: MAD rounds twice, too."""
    e.last("ADD", e.make("MUL", 0, e.mask, e.source(0), e.source(1)), e.source(2))


def umad(e: Expansion) -> None:
    """Multiply, then add."""
    e.last("UADD", e.make("UMUL", 0, e.mask, e.source(0), e.source(1)), e.source(2))


def dot(count: int) -> Expand:
    """Return the expansion of a dot product: products are added one by one, from left to right."""

    def expand(e: Expansion) -> None:
        total = broadcast(e.make("MUL", 0, X, e.source(0, 0), e.source(1, 0)), 0)
        for channel in range(1, count - 1):
            e.make("MAD", 0, X, e.source(0, channel), e.source(1, channel), total)
        e.last("MAD", e.source(0, count - 1), e.source(1, count - 1), total)

    return expand


def dst(e: Expansion) -> None:
    """The distance vector (1, a.y b.y, a.z, b.w). Adding -0.0 changes no number, and makes a NaN canonical as DST does."""
    minus = -0.0
    e.channels(
        [
            (X, lambda target, last: e.put("MOV", target, e.number(1.0), is_last=last)),
            (Y, lambda target, last: e.put("MUL", target, e.source(0, 1), e.source(1, 1), is_last=last)),
            (Z, lambda target, last: e.put("ADD", target, e.source(0, 2), e.number(minus), is_last=last)),
            (W, lambda target, last: e.put("ADD", target, e.source(1, 3), e.number(minus), is_last=last)),
        ],
        0,
    )


def frc(e: Expansion) -> None:
    """Subtract the floor. For an infinity the difference is a NaN, in whose place 0 is chosen."""
    a = e.source(0)
    floor = e.make("FLR", 0, e.mask, a)
    rest = e.make("ADD", 0, e.mask, a, negated(floor))
    is_infinite = e.make("SGE", 1, e.mask, magnitude(a), e.number(INFINITY))
    e.last("CMP", negated(is_infinite), e.number(0.0), rest)


def flr(e: Expansion) -> None:
    """Subtract the fraction. It is rounded at most once, by too little to change the floor. -0.0 stays -0.0."""
    e.last("ADD", e.source(0), negated(e.make("FRC", 0, e.mask, e.source(0))))


def ceil(e: Expansion) -> None:
    """Negate the floor of the negated value. The second FLR changes no number, but does not flip the sign of a NaN."""
    e.last("FLR", negated(e.make("FLR", 0, e.mask, negated(e.source(0)))))


def trunc(e: Expansion) -> None:
    """Choose the negated floor of the negated value below 0, otherwise the floor."""
    a = e.source(0)
    above = e.make("FLR", 0, e.mask, negated(a))
    e.last("CMP", a, negated(above), e.make("FLR", 1, e.mask, a))


def swapped(name: str) -> Expand:
    """Return the expansion of a comparison to another one with swapped operands."""
    return lambda e: e.last(name, e.source(1), e.source(0))


def seq(e: Expansion) -> None:
    """Multiply two SGE results: equal numbers are at least as large as each other."""
    e.last("MUL", e.make("SGE", 0, e.mask, e.source(0), e.source(1)), e.make("SGE", 1, e.mask, e.source(1), e.source(0)))


def sne(e: Expansion) -> None:
    """1 minus the result of SEQ."""
    lower = e.make("SGE", 0, e.mask, e.source(0), e.source(1))
    upper = e.make("SGE", 1, e.mask, e.source(1), e.source(0))
    e.last("ADD", e.number(1.0), negated(e.make("MUL", 0, e.mask, lower, upper)))


def ssg(e: Expansion) -> None:
    """[0 < a] - [a < 0]."""
    zero = e.number(0.0)
    above, below = e.make("SLT", 0, e.mask, zero, e.source(0)), e.make("SLT", 1, e.mask, e.source(0), zero)
    e.last("ADD", above, negated(below))


def arr(e: Expansion) -> None:
    """The floor of the sum with 1/2."""
    e.last("ARL", e.make("ADD", 0, e.mask, e.source(0), e.number(0.5)))


def div(e: Expansion) -> None:
    """Multiply by the reciprocal, channel by channel: two roundings, and an overflow of the reciprocal of a denormal number."""
    for channel in range(4):
        if e.mask >> channel & 1:
            e.make("RCP", 0, 1 << channel, e.source(1, channel))
    e.last("MUL", e.source(0), SrcOperand(e.room.scratch(e.slot(0))))


def sqrt(e: Expansion) -> None:
    """The reciprocal of the reciprocal root."""
    e.last("RCP", broadcast(e.make("RSQ", 0, X, e.source(0, 0)), 0))


def txp(e: Expansion) -> None:
    """Divide the coordinates, and the reference value with them, by w."""
    item = replace(e.item, opcode=OPCODES["TEX"])
    register = e.room.scratch(e.slot(0))
    e.put("DIV", DstOperand(register, source_channels(item, 0)), e.source(0), e.source(0, 3))
    e.code.append(replace(item, src=(SrcOperand(register), *item.src[1:])))
