"""The pass lower-fma."""

from __future__ import annotations

from dataclasses import replace

from passes.base import Pass
from passes.edit import rebuilt
from passes.lower.expansion import Expansion, Room, magnitude, negated
from passes.lower.operands.roomy import with_room
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import DstOperand, Instruction, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

_WAYS = ("mad", "double")
_ONES, _HIGH_INFINITY = 0xFFFFFFFF, 0x7FF00000
_X_Z, _Y_W, _ALL = 5, 10, 15


@record(slots=False)
class LowerFma(Pass):
    """Replace FMA by MAD, which rounds twice, or with `by=double` by operations on doubles, which give the exact bits.

    In doubles the product of two floats is exact. The sum is rounded to odd: if it is inexact, an even last bit becomes odd, toward the
    exact sum, so that only the rounding to a float counts. This takes about 25 instructions for two channels.
    """

    name = "lower-fma"
    by: str = "mad"

    def __post_init__(self) -> None:
        """Check `by`.

        Raises:
            ValueError: `by` is neither mad nor double.
        """
        if self.by not in _WAYS:
            raise ValueError(f"pass {self.name}: by: `{self.by}` is not one of {', '.join(_WAYS)}")

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        fma, mad = OPCODES["FMA"], OPCODES["MAD"]
        if not any(item.opcode is fma for item in program.instructions):
            return program
        if self.by == "mad":
            return rebuilt(program, [(replace(item, opcode=mad) if item.opcode is fma else item,) for item in program.instructions])
        return with_room(program, _all_fused)


def _all_fused(program: Program) -> Program:
    room, fma = Room(program), OPCODES["FMA"]
    return room.finish(rebuilt(program, [_fused(room, item) if item.opcode is fma else [item] for item in program.instructions]))


def _fused(room: Room, item: Instruction) -> list[Instruction]:
    work = Expansion(room, item)
    channels = [channel for channel in range(4) if work.mask >> channel & 1]
    pairs = [(channels[first], channels[min(first + 1, len(channels) - 1)]) for first in range(0, len(channels), 2)]
    if len(pairs) == 1:
        work.put("D2F", item.dst[0], _sum(work, *pairs[0]), is_last=True)
        return work.code
    held = room.scratch(work.slot(5))
    for first, second in pairs:
        work.put("D2F", DstOperand(held, 1 << first | 1 << second), _sum(work, first, second))
    work.last("MOV", SrcOperand(held))
    return work.code


def _sum(e: Expansion, first: int, second: int) -> SrcOperand:
    """Return the sums of two channels as doubles that are rounded to odd."""

    def double(number: int, slot: int) -> SrcOperand:
        operand = e.item.src[number]
        taken = (operand.swizzle[first], operand.swizzle[second]) * 2
        return e.make("F2D", slot, _ALL, replace(operand, swizzle=(taken[0], taken[1], taken[2], taken[3])))

    def words(*values: int) -> SrcOperand:
        return e.room.words(list(values))

    zero = words(0, 0, 0, 0)
    a, b = double(0, 0), double(1, 1)
    product = e.make("DMUL", 2, _ALL, a, b)
    if e.room.zero_wins:  # a product with 0 is 0, also if the other factor is infinite or a NaN
        flags = e.make("DSEQ", 3, _X_Z, a, zero)
        others = e.make("DSEQ", 4, _X_Z, b, zero)
        flags = replace(e.make("OR", 3, _X_Z, flags, others), swizzle=(0, 0, 2, 2))
        product = e.make("UCMP", 2, _ALL, flags, zero, product)
    addend = double(2, 1)
    total = e.make("DADD", 0, _ALL, product, addend)
    part = e.make("DADD", 3, _ALL, total, negated(product))
    rest = e.make("DADD", 4, _ALL, total, negated(part))
    rest = e.make("DADD", 4, _ALL, product, negated(rest))
    part = e.make("DADD", 3, _ALL, addend, negated(part))
    lost = e.make("DADD", 4, _ALL, rest, part)
    is_even = e.make("USEQ", 1, _X_Z, e.make("AND", 1, _X_Z, total, words(1, 1, 1, 1)), zero)
    changes = e.make("AND", 1, _X_Z, is_even, e.make("DSNE", 2, _X_Z, lost, zero))
    is_finite = e.make("DSLT", 2, _X_Z, magnitude(total), words(0, _HIGH_INFINITY, 0, _HIGH_INFINITY))
    changes = replace(e.make("AND", 1, _X_Z, changes, is_finite), swizzle=(0, 0, 2, 2))
    above, positive = e.make("DSLT", 2, _X_Z, zero, lost), e.make("DSLT", 3, _X_Z, zero, total)
    outward = replace(e.make("USEQ", 2, _X_Z, above, positive), swizzle=(0, 0, 2, 2))
    e.make("UCMP", 3, _X_Z, outward, words(1, 1, 1, 1), words(_ONES, _ONES, _ONES, _ONES))
    step = e.make("UCMP", 3, _Y_W, outward, zero, words(_ONES, _ONES, _ONES, _ONES))
    return e.make("U64ADD", 0, _ALL, total, e.make("AND", 3, _ALL, step, changes))
