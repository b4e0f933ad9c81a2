"""Facts that hold for a lane on its way through the program, such as "TEMP[1].x equals IN[0].w".

Registers belong to lanes, so a fact depends only on the way that the lane itself went: an ELSE arm starts with the facts known before the
IF, and after ENDIF those facts hold that both arms leave. Loops, switches and calls forget, at their start, every register that is
written inside of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator

from passes.analysis.access import ALL, results, written_channels
from passes.edit import rebuilt
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import ARMS, CLOSERS, JUMPS, OPENERS, Flow
from tgsi.language.ir import Instruction, RegisterRef
from tgsi.language.program import Program
from tgsi.language.record import record

Cell = tuple[int, int]
"""Index and channel of a TEMP."""

STATIC = frozenset({File.IN, File.CONST, File.IMM, File.SV})
"""Files that do not change while a lane runs."""

_FORGETTING = frozenset({Flow.LOOP, Flow.SWITCH})
"""Blocks at whose start the registers written inside of them are forgotten."""


class Facts:
    """Values by key. A value depends on TEMP channels, and is forgotten when one of them is written."""

    def __init__(self) -> None:
        self.values: dict[Hashable, object] = {}
        self._cells: dict[Hashable, tuple[Cell, ...]] = {}
        self._users: dict[Cell, set[Hashable]] = {}
        self.unreachable = False

    def add(self, key: Hashable, value: object, cells: Iterable[Cell]) -> None:
        """Remember a value; an older value of the key must have been forgotten."""
        self.values[key] = value
        self._cells[key] = tuple(cells)
        for cell in self._cells[key]:
            self._users.setdefault(cell, set()).add(key)

    def forget(self, cell: Cell) -> None:
        """Forget the values that depend on a channel."""
        for key in self._users.pop(cell, ()):
            self._drop(key)

    def forget_registers(self, first: int, last: int) -> None:
        """Forget the values that depend on any channel of some registers."""
        for cell in [cell for cell in self._users if first <= cell[0] <= last]:
            self.forget(cell)

    def copy(self) -> Facts:
        """Return an independent copy."""
        made = Facts()
        made.values, made._cells = dict(self.values), dict(self._cells)
        made._users = {cell: set(keys) for cell, keys in self._users.items()}
        made.unreachable = self.unreachable
        return made

    def met(self, other: Facts) -> Facts:
        """Return the facts that hold in both; unreachable code does not restrict the other side."""
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


@record(frozen=False, slots=False)
class _Open:
    entry: Facts
    then: Facts | None = None


class Walker(ABC):
    """A walk over a program that replaces instructions, with the facts that hold before each."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.facts = Facts()
        self._arrays = {item.array_id: item for item in program.declared(File.TEMP) if item.array_id}
        self._stack: list[_Open] = []
        self._in_sub = self._returned = False

    @abstractmethod
    def visit(self, instruction: Instruction) -> Instruction | None:
        """Return the replacement of an instruction (None: none), and note new facts. Heads of IF, SWITCH and CASE are visited, too."""

    @property
    def all_lanes(self) -> bool:
        """True if every lane is here: no branch is open and no lane can have returned."""
        return not self._stack and not self._in_sub and not self._returned

    def run(self) -> Program:
        """Walk over the program and return the changed one."""
        inside = _writes_inside(self.program)
        made: list[tuple[Instruction, ...]] = []
        for number, item in enumerate(self.program.instructions):
            if item.opcode.flow is not None:
                made.append((self._flow(item, inside.get(number, [])),))
            else:
                new = self.visit(item)
                made.append(() if new is None else (new,))
        return rebuilt(self.program, made)

    def forget_written(self, instruction: Instruction) -> None:
        """Forget the registers that an instruction writes."""
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
        flow = item.opcode.flow
        if flow is Flow.IF or flow is Flow.SWITCH:
            item = self.visit(item) or item
        for register in written:
            self._forget(register, ALL)
        if flow in OPENERS:
            if flow is Flow.SUBROUTINE:
                self.facts, self._in_sub = Facts(), True
            self._stack.append(_Open(self.facts.copy()))
        elif flow is Flow.ELSE:
            block = self._stack[-1]
            block.then, self.facts = self.facts, block.entry.copy()
        elif flow in ARMS:
            self.facts = self._stack[-1].entry.copy()
            if flow is Flow.CASE:
                item = self.visit(item) or item
        elif flow in CLOSERS:
            block = self._stack.pop()
            if flow is Flow.ENDIF:
                self.facts = self.facts.met(block.then or block.entry)
            else:
                self.facts = block.entry if flow is not Flow.ENDSUBROUTINE else Facts()
            self._in_sub = self._in_sub and flow is not Flow.ENDSUBROUTINE
        elif flow is Flow.END:
            self.facts = Facts()
        elif flow in JUMPS:
            self._returned = self._returned or (flow is Flow.RETURN and not self._in_sub)
            self.facts.unreachable = True
        return item


def _writes_inside(program: Program) -> dict[int, list[RegisterRef]]:
    """Return the registers that are written inside of each loop, switch and call, by its place."""
    subs: list[RegisterRef] = []
    calls: list[int] = []
    found: dict[int, list[RegisterRef]] = {}
    stack: list[Flow] = []
    around: list[list[RegisterRef]] = []
    calling: list[list[RegisterRef]] = []
    in_sub = False
    for number, item in enumerate(program.instructions):
        flow = item.opcode.flow
        if flow in OPENERS:
            in_sub = in_sub or flow is Flow.SUBROUTINE
            stack.append(flow)
            if flow in _FORGETTING:
                found[number] = []
                around.append(found[number])
        elif flow in CLOSERS and stack:
            opened = stack.pop()
            in_sub = in_sub and opened is not Flow.SUBROUTINE
            if opened in _FORGETTING:
                inner = around.pop()
                if around:
                    around[-1].extend(inner)
        elif flow is Flow.CALL:
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
