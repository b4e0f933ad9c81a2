"""The pass simplify-instructions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from passes.analysis.access import is_direct
from passes.base import Pass
from passes.edit import Immediates, rebuilt
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import Instruction, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

ONES = 0xFFFFFFFF

_NEUTRAL: dict[str, tuple[int, int]] = {
    "UADD": (0, 3), "OR": (0, 3), "XOR": (0, 3), "UMAX": (0, 3), "UMUL": (1, 3), "AND": (ONES, 3), "UMIN": (ONES, 3),
    "SHL": (0, 2), "USHR": (0, 2), "ISHR": (0, 2), "UDIV": (1, 2), "IDIV": (1, 2),
}  # fmt: skip
"""The constant that leaves the other operand unchanged, and a mask of the sources that it may be."""

_ABSORBING: dict[str, tuple[int, int]] = {"UMUL": (0, 3), "AND": (0, 3), "OR": (ONES, 3), "UMIN": (0, 3), "UMAX": (ONES, 3), "SHL": (0, 1)}
"""The constant that is the result whatever the other operand is, and a mask of the sources that it may be."""

_SAME = frozenset({"AND", "OR", "UMIN", "UMAX", "IMIN", "IMAX", "MIN", "MAX"})
"""Opcodes that return their operand if both are the same, NaN and zeros included."""

_EQUAL = {"XOR": 0, "USNE": 0, "USLT": 0, "ISLT": 0, "USEQ": ONES, "USGE": ONES, "ISGE": ONES}
"""The result of opcodes if both operands are the same."""

_POWERS = {"UMUL": "SHL", "UDIV": "USHR"}


@record(slots=False)
class SimplifyInstructions(Pass):
    """Replace instructions by simpler ones of the same bits.

    Operations on floats stay, because even x * 1.0 quiets a NaN and x + 0.0 loses a sign. A MOV to itself goes. Integer operations with 0,
    1, all ones, powers of two or twice the same operand become simpler, and so do choices between equals or by a constant.
    """

    name = "simplify-instructions"

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        immediates = Immediates(program)
        made: list[Sequence[Instruction]] = []
        for item in program.instructions:
            if _is_noop(item):
                made.append(())
            else:
                made.append((_simplified(item, immediates) if item.dst and len(item.src) > 1 else item,))
        return immediates.finish(rebuilt(program, made))


def _is_noop(item: Instruction) -> bool:
    if Trait.COPY not in item.opcode.traits or item.saturate or item.src[0].negate or item.src[0].absolute:
        return False
    target, source = item.dst[0], item.src[0]
    return (
        target.register == source.register
        and is_direct(target.register)
        and all(source.swizzle[c] == c for c in range(4) if target.write_mask >> c & 1)
    )


def _simplified(item: Instruction, immediates: Immediates) -> Instruction:
    name, mask = item.opcode.name, item.dst[0].write_mask
    known = [_constant(operand, mask, immediates) for operand in item.src]
    if name in ("CMP", "UCMP"):
        if _alike(item.src[1], item.src[2], mask):
            return _move(item, item.src[1])
        word = known[0]
        if name == "UCMP" and word is not None:
            return _move(item, item.src[1] if word else item.src[2])
        return item
    if len(item.src) != 2:
        return item
    if _alike(item.src[0], item.src[1], mask):
        if name in _SAME and (name in ("MIN", "MAX") or _plain(item.src[0])):
            return _move(item, item.src[0])
        if name in _EQUAL and not item.saturate:
            source = immediates.source([_EQUAL[name]] * 4, item.opcode.dst_types[0])
            return item if source is None else _move(item, source)
    for number, word in enumerate(known):
        other = item.src[1 - number]
        if word is None:
            continue
        if name in _NEUTRAL and word == _NEUTRAL[name][0] and _NEUTRAL[name][1] >> number & 1 and _plain(other):
            return _move(item, other)
        if name in _ABSORBING and word == _ABSORBING[name][0] and _ABSORBING[name][1] >> number & 1:
            return _move(item, item.src[number])
        if name in _POWERS and (number == 1 or name == "UMUL") and word.bit_count() == 1 and word > 1:
            source = immediates.source([word.bit_length() - 1] * 4, "uint")
            return item if source is None else replace(item, opcode=OPCODES[_POWERS[name]], src=(other, source))
        if name == "UMOD" and number == 1 and word.bit_count() == 1:
            source = immediates.source([word - 1] * 4, "uint")
            return item if source is None else replace(item, opcode=OPCODES["AND"], src=(other, source))
    return item


def _constant(operand: SrcOperand, mask: int, immediates: Immediates) -> int | None:
    """Return the word that all needed channels of an unmodified immediate hold."""
    if operand.register.file is not File.IMM or not is_direct(operand.register) or not _plain(operand):
        return None
    words = immediates.items[operand.register.index].words
    found = {words[operand.swizzle[c]] for c in range(4) if mask >> c & 1}
    return found.pop() if len(found) == 1 else None


def _plain(operand: SrcOperand) -> bool:
    return not (operand.negate or operand.absolute)


def _alike(a: SrcOperand, b: SrcOperand, mask: int) -> bool:
    """Return true if two operands give the same values in all needed channels."""
    flags = a.register == b.register and a.negate == b.negate and a.absolute == b.absolute
    return flags and all(a.swizzle[c] == b.swizzle[c] for c in range(4) if mask >> c & 1)


def _move(item: Instruction, source: SrcOperand) -> Instruction:
    """Return a MOV of an operand; saturation stays, because it clamps bits whatever they mean."""
    return replace(item, opcode=OPCODES["MOV"], src=(source,), precise=False)
