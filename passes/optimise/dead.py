"""The pass remove-dead-code."""

from __future__ import annotations

from collections.abc import Sequence

from passes.analysis.access import results
from passes.analysis.cells import Cells, source_masks
from passes.analysis.unseen import EMITS, unseen_outputs
from passes.analysis.values import Values
from passes.edit import destination, rebuilt, with_operands
from passes.form import Form, FormPass
from passes.optimise.split import split
from tgsi.language.facts.enums import OUT
from tgsi.language.facts.traits import ELSE, ENDIF, IF, Flow
from tgsi.language.ir import PLACES, DstOperand, Instruction
from tgsi.language.program import Program
from tgsi.language.record import record

_OUTPUT = PLACES[OUT]


@record(slots=False)
class RemoveDeadCode(FormPass):
    """Drop instructions, channels of write masks, and branches that nothing needs.

    Outputs that are seen, memory, kills, emitted vertices and barriers are needed, and everything that they depend on. An output that is
    overwritten before the end, EMIT or a read sees it is not. Loops stay, and so do declarations. With `branches=no` programs that have
    branches stay as they are: the others take one walk.
    """

    name = "remove-dead-code"
    branches: bool = True

    def run(self, program: Program) -> Program:
        """See `Pass.run`. In programs with branches, needs are found with a register for every web."""
        form = Form(program)
        if form.values.layout.is_whole or not self.branches:
            return form.finish() if self.rewrite(form) else program
        while True:
            form = Form(split(Values(program), bounded=False).whole())
            form.is_split = True
            if not self.rewrite(form):
                return program
            code: list[Sequence[Instruction]] = []
            for old, new in zip(program.instructions, form.values.items):
                if new is None:
                    code.append(())
                elif new.dst and old.dst and new.dst[0].write_mask != old.dst[0].write_mask:
                    code.append((with_operands(old, (DstOperand(old.dst[0].register, new.dst[0].write_mask), *old.dst[1:]), old.src),))
                else:
                    code.append((old,))
            program = rebuilt(program, code)

    def rewrite(self, form: Form) -> bool:
        """See `FormPass.rewrite`."""
        if form.values.layout.is_whole:
            return form.values.unread_at != form.values.version and _without_unread(form.values)
        if not self.branches:
            return False
        if not form.is_split:
            before = form.finish()
            after = self.run(before)
            if after is not before:
                form.restart(after)
            return after is not before
        removed = _without_dead(form)
        return _without_empty_branches(form) or removed


def _without_unread(values: Values) -> bool:
    """Remove from a program without branches what no later instruction reads; return true if that is anything."""
    items, reads, writes = values.items, values.reads, values.writes
    needed: set[int] = set()  # cells that later instructions read
    covered: set[int] = set()  # cells of OUT that are overwritten later, before anything reads them
    changed = False
    for place in range(len(items) - 1, -1, -1):
        item = items[place]
        if item is None:
            continue
        targets, opcode, written = item.dst, item.opcode, writes[place]
        if not targets or not opcode.is_removable:
            if opcode.has_no_effect:
                values.remove(place)
                changed = True
                continue
            if opcode.flow is not None or opcode in EMITS:
                covered.clear()
        elif len(targets) == 1 and written and written[0] >= 0:
            if written[0] & _OUTPUT:
                if not covered.isdisjoint(written) and (mask := _seen(item, _channels(covered, written))) != targets[0].write_mask:
                    if not mask:
                        values.remove(place)
                        changed = True
                        continue
                    changed |= _narrow(values, place, item, mask)
                if not opcode.uses_64bit:
                    covered.update(written)
            elif needed.issuperset(written):
                needed.difference_update(written)
            else:
                mask = _channels(needed, written)
                if not mask:
                    values.remove(place)
                    changed = True
                    continue
                needed.difference_update(written)
                changed |= _narrow(values, place, item, mask)
        else:
            mask = _seen(item, 0) | _channels(needed, written)
            needed.difference_update([cell for cell in written if cell >= 0])  # an address leaves the other registers of its group
            if not mask:
                values.remove(place)
                changed = True
                continue
            changed |= _narrow(values, place, item, mask)
        needed.update(reads[place])
        if covered:
            covered.difference_update(reads[place])
    values.unread_at = values.version
    return changed


def _channels(known: set[int], cells: Cells) -> int:
    """Return the channels of those cells that are in a set; all channels for a cell that registers share."""
    mask = 0
    for cell in cells:
        if cell in known:
            mask |= 1 << (cell & 3) if cell >= 0 else 15
    return mask


def _narrow(values: Values, place: int, item: Instruction, mask: int) -> bool:
    """Leave out the channels of a result that are not in `mask`, if the opcode allows that; return true if there are any."""
    target = item.dst[0]
    if not target.write_mask & ~mask or not item.opcode.narrows or len(item.dst) > 1:
        return False
    values.put(place, with_operands(item, (destination(target.register, target.write_mask & mask),), item.src))
    return True


def _without_dead(form: Form) -> bool:
    """Remove instructions whose results are not needed; return true if there are any."""
    values = form.values
    items, reads = values.items, values.reads
    hidden = _hidden(values)
    needed: set[int] = set(values.pinned)
    alive: dict[int, int] = {}
    pending: list[int] = []
    candidates: set[int] = set()
    branches = _Branches(values, pending)
    for place, item in enumerate(items):
        if item is None or branches.skip(place, item):
            continue
        if not item.dst or not item.opcode.is_removable:
            if not item.opcode.has_no_effect:
                pending += reads[place]
                branches.need(place)
            else:
                candidates.add(place)
            continue
        mask = _seen(item, hidden.get(place, 0)) if hidden or item.dst[0].register.file is OUT or len(item.dst) > 1 else 0
        if mask:
            alive[place] = mask
            _need(values, place, item, mask, pending)
            branches.need(place)
        else:
            candidates.add(place)
    pending += needed
    needed.clear()
    while pending:
        cell = pending.pop()
        if cell in needed:
            continue
        needed.add(cell)
        for place in values.writers.get(cell, ()):
            before = alive.get(place, 0)
            if not before and place not in candidates:
                continue
            item = items[place]
            mask = before | (15 if cell < 0 else 1 << (cell & 3))
            if mask == before or item is None or results(item)[0].register.file is OUT:
                continue
            alive[place] = mask
            if not before:
                candidates.discard(place)
                branches.need(place)
            _need(values, place, item, mask, pending)
    changed = bool(candidates)
    for place in candidates:
        values.remove(place)
    for place, mask in alive.items():
        item = items[place]
        assert item is not None
        changed |= _narrow(values, place, item, mask)
    return changed


class _Branches:
    """The IFs of a program: the condition of one is needed if anything inside of it is."""

    def __init__(self, values: Values, pending: list[int]) -> None:
        self._reads, self._pending = values.reads, pending
        self._region, self._parents = values.layout.region, values.layout.parents
        self._heads: dict[int, int] = {}  # by the region of an arm
        self._open: list[int] = []
        self._needed = {-1}  # regions

    def skip(self, place: int, item: Instruction) -> bool:
        """Return true for IF, ELSE and ENDIF, which nothing needs by themselves, and note the region that an arm opens."""
        flow = item.opcode.flow
        if flow is IF:
            self._open.append(place)
        elif flow is ENDIF:
            self._open.pop()
        elif flow is not ELSE:
            return False
        if flow is not ENDIF and self._region[place + 1] != self._region[place]:
            self._heads[self._region[place + 1]] = self._open[-1]
        return True

    def need(self, place: int) -> None:
        """Note that an instruction is needed, and with it the conditions of the IFs around it."""
        region = self._region[place]
        while region not in self._needed:
            self._needed.add(region)
            if region in self._heads:
                self._pending += self._reads[self._heads[region]]
            region = self._parents[region]


def _hidden(values: Values) -> dict[int, int]:
    """Return, by place, the channels of outputs that nothing sees; a channel that is written once is always seen."""
    if not values.may_overwrite_outputs:
        return {}
    are_read = any(cell & 12 == _OUTPUT for cell in set().union(*values.reads) if cell >= 0)
    return unseen_outputs(values.items, values.cells, are_read=are_read)


def _seen(item: Instruction, hidden: int) -> int:
    """Return the channels of a removable instruction's destinations that are seen from outside."""
    mask = 0
    for operand in results(item):
        if operand.register.file is OUT:
            mask |= operand.write_mask if operand.register.indirect is not None else operand.write_mask & ~hidden
    return mask


def _need(values: Values, place: int, item: Instruction, mask: int, pending: list[int]) -> None:
    """Note what an instruction reads for the channels of `mask`."""
    opcode = item.opcode
    if item.dst[0].write_mask == mask or not opcode.is_componentwise or opcode.uses_64bit or not opcode.is_computed:
        pending += values.reads[place]
        return
    for operand, read in zip(item.src, source_masks(item)):
        pending += values.cells.source(operand, read & mask)
        pending += values.cells.index_cells(operand.register)
    pending += values.cells.index_cells(item.dst[0].register)


def _without_empty_branches(form: Form) -> bool:
    """Drop IF, ENDIF and ELSE with nothing between them; inner ones first."""
    if form.values.layout.is_straight:
        return False
    remaining: list[int] = []
    gone: list[int] = []
    items = form.values.items
    for place, item in enumerate(items):
        if item is None:
            continue
        remaining.append(place)
        if item.opcode.flow is ENDIF:
            if _flow(items[remaining[-2]]) is ELSE:
                gone.append(remaining.pop(-2))
            if _flow(items[remaining[-2]]) is IF:
                gone += remaining[-2:]
                del remaining[-2:]
    for place in gone:
        form.values.remove(place)
    return bool(gone)


def _flow(item: Instruction | None) -> Flow | None:
    return item.opcode.flow if item is not None else None
