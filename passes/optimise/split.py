"""The pass split-registers."""

from __future__ import annotations

from dataclasses import replace

from passes.analysis import facts
from passes.analysis.access import indexed_operands, indexed_registers
from passes.analysis.makers import LABELLED
from passes.analysis.several import several_webs
from passes.analysis.slots import DESTINATION, OFFSET, SOURCE, slot
from passes.analysis.values import Values
from passes.analysis.webs import Webs
from passes.edit import Operand, destination, moved, plain, source_of, with_operands, with_parts, with_register
from passes.form import Form, FormPass
from tgsi.language.facts.enums import ADDR, TEMP
from tgsi.language.facts.limits import SOFTWARE
from tgsi.language.ir import CHOSEN, PLACES, STILL, Declaration, IndirectRef, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

_MOST = {TEMP: SOFTWARE.temporaries, ADDR: SOFTWARE.addresses}
_UNBOUNDED = 1 << 30
_RESULT = slot(DESTINATION, 0)
_OTHERS = slot(SOURCE + 1, 0)


@record(slots=False)
class SplitRegisters(FormPass):
    """Give every web of writes and reads a TEMP or ADDR of its own, so that most registers hold one value.

    Arrays whose registers no address reaches become plain registers. merge-temporaries goes the other way. Beyond the limits of the
    language registers stay as they are.
    """

    name = "split-registers"

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        return split(Values(program), bounded=True).whole()

    def rewrite(self, form: Form) -> bool:
        """See `FormPass.rewrite`."""
        if form.is_split and not form.is_stale:
            return False
        values = form.values
        if _is_split(values):
            form.zeros, form.carried, form.is_split, form.is_stale = set(), set(), True, False
            return False
        if _is_freer(values):
            before = form.finish()  # labels count instructions
            if before is not form.program:
                form.restart(before)
                form.read()
        elif values.version and not values.layout.is_straight:
            values.find_pinned()
        result = split(form.values, bounded=False)
        is_changed = result.items is not None or result.program is not form.values.program
        form.renew(result.program, result.items)
        form.zeros, form.carried, form.is_split, form.is_stale = result.zeros, result.carried, True, False
        return is_changed


class Split:
    """The result of `split`.

    program: without new instructions. items: these by place; None if no register was split. zeros: the registers that may be read before
    they are written. carried: those that may carry values into the next round of a loop. Both by the cell of channel x.
    """

    __slots__ = ("carried", "items", "program", "zeros")

    def __init__(self, program: Program, items: dict[int, Instruction] | None, zeros: set[int], carried: set[int]) -> None:
        self.program, self.items, self.zeros, self.carried = program, items, zeros, carried

    def whole(self) -> Program:
        """Return the whole program with the renumbered instructions."""
        renumbered = self.items
        if not renumbered:
            return self.program
        return with_parts(
            self.program, instructions=tuple([renumbered.get(place, item) for place, item in enumerate(self.program.instructions)])
        )


def split(values: Values, *, bounded: bool) -> Split:
    """Split the registers of a program. Unless `bounded`, there may be more of them than the language has."""
    program = values.program
    declarations = _without_arrays(program, values)
    if declarations is not program.declarations and declarations != program.declarations:
        program = with_parts(program, declarations=declarations)
    webs = Webs(values)
    if not webs.mentions:
        return Split(program, None, *_facts(webs, {}))
    first = {PLACES[file]: program.file_size(file) for file in _MOST}
    following = dict(first)
    most = {PLACES[file]: _MOST[file] if bounded else _UNBOUNDED for file in _MOST}
    names: dict[int, int] = {}  # web -> cell of the first channel
    owners: set[int] = set()
    changed: dict[int, Instruction] = {}
    items, roots = values.items, webs.roots
    for place, mentions in webs.mentions.items():
        changes: dict[int, int] | None = None
        for number, node, cell in mentions:
            old, root = cell & ~3, roots[node]
            new = names.get(root)
            if new is None:
                new, code = old, cell & 12
                if old in owners and following[code] < most[code]:
                    new = following[code] << 4 | code
                    following[code] += 1
                owners.add(old)
                names[root] = new
            if new != old:
                changes = changes or {}
                changes[number] = new
        if changes and (item := items[place]) is not None:
            changed[place] = _with_plain(item, changes) or _renamed(item, changes)
    zeros, carried = _facts(webs, names)
    if following == first:
        return Split(program, None, zeros, carried)
    more = [Declaration(file, first[code], following[code] - 1) for file in _MOST if following[code := PLACES[file]] > first[code]]
    return Split(with_parts(program, declarations=(*declarations, *more)), changed, zeros, carried)


def _is_freer(values: Values) -> bool:
    """Return true if blocks or addresses may have gone since the values were found."""
    if not LABELLED.isdisjoint(values.opcodes.counts) or values.opcodes.has_lost_flow:
        return True
    if not values.is_indexed or not values.version:
        return False
    return facts.of(values.program, indexed_registers) != indexed_operands(values.items)


def _is_split(values: Values) -> bool:
    """Return true if a program has neither arrays nor registers with several webs."""
    return has_single_writers(values) and not any(item.array_id for item in values.program.declarations)


def can_split(form: Form) -> bool:
    """Return true if splitting the registers of a form again would change anything."""
    values = form.values
    if has_single_writers(values) and not form.zeros:
        return False
    if _is_freer(values):
        return True
    result = split(values, bounded=False)
    return result.items is not None or result.program is not values.program or (result.zeros, result.carried) != (form.zeros, form.carried)


def has_single_writers(values: Values) -> bool:
    """Return true if each register plainly is one web: one instruction, which every lane runs, writes all that is read, and all reads
    follow."""
    return values.layout.is_whole and not values.cells.groups and not several_webs(values)


def _facts(webs: Webs, names: dict[int, int]) -> tuple[set[int], set[int]]:
    """Return the registers that may be read before they are written, and those that may carry values into the next round of a loop."""
    unknown, roots = webs.without_nodes, webs.roots
    starts = {names[root] for node in webs.starts if (root := roots[node]) in names}
    return starts | unknown, {names[root] for node in webs.carried if (root := roots[node]) in names} | unknown


def _without_arrays(program: Program, values: Values) -> tuple[Declaration, ...]:
    """Return the declarations; arrays of TEMP that no operand names by number lose theirs."""
    declarations = []
    if not any(item.array_id for item in program.declarations):
        return program.declarations
    for item in program.declarations:
        if item.file is TEMP and item.array_id and (TEMP, item.array_id) not in values.cells.groups:
            item = replace(item, array_id=0)
        declarations.append(item)
    return tuple(declarations)


def _with_plain(item: Instruction, changes: dict[int, int]) -> Instruction | None:
    """Return the result of `_renamed` in the usual case that only plain registers change; otherwise None."""
    targets = item.dst
    sources: list[SrcOperand] | None = None
    for number, new in changes.items():
        if number == _RESULT:
            if targets[0].register.cell == CHOSEN:
                return None
            targets = (destination(plain(new), targets[0].write_mask), *targets[1:])
            continue
        if number >= _OTHERS or number & 3:
            return None
        sources = sources or list(item.src)
        operand = sources[number >> 2]
        if operand.register.cell == CHOSEN:
            return None
        sources[number >> 2] = source_of(plain(new), operand.swizzle, operand.negate, operand.absolute)
    return with_operands(item, targets, item.src if sources is None else tuple(sources))


def _renamed(item: Instruction, changes: dict[int, int]) -> Instruction:
    changed = with_operands(item, _operands(item.dst, changes, DESTINATION), _operands(item.src, changes, SOURCE))
    return replace(changed, offsets=_operands(item.offsets, changes, OFFSET)) if item.offsets else changed


def _operands(operands: tuple[Operand, ...], changes: dict[int, int], kind: int) -> tuple[Operand, ...]:
    """Return the operands with other registers; `changes` has the new cells of channel x by slot. The same object if none changes."""
    changed: list[Operand] | None = None
    for number, operand in enumerate(operands):
        register = operand.register
        cell = register.cell
        if cell == STILL:
            continue
        if cell == CHOSEN:
            register = _with_indices(register, changes, kind, number)
        new = changes.get(kind << 16 | number << 2)  # its slot
        if new is not None:
            register = plain(new) if cell != CHOSEN else moved(replace(register, array_id=0), new >> 4)
        if register is not operand.register:
            changed = changed or list(operands)
            changed[number] = with_register(operand, register)
    return operands if changed is None else tuple(changed)


def _with_indices(register: RegisterRef, changes: dict[int, int], kind: int, operand: int) -> RegisterRef:
    new = changes.get(slot(kind, operand, 1))
    if new is not None and register.indirect is not None:
        register = replace(register, indirect=IndirectRef(register.indirect.file, new >> 4, register.indirect.component))
    new = changes.get(slot(kind, operand, 2))
    dimension = register.dimension
    if new is not None and dimension is not None and dimension.indirect is not None:
        indirect = IndirectRef(dimension.indirect.file, new >> 4, dimension.indirect.component)
        register = replace(register, dimension=replace(dimension, indirect=indirect))
    return register
