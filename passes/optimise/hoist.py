"""The pass hoist-invariants."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from passes.analysis.access import is_direct
from passes.analysis.makers import LOOPS
from passes.edit import rebuilt
from passes.form import Form, FormPass
from passes.optimise.split import SplitRegisters
from tgsi.language.facts.enums import TEMP
from tgsi.language.ir import Instruction
from tgsi.language.record import record


@record(slots=False)
class HoistInvariants(FormPass):
    """Move computations whose results are the same in all rounds of a loop in front of it.

    These are computations whose sources are not written inside of the loop and whose TEMP nothing else writes. Branches do not matter:
    a result that no lane reads does no harm. MOVs stay, because copies cost nothing.
    """

    name = "hoist-invariants"
    needs = (LOOPS,)

    def rewrite(self, form: Form) -> bool:
        """See `FormPass.rewrite`."""
        if not form.values.layout.loops:
            return False
        if not form.is_split:
            SplitRegisters().rewrite(form)
        values = form.values
        targets: dict[int, list[int]] = {}
        home: dict[int, int] = {}
        for place, item in enumerate(values.items):
            loop = values.layout.loop_of(place)
            if item is None or loop < 0 or not _is_movable(form, place, item):
                continue
            goal = -1
            while loop >= 0:
                start, end, around = values.layout.loops[loop]
                if not all(_is_constant(form, cell, start, end, home) for cell in values.reads[place]):
                    break
                goal, loop = start, around
            if goal >= 0:
                home[place] = goal
                targets.setdefault(goal, []).append(place)
        if not targets:
            return False
        code: list[Sequence[Instruction]] = []
        for place, item in enumerate(values.items):
            moved = [values.items[inner] for inner in targets.get(place, ())]
            own = [] if item is None or place in home else [item]
            code.append([*(inner for inner in moved if inner is not None), *own])
        program = form.immediates.finish(rebuilt(form.program, code))
        zeros, carried = form.zeros, form.carried
        form.restart(program)
        form.zeros, form.carried, form.is_split = zeros, carried, True
        return True


def _is_constant(form: Form, cell: int, start: int, end: int, home: dict[int, int]) -> bool:
    """Return true if nothing inside of a loop writes a cell, other than instructions that go in front of it."""
    writers = form.values.writers.get(cell, [])
    return all(home.get(writer, end) <= start for writer in writers[bisect_right(writers, start) : bisect_left(writers, end)])


def _is_movable(form: Form, place: int, item: Instruction) -> bool:
    values = form.values
    if not item.opcode.is_computed or item.opcode.is_copy or len(item.dst) != 1:
        return False
    register = item.dst[0].register
    if register.file is not TEMP or not is_direct(register) or register.cell in form.zeros or register.cell in form.carried:
        return False
    if not all(is_direct(operand.register) for operand in item.src):
        return False
    cells = values.writes[place]
    return all(cell >= 0 and cell not in values.pinned and values.writers[cell] == [place] for cell in cells)
