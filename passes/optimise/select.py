"""The pass if-to-select."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from passes.analysis import facts
from passes.analysis.access import flows_of, is_direct
from passes.base import Pass
from passes.edit import Immediates, Temporaries, rebuilt
from passes.optimise.rules.kinds import gives
from tgsi.language.facts.enums import TEMP
from tgsi.language.facts.opcodes import OPCODES, OpcodeInfo
from tgsi.language.facts.traits import Flow
from tgsi.language.ir import XYZW, DstOperand, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

Value = tuple[SrcOperand, int]
"""The value of a register at the end of an arm, and the channels that the arm wrote."""

_X = (0, 0, 0, 0)
_NEAR = 64
"""Instructions before a branch among which its condition is sought."""


@record(slots=False)
class IfToSelect(Pass):
    """Compute both arms of a short IF and choose with CMP or UCMP.

    A branch is replaced if both arms together have at most `instructions` instructions, all of which compute TEMPs from values: no jumps,
    samples, 64-bit numbers or outputs. Inner branches go first, so nests may go, too. remove-dead-code drops what is no longer needed.
    With `shorter`, only branches go for which that takes fewer instructions, copies aside.
    """

    name = "if-to-select"
    instructions: int = 4
    shorter: bool = False

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        if Flow.IF not in facts.of(program, flows_of):
            return program
        temporaries = Temporaries(program)
        if temporaries.closed:
            return program
        while True:
            immediates = Immediates(program)
            replaced = self._once(program, temporaries, immediates)
            if replaced is None:
                return temporaries.finish(program)
            program = immediates.finish(replaced)

    def _once(self, program: Program, temporaries: Temporaries, immediates: Immediates) -> Program | None:
        """Return the program with its innermost branches replaced, or None if none can be."""
        code: list[Sequence[Instruction]] = [(item,) for item in program.instructions]
        is_changed = False
        for start, middle, end in self._branches(program):
            head = program.instructions[start]
            arms = [program.instructions[start + 1 : middle], program.instructions[middle + 1 : end]]
            if self.shorter and not _is_shorter(program, start, middle < end, arms):
                continue
            new = _selected(head, arms, temporaries, immediates)
            if new is None:
                continue
            is_changed = True
            code[start : end + 1] = [new, *[()] * (end - start)]
        return rebuilt(program, code) if is_changed else None

    def _branches(self, program: Program) -> list[tuple[int, int, int]]:
        """Return IF, ELSE (or ENDIF) and ENDIF of the branches that hold only a few instructions, all of them fit."""
        branches: list[tuple[int, int, int]] = []
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
                    branches.append((start, middle, number))
                start = -1
            elif flow is not None or not _fits(item):
                start = -1
        return branches


def _fits(item: Instruction) -> bool:
    return item.opcode.is_computed and len(item.dst) == 1 and item.dst[0].register.file is TEMP and is_direct(item.dst[0].register)


def _is_shorter(program: Program, start: int, has_else: bool, arms: Sequence[Sequence[Instruction]]) -> bool:
    """Return true if choices take fewer instructions than a branch. Copies of a whole result cost nothing, they become operands."""
    written: dict[int, int] = {}
    copies = 0
    for arm in arms:
        for item in arm:
            index, mask = item.dst[0].register.index, item.dst[0].write_mask
            written[index] = written.get(index, 0) | mask
            copies += item.opcode.is_copy
    if len(written) == 1 and copies == 0 and set(written.values()) != {XYZW}:
        copies -= 1  # a register of which a part is chosen is not written where its value is moved to
    tests = program.instructions[start].opcode.src_types[0] == "float" and not _is_flag(program, start)
    return tests + len(written) - copies < 2 + has_else


def _is_flag(program: Program, start: int) -> bool:
    """Return true if the condition of a branch seems to be 1.0 or 0.0."""
    source = program.instructions[start].src[0]
    for item in reversed(program.instructions[max(0, start - _NEAR) : start]):
        if item.dst and item.dst[0].register == source.register and item.dst[0].write_mask >> source.swizzle[0] & 1:
            return gives(item.opcode, item.saturate, "unit")
    return False


def _selected(
    head: Instruction, arms: Sequence[Sequence[Instruction]], temporaries: Temporaries, immediates: Immediates
) -> list[Instruction] | None:
    """Return the straight code for a branch, or None if there is no room for its temporaries or constants."""
    if not temporaries.room(1 + sum(map(len, arms))) or _indexes_by_written(arms):
        return None
    written = {item.dst[0].register.index for arm in arms for item in arm}
    choosing = _chooser(head, written, temporaries, immediates)
    if choosing is None:
        return None
    straight, chooser, choice = choosing
    values: list[dict[int, Value]] = []
    for arm in arms:
        code, results = _arm(arm, written, temporaries)
        straight += code
        values.append(results)
    for old in dict.fromkeys((*values[0], *values[1])):
        old_value = SrcOperand(RegisterRef(TEMP, old))
        one, two = values[0].get(old), values[1].get(old)
        pairs: list[tuple[Value | None, Value | None]] = [(one, two)] if one and two and one[1] == two[1] else [(one, None), (None, two)]
        for first, second in pairs:
            value = first or second
            if value is not None:
                chosen = chooser, first[0] if first else old_value, second[0] if second else old_value
                straight.append(Instruction(choice, (DstOperand(old_value.register, value[1]),), chosen, span=head.span))
    return straight


def _chooser(
    head: Instruction, written: set[int], temporaries: Temporaries, immediates: Immediates
) -> tuple[list[Instruction], SrcOperand, OpcodeInfo] | None:
    """Return instructions that make the first source of a choice from the condition of a branch, that source, and the opcode of the choice;
    None if there is no room for a constant.

    An integer chooses as it is. A float is compared with 0 first, and chooses as -1.0, with no opcode of integers, which a device may lack.
    """
    kind = head.opcode.src_types[0]
    source, is_float = head.src[0], kind == "float"
    if not is_float and not (source.register.file is TEMP and source.register.index in written) and is_direct(source.register):
        first = source.swizzle[0]
        return [], SrcOperand(source.register, (first,) * 4, source.negate, source.absolute), OPCODES["UCMP"]
    zero = immediates.source([0] * 4, kind)
    if zero is None:
        return None
    test, choice = (OPCODES["SNE"], OPCODES["CMP"]) if is_float else (OPCODES["USNE"], OPCODES["UCMP"])
    condition = temporaries.new()
    code = [Instruction(test, (DstOperand(condition, 1),), (source, zero), span=head.span)]
    return code, SrcOperand(condition, _X, negate=is_float), choice


def _arm(arm: Sequence[Instruction], written: set[int], temporaries: Temporaries) -> tuple[list[Instruction], dict[int, Value]]:
    """Return the instructions of an arm with registers of their own, and the final value of each register that they write."""
    names: dict[int, RegisterRef] = {}
    masks: dict[int, int] = {}
    results: dict[int, Value] = {}
    counts = Counter(item.dst[0].register.index for item in arm)
    read = {operand.register.index for item in arm for operand in item.src if operand.register.file is TEMP}
    code: list[Instruction] = []
    for item in arm:
        old, mask = item.dst[0].register.index, item.dst[0].write_mask
        if item.opcode.is_copy and not item.saturate and counts[old] == 1 and old not in read:
            source = item.src[0].register
            if source.file is not TEMP or source.index not in written:
                results[old] = item.src[0], mask
                continue
        if old not in names:
            names[old] = temporaries.new()
            code.append(Instruction(OPCODES["MOV"], (DstOperand(names[old]),), (SrcOperand(RegisterRef(TEMP, old)),), span=item.span))
        sources = tuple(_renamed(operand, names) for operand in item.src)
        code.append(replace(item, dst=(DstOperand(names[old], mask),), src=sources))
        masks[old] = masks.get(old, 0) | mask
        results[old] = SrcOperand(names[old]), masks[old]
    return code, results


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
