"""Emitters: one function for each opcode, registered by name; those of a single expression are rows of tables.

Emitters do not handle write masks, swizzles, modifiers or saturate. Their arguments and results depend on the opcode's output mode:

    component-wise      (c, *values) -> value            one channel; values have the types of the opcode's sources
    replicate           (c, *vectors) -> value           indexing a vector fetches a channel
    channel-dependent   (c, channel, *vectors) -> value  one call for each written channel
    other               (c, *vectors) -> four values     resources among the sources are passed as None

Values are f32 or i32 lanes (uint is i32), or scalars if they are uniform; "untyped" values have either type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
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
    """A source operand. Indexing fetches a channel, after modifiers."""

    def __getitem__(self, channel: int) -> Val: ...


class Registers(Protocol):
    """Access to registers for operands that are not sources."""

    def read(self, instruction: Instruction, register: RegisterRef, channel: int) -> Val:
        """Register channel, without modifiers."""
        ...

    def address(self, instruction: Instruction, reference: IndirectRef, offset: int) -> Val:
        """Value of an address register plus a constant, i32."""
        ...

    def fetch(self, instruction: Instruction, operand: SrcOperand, channel: int, type_name: str) -> Val:
        """Channel of a source, after modifiers, as the opcode table's type `type_name`."""
        ...


class Context(Protocol):
    """The part of the translator that emitters use."""

    f: Function
    lane_map: LaneMap
    program: Program
    plan: Plan
    instruction: Instruction
    leaf: Leaf
    scratch: Scratch
    ahead: dict[Leaf, Val]  # results of instructions that were computed early
    exact: int  # channels of the result whose exact bits matter, so that a computed NaN must be canonical

    @property
    def interface(self) -> Interface:
        """Interface of the kernel around the program."""
        ...

    @property
    def operands(self) -> Registers:
        """Registers of the program."""
        ...

    def execution_mask(self) -> Val:
        """Lanes that execute the current instruction, as an i1 vector."""
        ...

    def alive_mask(self) -> Val:
        """Lanes that were not killed, as an i1 vector."""
        ...

    def output(self, register: int, channel: int) -> Val:
        """Current value of a channel of an OUT register, f32 lanes."""
        ...


Emitter = Callable[..., Any]

EMITTERS: dict[str, Emitter] = {}
"""Emitters by opcode name, of the families that are loaded."""

_FAMILIES = (
    *("floats", "compare", "integers", "trigonometry", "interpolation", "textures", "queries", "wide", "framebuffer", "samples"),
    *("geometry", "memory", "groups", "mesh_sizes"),
)
"""Modules that register emitters, in order of loading, because most programs need only the first ones."""


def emits(*names: str) -> Callable[[Emitter], Emitter]:
    """Register the decorated function as the emitter of these opcodes. ValueError for a second emitter of one opcode."""

    def register(function: Emitter) -> Emitter:
        for name in names:
            if name in EMITTERS:
                raise ValueError(f"opcode {name} has two emitters")
            EMITTERS[name] = function
        return function

    return register


def emit_each(*tables: Mapping[str, Emitter]) -> None:
    """Register the expressions of tables: a row has the names of its opcodes, separated by spaces."""
    for table in tables:
        for names, function in table.items():
            emits(*names.split())(function)


def load_emitters(opcode: str | None = None) -> None:
    """Load families until one has the emitter of an opcode, or all of them."""
    for family in _FAMILIES:
        if opcode in EMITTERS:
            return
        import_module(f"{__name__}.{family}")


def emitter_of(instruction: Instruction) -> Emitter:
    """The emitter of an instruction; UnsupportedError (B001) without one."""
    load_emitters(instruction.opcode.name)
    emitter = EMITTERS.get(instruction.opcode.name)
    if emitter is None:
        raise UnsupportedError.at("B001", f"{instruction.opcode.name} is not supported by the code generator", instruction.span)
    return emitter
