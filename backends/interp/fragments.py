"""Opcodes of fragment programs alone: kills, inputs at other places, the color of the render target."""

from __future__ import annotations

import numpy as np

from backends.interp.interpolate import inputs_at
from backends.interp.registers import selected
from backends.interp.registry import performs
from backends.interp.state import State
from backends.interp.values import flags
from backends.run.result import Floats, Mask
from tgsi.language.facts.enums import File
from tgsi.language.ir import Instruction

CENTER = np.float32(0.5)


@performs("KILL")
def kill(state: State, instruction: Instruction, active: Mask) -> None:
    """Kill the active lanes: they have no output, but continue to compute."""
    state.alive &= ~active


@performs("DEMOTE")
def demote(state: State, instruction: Instruction, active: Mask) -> None:
    """Turn the active lanes into helpers."""
    state.alive &= ~active


@performs("KILL_IF")
def kill_if(state: State, instruction: Instruction, active: Mask) -> None:
    """Kill the active lanes where a channel is below 0; NaN and -0 are not."""
    values = state.source(instruction, 0, "float").view(np.float32)
    state.alive &= ~(active & (values < 0).any(axis=1))


@performs("READ_HELPER")
def read_helper(state: State, instruction: Instruction, active: Mask) -> None:
    """All bits if the lane is a helper."""
    state.store(instruction, 0, np.repeat(flags(~state.alive)[:, None], 4, axis=1), active)


def _interpolate(state: State, instruction: Instruction, offset: Floats, active: Mask) -> None:
    """Store the input of the first source, taken `offset` (lanes, 2) away from the pixel's center."""
    inputs = inputs_at(state.program, state.arguments, offset)
    state.store(instruction, 0, state.registers.source(instruction.src[0], "float", inputs), active)


@performs("INTERP_CENTROID")
def interp_centroid(state: State, instruction: Instruction, active: Mask) -> None:
    """An input at a covered place of the pixel."""
    _interpolate(state, instruction, state.arguments.centroid_offset, active)


@performs("INTERP_SAMPLE")
def interp_sample(state: State, instruction: Instruction, active: Mask) -> None:
    """An input at sample b.x; at the center where there is no such sample."""
    table = state.arguments.sample_positions
    number = state.source(instruction, 1, "int").view(np.int32)[:, 0]
    inside = (number >= 0) & (number < len(table))
    offset = np.where(inside[:, None], table[np.where(inside, number, 0)] - CENTER, np.float32(0))
    _interpolate(state, instruction, offset, active)


@performs("INTERP_OFFSET")
def interp_offset(state: State, instruction: Instruction, active: Mask) -> None:
    """An input at the center plus b.xy."""
    _interpolate(state, instruction, state.source(instruction, 1, "float").view(np.float32)[:, :2], active)


@performs("FBFETCH")
def fbfetch(state: State, instruction: Instruction, active: Mask) -> None:
    """The color that the render target of a COLOR output holds at the pixel; 0 for other registers and without a target."""
    operand = instruction.src[0]
    targets: dict[int, int] = {}
    for d in state.program.declared(File.OUT):
        if d.semantic is not None and d.semantic.name == "COLOR":
            targets |= {register: d.semantic.index + register - d.first for register in range(d.first, d.last + 1)}
    words = np.zeros((len(active), 4), np.uint32)
    numbers = np.broadcast_to(state.registers.index(operand.register.index, operand.register.indirect), active.shape)
    for register in targets if operand.register.file is File.OUT else ():
        color = state.arguments.framebuffer.get(targets[register])
        if color is not None:
            words = np.where((numbers == register)[:, None], color, words)
    state.store(instruction, 0, selected(words, operand, instruction.opcode.src_types[0]), active)
