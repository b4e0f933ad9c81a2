"""Reads and writes of an instruction, channel by channel, and the instructions that may be moved, shared or left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from passes.analysis import facts
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import Flow
from tgsi.language.ir import CHOSEN, DstOperand, IndirectRef, Instruction, RegisterRef
from tgsi.language.program import Program

ALL = 15
NO_REGISTERS: tuple[RegisterRef, ...] = ()


def results(instruction: Instruction) -> tuple[DstOperand, ...]:
    """Return the destinations that are written.

    The destination of STORE is left out: it is a resource, or a register that holds a handle.
    """
    return () if instruction.opcode.stores_to_dst else instruction.dst


def written_channels(instruction: Instruction, operand: DstOperand) -> int:
    """Return the mask of channels of a destination that may be written: 64-bit operations on two numbers write whole pairs."""
    return ALL if instruction.opcode.uses_64bit else operand.write_mask


def indices_of(register: RegisterRef) -> Iterator[IndirectRef]:
    """Return the address registers of an operand: the one that chooses its register, and the one that chooses its dimension."""
    if register.indirect is not None:
        yield register.indirect
    if register.dimension is not None and register.dimension.indirect is not None:
        yield register.dimension.indirect


def is_direct(register: RegisterRef) -> bool:
    """Return true if the operand names the same register in all lanes."""
    return register.indirect is None and (register.dimension is None or register.dimension.indirect is None)


def indexed_registers(program: Program) -> tuple[RegisterRef, ...]:
    """Return the operands of a program that an address register indexes, without duplicates."""
    return indexed_operands(program.instructions)


def indexed_operands(items: Iterable[Instruction | None]) -> tuple[RegisterRef, ...]:
    """Return the operands of some instructions that an address register indexes. None, a removed instruction, is skipped."""
    chosen = []
    for item in items:
        if item is None:
            continue
        for source in item.src:
            if source.register.cell == CHOSEN:
                chosen.append(source.register)
        for target in item.dst:
            if target.register.cell == CHOSEN:
                chosen.append(target.register)
        if item.offsets:
            chosen += [offset.register for offset in item.offsets]
    return tuple(dict.fromkeys([register for register in chosen if not is_direct(register)])) if chosen else ()


def flows_of(program: Program) -> frozenset[Flow]:
    """Return the kinds of control flow that occur in a program."""
    return frozenset([flow for item in program.instructions if (flow := item.opcode.flow) is not None])


def free_indexing(program: Program, file: File) -> bool:
    """Return true if some operand may reach any register of the file, so that the program can observe the file's size."""
    wild = [item for item in facts.of(program, indexed_registers) if item.indirect is not None and item.file is file]
    if not wild:
        return False
    arrays = {item.array_id for item in program.declared(file) if item.array_id}
    return any(register.array_id not in arrays for register in wild)


def is_carried_out(old: Instruction, new: Instruction) -> bool:
    """Return true if an instruction repeats another one with an output as its destination."""
    if new.src is not old.src or new.opcode is not old.opcode or new.opcode.is_copy or new.saturate is not old.saturate:
        return False
    register = new.dst[0].register
    return register.file is File.OUT and register.cell >= 0 and new.dst[0].write_mask == old.dst[0].write_mask


def reads_alike(old: Instruction, new: Instruction) -> bool:
    """Return true if an instruction with the sources of another one surely reads the same cells, indices aside."""
    if new.opcode is not old.opcode or new.offsets is not old.offsets or not new.dst or new.opcode.stores_to_dst:
        return False
    return new.dst[0].write_mask == old.dst[0].write_mask


def is_idle_copy(item: Instruction) -> bool:
    """Return true if an instruction copies a register to itself."""
    if not item.opcode.is_copy or item.saturate:
        return False
    target, source = item.dst[0], item.src[0]
    if target.register.cell != source.register.cell or target.register != source.register or source.negate or source.absolute:
        return False
    return is_direct(target.register) and all(source.swizzle[c] == c for c in range(4) if target.write_mask >> c & 1)
