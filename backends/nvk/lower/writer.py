"""Writer of lowered code: new temporaries and immediates, TGSI instructions by name, reads and writes of ISBE."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from backends.nvk.lower.code import Access, IsbeRead, IsbeWrite, Item
from passes.analysis.access import free_indexing
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File, ImmediateType
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import Flow
from tgsi.language.ir import IDENTITY, XYZW, Declaration, DstOperand, Immediate, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program

MASK = (1 << 32) - 1
_WHOLE: tuple[int, int, int, int] = IDENTITY


class Writer:
    """Items of a program that is being lowered."""

    def __init__(self, program: Program) -> None:
        for file in (File.TEMP, File.IMM):
            if free_indexing(program, file):
                raise UnsupportedError.at(
                    "B070",
                    f"{file.name} registers are indexed without an array, so none can be added",
                    hint=f"declare arrays of {file.name}",
                )
        self.items: list[Item] = []
        self.immediates = list(program.immediates)
        self._first = self._next = self._most = program.file_size(File.TEMP)
        self._channel = 0
        self._constants: dict[int, SrcOperand] = {}
        self._room: list[int] = []

    # -- registers ---------------------------------------------------------------------------------------------------
    def register(self) -> RegisterRef:
        """A new temporary of four channels."""
        if self._channel:
            self._next, self._channel = self._next + 1, 0
        self._next += 1
        self._most = max(self._most, self._next)
        return RegisterRef(File.TEMP, self._next - 1)

    def scalar(self) -> SrcOperand:
        """A new channel of a temporary."""
        channel, index = self._channel, self._next
        self._next, self._channel = (index + 1, 0) if channel == 3 else (index, channel + 1)
        self._most = max(self._most, index + 1)
        return channel_of(RegisterRef(File.TEMP, index), channel)

    @contextmanager
    def scratch(self) -> Iterator[None]:
        """Release the temporaries that are made inside."""
        self.register()  # earlier temporaries keep their registers
        self._next -= 1
        first = self._next
        yield
        self._next, self._channel = first, 0

    def constant(self, value: int) -> SrcOperand:
        """An immediate, in all channels."""
        value &= MASK
        if value not in self._constants:
            if len(self._room) == 4 or not self._room:
                self.immediates.append(Immediate(ImmediateType.UINT32, (value,) * 4))
                self._room = []
            self._room.append(value)
            x, y, z, w = [*self._room, *[value] * 4][:4]
            self.immediates[-1] = replace(self.immediates[-1], words=(x, y, z, w))
            place = RegisterRef(File.IMM, len(self.immediates) - 1)
            self._constants[value] = channel_of(place, len(self._room) - 1)
        return self._constants[value]

    def declaration(self) -> tuple[Declaration, ...]:
        """The declaration of the new temporaries."""
        return (Declaration(File.TEMP, self._first, self._most - 1),) if self._most > self._first else ()

    # -- instructions ------------------------------------------------------------------------------------------------
    def op(self, name: str, *sources: SrcOperand, into: SrcOperand | None = None) -> SrcOperand:
        """An instruction with one scalar result, in a new temporary or in that of `into`."""
        target = self.scalar() if into is None else into
        self.items.append(Instruction(OPCODES[name], (DstOperand(target.register, 1 << target.swizzle[0]),), sources))
        return target

    def set(self, target: SrcOperand, value: SrcOperand) -> None:
        """Copy a scalar."""
        self.op("MOV", value, into=target)

    def flow(self, name: str, *sources: SrcOperand, label: int | None = None) -> None:
        """An instruction of control flow, or another one without a result."""
        self.items.append(Instruction(OPCODES[name], (), sources, label=label))

    def read(self, access: Access, predicate: SrcOperand | None = None, into: SrcOperand | None = None) -> SrcOperand:
        """Read ISBE. With a predicate, lanes that do not read get 0, or keep the value of `into`."""
        target = into
        if target is None:
            target = self.scalar()
            if predicate is not None:
                self.set(target, self.constant(0))
        self.items.append(IsbeRead(DstOperand(target.register, 1 << target.swizzle[0]), access, predicate))
        return target

    def write(self, access: Access, value: SrcOperand, predicate: SrcOperand | None = None) -> None:
        """Write to ISBE."""
        self.items.append(IsbeWrite(access, value, predicate))

    def both(self, one: SrcOperand | None, other: SrcOperand | None) -> SrcOperand | None:
        """Predicate that holds where both do; None holds everywhere."""
        if one is None or other is None:
            return one if other is None else other
        return self.op("AND", one, other)

    @contextmanager
    def loop(self, counter: SrcOperand, end: int, step: int) -> Iterator[None]:
        """Repeat the code written inside while `counter` is below `end`; each round adds `step`."""
        self.flow("BGNLOOP")
        self.flow("UIF", self.op("USGE", counter, self.constant(end)))
        self.flow("BRK")
        self.flow("ENDIF")
        yield
        self.op("UADD", counter, self.constant(step), into=counter)
        self.flow("ENDLOOP")


def channel_of(register: RegisterRef, channel: int) -> SrcOperand:
    """One channel of a register, in all channels of an operand."""
    return SrcOperand(register, (channel,) * 4)


def nth_channel(operand: SrcOperand, channel: int) -> SrcOperand:
    """Channel `channel` of a source, after its swizzle and with its modifiers, in all channels."""
    return replace(operand, swizzle=(operand.swizzle[channel],) * 4)


def has_modifier(operand: SrcOperand) -> bool:
    """True if a source is negated or taken absolutely."""
    return operand.negate or operand.absolute


def whole(register: RegisterRef) -> SrcOperand:
    """All four channels of a register."""
    return SrcOperand(register, _WHOLE)


def all_channels(register: RegisterRef) -> DstOperand:
    """All four channels of a register, as a destination."""
    return DstOperand(register, XYZW)


def is_call(item: Item) -> bool:
    """True for calls, whose label counts items."""
    return isinstance(item, Instruction) and item.opcode.flow is Flow.CALL
