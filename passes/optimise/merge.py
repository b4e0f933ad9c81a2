"""The pass merge-temporaries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from passes.analysis.access import free_indexing
from passes.analysis.liveness import Liveness
from passes.base import Pass
from tgsi.language.facts.enums import File
from tgsi.language.ir import Declaration, Dimension, DstOperand, IndirectRef, Instruction, RegisterRef, SrcOperand, TexOffset
from tgsi.language.program import Program
from tgsi.language.record import record


@record(slots=False)
class MergeTemporaries(Pass):
    """Let temporaries share a register if no lane needs both at a time, and drop unused ones.

    Arrays keep their registers, and a program that indexes all of TEMP by an address is not changed. A temporary that is read before it is
    written is needed, as 0, from the start.
    """

    name = "merge-temporaries"

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        if free_indexing(program, File.TEMP) or not program.declared(File.TEMP):
            return program
        arrays = [item for item in program.declared(File.TEMP) if item.array_id]
        fixed = {index for item in arrays for index in range(item.first, item.last + 1)}
        order = [index for index in _named(program) if index not in fixed]
        clashes = _clashes(program, set(order))
        colors: dict[int, int] = {}
        free = [index for index in range(len(order) + len(fixed)) if index not in fixed]
        for index in order:
            taken = {colors[other] for other in clashes[index] if other in colors}
            colors[index] = next(color for color in free if color not in taken)
        count = len(set(colors.values()))
        plain = [item for item in program.declared(File.TEMP) if not item.array_id]
        if count == sum(item.last + 1 - item.first for item in plain) and all(old == new for old, new in colors.items()):
            return program
        return _renamed(program, colors, plain)


def _named(program: Program) -> list[int]:
    """Return the temporaries in the order in which operands name them."""
    found: dict[int, None] = {}

    def see(register: RegisterRef) -> RegisterRef:
        if register.file is File.TEMP and register.indirect is None:
            found.setdefault(register.index)
        return register

    for item in program.instructions:
        _mapped(item, see)
    return list(found)


def _clashes(program: Program, chosen: set[int]) -> dict[int, set[int]]:
    """Return, for each temporary, those that are needed where it is written."""
    liveness = Liveness(program)
    rows = dict.fromkeys(chosen, 0)
    for number, effect in enumerate(liveness.effects):
        if not effect.may_write:
            continue
        live = liveness.after[number] | effect.may_write | liveness.pinned
        for operand in program.instructions[number].dst:
            if operand.register.file is File.TEMP and operand.register.index in rows:
                rows[operand.register.index] |= live
        if len(program.instructions[number].dst) > 1 or program.instructions[number].opcode.uses_64bit:
            live |= effect.always  # pairs of channels are stored before later sources are read
            for operand in program.instructions[number].dst:
                if operand.register.file is File.TEMP and operand.register.index in rows:
                    rows[operand.register.index] |= live
    found: dict[int, set[int]] = {index: set() for index in chosen}
    pinned = {index for index in chosen if liveness.pinned >> 4 * index & 15}
    for index, row in rows.items():
        others = chosen if index in pinned else {other for other in _registers(row) if other in chosen} | pinned
        for other in others - {index}:
            found[index].add(other)
            found[other].add(index)
    return found


def _registers(row: int) -> set[int]:
    """Return the registers of a set of channels."""
    found = set()
    while row:
        index = ((row & -row).bit_length() - 1) // 4
        found.add(index)
        row &= ~(15 << 4 * index)
    return found


def _renamed(program: Program, colors: dict[int, int], plain: list[Declaration]) -> Program:
    def moved(register: RegisterRef) -> RegisterRef:
        if register.file is File.TEMP and register.indirect is None:
            register = replace(register, index=colors.get(register.index, register.index))
        return register

    instructions = tuple(_mapped(item, moved) for item in program.instructions)
    local = bool(plain) and all(item.local for item in plain)
    declared = [Declaration(File.TEMP, first, last, local=local) for first, last in _ranges(sorted(set(colors.values())))]
    made: list[Declaration] = []
    for item in program.declarations:
        if item.file is not File.TEMP or item.array_id:
            made.append(item)
        else:
            made += declared
            declared = []
    return replace(program, declarations=tuple(made), instructions=instructions)


def _ranges(numbers: list[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = found[-1][0], number
        else:
            found.append((number, number))
    return found


def _mapped(item: Instruction, function: Callable[[RegisterRef], RegisterRef]) -> Instruction:
    """Return an instruction with each of its registers replaced, index registers included."""

    def index(ref: IndirectRef) -> IndirectRef:
        register = function(RegisterRef(ref.file, ref.index))
        return ref if register.index == ref.index else replace(ref, index=register.index)

    def whole(register: RegisterRef) -> RegisterRef:
        made = function(register)
        if made.indirect is not None:
            made = replace(made, indirect=index(made.indirect))
        if made.dimension is not None and made.dimension.indirect is not None:
            dimension: Dimension = replace(made.dimension, indirect=index(made.dimension.indirect))
            made = replace(made, dimension=dimension)
        return made

    def destination(operand: DstOperand) -> DstOperand:
        return replace(operand, register=whole(operand.register))

    def source(operand: SrcOperand) -> SrcOperand:
        return replace(operand, register=whole(operand.register))

    def offset(operand: TexOffset) -> TexOffset:
        return replace(operand, register=whole(operand.register))

    return replace(item, dst=tuple(map(destination, item.dst)), src=tuple(map(source, item.src)), offsets=tuple(map(offset, item.offsets)))
