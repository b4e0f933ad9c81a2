"""Facts that hold for a lane on its way through the program, such as "TEMP[1].x equals IN[0].w".

Registers belong to lanes, so a fact only depends on the way that the lane itself went: an ELSE arm knows what was known before the
IF, what follows ENDIF knows what both arms leave. Loops, switches and calls forget at once whatever is written inside of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass

from passes.analysis.access import ALL, CLOSERS, FLOW, OPENERS, results, written_channels
from passes.edit import rebuilt
from tgsi.language.facts.enums import File
from tgsi.language.ir import Instruction, RegisterRef
from tgsi.language.program import Program

Cell = tuple[int, int]
"""Index and channel of a TEMP."""

STATIC = frozenset({File.IN, File.CONST, File.IMM, File.SV})
"""Files that do not change while a lane runs."""


class Facts:
    """Values by key, each forgotten when one of the TEMP channels is written that it rests on."""

    def __init__(self) -> None:
        self.values: dict[Hashable, object] = {}
        self._cells: dict[Hashable, tuple[Cell, ...]] = {}
        self._users: dict[Cell, set[Hashable]] = {}
        self.unreachable = False

    def add(self, key: Hashable, value: object, cells: Iterable[Cell]) -> None:
        """Remember; an older value of the key must have been forgotten."""
        self.values[key] = value
        self._cells[key] = tuple(cells)
        for cell in self._cells[key]:
            self._users.setdefault(cell, set()).add(key)

    def forget(self, cell: Cell) -> None:
        """The channel is written."""
        for key in self._users.pop(cell, ()):
            self._drop(key)

    def forget_registers(self, first: int, last: int) -> None:
        """All channels of some registers are written."""
        for cell in [cell for cell in self._users if first <= cell[0] <= last]:
            self.forget(cell)

    def copy(self) -> Facts:
        """The same facts, apart."""
        made = Facts()
        made.values, made._cells = dict(self.values), dict(self._cells)
        made._users = {cell: set(keys) for cell, keys in self._users.items()}
        made.unreachable = self.unreachable
        return made

    def met(self, other: Facts) -> Facts:
        """What both know."""
        if self.unreachable or other.unreachable:
            return other if self.unreachable else self
        for key in [key for key, value in self.values.items() if other.values.get(key) != value]:
            self._drop(key)
        return self

    def _drop(self, key: Hashable) -> None:
        self.values.pop(key, None)
        for cell in self._cells.pop(key, ()):
            if cell in self._users:
                self._users[cell].discard(key)


@dataclass
class _Open:
    name: str
    entry: Facts
    then: Facts | None = None


class Walker(ABC):
    """Walks a program and replaces instructions, knowing the facts in front of each."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.facts = Facts()
        self._arrays = {item.array_id: item for item in program.declared(File.TEMP) if item.array_id}
        self._stack: list[_Open] = []
        self._in_sub = self._returned = False

    @abstractmethod
    def visit(self, instruction: Instruction) -> Instruction | None:
        """The instruction to use instead (None: none), and new facts. Heads of IF, SWITCH and CASE come here too."""

    @property
    def all_lanes(self) -> bool:
        """Every lane is here: no branch is open and none can have returned."""
        return not self._stack and not self._in_sub and not self._returned

    def run(self) -> Program:
        """Walk; the changed program."""
        inside = _writes_inside(self.program)
        made: list[tuple[Instruction, ...]] = []
        for number, item in enumerate(self.program.instructions):
            if item.opcode.name in FLOW:
                made.append((self._flow(item, inside.get(number, [])),))
            else:
                new = self.visit(item)
                made.append(() if new is None else (new,))
        return rebuilt(self.program, made)

    def forget_written(self, instruction: Instruction) -> None:
        """What an instruction writes is known no more."""
        for operand in results(instruction):
            self._forget(operand.register, written_channels(instruction, operand))

    def _forget(self, register: RegisterRef, mask: int) -> None:
        if register.file is not File.TEMP:
            return
        if register.indirect is None:
            for channel in range(4):
                if mask >> channel & 1:
                    self.facts.forget((register.index, channel))
        elif (array := self._arrays.get(register.array_id)) is not None:
            self.facts.forget_registers(array.first, array.last)
        else:
            self.facts.forget_registers(0, 1 << 31)

    def _flow(self, item: Instruction, written: list[RegisterRef]) -> Instruction:
        name = item.opcode.name
        if name in ("IF", "UIF", "SWITCH"):
            item = self.visit(item) or item
        for register in written:
            self._forget(register, ALL)
        if name in OPENERS:
            if name == "BGNSUB":
                self.facts, self._in_sub = Facts(), True
            self._stack.append(_Open(name, self.facts.copy()))
        elif name == "ELSE":
            block = self._stack[-1]
            block.then, self.facts = self.facts, block.entry.copy()
        elif name in ("CASE", "DEFAULT"):
            self.facts = self._stack[-1].entry.copy()
            if name == "CASE":
                item = self.visit(item) or item
        elif name in CLOSERS:
            block = self._stack.pop()
            if name == "ENDIF":
                self.facts = self.facts.met(block.then or block.entry)
            else:
                self.facts = block.entry if name != "ENDSUB" else Facts()
            self._in_sub = self._in_sub and name != "ENDSUB"
        elif name == "END":
            self.facts = Facts()
        elif name != "CAL":  # a jump
            self._returned = self._returned or (name == "RET" and not self._in_sub)
            self.facts.unreachable = True
        return item


def _writes_inside(program: Program) -> dict[int, list[RegisterRef]]:
    """For loops, switches and calls what is written inside of them."""
    subs: list[RegisterRef] = []
    calls: list[int] = []
    found: dict[int, list[RegisterRef]] = {}
    stack: list[str] = []
    around: list[list[RegisterRef]] = []
    calling: list[list[RegisterRef]] = []
    in_sub = False
    for number, item in enumerate(program.instructions):
        name = item.opcode.name
        if name in OPENERS:
            in_sub = in_sub or name == "BGNSUB"
            stack.append(name)
            if name in ("BGNLOOP", "SWITCH"):
                found[number] = []
                around.append(found[number])
        elif name in CLOSERS and stack:
            opened = stack.pop()
            in_sub = in_sub and opened != "BGNSUB"
            if opened in ("BGNLOOP", "SWITCH"):
                inner = around.pop()
                if around:
                    around[-1].extend(inner)
        elif name == "CAL":
            calls.append(number)
            calling += around
        for register in _temporaries(item):
            if around:
                around[-1].append(register)
            if in_sub:
                subs.append(register)
    unique = list(dict.fromkeys(subs))
    for block in calling:
        block.extend(unique)
    return {number: list(dict.fromkeys(registers)) for number, registers in found.items()} | dict.fromkeys(calls, unique)


def _temporaries(item: Instruction) -> Iterator[RegisterRef]:
    for operand in results(item):
        if operand.register.file is File.TEMP:
            yield operand.register
