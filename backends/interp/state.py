"""The state of a run that opcodes read and change: registers, memory, resources, emitted vertices and the lanes that are alive."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from backends.interp.emitter import Emitter
from backends.interp.memory_file import Memory
from backends.interp.registers import Registers
from backends.interp.values import saturated
from backends.run.arguments import Arguments
from backends.run.result import Bits, Mask
from backends.run.textures import handle_targets
from tgsi.language._forks import cached_property
from tgsi.language.facts.enums import File
from tgsi.language.ir import Instruction
from tgsi.language.program import Program


class State:
    """The state of one run, over all lanes at once. `Machine` adds control flow."""

    def __init__(self, program: Program, arguments: Arguments) -> None:
        """`arguments` has the resources, the inputs and the number of lanes of the run."""
        self.program = program
        self.textures, self.samplers, self.buffers = arguments.textures, arguments.samplers, arguments.buffers
        self.arguments = arguments
        self.registers = Registers(program, arguments)
        self.memory = Memory(program, arguments)
        self.emitter = Emitter(program, arguments.lanes)
        self.alive: Mask = np.ones(arguments.lanes, np.bool_)

    @property
    def outputs(self) -> Bits:
        """(OUT registers, lanes, 4) words; for registers by vertex, of the lane's own vertex."""
        count = len(self.registers.files[File.OUT])
        own = [self.registers.own(File.OUT, register) for register in range(count)]
        return np.stack(own) if own else np.zeros((0, self.arguments.lanes, 4), np.uint32)

    @cached_property
    def handle_targets(self) -> Mapping[int, frozenset[str]]:
        """The targets as which handles may read a texture."""
        return handle_targets(self.program, self.textures)

    def source(self, instruction: Instruction, number: int, kind: str) -> Bits:
        """A source's (lanes, 4) words, swizzled and modified as its type says."""
        return self.registers.source(instruction.src[number], kind)

    def store(self, instruction: Instruction, number: int, words: Bits, active: Mask, channels: list[int] | None = None) -> None:
        """Write (lanes, 4) words to a destination: saturated if the instruction says so, under masks of lanes and channels."""
        operand = instruction.dst[number]
        if channels is None:
            channels = [channel for channel in range(4) if operand.write_mask >> channel & 1]
        self.registers.write(operand.register, channels, saturated(words) if instruction.saturate else words, active)
