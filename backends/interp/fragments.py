"""Opcodes of fragment programs alone: giving up a pixel, inputs at other places in it, the color that is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from backends.interp.interpolate import inputs_at
from backends.interp.registers import selected
from backends.interp.registry import performs
from backends.interp.values import flags
from backends.run.result import Floats, Mask
from tgsi.language.facts.enums import File
from tgsi.language.ir import Instruction

if TYPE_CHECKING:
    from backends.interp.machine import Machine

CENTER = np.float32(0.5)


@performs("KILL")
def kill(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """The active lanes give no output; they go on computing."""
    machine.alive &= ~active


@performs("DEMOTE")
def demote(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """The active lanes become helpers."""
    machine.alive &= ~active


@performs("KILL_IF")
def kill_if(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Kill the active lanes where a channel is below 0; NaN and -0 are not."""
    values = machine.source(instruction, 0, "float").view(np.float32)
    machine.alive &= ~(active & (values < 0).any(axis=1))


@performs("READ_HELPER")
def read_helper(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """All bits where the lane is a helper."""
    machine.store(instruction, 0, np.repeat(flags(~machine.alive)[:, None], 4, axis=1), active)


def _interpolate(machine: Machine, instruction: Instruction, offset: Floats, active: Mask) -> None:
    """Store the input of the first source, taken `offset` (lanes, 2) away from the pixel's center."""
    inputs = inputs_at(machine.program, machine.arguments, offset)
    machine.store(instruction, 0, machine.registers.source(instruction.src[0], "float", inputs), active)


@performs("INTERP_CENTROID")
def interp_centroid(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """An input where the pixel is covered."""
    _interpolate(machine, instruction, machine.arguments.centroid_offset, active)


@performs("INTERP_SAMPLE")
def interp_sample(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """An input at sample b.x; at the center where there is no such sample."""
    table = machine.arguments.sample_positions
    number = machine.source(instruction, 1, "int").view(np.int32)[:, 0]
    inside = (number >= 0) & (number < len(table))
    offset = np.where(inside[:, None], table[np.where(inside, number, 0)] - CENTER, np.float32(0))
    _interpolate(machine, instruction, offset, active)


@performs("INTERP_OFFSET")
def interp_offset(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """An input at the center plus b.xy."""
    _interpolate(machine, instruction, machine.source(instruction, 1, "float").view(np.float32)[:, :2], active)


@performs("FBFETCH")
def fbfetch(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """What the render target of a COLOR output holds at the pixel; 0 for other registers and without a target."""
    operand = instruction.src[0]
    targets: dict[int, int] = {}
    for d in machine.program.declared(File.OUT):
        if d.semantic is not None and d.semantic.name == "COLOR":
            targets |= {register: d.semantic.index + register - d.first for register in range(d.first, d.last + 1)}
    words = np.zeros((len(active), 4), np.uint32)
    numbers = np.broadcast_to(machine.registers.index(operand.register.index, operand.register.indirect), active.shape)
    for register in targets if operand.register.file is File.OUT else ():
        color = machine.arguments.framebuffer.get(targets[register])
        if color is not None:
            words = np.where((numbers == register)[:, None], color, words)
    machine.store(instruction, 0, selected(words, operand, instruction.opcode.src_types[0]), active)
