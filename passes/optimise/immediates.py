"""The pass remove-unused-immediates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from passes.analysis import facts
from passes.analysis.access import free_indexing, indexed_registers, indices_of
from passes.base import Pass
from passes.edit import Operand, moved, with_operands, with_parts, with_register
from tgsi.language.facts.enums import IMM
from tgsi.language.ir import Instruction, RegisterRef
from tgsi.language.program import Program
from tgsi.language.record import record

_FIRST = RegisterRef(IMM, 0)


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
        for item in program.instructions:
            for operand in item.src:
                if operand.register.file is IMM:
                    used.add(operand.register.index)
            if item.offsets or item.opcode.stores_to_dst:  # whose destination may be a handle
                used.update(operand.register.index for operand in item.dst if operand.register.file is IMM)
                used.update(offset.register.index for offset in item.offsets if offset.register.file is IMM)
        if len(used) == len(program.immediates) or free_indexing(program, IMM):
            return program
        if any(ref.file is IMM for register in facts.of(program, indexed_registers) for ref in indices_of(register)):
            return program
        places = {old: new for new, old in enumerate(sorted(used))}
        return with_parts(
            program,
            immediates=tuple(item for number, item in enumerate(program.immediates) if number in used),
            instructions=tuple([_renumbered(item, places) for item in program.instructions]),
        )


def _renumbered(item: Instruction, places: Mapping[int, int]) -> Instruction:
    """Return an instruction whose immediates have other numbers."""
    for operand in item.src:
        if operand.register.file is IMM and places[operand.register.index] != operand.register.index:
            break
    else:
        if not item.offsets and not item.opcode.stores_to_dst:
            return item
    src = tuple([_operand(operand, places) for operand in item.src])
    dst = tuple([_operand(operand, places) for operand in item.dst])
    offsets = tuple([_operand(offset, places) for offset in item.offsets])
    return with_operands(replace(item, offsets=offsets) if item.offsets else item, dst, src)


def _operand(operand: Operand, places: Mapping[int, int]) -> Operand:
    register = operand.register
    return with_register(operand, moved(_FIRST, places[register.index])) if register.file is IMM else operand
