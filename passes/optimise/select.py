"""The pass if-to-select."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from passes.analysis.access import is_direct
from passes.base import Pass
from passes.edit import Immediates, Temporaries, rebuilt
from tgsi.language.facts.enums import TEMP
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import Flow
from tgsi.language.ir import DstOperand, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

_X = (0, 0, 0, 0)


@record(slots=False)
class IfToSelect(Pass):
    """Compute both arms of a short IF and choose with UCMP.

    A branch is replaced if both arms together have at most `instructions` instructions, all of which compute TEMPs from values: no jumps,
    samples, 64-bit numbers or outputs. Inner branches go first, so nests may go, too. remove-dead-code drops what is no longer needed.
    """

    name = "if-to-select"
    instructions: int = 4

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        temporaries = Temporaries(program)
        if temporaries.closed:
            return program
        while True:
            immediates = Immediates(program)
            made = self._once(program, temporaries, immediates)
            if made is None:
                return temporaries.finish(program)
            program = immediates.finish(made)

    def _once(self, program: Program, temporaries: Temporaries, immediates: Immediates) -> Program | None:
        """Return the program with its innermost branches replaced, or None if none can be."""
        made: list[Sequence[Instruction]] = [(item,) for item in program.instructions]
        found = False
        for start, middle, end in self._branches(program):
            head = program.instructions[start]
            arms = [program.instructions[start + 1 : middle], program.instructions[middle + 1 : end]]
            new = _selected(head, arms, temporaries, immediates)
            if new is None:
                continue
            found = True
            made[start : end + 1] = [new, *[()] * (end - start)]
        return rebuilt(program, made) if found else None

    def _branches(self, program: Program) -> list[tuple[int, int, int]]:
        """Return IF, ELSE (or ENDIF) and ENDIF of the branches that hold only a few instructions, all of them fit."""
        found: list[tuple[int, int, int]] = []
        start = middle = -1
        for number, item in enumerate(program.instructions):
            flow = item.opcode.flow
            if flow is Flow.IF:
                start = middle = number
            elif start < 0:
                continue
            elif flow is Flow.ELSE:
                middle = number
            elif flow is Flow.ENDIF:
                middle = middle if middle > start else number
                if number - start - 1 - (middle < number) <= self.instructions:
                    found.append((start, middle, number))
                start = -1
            elif flow is not None or not _fits(item):
                start = -1
        return found


def _fits(item: Instruction) -> bool:
    return item.opcode.is_computed and len(item.dst) == 1 and item.dst[0].register.file is TEMP and is_direct(item.dst[0].register)


def _selected(
    head: Instruction, arms: Sequence[Sequence[Instruction]], temporaries: Temporaries, immediates: Immediates
) -> list[Instruction] | None:
    """Return the straight code for a branch, or None if there is no room for its temporaries or constants."""
    if not temporaries.room(1 + sum(map(len, arms))) or _indexes_by_written(arms):
        return None
    condition = temporaries.new()
    target = DstOperand(condition, 1)
    kind = head.opcode.src_types[0]
    source, zero = head.src[0], immediates.source([0] * 4, kind)
    test = OPCODES["FSNE"] if kind == "float" else OPCODES["USNE"]
    if zero is None:
        return None
    made = [Instruction(test, (target,), (source, zero), span=head.span)]
    chooser = SrcOperand(condition, _X)
    for number, arm in enumerate(arms):
        names: dict[int, RegisterRef] = {}
        masks: dict[int, int] = {}
        for item in arm:
            old = item.dst[0].register.index
            if old not in names:
                names[old] = temporaries.new()
                whole = SrcOperand(RegisterRef(TEMP, old))
                made.append(Instruction(OPCODES["MOV"], (DstOperand(names[old]),), (whole,), span=item.span))
            sources = tuple(_renamed(operand, names) for operand in item.src)
            made.append(replace(item, dst=(DstOperand(names[old], item.dst[0].write_mask),), src=sources))
            masks[old] = masks.get(old, 0) | item.dst[0].write_mask
        for old, new in names.items():
            before, after = SrcOperand(RegisterRef(TEMP, old)), SrcOperand(new)
            chosen = (chooser, before, after) if number else (chooser, after, before)
            made.append(Instruction(OPCODES["UCMP"], (DstOperand(RegisterRef(TEMP, old), masks[old]),), chosen, span=head.span))
    return made


def _renamed(operand: SrcOperand, names: dict[int, RegisterRef]) -> SrcOperand:
    register = operand.register
    if register.file is not TEMP or register.indirect is not None or register.index not in names:
        return operand
    return replace(operand, register=names[register.index])


def _indexes_by_written(arms: Sequence[Sequence[Instruction]]) -> bool:
    """Return true if an arm indexes TEMP, or indexes by a TEMP: the index would not find renamed copies."""
    return any(
        (operand.register.indirect is not None and (operand.register.file is TEMP or operand.register.indirect.file is TEMP))
        or (operand.register.dimension is not None and operand.register.dimension.indirect is not None)
        for arm in arms
        for item in arm
        for operand in item.src
    )
