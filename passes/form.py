"""The form of a program that is being changed: its values, its immediates, and passes that work on them.

Passes that follow each other in a pipeline share one form, so that its tables are made once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import is_
from typing import Any

from passes.analysis.cells import CellMap
from passes.analysis.values import Values
from passes.base import Pass
from passes.edit import Immediates, changed_in_place
from tgsi.language._forks import cached_property
from tgsi.language.facts.opcodes import OpcodeInfo
from tgsi.language.ir import Instruction, RegisterRef
from tgsi.language.program import Program
from tgsi.language.record import record


class Form:
    """A program while passes change it. `values` holds the instructions, `immediates` finds or adds constants.

    is_stale: true if registers became free to split, or control flow went. walked: the rewriters that went over the form last.
    is_split: true after `split-registers`. zeros: then, the registers that may be read before they are written. carried: those whose
    value a loop carries into its next round. notes: what a rewriter remembers during a walk, by its name.
    """

    def __init__(self, program: Program) -> None:
        self.zero_wins = bool(program.properties) and any(map(program.property, ("MUL_ZERO_WINS", "LEGACY_MATH_RULES")))
        """True if 0 times anything is 0 in products of floats."""
        self.restart(program)

    def restart(self, program: Program) -> None:
        """Go on with another program: with what `finish` made, or with new parts of that."""
        self.__dict__.pop("values", None)
        self.program = program
        self.immediates = Immediates(program)
        self.zeros: set[RegisterRef] = set()
        self.carried: set[RegisterRef] = set()
        self.is_split = False
        self.is_stale = False
        self.walked: Sequence[Rewriter] = ()
        self.notes: dict[str, Any] = {}

    def rename(self, program: Program) -> None:
        """Go on with a program of the same instructions with other TEMP and ADDR registers that no address reaches."""
        values = self.values
        self.restart(program)
        values.rename(program)
        self.values = values

    @cached_property
    def values(self) -> Values:
        """The instructions with their writers and readers."""
        return Values(self.program)

    def renew_cells(self) -> None:
        """Start anew with the program as it is, if addresses that could reach registers are gone: those registers have cells now."""
        if self.values.cells.groups:
            program = self.finish()
            if CellMap(program).groups != self.values.cells.groups:
                self.restart(program)

    def joined(self, into: RegisterRef, register: RegisterRef) -> None:
        """Note that a register was renamed to another one."""
        for facts in (self.zeros, self.carried):
            if register in facts:
                facts.add(into)

    def finish(self) -> Program:
        """Return the program with all changes."""
        program = self.program
        if "values" in self.__dict__:
            items = self.values.items
            if not all(map(is_, items, program.instructions)):
                program = changed_in_place(program, items)
        return self.immediates.finish(program)

    def put(self, place: int, **changes: object) -> None:
        """Replace fields of the instruction at a place."""
        item = self.values.items[place]
        assert item is not None
        self.values.put(place, replace(item, **changes))  # type: ignore[arg-type]


@record(slots=False)
class FormPass(Pass):
    """A pass that works on a form."""

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

    def takes(self, opcode: OpcodeInfo) -> bool:
        """Return false if the pass changes no instruction with an opcode."""
        return True

    @abstractmethod
    def visit(self, form: Form, place: int, item: Instruction) -> bool:
        """Change the instruction at a place, or remove it, through `form.values`; return true if anything changed.

        Instructions that a walk has passed already may change, too; those that follow are visited later.
        """


Visit = Callable[[Form, int, Instruction], bool]

ROUNDS = 8
"""Most visits of one rewriter to one instruction in a walk."""


class Walk:
    """Several rewriters that go over a form together. After a change, the rewriters before see the instruction again.

    The same rewriters do not walk again before registers are split anew.
    """

    def __init__(self, rewriters: Sequence[Rewriter]) -> None:
        self.rewriters = rewriters
        self._takers: dict[tuple[bool, ...], _Takers] = {}  # by the rewriters that are at work

    def rewrite(self, form: Form) -> bool:
        """Walk once over a form; return true if anything changed."""
        if form.walked == self.rewriters:
            return False
        form.walked = self.rewriters
        at_work = tuple([rewriter.begin(form) for rewriter in self.rewriters])
        takers = self._takers.get(at_work)
        if takers is None:
            takers = self._takers[at_work] = _Takers(self.rewriters, at_work)
        visits = [rewriter.visit for rewriter in self.rewriters]
        changed = False
        for place, item in enumerate(form.values.items):
            if item is None:
                continue
            for number in takers[item.opcode]:
                if visits[number](form, place, item):
                    changed = True
                    _settle(form, place, visits, takers, number)
                    break
        return changed


def _settle(form: Form, place: int, visits: Sequence[Visit], takers: _Takers, first: int) -> None:
    """Go on with an instruction that a rewriter changed: those after it see the new one, and then all before the last that changed it."""
    items = form.values.items
    last, following, due = first, first + 1, len(visits)
    for _ in range(ROUNDS):
        is_changed = True
        while is_changed and (item := items[place]) is not None:
            is_changed = False
            for number in takers[item.opcode]:
                if following <= number < due:
                    following = number + 1
                    if visits[number](form, place, item):
                        last, is_changed = number, True
                        break
        due = last
        if not due or items[place] is None:
            break
        last = following = 0


class _Takers(dict[OpcodeInfo, Sequence[int]]):
    """The numbers of the rewriters at work that take an opcode, in order."""

    def __init__(self, rewriters: Sequence[Rewriter], at_work: Sequence[bool]) -> None:
        super().__init__()
        self._rewriters = [(number, rewriter) for number, rewriter in enumerate(rewriters) if at_work[number]]

    def __missing__(self, opcode: OpcodeInfo) -> Sequence[int]:
        made = self[opcode] = tuple([number for number, rewriter in self._rewriters if rewriter.takes(opcode)])
        return made
