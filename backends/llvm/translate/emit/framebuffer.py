"""FBFETCH: the color in a target at the fragment's pixel, before blending."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from backends.llvm.builder.function import F32, Val
from backends.llvm.program.access import channels
from backends.llvm.translate.emit import Context, Vector, emits
from backends.pipe.limits import MAX_COLOR_BUFFERS
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File
from tgsi.language.ir import Instruction
from tgsi.language.program import Program


@runtime_checkable
class Targets(Protocol):
    """Interface of kernels that have color targets, in addition to Interface."""

    def framebuffer(self, target: int, channel: int) -> Val:
        """Channel of the color in a target, f32 lanes: bits of integers in integer formats, 0 if no target is bound."""
        ...


def fetched_targets(program: Program, instruction: Instruction) -> dict[int, int]:
    """COLOR outputs that an FBFETCH may name, to the numbers of their targets."""
    register = instruction.src[0].register
    if register.file is not File.OUT:
        return {}
    targets: dict[int, int] = {}
    for declaration in program.declared(File.OUT):
        if declaration.semantic is not None and declaration.semantic.name == "COLOR":
            colors = range(declaration.semantic.index, MAX_COLOR_BUFFERS)
            targets |= zip(range(declaration.first, declaration.last + 1), colors)
    return targets if register.indirect is not None else {number: k for number, k in targets.items() if number == register.index}


@emits("FBFETCH")
def emit_fbfetch(c: Context, a: Vector) -> dict[int, Val]:
    """Stored color, with swizzle and modifiers of a float; 0 for a register other than a COLOR output."""
    f, operand = c.f, c.instruction.src[0]
    if not isinstance(c.interface, Targets):
        raise UnsupportedError.at("B004", "FBFETCH is not supported here: there are no targets", c.instruction.span)
    targets, indirect = fetched_targets(c.program, c.instruction), operand.register.indirect
    result: dict[int, Val] = {}
    for channel in channels(c.instruction.dst[0].write_mask):
        value = f.const(F32.wide(c.lane_map.lanes), 0.0)
        for register, target in targets.items():
            color = c.interface.framebuffer(target, operand.swizzle[channel])
            if indirect is not None:
                index = f.splat(c.operands.address(c.instruction, indirect, operand.register.index), c.lane_map.lanes)
                color = f.select(index.eq(register), color, value)
            value = color
        value = f.abs(value) if operand.absolute else value
        result[channel] = f.neg_bits(value) if operand.negate else value
    return result
