"""The pass propagate-copies."""

from __future__ import annotations

from dataclasses import replace

from passes.analysis.access import is_computed, is_direct, looks_at_other_lanes, value_sources
from passes.base import Pass
from passes.optimise.forward import STATIC, Cell, Walker
from tgsi.language.channels import source_channels
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

_Value = tuple[RegisterRef, int, bool, bool]
"""Register, channel, negate, absolute."""


@record(slots=False)
class PropagateCopies(Pass):
    """Read the source of a MOV instead of the copy, channel by channel, modifiers included.

    The MOV stays; remove-dead-code drops it if its result is not needed. Derivatives and samples also look at lanes that a branch left out,
    so they are changed only where no branch is open.
    """

    name = "propagate-copies"

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        return _Copies(program).run()


class _Copies(Walker):
    """Walker whose facts map a TEMP channel to the value that it equals."""

    def visit(self, instruction: Instruction) -> Instruction:
        if not looks_at_other_lanes(instruction.opcode) or self.all_lanes:
            instruction = self._replaced(instruction)
        self.forget_written(instruction)
        if Trait.COPY in instruction.opcode.traits and not instruction.saturate:
            self._remember(instruction)
        return instruction

    def _remember(self, move: Instruction) -> None:
        target, source = move.dst[0], move.src[0]
        index = target.register.index
        if target.register.file is not File.TEMP or not is_direct(target.register) or not is_direct(source.register):
            return
        if source.register.file is not File.TEMP and source.register.file not in STATIC:
            return
        own = source.register.file is File.TEMP and source.register.index == index
        for channel in range(4):
            taken = source.swizzle[channel]
            if not target.write_mask >> channel & 1 or (own and target.write_mask >> taken & 1):
                continue
            cells: list[Cell] = [(index, channel)]
            if source.register.file is File.TEMP:
                cells.append((source.register.index, taken))
            self.facts.add((index, channel), (source.register, taken, source.negate, source.absolute), cells)

    def _replaced(self, instruction: Instruction) -> Instruction:
        sources = list(instruction.src)
        for number, operand in value_sources(instruction):
            if operand.register.file is File.TEMP and is_direct(operand.register):
                sources[number] = self._operand(instruction, number, operand)
        made = tuple(sources)
        return instruction if made == instruction.src else replace(instruction, src=made)

    def _operand(self, instruction: Instruction, number: int, operand: SrcOperand) -> SrcOperand:
        positions = source_channels(instruction, number)
        values: dict[int, _Value] = {}
        for position in range(4):
            if positions >> position & 1:
                value = self.facts.values.get((operand.register.index, operand.swizzle[position]))
                if not isinstance(value, tuple):
                    return operand
                values[position] = value
        registers = {(value[0], value[2], value[3]) for value in values.values()}
        if len(registers) != 1:
            return operand
        register, negate, absolute = registers.pop()
        opcode = instruction.opcode
        if negate or absolute:
            takes = is_computed(opcode) or opcode.flow is not None or Trait.KILL in opcode.traits
            if not takes or opcode.modifier_types[number] not in ("float", "untyped"):
                return operand
        if opcode.uses_64bit and any(target.register.file in (File.TEMP, register.file) for target in instruction.dst):
            names = {target.register.index for target in instruction.dst if target.register.indirect is None}
            if len(names) < len(instruction.dst) or operand.register.index in names or register.index in names:
                return operand  # the first pair is stored before the second is read
        spare = next(iter(values.values()))[1]
        x, y, z, w = (values[position][1] if position in values else spare for position in range(4))
        if operand.absolute:
            return SrcOperand(register, (x, y, z, w), operand.negate, True)
        return SrcOperand(register, (x, y, z, w), operand.negate ^ negate, absolute)
