"""Comparisons that treat denormals as 0: lower-denormal-tests.

OpenGL lets a driver flush denormal floats to 0. Nearly all drivers do, and programs whose products may underflow rely on it.
"""

from __future__ import annotations

from dataclasses import replace

from passes.base import Pass
from passes.edit import source_of
from passes.lower.one_by_one import Lowering
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import DstOperand, Instruction, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

_SMALLEST, _ONE, _MAGNITUDE = 0x00800000, 0x3F800000, 0x7FFFFFFF

_TURNED = {"SGT": "SLT", "SLE": "SGE"}
"""Comparisons, and the opcode that gives the same result with swapped operands."""

_LESS = {"FSLT": "FSGE", "SLT": "SGE"}
"""Opcodes for `less`, and those for `not less` with results of the same type."""
_NOT_LESS = {name: less for less, name in _LESS.items()}
_EQUAL = {"FSEQ": "FSLT", "SEQ": "SLT"}
_DIFFERENT = {"FSNE": "FSLT", "SNE": "SLT"}

_NAMES = frozenset((*_TURNED, *_LESS, *_NOT_LESS, *_EQUAL, *_DIFFERENT))


@record(slots=False)
class LowerDenormalTests(Pass):
    """Treat denormals as 0 when a float is compared with 0. TGSI compares their value.

    The other operand is compared with the smallest normal number instead of 0. If this takes a temporary or an immediate and an address
    may reach all of those of the program, the instruction is kept.
    """

    name = "lower-denormal-tests"

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        return _Lowering(program).run() if any(item.opcode.name in _NAMES for item in program.instructions) else program


class _Lowering(Lowering):
    """The work on one program."""

    def lowered(self, item: Instruction) -> list[Instruction]:
        """See `Lowering.lowered`."""
        name = item.opcode.name
        if name not in _NAMES:
            return [item]
        a, b = item.src
        if name in _TURNED:
            name, a, b = _TURNED[name], b, a
        mask = item.dst[0].write_mask
        is_first, is_second = self._is_zero(a, mask), self._is_zero(b, mask)
        if is_first is is_second:  # neither operand is 0, or both are
            return [item]
        smallest = self.immediates.source([_SMALLEST] * 4, "float")
        if smallest is None:
            return [item]
        tested = b if is_first else a
        if name in _LESS or name in _NOT_LESS:
            # 0 < x becomes x >= smallest, and x < 0 becomes -smallest >= x; the opposite comparisons likewise
            other = _LESS.get(name) or _NOT_LESS[name]
            return [_with(item, other, (tested, smallest) if is_first else (_negative(smallest), tested))]
        size = source_of(tested.register, tested.swizzle, absolute=True)
        if name in _EQUAL:
            return [_with(item, _EQUAL[name], (size, smallest))]
        return self._different(item, size, smallest)

    def _different(self, item: Instruction, size: SrcOperand, smallest: SrcOperand) -> list[Instruction]:
        """The opposite of a test for 0, also true for a NaN."""
        name = item.opcode.name
        one = self.immediates.source([_ONE] * 4, "float") if name == "SNE" else smallest
        helper = self.helper()
        if one is None or helper is None:
            return [item]
        test = replace(_with(item, _DIFFERENT[name], (size, smallest)), dst=(DstOperand(helper, item.dst[0].write_mask),))
        equal = SrcOperand(helper)
        if name == "FSNE":
            return [test, _with(item, "NOT", (equal,))]
        return [test, _with(item, "ADD", (one, _negative(equal)))]

    def _is_zero(self, operand: SrcOperand, mask: int) -> bool:
        """True if the operand is an immediate with zeros, of either sign, in the channels that are used."""
        words = self.known_words(operand, mask)
        return words is not None and not any(word & _MAGNITUDE for word in words)


def _with(item: Instruction, name: str, sources: tuple[SrcOperand, ...]) -> Instruction:
    return replace(item, opcode=OPCODES[name], src=sources)


def _negative(operand: SrcOperand) -> SrcOperand:
    return source_of(operand.register, operand.swizzle, negate=True)
