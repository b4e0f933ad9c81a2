"""The pass remove-unused-immediates."""

from __future__ import annotations

from passes.analysis.access import free_indexing, indices_of, is_direct
from passes.base import Pass
from passes.edit import Renamer, moved, with_parts
from tgsi.language.facts.enums import IMM
from tgsi.language.ir import RegisterRef
from tgsi.language.program import Program
from tgsi.language.record import record


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
        used: set[int] = set()
        is_indexed = False
        for item in program.instructions:
            for operand in item.src:
                register = operand.register
                if register.file is IMM:
                    used.add(register.index)
                if register.indirect is None and register.dimension is None:
                    continue
                is_indexed = True
                if any(ref.file is IMM for ref in indices_of(register)):
                    return program
            for target in item.dst:  # a STORE's may be the handle of an image
                register = target.register
                if register.file is IMM:
                    used.add(register.index)
                is_indexed = is_indexed or register.indirect is not None
                if not is_direct(register) and any(ref.file is IMM for ref in indices_of(register)):
                    return program
            for shift in item.offsets:
                is_indexed = is_indexed or shift.register.indirect is not None
                if shift.register.file is IMM:
                    used.add(shift.register.index)
        if len(used) == len(program.immediates) or (is_indexed and free_indexing(program, IMM)):
            return program
        places = {old: new for new, old in enumerate(sorted(used))}

        def renamed(register: RegisterRef) -> RegisterRef:
            return register if register.file is not IMM else moved(register, places[register.index])

        return with_parts(
            program,
            immediates=tuple(item for number, item in enumerate(program.immediates) if number in used),
            instructions=Renamer(renamed).instructions(program.instructions),
        )
