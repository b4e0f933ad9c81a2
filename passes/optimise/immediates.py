"""The pass remove-unused-immediates."""

from __future__ import annotations

from passes.analysis import facts
from passes.analysis.access import free_indexing, indexed_registers, indices_of
from passes.base import Pass
from passes.edit import Renamer, moved, with_parts
from tgsi.language.facts.enums import IMM
from tgsi.language.ir import RegisterRef
from tgsi.language.program import Program
from tgsi.language.record import record

_FILES = frozenset({IMM})


@record(slots=False)
class RemoveUnusedImmediates(Pass):
    """Drop immediates that no operand names, and renumber the others.

    A program that indexes its immediates by an address, or indexes by an immediate, keeps them all.
    """

    name = "remove-unused-immediates"

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        if not program.immediates:
            return program
        used = {
            register.index
            for item in program.instructions
            for operand in (item.src + item.dst + item.offsets if item.offsets else item.src + item.dst)
            if (register := operand.register).file is IMM
        }
        if len(used) == len(program.immediates) or free_indexing(program, IMM):
            return program
        if any(ref.file is IMM for register in facts.of(program, indexed_registers) for ref in indices_of(register)):
            return program
        places = {old: new for new, old in enumerate(sorted(used))}

        def renamed(register: RegisterRef) -> RegisterRef:
            return moved(register, places[register.index]) if register.file is IMM else register

        return with_parts(
            program,
            immediates=tuple(item for number, item in enumerate(program.immediates) if number in used),
            instructions=Renamer(renamed, _FILES).instructions(program.instructions),
        )
