"""The pass remove-unused-immediates."""

from __future__ import annotations

from dataclasses import replace

from passes.analysis.access import free_indexing, indices_of
from passes.analysis.operands import registers_of
from passes.base import Pass
from tgsi.language.facts.enums import File
from tgsi.language.ir import DstOperand, Instruction, RegisterRef, SrcOperand, TexOffset
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
        operands = (register for item in program.instructions for register in registers_of(item))
        if free_indexing(program, File.IMM) or any(ref.file is File.IMM for register in operands for ref in indices_of(register)):
            return program
        registers = [o.register for i in program.instructions for o in i.src]
        registers += [o.register for i in program.instructions for o in i.dst]  # a STORE's may be the handle of an image
        registers += [o.register for i in program.instructions for o in i.offsets]
        used = {register.index for register in registers if register.file is File.IMM}
        if len(used) == len(program.immediates):
            return program
        places = {old: new for new, old in enumerate(sorted(used))}

        def moved(register: RegisterRef) -> RegisterRef:
            return replace(register, index=places[register.index]) if register.file is File.IMM else register

        def source(operand: SrcOperand) -> SrcOperand:
            return replace(operand, register=moved(operand.register))

        def destination(operand: DstOperand) -> DstOperand:
            return replace(operand, register=moved(operand.register))

        def offset(operand: TexOffset) -> TexOffset:
            return replace(operand, register=moved(operand.register))

        def instruction(item: Instruction) -> Instruction:
            dst, src = tuple(map(destination, item.dst)), tuple(map(source, item.src))
            return replace(item, dst=dst, src=src, offsets=tuple(map(offset, item.offsets)))

        return replace(
            program,
            immediates=tuple(item for number, item in enumerate(program.immediates) if number in used),
            instructions=tuple(map(instruction, program.instructions)),
        )
