"""Programs to which it matters which lanes are invocations."""

from __future__ import annotations

from passes.analysis.effects import effects_of
from tgsi.language.program import Program

_VOTES = frozenset({"VOTE_ANY", "VOTE_ALL", "VOTE_EQ", "BALLOT", "READ_FIRST"})


def votes(program: Program) -> bool:
    """An instruction asks which lanes are invocations."""
    return any(instruction.opcode.name in _VOTES for instruction in program.instructions)


def wants_presence(program: Program) -> bool:
    """A vertex kernel must know which lanes are vertices: their votes count, and what they write to memory."""
    return votes(program) or effects_of(program).writes
