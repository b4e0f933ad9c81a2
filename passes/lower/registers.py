"""Renumbering of the registers of a file: declarations and operands change together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tgsi.language.facts.enums import File
from tgsi.language.ir import Declaration, DstOperand, IndirectRef, Instruction, RegisterRef, SrcOperand, TexOffset
from tgsi.language.program import Program


def move_registers(program: Program, file: File, mapping: Mapping[int, int]) -> Program:
    """Return the program with register r of a file renamed to ``mapping[r]``; registers without an entry keep their number.

    Declared ranges and arrays must move in one piece (see `linkage.relocate.placement`): a range goes where its first register goes, an
    indirect operand where its array goes.
    """
    arrays = {item.array_id: item.first for item in program.declared(file) if item.array_id}
    lowest = min((item.first for item in program.declared(file)), default=0)

    def index(ref: IndirectRef | None) -> IndirectRef | None:
        if ref is None or ref.file is not file or ref.index not in mapping:
            return ref
        return replace(ref, index=mapping[ref.index])

    def moved(register: RegisterRef) -> RegisterRef:
        inner, dimension = index(register.indirect), register.dimension
        if dimension is not None and dimension.indirect is not None:
            dimension = replace(dimension, indirect=index(dimension.indirect))
        if inner is not register.indirect or dimension != register.dimension:
            register = replace(register, indirect=inner, dimension=dimension)
        if register.file is not file:
            return register
        if register.indirect is None:
            new = mapping.get(register.index, register.index)
        else:
            anchor = arrays.get(register.array_id, lowest)
            new = register.index + mapping.get(anchor, anchor) - anchor
        return register if new == register.index else replace(register, index=new)

    def destination(operand: DstOperand) -> DstOperand:
        register = moved(operand.register)
        return operand if register is operand.register else replace(operand, register=register)

    def source(operand: SrcOperand) -> SrcOperand:
        register = moved(operand.register)
        return operand if register is operand.register else replace(operand, register=register)

    def offset(operand: TexOffset) -> TexOffset:
        register = moved(operand.register)
        return operand if register is operand.register else replace(operand, register=register)

    def instruction(item: Instruction) -> Instruction:
        dst, src = tuple(map(destination, item.dst)), tuple(map(source, item.src))
        return replace(item, dst=dst, src=src, offsets=tuple(map(offset, item.offsets)))

    def declaration(item: Declaration) -> Declaration:
        delta = mapping.get(item.first, item.first) - item.first
        return item if item.file is not file or not delta else replace(item, first=item.first + delta, last=item.last + delta)

    return replace(
        program,
        declarations=tuple(map(declaration, program.declarations)),
        instructions=tuple(map(instruction, program.instructions)),
    )
