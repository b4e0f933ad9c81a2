"""The pass expand-opcodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from passes.base import Pass
from passes.edit import Temporaries, rebuilt
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import DstOperand, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

_Expansion = Callable[[Instruction, RegisterRef], list[Instruction]]


@record(slots=False)
class ExpandOpcodes(Pass):
    """Write opcodes that a device may lack with simpler ones of the same results.

    `only` names them, joined by +; the empty text means all: LRP, DP2, DP3, DP4, FRC, CEIL, SGT, SLE. Results keep every bit, except that
    FRC of an infinity becomes NaN. LRP, DPn, FRC and CEIL need a temporary, so they stay where a program indexes all of TEMP by an address.
    """

    name = "expand-opcodes"
    only: str = ""

    def __post_init__(self) -> None:
        """Check `only`.

        Raises:
            ValueError: `only` names an opcode that this pass does not know.
        """
        for name in self._wanted():
            if name not in _EXPANSIONS:
                raise ValueError(f"pass {self.name}: only: `{name}` is none of {', '.join(_EXPANSIONS)}")

    def _wanted(self) -> Sequence[str]:
        return [name.strip().upper() for name in self.only.split("+")] if self.only else list(_EXPANSIONS)

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        wanted = set(self._wanted())
        temporaries = Temporaries(program)
        helper: RegisterRef | None = None
        made: list[Sequence[Instruction]] = []
        for item in program.instructions:
            name = item.opcode.name
            if name not in wanted or (name not in _IN_PLACE and helper is None and not temporaries.room(1)):
                made.append((item,))
            elif name in _IN_PLACE:
                made.append(_EXPANSIONS[name](item, item.dst[0].register))
            else:
                helper = helper or temporaries.new()
                made.append(_EXPANSIONS[name](item, helper))
        return temporaries.finish(rebuilt(program, made))


def _make(item: Instruction, name: str, target: DstOperand, *sources: SrcOperand) -> Instruction:
    return replace(item, opcode=OPCODES[name], dst=(target,), src=sources, saturate=False)


def _last(item: Instruction, name: str, *sources: SrcOperand) -> Instruction:
    return replace(item, opcode=OPCODES[name], src=sources)


def _negated(operand: SrcOperand) -> SrcOperand:
    return replace(operand, negate=not operand.negate)


def _lrp(item: Instruction, helper: RegisterRef) -> list[Instruction]:
    """Expand LRP: scale the difference, then add the start."""
    a, b, e = item.src
    difference = _make(item, "ADD", DstOperand(helper), b, _negated(e))
    return [difference, _last(item, "MAD", a, SrcOperand(helper), e)]


def _dot(count: int) -> _Expansion:
    """Return the expansion of a dot product: products are added one by one, from left to right."""

    def expand(item: Instruction, helper: RegisterRef) -> list[Instruction]:
        a, b = item.src
        total = SrcOperand(helper, (0, 0, 0, 0))
        made = [_make(item, "MUL", DstOperand(helper, 1), _channel(a, 0), _channel(b, 0))]
        made += [_make(item, "MAD", DstOperand(helper, 1), _channel(a, c), _channel(b, c), total) for c in range(1, count - 1)]
        return [*made, _last(item, "MAD", _channel(a, count - 1), _channel(b, count - 1), total)]

    return expand


def _channel(operand: SrcOperand, position: int) -> SrcOperand:
    taken = operand.swizzle[position]
    return replace(operand, swizzle=(taken, taken, taken, taken))


def _frc(item: Instruction, helper: RegisterRef) -> list[Instruction]:
    """Expand FRC: subtract the floor. For an infinity this gives NaN, and not 0."""
    floor = _make(item, "FLR", DstOperand(helper), item.src[0])
    return [floor, _last(item, "ADD", item.src[0], _negated(SrcOperand(helper)))]


def _ceil(item: Instruction, helper: RegisterRef) -> list[Instruction]:
    """Expand CEIL: the negated floor of the negated value. The second FLR changes no number, but does not flip the sign of a NaN."""
    floor = _make(item, "FLR", DstOperand(helper), _negated(item.src[0]))
    return [floor, _last(item, "FLR", _negated(SrcOperand(helper)))]


def _swapped(name: str) -> _Expansion:
    return lambda item, _: [_last(item, name, item.src[1], item.src[0])]


_EXPANSIONS: dict[str, _Expansion] = {
    "LRP": _lrp,
    "DP2": _dot(2),
    "DP3": _dot(3),
    "DP4": _dot(4),
    "FRC": _frc,
    "CEIL": _ceil,
    "SGT": _swapped("SLT"),
    "SLE": _swapped("SGE"),
}

_IN_PLACE = frozenset({"SGT", "SLE"})
"""Expansions that need no temporary."""
