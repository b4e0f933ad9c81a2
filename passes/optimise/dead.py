"""The pass remove-dead-code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from passes.analysis.liveness import Liveness
from passes.base import Pass
from passes.edit import rebuilt
from tgsi.language.facts.traits import Flow
from tgsi.language.ir import Instruction
from tgsi.language.program import Program
from tgsi.language.record import record


@record(slots=False)
class RemoveDeadCode(Pass):
    """Drop instructions, channels of write masks, and branches that nothing needs.

    Outputs, memory, kills, emitted vertices and barriers are needed, and everything that they depend on. Loops stay, and so do
    declarations.
    """

    name = "remove-dead-code"

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        while True:
            made = _without_empty_branches(_without_dead(program))
            if made is program or len(made.instructions) == len(program.instructions):
                return made
            program = made


def _without_dead(program: Program) -> Program:
    liveness = Liveness(program)
    made: list[Sequence[Instruction]] = []
    for number, item in enumerate(program.instructions):
        if item.opcode.has_no_effect or liveness.is_dead(number):
            made.append(())
        elif len(item.dst) == 1 and (mask := liveness.live_mask(number)) not in (0, item.dst[0].write_mask):
            made.append((replace(item, dst=(replace(item.dst[0], write_mask=mask),)),))
        else:
            made.append((item,))
    return rebuilt(program, made)


def _without_empty_branches(program: Program) -> Program:
    """Drop IF, ENDIF and ELSE with nothing between them; inner ones first."""
    kept: list[int] = []
    instructions = program.instructions
    for number, item in enumerate(instructions):
        kept.append(number)
        if item.opcode.flow is Flow.ENDIF:
            if instructions[kept[-2]].opcode.flow is Flow.ELSE:
                del kept[-2]
            if instructions[kept[-2]].opcode.flow is Flow.IF:
                del kept[-2:]
    wanted = set(kept)
    return rebuilt(program, [(item,) if number in wanted else () for number, item in enumerate(instructions)])
