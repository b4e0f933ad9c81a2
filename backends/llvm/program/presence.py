"""Programs to which it matters which lanes are invocations."""

from __future__ import annotations

from passes.analysis.effects import effects_of
from tgsi.language.facts.traits import Trait
from tgsi.language.program import Program


def votes(program: Program) -> bool:
    """An instruction asks which lanes are invocations."""
    return any(Trait.ACTIVE in instruction.opcode.traits for instruction in program.instructions)


def wants_presence(program: Program) -> bool:
    """A vertex kernel must know which lanes are vertices: their votes count, and what they write to memory."""
    return votes(program) or effects_of(program).writes
