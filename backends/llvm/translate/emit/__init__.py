"""Emitters: one function an opcode, registered by name.

An emitter never sees write masks, swizzles, modifiers or saturate. What it is called with follows from the opcode's output mode:

    component-wise      (c, *values) -> value            one channel, values typed as the opcode's sources
    replicate           (c, *vectors) -> value           vectors fetch a channel when it is indexed
    channel-dependent   (c, channel, *vectors) -> value  one call a written channel
    other               (c, *vectors) -> four values     resources among the sources are passed as None

Values are f32 or i32 lanes (uint is i32), scalars where they are known to be uniform; "untyped" values are of either type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from backends.llvm.builder.function import Function, Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.builder.scratch import Scratch
from backends.llvm.program.plan import Plan
from backends.llvm.program.tree import Leaf
from backends.llvm.translate.interface import Interface
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.ir import IndirectRef, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program


class Vector(Protocol):
    """A source operand; indexing fetches that channel, modifiers applied."""

    def __getitem__(self, channel: int) -> Val: ...


class Registers(Protocol):
    """Direct access to registers, for operands that are not sources."""

    def read(self, instruction: Instruction, register: RegisterRef, channel: int) -> Val:
        """A register channel, without modifiers."""
        ...

    def address(self, instruction: Instruction, reference: IndirectRef, offset: int) -> Val:
        """Value of an address register plus a constant, i32."""
        ...

    def fetch(self, instruction: Instruction, operand: SrcOperand, channel: int, type_name: str) -> Val:
        """A channel of a source, modifiers applied, as the opcode table's type."""
        ...


class Context(Protocol):
    """What emitters see of the translator."""

    f: Function
    lane_map: LaneMap
    program: Program
    plan: Plan
    instruction: Instruction
    leaf: Leaf
    scratch: Scratch
    ahead: dict[Leaf, Val]  # results of instructions that were computed before their turn

    @property
    def interface(self) -> Interface:
        """What surrounds the program."""
        ...

    @property
    def operands(self) -> Registers:
        """The registers."""
        ...

    def execution_mask(self) -> Val:
        """The lanes that execute this instruction, as an i1 vector."""
        ...

    def alive_mask(self) -> Val:
        """The lanes that were not killed, as an i1 vector."""
        ...

    def output(self, register: int, channel: int) -> Val:
        """A channel of an OUT register as it is now, f32 lanes."""
        ...


Emitter = Callable[..., Any]

EMITTERS: dict[str, Emitter] = {}
"""Emitters by opcode name."""


def emits(*names: str) -> Callable[[Emitter], Emitter]:
    """Register the function below as the emitter of these opcodes; a second emitter of one opcode is a ValueError."""

    def register(function: Emitter) -> Emitter:
        for name in names:
            if name in EMITTERS:
                raise ValueError(f"opcode {name} has two emitters")
            EMITTERS[name] = function
        return function

    return register


def emitter_of(instruction: Instruction) -> Emitter:
    """The emitter of an instruction; UnsupportedError (B001) when there is none."""
    found = EMITTERS.get(instruction.opcode.name)
    if found is None:
        raise UnsupportedError.at("B001", f"{instruction.opcode.name} is not supported by the code generator", instruction.span)
    return found
