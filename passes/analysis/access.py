"""What an instruction reads and writes, channel by channel, and which instructions may be moved, shared or left out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from passes.validate.roles import Role, destination_role, source_roles
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import Mode, OpcodeInfo
from tgsi.language.ir import DstOperand, IndirectRef, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program

FLOW = frozenset(
    [
        "IF",
        "UIF",
        "ELSE",
        "ENDIF",
        "BGNLOOP",
        "ENDLOOP",
        "BRK",
        "CONT",
        "RET",
        "CAL",
        "BGNSUB",
        "ENDSUB",
        "SWITCH",
        "CASE",
        "DEFAULT",
        "ENDSWITCH",
        "END",
    ]
)
"""Opcodes that make the control flow."""

OPENERS = frozenset({"IF", "UIF", "BGNLOOP", "SWITCH", "BGNSUB"})
CLOSERS = frozenset({"ENDIF", "ENDLOOP", "ENDSWITCH", "ENDSUB"})

_COMPUTED = frozenset({Mode.COMPONENTWISE, Mode.REPLICATE, Mode.CHANNEL_DEPENDENT})
_GROUP = frozenset(["DDX", "DDY", "DDX_FINE", "DDY_FINE", "VOTE_ANY", "VOTE_ALL", "VOTE_EQ", "BALLOT", "READ_FIRST", "READ_INVOC", "LOD"])
_KEPT = frozenset({"CLOCK", "BARRIER", "MEMBAR"})
_REPLICATED = {"DP2": 3, "DP3": 7, "DP4": 15, "PK2H": 3, "PK2US": 3, "PK4B": 15, "PK4UB": 15}
ALL = 15


@cache
def is_computed(opcode: OpcodeInfo) -> bool:
    """A function of its sources' 32-bit values in the same lane, nothing else."""
    return opcode.mode in _COMPUTED and not opcode.uses_64bit and not looks_at_other_lanes(opcode) and opcode.name != "READ_HELPER"


@cache
def looks_at_other_lanes(opcode: OpcodeInfo) -> bool:
    """Some result may depend on what other lanes hold, such as derivatives; sampling counts, as its level of detail does."""
    return opcode.name in _GROUP or opcode.has_offsets


@cache
def is_removable(opcode: OpcodeInfo) -> bool:
    """Without effect but for its destinations."""
    return bool(opcode.dst_types) and not opcode.is_store and opcode.mode is not Mode.NONE and opcode.name not in _KEPT


@cache
def narrows(opcode: OpcodeInfo) -> bool:
    """The write mask does nothing but choose the channels that are stored."""
    return len(opcode.dst_types) == 1 and not opcode.uses_64bit and not opcode.is_store


@cache
def modifier_kinds(opcode: OpcodeInfo) -> tuple[str, ...]:
    """By what type each source is made absolute and negative (see `backends.interp.machine.MODIFIERS`)."""
    return ("float", "float") if opcode.name == "LDEXP" else opcode.src_types


def results(instruction: Instruction) -> tuple[DstOperand, ...]:
    """The destinations that are written; that of STORE is a resource, or a value register with its handle."""
    return () if destination_role(instruction.opcode.name) is Role.STORE else instruction.dst


def written_channels(instruction: Instruction, operand: DstOperand) -> int:
    """Mask of the channels of a destination that may be written: 64-bit operations on two numbers write whole pairs."""
    return ALL if instruction.opcode.uses_64bit else operand.write_mask


def value_sources(instruction: Instruction) -> Iterator[tuple[int, SrcOperand]]:
    """The sources that are read as values, with their numbers."""
    roles = source_roles(instruction.opcode.name)
    for number, operand in enumerate(instruction.src):
        if roles[number] is Role.VALUE:
            yield number, operand


def used_positions(instruction: Instruction) -> int:
    """Mask of the positions of a source's swizzle whose values may matter; the same for every source."""
    opcode = instruction.opcode
    if opcode.name in ("IF", "UIF", "SWITCH", "CASE"):
        return 1
    if not is_computed(opcode) and opcode.name not in ("DDX", "DDY", "DDX_FINE", "DDY_FINE"):
        return ALL
    if opcode.mode is Mode.COMPONENTWISE:
        return instruction.dst[0].write_mask
    return _REPLICATED.get(opcode.name, 1) if opcode.mode is Mode.REPLICATE else ALL


def read_channels(operand: SrcOperand, positions: int) -> int:
    """Mask of the register's channels that a source takes for some positions."""
    mask = 0
    for position in range(4):
        if positions >> position & 1:
            mask |= 1 << operand.swizzle[position]
    return mask


def indices_of(register: RegisterRef) -> Iterator[IndirectRef]:
    """The registers that say where a register is."""
    if register.indirect is not None:
        yield register.indirect
    if register.dimension is not None and register.dimension.indirect is not None:
        yield register.dimension.indirect


def is_direct(register: RegisterRef) -> bool:
    """The same register in all lanes."""
    return register.indirect is None and (register.dimension is None or register.dimension.indirect is None)


def free_indexing(program: Program, file: File) -> bool:
    """Some operand may reach any register of the file, so that the file's size is seen by the program."""
    arrays = {item.array_id for item in program.declared(file) if item.array_id}

    def wild(register: RegisterRef) -> bool:
        return register.file is file and register.indirect is not None and register.array_id not in arrays

    for instruction in program.instructions:
        operands: tuple[DstOperand | SrcOperand, ...] = (*instruction.dst, *instruction.src)
        if any(wild(operand.register) for operand in operands) or any(wild(offset.register) for offset in instruction.offsets):
            return True
    return False
