"""The form of a program that is being changed: its values, its immediates, and passes that work on them.

Passes that follow each other in a pipeline share one form, so that its tables are made once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from operator import is_
from typing import Any, ClassVar

from passes.analysis import facts
from passes.analysis.access import NO_REGISTERS, indexed_registers
from passes.analysis.cells import CellMap
from passes.analysis.makers import UNMADE
from passes.analysis.values import Values
from passes.base import Pass
from passes.edit import Immediates, changed_in_place
from tgsi.language.facts.opcodes import OpcodeInfo
from tgsi.language.ir import Instruction, RegisterRef
from tgsi.language.program import Program
from tgsi.language.record import record

_UNREAD: Any = None


class Form:
    """A program while passes change it. `values` holds the instructions, their writers and readers; `immediates` finds or adds constants.

    is_stale: true if registers became free to split, or control flow went. walked: the rewriters that went over the form last.
    is_split: true after `split-registers`. zeros: then, the registers that may be read before they are written, by the cell of channel x.
    carried: those whose value a loop carries into its next round. notes: what a rewriter remembers during a walk, by its name.
    original: the program that the form was made of.
    """

    __slots__ = ("carried", "immediates", "is_split", "is_stale", "notes", "original", "program", "values", "walked", "zero_wins", "zeros")

    def __init__(self, program: Program) -> None:
        self.zero_wins = bool(program.properties) and any(map(program.property, ("MUL_ZERO_WINS", "LEGACY_MATH_RULES")))
        """True if 0 times anything is 0 in products of floats."""
        self.original = program
        self.restart(program)
        self.read()

    def restart(self, program: Program) -> None:
        """Go on with another program: with what `finish` made, or with new parts of that. It has no `values` before it is read."""
        self.values: Values = _UNREAD  # no property: 3.11 finds plain attributes several times as fast
        self.program = program
        self.immediates = Immediates(program)
        self.zeros: set[int] = set()
        self.carried: set[int] = set()
        self.is_split = False
        self.is_stale = False
        self.walked = ""
        self.notes: dict[str, Any] = {}

    def copy(self) -> Form:
        """Return the form as it is, with tables of its own."""
        copy: Form = object.__new__(Form)
        copy.original, copy.zero_wins = self.original, self.zero_wins
        copy.restart(self.program)
        copy.immediates, copy.values = self.immediates.copy(), self.values.copied()
        copy.zeros, copy.carried, copy.is_split, copy.is_stale = self.zeros, self.carried, self.is_split, self.is_stale
        return copy

    def read(self) -> None:
        """Find the values of a program with which the form goes on."""
        if self.values is None:
            self.values = Values(self.program)

    def renew(self, program: Program, items: Mapping[int, Instruction] | None) -> None:
        """Go on with instructions, by place, that have other TEMP and ADDR registers which no address reaches, and a program that declares
        them; None if no instruction changed."""
        walked, notes, values = self.walked if self.is_split else "", self.notes, self.values
        program = self.immediates.finish(program)
        self.restart(program)
        if items is not None:
            values.rename(items, touch=bool(walked))
        values.program = program
        self.values, self.walked = values, walked
        if walked:
            self.notes = {name: notes[name] for name in LASTING if name in notes}

    def renew_cells(self) -> None:
        """Start anew with the program as it is, if addresses that could reach registers are gone: those registers have cells now."""
        if self.values.cells.groups:
            program = self.finish()
            if CellMap(program).groups != self.values.cells.groups:
                self.restart(program)
                self.read()

    def joined(self, into: RegisterRef, register: RegisterRef) -> None:
        """Note that a register was renamed to another one."""
        for cells in (self.zeros, self.carried):
            if register.cell in cells:
                cells.add(into.cell)

    def finish(self) -> Program:
        """Return the program with all changes."""
        program = self.program
        if self.values is not None:
            items = self.values.items
            if not all(map(is_, items, program.instructions)):
                program = changed_in_place(program, items)
                if not self.values.is_indexed:
                    facts.keep(program, indexed_registers, NO_REGISTERS)
        return self.immediates.finish(program)

    def put(self, place: int, **changes: object) -> None:
        """Replace fields of the instruction at a place."""
        item = self.values.items[place]
        assert item is not None
        self.values.put(place, replace(item, **changes))  # type: ignore[arg-type]


@record(slots=False)
class FormPass(Pass):
    """A pass that works on a form.

    needs: sets of opcodes (`bits_of`). A form that has no opcode of one of them stays as it is, without a call of `rewrite`.
    """

    needs: ClassVar[Sequence[int]] = ()

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        form = Form(program)
        return form.finish() if self.rewrite(form) else program

    @abstractmethod
    def rewrite(self, form: Form) -> bool:
        """Change the form, and return true if anything changed."""


@record(slots=False)
class Rewriter(FormPass):
    """A pass that looks at one instruction after the other, in the order of the text. Several of them may share a walk."""

    def rewrite(self, form: Form) -> bool:
        """See `FormPass.rewrite`."""
        return Walk([self]).rewrite(form)

    def begin(self, form: Form) -> bool:
        """Prepare for a walk over a form; return false if the walk would change nothing."""
        return True

    def takes(self, opcode: OpcodeInfo) -> int:
        """Return the opcodes (`bits_of`) one of which must make what an instruction with `opcode` reads, or the pass does not change it.

        EVERY for instructions that the pass may change whatever they read, NO_CELL for those that must not read any TEMP, ADDR or OUT, 0 if
        the pass changes no instruction with this opcode.
        """
        return EVERY

    @abstractmethod
    def visit(self, form: Form, place: int, item: Instruction, makers: int) -> bool:
        """Change the instruction at a place, or remove it, through `form.values`; return true if anything changed.

        makers: the bits of the opcodes that make what it reads, see `Values.makers_of`.
        Instructions that a walk has passed already may change, too; those that follow are visited later.
        """


EVERY, NO_CELL = -1, -2

Visit = Callable[[Form, int, Instruction, int], bool]

ROUNDS = 8
"""Most visits of one rewriter to one instruction in a walk."""


_TAKERS = "rewriters at work"
"""The note of the walk itself."""

LASTING = {_TAKERS}
"""The notes that stay when registers are split anew."""


class Walk:
    """Several rewriters that go over a form together. After a change, the rewriters before see the instruction again.

    The same rewriters walk again over what other passes changed since, and over what reads that; over everything when registers were split
    anew.
    """

    def __init__(self, rewriters: Sequence[Rewriter]) -> None:
        self.rewriters = rewriters
        self.name = ",".join(map(str, rewriters))
        self._takers: dict[tuple[bool, ...], _Takers] = {}  # by whether addresses choose registers, and the rewriters that are at work

    def rewrite(self, form: Form) -> bool:
        """Walk once over a form; return true if anything changed."""
        if form.walked == self.name:
            return bool(form.values.touched) and self._again(form)
        form.walked = self.name
        takers = self._begin(form)
        values = form.values
        reads, makers = values.reads, values.makers.get
        changed = False
        place = -1
        for item in values.items:
            place += 1
            if item is None or not (visits := takers[item.opcode]):
                continue
            made_by = 0
            for cell in reads[place]:
                made_by |= makers(cell, UNMADE)
            for number, takes, visit in visits:
                if takes != EVERY and (not made_by & takes if takes > 0 else made_by):
                    continue
                if visit(form, place, item, made_by):
                    changed = True
                    self._settle(form, place, takers, number)
                    break
        values.touched.clear()
        return changed

    def _begin(self, form: Form) -> _Takers:
        at_work = tuple([rewriter.begin(form) for rewriter in self.rewriters])
        key = form.values.is_indexed, *at_work
        takers = self._takers.get(key)
        if takers is None:
            takers = self._takers[key] = _Takers(self.rewriters, at_work, form.values.is_indexed)
        form.notes[_TAKERS] = takers
        return takers

    def _again(self, form: Form) -> bool:
        """Walk over the places that changed since the last walk and those that read from them, in the order of the text."""
        values, takers = form.values, form.notes.get(_TAKERS)
        if takers is None:
            takers = self._begin(form)
        places = set(values.touched)
        for place in values.touched:
            for user in values.users(place):
                places |= values.users(user)
                places.add(user)
        pending = sorted(places)  # a heap
        touched = values.touched
        touched.clear()
        changed = False
        while pending:
            place = heappop(pending)
            item = values.items[place]
            if item is None:
                continue
            made_by = values.makers_of(place)
            for number, takes, visit in takers[item.opcode]:
                if takes != EVERY and (not made_by & takes if takes > 0 else made_by):
                    continue
                if visit(form, place, item, made_by):
                    changed = True
                    self._settle(form, place, takers, number)
                    following = values.users(place)
                    for other in touched - {place}:  # an equal instruction that became a copy of this one
                        following |= values.users(other) | {other}
                    touched.clear()
                    for user in following - places:
                        if user > place:
                            places.add(user)
                            heappush(pending, user)
                    break
        values.touched.clear()
        return changed

    def _settle(self, form: Form, place: int, takers: _Takers, first: int) -> None:
        """Go on with an instruction that a rewriter changed: those after it see the new one, then all before the last that changed it."""
        values = form.values
        items = values.items
        last, following, due = first, first + 1, len(self.rewriters)
        for _ in range(ROUNDS):
            is_changed = True
            while is_changed and (item := items[place]) is not None:
                is_changed = False
                made_by = values.makers_of(place)
                for number, takes, visit in takers[item.opcode]:
                    if following <= number < due:
                        following = number + 1
                        if takes != EVERY and (not made_by & takes if takes > 0 else made_by):
                            continue
                        if visit(form, place, item, made_by):
                            last, is_changed = number, True
                            break
            due = last
            if not due or items[place] is None:
                break
            last = following = 0


class _Takers(dict[OpcodeInfo, Sequence[tuple[int, int, Visit]]]):
    """The rewriters at work that take an opcode, in order: their numbers, when they take it (`Rewriter.takes`), and what to call."""

    def __init__(self, rewriters: Sequence[Rewriter], at_work: Sequence[bool], is_indexed: bool) -> None:
        super().__init__()
        self._is_indexed = is_indexed  # then the address of a destination is a cell that is read
        self._rewriters = [(number, rewriter) for number, rewriter in enumerate(rewriters) if at_work[number]]

    def __missing__(self, opcode: OpcodeInfo) -> Sequence[tuple[int, int, Visit]]:
        asked = [(number, rewriter.takes(opcode), rewriter.visit) for number, rewriter in self._rewriters]
        takers = self[opcode] = tuple([(n, EVERY if self._is_indexed and takes == NO_CELL else takes, v) for n, takes, v in asked if takes])
        return takers
