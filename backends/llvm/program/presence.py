"""Tests for programs whose results depend on the set of lanes that are invocations."""

from __future__ import annotations

from passes.analysis.effects import effects_of
from tgsi.language.facts.traits import Trait
from tgsi.language.program import Program


def votes(program: Program) -> bool:
    """True if an instruction depends on the set of active lanes."""
    return any(Trait.ACTIVE in instruction.opcode.traits for instruction in program.instructions)


def wants_presence(program: Program) -> bool:
    """True if a vertex kernel needs a mask of the lanes that are vertices, because other lanes must not vote or write memory."""
    return votes(program) or effects_of(program).writes
