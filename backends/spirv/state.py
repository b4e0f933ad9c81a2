"""The module in the making, with the values of instructions: vectors of 32-bit words, seen as floats, integers or pairs."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import NoReturn, Protocol

from backends.shader_key.layout import Layout
from backends.spirv.module import Module
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.ir import DstOperand, IndirectRef, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.language.source import Span

WORDS = 4
"""Words of a register."""


class RegisterFile(Protocol):
    """The registers of a program, as instructions see them (`backends.spirv.registers`)."""

    def words(self, register: RegisterRef) -> int:
        """The four words of a register."""

    def address(self, indirect: IndirectRef, offset: int) -> int:
        """The sum of an address and an offset."""

    def row(self, register: RegisterRef) -> int | None:
        """The outer index of a register."""

    def source(self, operand: SrcOperand, kind: str, channels: Sequence[int], modifiers: str = "") -> int:
        """Channels of a source."""

    def write(self, destination: DstOperand, value: int, kind: str, channels: Sequence[int] | None = None) -> None:
        """Store channels of a destination."""

    def word(self, name: str) -> int:
        """A built-in integer."""

    def fragment(self, name: str) -> int | None:
        """The words of a fragment input that is built in."""

    def built_in(self, name: str, kind: int) -> int:
        """A built-in input."""

    def block(self, number: int) -> tuple[int, str] | None:
        """Variable and storage class of a constant buffer."""

    def located(self, index: int) -> int | None:
        """The variable of an input with a location."""

    def flush(self) -> None:
        """Hand on the outputs that wait in registers."""


@record(frozen=False, kw_only=True)
class State:
    """One program that is being written.

    `instruction` is the one that messages point at. `entry` is the id of the entry point. `flush` writes outputs that wait in registers.
    `shared` has what modules keep about resources.
    """

    program: Program
    module: Module
    entry: int
    options: Options
    instruction: Instruction | None = None
    flush: list[Callable[[], None]] = field(default_factory=list)
    shared: dict[str, object] = field(default_factory=dict)
    _registers: RegisterFile | None = None

    @property
    def registers(self) -> RegisterFile:
        """The registers of the program."""
        assert self._registers is not None
        return self._registers

    def fail(self, code: str, text: str, span: Span | None = None, hint: str = "") -> NoReturn:
        """Refuse the program, at a place or at the instruction that is being written."""
        if span is None and self.instruction is not None:
            span = self.instruction.span
        raise UnsupportedError.at(code, text, span, hint=hint)

    def named(self, own: str, *registers: str) -> str:
        """The name of a resource: that of the key for one of these registers, or `own` after the key's prefix."""
        return self.options.layout.name(*registers) or f"{self.options.layout.prefix}{own}"

    # values

    def cast(self, value: int, source: str, target: str, size: int) -> int:
        """The same bits as another type of 32 bits."""
        return value if source == target else self.module.op("Bitcast", self.module.vector(target, size), value)

    def select(self, value: int, kind: str, channels: Sequence[int], size: int = WORDS) -> int:
        """Channels of a vector of `size` scalars: a scalar for one of them."""
        if size == 1 or tuple(channels) == tuple(range(size)):
            return value
        if len(channels) == 1:
            return self.module.op("CompositeExtract", self.module.scalar(kind), value, channels[0])
        return self.module.op("VectorShuffle", self.module.vector(kind, len(channels)), value, value, *channels)

    def parts(self, value: int, kind: str, size: int) -> list[int]:
        """The scalars of a vector."""
        return [self.select(value, kind, [place], size) for place in range(size)]

    def vector(self, kind: str, scalars: Sequence[int]) -> int:
        """A vector of scalars."""
        if len(scalars) == 1:
            return scalars[0]
        return self.module.op("CompositeConstruct", self.module.vector(kind, len(scalars)), *scalars)

    def splat(self, value: int, kind: str, size: int) -> int:
        """A scalar, several times."""
        return self.vector(kind, [value] * size)

    def number(self, value: float, size: int = 1) -> int:
        """A float constant, several times."""
        return self.module.composite("float", [struct.unpack("<I", struct.pack("<f", value))[0]] * size)

    def whole(self, value: int, size: int = 1, kind: str = "uint") -> int:
        """An integer constant, several times."""
        return self.module.composite(kind, [value] * size)

    def choose(self, test: int, yes: int, no: int, kind: str, size: int) -> int:
        """One of two values, by bools."""
        return self.module.op("Select", self.module.vector(kind, size), test, yes, no)

    def test(self, name: str, a: int, b: int, size: int = 1) -> int:
        """A comparison."""
        return self.module.op(name, self.module.vector("bool", size), a, b)

    def flags(self, test: int, size: int) -> int:
        """Bools as words: all bits or none."""
        return self.choose(test, self.whole(0xFFFFFFFF, size), self.whole(0, size), "uint", size)

    def exact(self, name: str, kind: str, size: int, *operands: int) -> int:
        """Float arithmetic that is rounded after each operation."""
        result = self.module.op(name, self.module.vector(kind, size), *operands)
        self.module.decorate(result, "NoContraction")
        return result

    def load(self, pointer: int, type: int) -> int:
        """The value that a pointer names."""
        return self.module.op("Load", type, pointer)

    def chain(self, storage: str, type: int, base: int, *indices: int) -> int:
        """A pointer to a part of a pointer's target."""
        return self.module.op("AccessChain", self.module.pointer(storage, type), base, *indices)

    def known(self, value: int) -> int:
        """A constant index."""
        return self.module.uint(value)

    # branches

    def guarded(self, test: int, work: Callable[[], None]) -> None:
        """Write code that runs only where a bool is true."""
        m = self.module
        inside, after = m.id(), m.id()
        m.do("SelectionMerge", after, 0)
        m.do("BranchConditional", test, inside, after)
        m.label(inside)
        work()
        m.do("Branch", after)
        m.label(after)


@record
class Options:
    """Facts that a program does not say: see `write_spirv`."""

    entry: str = "main"
    first_set: int = 0
    color_targets: int = 1
    shared_memory: int = 32768
    layout: Layout = field(default_factory=lambda: Layout(has_sets=True))
