"""Replacement of address registers by TEMPs, in programs without indirect operands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from passes.analysis.access import is_direct
from passes.analysis.operands import registers_of
from passes.edit import rebuilt, with_parts
from passes.lower.expansion import Room
from tgsi.language.facts.enums import ADDR
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import DstOperand, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program

_HALF = 0x3F000000


def every_register(item: Instruction) -> list[RegisterRef]:
    """Return the registers of all operands of an instruction, including texel offsets."""
    return [*registers_of(item), *(offset.register for offset in item.offsets)]


def without_addresses(program: Program, room: Room) -> Program:
    """Return the program with TEMPs instead of ADDR; the same object if an operand needs ADDR, or no ADDR is declared.

    ARL becomes FLR and F2I; ARR becomes the same after an addition of 1/2; UARL becomes MOV. Registers of both files begin as 0.
    """
    size = program.file_size(ADDR)
    used = [register for item in program.instructions for register in every_register(item)]
    if not size or not all(map(is_direct, used)) or not room.temporaries.room(size):
        return program
    places = [room.temporaries.new() for _ in range(size)]
    converted = rebuilt(program, [_converted(item, places, room) for item in program.instructions])
    return with_parts(converted, declarations=tuple(item for item in program.declarations if item.file is not ADDR))


def _converted(item: Instruction, places: Sequence[RegisterRef], room: Room) -> list[Instruction]:
    def moved(register: RegisterRef) -> RegisterRef:
        return places[register.index] if register.file is ADDR else register

    item = replace(
        item,
        dst=tuple(replace(operand, register=moved(operand.register)) for operand in item.dst),
        src=tuple(replace(operand, register=moved(operand.register)) for operand in item.src),
        offsets=tuple(replace(operand, register=moved(operand.register)) for operand in item.offsets),
    )
    if item.opcode is OPCODES["UARL"]:
        operand = item.src[0]
        if not operand.negate and not operand.absolute:
            return [replace(item, opcode=OPCODES["MOV"])]
        return [replace(item, opcode=OPCODES["UADD"], src=(operand, room.words([0] * 4)))]
    if item.opcode not in (OPCODES["ARL"], OPCODES["ARR"]):
        return [item]
    held = DstOperand(room.scratch(0), item.dst[0].write_mask)
    value, code = item.src[0], []
    if item.opcode is OPCODES["ARR"]:
        code.append(replace(item, opcode=OPCODES["ADD"], dst=(held,), src=(value, room.words([_HALF] * 4)), saturate=False))
        value = SrcOperand(held.register)
    code.append(replace(item, opcode=OPCODES["FLR"], dst=(held,), src=(value,), saturate=False))
    return [*code, replace(item, opcode=OPCODES["F2I"], src=(SrcOperand(held.register),))]
