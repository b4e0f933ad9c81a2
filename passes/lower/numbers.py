"""NaNs and integers out of range, as OpenGL drivers treat them: lower-nan-limits, lower-int-limits.

OpenGL leaves these results undefined, but its drivers agree on them, and programs rely on that.
"""

from __future__ import annotations

import struct
from dataclasses import replace

from passes.base import Pass
from passes.edit import Immediates, Temporaries, rebuilt, with_opcode
from passes.lower.one_by_one import Lowering
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import DstOperand, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

_LIMITS = ("MIN", "MAX")
_TO_INT = "F2I"
_SATURATED = ("float", "untyped")  # types of a destination that is saturated as a number
_INFINITY = 0x7F800000
_ZERO, _ONE, _BEYOND = (struct.unpack("<I", struct.pack("<f", value))[0] for value in (0.0, 1.0, 2.0**31))


@record(slots=False)
class LowerNanLimits(Pass):
    """Let MIN and MAX return the other operand if one is a NaN, and let saturation turn a NaN into 0.

    TGSI returns the second operand, and saturation keeps the NaN. If the replacement takes a temporary or an immediate and an address may
    reach all of those of the program, the instruction is kept, as are saturated 64-bit results.
    """

    name = "lower-nan-limits"

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        return _Lowering(program).run()


@record(slots=False)
class LowerIntLimits(Pass):
    """Let F2I return the largest integer for floats above all integers.

    TGSI returns the smallest integer, whose bits are the complement. If the replacement takes a temporary or an immediate and an address
    may reach all of those of the program, the instruction is kept.
    """

    name = "lower-int-limits"

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        if not any(item.opcode.name == _TO_INT for item in program.instructions):
            return program
        temporaries, immediates = Temporaries(program), Immediates(program)
        limit = immediates.source([_BEYOND] * 4, "float")
        if limit is None or not temporaries.room(2):
            return program
        beyond, value = temporaries.new(), temporaries.new()
        lowered = rebuilt(program, [_clamped(item, limit, beyond, value) for item in program.instructions])
        return temporaries.finish(immediates.finish(lowered))


def _clamped(item: Instruction, limit: SrcOperand, beyond: RegisterRef, value: RegisterRef) -> list[Instruction]:
    """F2I, with the bits of the result inverted where the source is at or above the limit."""
    if item.opcode.name != _TO_INT:
        return [item]
    mask = item.dst[0].write_mask
    return [
        replace(item, opcode=OPCODES["FSGE"], dst=(DstOperand(beyond, mask),), src=(item.src[0], limit)),
        replace(item, dst=(DstOperand(value, mask),)),
        with_opcode(item, OPCODES["XOR"], (SrcOperand(value), SrcOperand(beyond)), precise=item.precise),
    ]


class _Lowering(Lowering):
    """The work on one program."""

    def lowered(self, item: Instruction) -> list[Instruction]:
        """See `Lowering.lowered`."""
        if item.saturate and item.opcode.num_dst == 1 and item.opcode.dst_types[0] in _SATURATED and not item.opcode.uses_64bit:
            return self._saturated(item)
        return self._limited(item) if item.opcode.name in _LIMITS else [item]

    def _saturated(self, item: Instruction) -> list[Instruction]:
        """Saturation as MAX with 0, then MIN with 1. MAX gives its second operand for a NaN, so a NaN becomes 0."""
        zero, one = (self.immediates.source([word] * 4, "float") for word in (_ZERO, _ONE))
        part = self._part(item)
        if zero is None or one is None or part is None:
            return [item]
        result = replace(item, dst=(part,), saturate=False)
        value = SrcOperand(part.register)
        first = self._limited(result) if item.opcode.name in _LIMITS else [result]
        lowest = with_opcode(result, OPCODES["MAX"], (value, zero), precise=item.precise)
        return [*first, lowest, with_opcode(item, OPCODES["MIN"], (value, one), precise=item.precise)]

    def _limited(self, item: Instruction) -> list[Instruction]:
        """MIN or MAX whose second operand is a number wherever the first one is."""
        a, b = item.src
        mask = item.dst[0].write_mask
        if self._is_number(b, mask) or (a.register == b.register and a.swizzle == b.swizzle):
            return [item]
        if self._is_number(a, mask):
            return [replace(item, src=(b, a))]
        part = self._part(item)
        if part is None:
            return [item]
        value = SrcOperand(part.register)
        test = replace(item, opcode=OPCODES["FSNE"], dst=(part,), src=(b, b), saturate=False)
        choice = replace(item, opcode=OPCODES["UCMP"], dst=(part,), src=(value, a, b), saturate=False)
        return [test, choice, replace(item, src=(a, value))]

    def _is_number(self, operand: SrcOperand, mask: int) -> bool:
        """True if the operand is an immediate without a NaN in the channels that are used."""
        words = self.known_words(operand, mask)
        return words is not None and all(word & 0x7FFFFFFF <= _INFINITY for word in words)

    def _part(self, item: Instruction) -> DstOperand | None:
        """The helper, with the channels that an instruction writes; None if there is no room for it."""
        helper = self.helper()
        return None if helper is None else DstOperand(helper, item.dst[0].write_mask)
