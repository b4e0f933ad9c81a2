"""Reads and writes of an instruction, channel by channel, and the instructions that may be moved, shared or left out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from passes.analysis import facts
from passes.validate.roles import Role, source_roles
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OpcodeInfo
from tgsi.language.facts.traits import OTHER_LANES, Flow, Mode, Trait
from tgsi.language.ir import DstOperand, IndirectRef, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program

_COMPUTED = frozenset({Mode.COMPONENTWISE, Mode.REPLICATE, Mode.CHANNEL_DEPENDENT})
ALL = 15


@cache
def is_computed(opcode: OpcodeInfo) -> bool:
    """Return true if the results depend only on the sources' 32-bit values in the same lane."""
    return opcode.mode in _COMPUTED and not opcode.uses_64bit and not looks_at_other_lanes(opcode) and Trait.HELPER not in opcode.traits


@cache
def looks_at_other_lanes(opcode: OpcodeInfo) -> bool:
    """Return true if a result may depend on values of other lanes, as derivatives do; all sampling counts."""
    return opcode.has_offsets or not OTHER_LANES.isdisjoint(opcode.traits)


@cache
def is_removable(opcode: OpcodeInfo) -> bool:
    """Return true if the opcode has no effect except on its destinations."""
    return bool(opcode.dst_types) and not opcode.is_store and opcode.mode is not Mode.NONE and Trait.VOLATILE not in opcode.traits


@cache
def narrows(opcode: OpcodeInfo) -> bool:
    """Return true if the write mask only selects the channels that are stored, without changing their values."""
    return len(opcode.dst_types) == 1 and not opcode.uses_64bit and not opcode.is_store


def results(instruction: Instruction) -> tuple[DstOperand, ...]:
    """Return the destinations that are written. The destination of STORE is none: it is a resource, or a value register with a handle."""
    return () if instruction.opcode.stores_to_dst else instruction.dst


def written_channels(instruction: Instruction, operand: DstOperand) -> int:
    """Return the mask of channels of a destination that may be written: 64-bit operations on two numbers write whole pairs."""
    return ALL if instruction.opcode.uses_64bit else operand.write_mask


def value_sources(instruction: Instruction) -> Iterator[tuple[int, SrcOperand]]:
    """Return the sources that are read as values, with their numbers."""
    roles = source_roles(instruction.opcode.name)
    for number, operand in enumerate(instruction.src):
        if roles[number] is Role.VALUE:
            yield number, operand


def indices_of(register: RegisterRef) -> Iterator[IndirectRef]:
    """Return the registers that index a register: of its number and of its dimension."""
    if register.indirect is not None:
        yield register.indirect
    if register.dimension is not None and register.dimension.indirect is not None:
        yield register.dimension.indirect


def is_direct(register: RegisterRef) -> bool:
    """Return true if the operand names the same register in all lanes."""
    return register.indirect is None and (register.dimension is None or register.dimension.indirect is None)


def indexed_registers(program: Program) -> tuple[RegisterRef, ...]:
    """Return the registers of all operands that an address chooses, or whose dimension it chooses, each once."""
    found: dict[RegisterRef, None] = {}
    for item in program.instructions:
        for operand in item.src + item.dst + item.offsets if item.offsets else item.src + item.dst:
            register = operand.register
            if register.indirect is not None or (register.dimension is not None and register.dimension.indirect is not None):
                found[register] = None
    return tuple(found)


def flows_of(program: Program) -> frozenset[Flow]:
    """Return the parts of control flow that occur in a program."""
    return frozenset({item.opcode.flow for item in program.instructions if item.opcode.flow is not None})


def free_indexing(program: Program, file: File) -> bool:
    """Return true if some operand may reach any register of the file, so that the program can observe the file's size."""
    wild = [item for item in facts.of(program, indexed_registers) if item.indirect is not None and item.file is file]
    if not wild:
        return False
    arrays = {item.array_id for item in program.declared(file) if item.array_id}
    return any(register.array_id not in arrays for register in wild)
