"""The pass eliminate-common-subexpressions."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from passes.analysis.access import ALL, is_computed, is_direct, looks_at_other_lanes
from passes.base import Pass
from passes.optimise.forward import STATIC, Cell, Walker
from passes.validate.roles import HANDLES, Role, source_roles
from tgsi.language.channels import read_mask, source_channels, swizzled
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OPCODES, OpcodeInfo
from tgsi.language.facts.traits import Mode, Trait
from tgsi.language.ir import DstOperand, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record


@record(slots=False)
class EliminateCommonSubexpressions(Pass):
    """Copy the result of an equal instruction that was computed before.

    Instructions are equal if opcode, flags, write mask (except for replicated results) and operands are, and no operand was written in
    between. Samples and derivatives take part only where no branch is open, samples only in programs that store nothing.
    """

    name = "eliminate-common-subexpressions"

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        return _Common(program).run()


class _Common(Walker):
    """Walker whose facts map an expression to the TEMP and the channels that hold its value."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._stores = any(item.opcode.is_store for item in program.instructions)

    def visit(self, instruction: Instruction) -> Instruction:
        key, cells = self._expression(instruction)
        if key is None:
            self.forget_written(instruction)
            return instruction
        found = self.facts.values.get(key)
        if isinstance(found, DstOperand):
            move = _move(instruction, found)
            self.forget_written(move)
            return move
        self.forget_written(instruction)
        target = instruction.dst[0]
        written: list[Cell] = [(target.register.index, c) for c in range(4) if target.write_mask >> c & 1]
        if target.register.file is File.TEMP and is_direct(target.register) and not set(cells) & set(written):
            self.facts.add(key, target, [*cells, *written])
        return instruction

    def _expression(self, instruction: Instruction) -> tuple[Hashable | None, list[Cell]]:
        opcode = instruction.opcode
        shared = is_computed(opcode) and Trait.COPY not in opcode.traits
        sampled = looks_at_other_lanes(opcode) and self.all_lanes and (self._samples(opcode) or Trait.DERIVATIVE in opcode.traits)
        if not (shared or sampled) or len(instruction.dst) != 1 or instruction.memory is not None:
            return None, []
        cells: list[Cell] = []
        operands: list[Hashable] = []
        for number, (operand, role) in enumerate(zip(instruction.src, source_roles(opcode.name))):
            register = operand.register
            if not is_direct(register):
                return None, []
            if role is not Role.VALUE:
                if register.file in HANDLES and not self._note(register, read_mask(instruction, number), cells):
                    return None, []
                operands.append(operand)
                continue
            positions = source_channels(instruction, number)
            if not self._note(register, swizzled(operand.swizzle, positions), cells):
                return None, []
            swizzle = tuple(operand.swizzle[c] if positions >> c & 1 else 0 for c in range(4))
            operands.append((register, swizzle, operand.negate, operand.absolute))
        for offset in instruction.offsets:
            if not is_direct(offset.register) or not self._note(offset.register, ALL, cells):
                return None, []
        if Trait.COMMUTATIVE in opcode.traits:
            operands.sort(key=repr)
        mask = 0 if opcode.mode is Mode.REPLICATE else instruction.dst[0].write_mask
        flags = (instruction.saturate, instruction.precise, instruction.texture, instruction.offsets)
        return (opcode.name, flags, mask, tuple(operands)), cells

    def _samples(self, opcode: OpcodeInfo) -> bool:
        """Return true if the opcode reads a texture and the program stores nothing, so that the texture cannot change."""
        return opcode.has_offsets and not self._stores

    @staticmethod
    def _note(register: RegisterRef, channels: int, cells: list[Cell]) -> bool:
        """Add the channels that a source depends on; return false if the source may change unnoticed."""
        if register.file is File.TEMP:
            cells += [(register.index, c) for c in range(4) if channels >> c & 1]
            return True
        return register.file in STATIC


def _move(instruction: Instruction, found: DstOperand) -> Instruction:
    """Return a MOV of the result that was found."""
    swizzle = (0, 1, 2, 3)
    if instruction.opcode.mode is Mode.REPLICATE:
        first = next(c for c in range(4) if found.write_mask >> c & 1)
        swizzle = (first, first, first, first)
    source = SrcOperand(found.register, swizzle)
    return replace(instruction, opcode=OPCODES["MOV"], src=(source,), saturate=False, precise=False, texture=None, offsets=(), memory=None)
