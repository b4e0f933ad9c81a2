"""Plan of a program: all facts for the code generator that depend neither on lanes nor on bindings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from backends.abi.limits import MAX_OPERATION_LANES, MIN_LANES
from backends.llvm.program.access import Key, access, addresses, is_indirect
from backends.llvm.program.divergence import Divergence, analyse
from backends.llvm.program.port_pressure import sums_prevail
from backends.llvm.program.rounds import short_loops
from backends.llvm.program.tree import Control, Region, build_tree, leaves
from passes.analysis import facts
from passes.analysis.operands import registers_of
from tgsi.language.facts.enums import File
from tgsi.language.facts.stages import GROUP_STAGES, STAGES
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import DstOperand, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

WANTED_ARRAY_BYTES = 64 * 1024
"""Bytes of stack for indirectly addressed registers of all lanes, above which fewer lanes are used if possible."""
MAX_REGISTER_BYTES = 1 << 20
"""Limit of the stack in bytes if LLVM spills every register."""

_ARRAY_FILES = frozenset({File.TEMP, File.IN, File.OUT, File.SV, File.ADDR})

_TWO_INDICES = frozenset({File.CONST, File.HWATOMIC})
"""Files without rows whose first bracket is significant. In other files it is ignored, as in Mesa."""


@record(kw_only=True)
class Plan:
    """Control tree, divergence, and the registers that a program uses.

    instructions: the program's instructions, each a separate object, in the order of the text; the tree has the same objects.
    arrays: file to (first, count) ranges that are addressed at run time. reads: every register channel that is read directly.
    rows: files with a row for each vertex, whose registers are never variables. kills: an instruction may kill lanes. waits: lanes may
    wait at barriers. samples, fetches: numbers of instructions that filter textures, and that read texels. sums_prevail: see
    `port_pressure`.
    short: bounds of the rounds of short loops, see `rounds`. The tree's instructions have no insignificant dimensions.
    """

    main: Region
    instructions: tuple[Instruction, ...]
    flow: Divergence
    arrays: dict[File, tuple[tuple[int, int], ...]]
    reads: frozenset[Key]
    constants: tuple[tuple[int, int, int], ...]
    rows: frozenset[File]
    kills: bool
    waits: bool
    samples: int
    fetches: int
    sums_prevail: bool
    short: dict[Control, int]


def array_range(program: Program, register: RegisterRef) -> tuple[int, int]:
    """First register and count of the registers that an indirect reference may reach: its array, or the whole file."""
    limits = facts.of(program, _ranges_by_id).get((register.file, register.array_id))
    return (0, program.file_size(register.file)) if limits is None else limits


def _ranges_by_id(program: Program) -> dict[tuple[File, int], tuple[int, int]]:
    """First register and count of each array, by file and number; the first array of each number."""
    arrays = [item for item in program.declarations if item.array_id]
    return {(item.file, item.array_id): (item.first, item.last - item.first + 1) for item in reversed(arrays)}


def _arrays(program: Program, rows: frozenset[File]) -> dict[File, tuple[tuple[int, int], ...]]:
    arrays: dict[File, set[tuple[int, int]]] = {}
    for instruction in program.instructions:
        for register in registers_of(instruction):
            if register.indirect is not None and register.file in _ARRAY_FILES - rows:
                arrays.setdefault(register.file, set()).add(array_range(program, register))
    return {file: _merged(ranges) for file, ranges in arrays.items()}


def fitting_lanes(program: Program, lanes: int) -> int:
    """`lanes`, or fewer (a power of two) if the registers would take too much stack, or the code too long to compile.

    The number does not affect results.
    """
    in_arrays = 16 * sum(count for ranges in plan_of(program).arrays.values() for _, count in ranges)
    in_registers = 16 * sum(program.file_size(file) for file in (File.TEMP, File.ADDR, File.OUT))
    operations = facts.of(program, _operations)
    while lanes > MIN_LANES and (
        in_arrays * lanes > WANTED_ARRAY_BYTES or in_registers * lanes > MAX_REGISTER_BYTES or operations * lanes > MAX_OPERATION_LANES
    ):
        lanes //= 2
    return lanes


_BY_LANE = 8
"""Operations of a result that LLVM computes lane by lane, or in several steps: with an address, or of 64 bits."""


def _operations(program: Program) -> int:
    """Written channels of all instructions; those of `_BY_LANE` opcodes are counted several times."""
    total = 0
    for instruction in program.instructions:
        slow = instruction.opcode.uses_64bit or any(is_indirect(register) for register in registers_of(instruction))
        total += max((d.write_mask.bit_count() for d in instruction.dst), default=1) * (_BY_LANE if slow else 1)
    return total


def _meaningful(program: Program, rows: frozenset[File]) -> Program:
    """Copy of the program without insignificant dimensions."""
    keeps = rows | _TWO_INDICES

    def is_ignored(register: RegisterRef) -> bool:
        return register.dimension is not None and register.file not in keeps

    if not any(is_ignored(register) for instruction in program.instructions for register in registers_of(instruction)):
        return program

    def sources(operands: tuple[SrcOperand, ...]) -> tuple[SrcOperand, ...]:
        return tuple(replace(o, register=replace(o.register, dimension=None)) if is_ignored(o.register) else o for o in operands)

    def destinations(operands: tuple[DstOperand, ...]) -> tuple[DstOperand, ...]:
        return tuple(replace(o, register=replace(o.register, dimension=None)) if is_ignored(o.register) else o for o in operands)

    changed = (replace(i, src=sources(i.src), dst=destinations(i.dst)) for i in program.instructions)
    return replace(program, instructions=tuple(changed))


def _distinct(program: Program) -> Program:
    """The program with a distinct object for each instruction."""
    if len({id(item) for item in program.instructions}) == len(program.instructions):
        return program
    return replace(program, instructions=tuple(map(replace, program.instructions)))


def _merged(ranges: set[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Disjoint ranges that cover all given ones."""
    result: list[tuple[int, int]] = []
    for first, count in sorted(ranges):
        if result and first < result[-1][0] + result[-1][1]:
            start, length = result[-1]
            result[-1] = (start, max(length, first + count - start))
        else:
            result.append((first, count))
    return tuple(r for r in result if r[1] > 0)


def _indices(register: RegisterRef) -> Iterator[tuple[tuple[int, int, int], None]]:
    """The channels of constant buffer 0 that index a register."""
    return (((0, item.index, item.component), None) for item in addresses(register) if item.file is File.CONST)


def _make(program: Program) -> Plan:
    rows = STAGES[program.processor].vertex_rows
    program = _distinct(_meaningful(program, rows))
    main = build_tree(program)
    arrays = _arrays(program, rows)
    memory = frozenset((file, first + i) for file, ranges in arrays.items() for first, count in ranges for i in range(count))
    memory |= {(file, register) for file in rows for register in range(program.file_size(file))}
    reads: set[Key] = set()
    constants: dict[tuple[int, int, int], None] = {}
    for instruction in program.instructions:
        reads.update(access(instruction).reads)
        for operand in instruction.src:
            register = operand.register
            constants.update(_indices(register))
            if register.file is File.CONST and not is_indirect(register):
                buffer = register.dimension.index if register.dimension is not None else 0
                constants.update(((buffer, register.index, c), None) for c in operand.swizzle)
        for offset in instruction.offsets:
            if offset.register.file is File.CONST and not is_indirect(offset.register):
                constants.update(((0, offset.register.index, c), None) for c in offset.swizzle)
        for destination in instruction.dst:  # the handle that a STORE reads
            constants.update(_indices(destination.register))
            if destination.register.file is File.CONST and not is_indirect(destination.register):
                register = destination.register
                constants[register.dimension.index if register.dimension is not None else 0, register.index, 0] = None
    counts = Counter(trait for leaf in leaves(main) for trait in leaf.instruction.opcode.traits)
    waits = counts[Trait.BARRIER] > 0 and program.processor in GROUP_STAGES
    return Plan(
        main=main,
        instructions=program.instructions,
        flow=analyse(main, memory, waits),
        arrays=arrays,
        reads=frozenset(reads),
        constants=tuple(sorted(constants)),
        rows=rows,
        kills=counts[Trait.KILL] > 0,
        waits=waits,
        samples=counts[Trait.FILTER],
        fetches=counts[Trait.FETCH],
        sums_prevail=sums_prevail(main),
        short=short_loops(program, main, memory),
    )


def plan_of(program: Program) -> Plan:
    """Plan of `program`, computed once and cached as long as the program lives. Raises the errors of `tree.build_tree`."""
    return facts.of(program, _make)
