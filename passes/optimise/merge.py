"""The pass merge-temporaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush
from operator import is_

from passes.analysis.access import free_indexing, indices_of
from passes.analysis.cells import CODES
from passes.analysis.uses import runs
from passes.analysis.values import Values
from passes.edit import moved, with_operands
from passes.form import Form, FormPass
from passes.optimise.split import SplitRegisters
from tgsi.language.facts.enums import File
from tgsi.language.ir import Declaration, DstOperand, IndirectRef, Instruction, RegisterRef, SrcOperand, TexOffset
from tgsi.language.program import Program
from tgsi.language.record import record

_FILES = (File.TEMP, File.ADDR)
_PLAIN = {file: RegisterRef(file, 0) for file in _FILES}


@record(slots=False)
class MergeTemporaries(FormPass):
    """Let TEMP and ADDR registers share a number if no lane needs both at a time, number them densely, and drop unused ones.

    Arrays keep their registers, and a program that indexes all of TEMP by an address is not changed. A register that is read before it is
    written is needed, as 0, from the start.
    """

    name = "merge-temporaries"

    def run(self, program: Program) -> Program:
        """See `Pass.run`. The result may be an equal program."""
        form = Form(program)
        self.rewrite(form)
        made = form.finish()
        return program if made == program else made

    def rewrite(self, form: Form) -> bool:
        """See `FormPass.rewrite`."""
        form.renew_cells()
        if not form.is_split:
            SplitRegisters().rewrite(form)
        program, values = form.finish(), form.values
        names: dict[RegisterRef, int] = {}
        files = [file for file in _FILES if program.declared(file) and not free_indexing(program, file)]
        for file in files:
            names |= _chosen(form, file)
        made = _Namer(names, values, files).program(program)
        zeros, carried = form.zeros, form.carried
        if made is not program:
            form.restart(made)
            form.zeros = {RegisterRef(r.file, names.get(r, r.index)) for r in zeros}
            form.carried = {RegisterRef(r.file, names.get(r, r.index)) for r in carried}
        return made is not program


def _chosen(form: Form, file: File) -> dict[RegisterRef, int]:
    """Return the new numbers of the registers of a file that may move."""
    spans, fixed = _spans(form, file)
    names: dict[RegisterRef, int] = {}
    free = [index for index in range(len(spans) + len(fixed)) if index not in fixed]
    heapify(free)
    ending: list[tuple[int, int]] = []
    for first, last, index in sorted((first, last, index) for index, (first, last) in spans.items()):
        while ending and ending[0][0] < first:
            heappush(free, heappop(ending)[1])
        name = heappop(free)
        names[RegisterRef(file, index)] = name
        heappush(ending, (last, name))
    return names


def _spans(form: Form, file: File) -> tuple[dict[int, tuple[int, int]], set[int]]:
    """Return the registers that may move, each with the stretch in which it is needed, and the numbers of those that stay.

    A read at place p stands at 2 * p and a write at 2 * p + 1, so that a result may take the register of a source.
    """
    values = form.values
    code = CODES[file]
    mentions: dict[int, list[int]] = {}
    for table in (values.readers, values.writers):
        late = table is values.writers
        for cell, places in table.items():
            if cell < 0 or cell & 12 != code or not places:
                continue
            found = mentions.setdefault(cell >> 4, [])
            found += [2 * place + (late and _stores_once(values.items[place])) for place in places]
    fixed = _fixed(values, file)
    loops = values.layout.loops
    spans: dict[int, tuple[int, int]] = {}
    for index, places in mentions.items():
        if index in fixed:
            continue
        register = RegisterRef(file, index)
        first, last = -1 if register in form.zeros else min(places), max(places)
        if loops:
            first, last = _through_loops(values, places, first, last, register in form.carried)
        spans[index] = first, last
    return spans, fixed


def _stores_once(item: Instruction | None) -> bool:
    """Return true if an instruction has fetched all its sources before it stores anything."""
    return item is not None and len(item.dst) == 1 and not item.opcode.uses_64bit


def _through_loops(values: Values, places: list[int], first: int, last: int, carried: bool) -> tuple[int, int]:
    """Return a stretch that also covers the loops that repeat a part of it."""
    layout = values.layout
    start, end = first // 2, last // 2
    for place in {place // 2 for place in places}:
        loop = layout.loop_of(place)
        while loop >= 0:
            begin, stop, around = layout.loops[loop]
            if carried or not (begin < start and end < stop):
                first, last = min(first, 2 * begin), max(last, 2 * stop + 1)
            loop = around
    return first, last


def _fixed(values: Values, file: File) -> set[int]:
    """Return the numbers that no other register may get: of arrays, of subroutines, of what other lanes may see."""
    program = values.program
    found = {cell >> 4 for cell in values.pinned if cell >= 0 and cell & 12 == CODES[file]}
    for item in program.declared(file):
        if item.array_id and (file, item.array_id) in values.cells.groups:
            found.update(range(item.first, item.last + 1))
    found.update(cell >> 4 for cell in values.shared if cell >= 0 and cell & 12 == CODES[file])
    return found


class _Namer:
    """Renames the registers of a program, and declares them anew."""

    def __init__(self, names: dict[RegisterRef, int], values: Values, files: Sequence[File]) -> None:
        self.names = names
        self._values = values
        self._fixed = {file: _fixed(values, file) for file in files}
        self._by_file: dict[File, dict[int, int]] = {file: {} for file in files}
        for register, name in names.items():
            self._by_file[register.file][register.index] = name

    def program(self, program: Program) -> Program:
        """Return the program with its new names."""
        instructions = tuple(map(self._instruction, program.instructions))
        declarations = self._declarations(program)
        if declarations == program.declarations and all(map(is_, instructions, program.instructions)):
            return program
        return replace(program, declarations=declarations, instructions=instructions)

    def _declarations(self, program: Program) -> tuple[Declaration, ...]:
        made: list[Declaration] = []
        waiting: dict[File, list[Declaration]] = {}
        arrays = self._values.cells.groups
        for file, fixed in self._fixed.items():
            used = {name for register, name in self.names.items() if register.file is file} | fixed
            plain = [item for item in program.declared(file) if not (item.array_id and (file, item.array_id) in arrays)]
            used -= {i for item in program.declared(file) if item not in plain for i in range(item.first, item.last + 1)}
            local = bool(plain) and all(item.local for item in plain)
            waiting[file] = [Declaration(file, first, last, local=local) for first, last in runs(sorted(used))]
        for item in program.declarations:
            if item.file not in waiting or (item.array_id and (item.file, item.array_id) in arrays):
                made.append(item)
            else:
                made += waiting[item.file]
                waiting[item.file] = []
        return tuple(made)

    def _instruction(self, item: Instruction) -> Instruction:
        src = tuple(map(self._source, item.src))
        dst = tuple(map(self._destination, item.dst))
        if item.offsets:
            item = replace(item, offsets=tuple(TexOffset(self._register(o.register), o.swizzle) for o in item.offsets))
        if all(map(is_, src, item.src)) and all(map(is_, dst, item.dst)):
            return item
        return with_operands(item, dst, src)

    def _source(self, operand: SrcOperand) -> SrcOperand:
        register = operand.register
        if register.file not in _FILES and register.indirect is None and register.dimension is None:
            return operand
        register = self._register(register)
        return operand if register is operand.register else SrcOperand(register, operand.swizzle, operand.negate, operand.absolute)

    def _destination(self, operand: DstOperand) -> DstOperand:
        register = self._register(operand.register)
        return operand if register is operand.register else DstOperand(register, operand.write_mask)

    def _register(self, register: RegisterRef) -> RegisterRef:
        if register.indirect is None and register.dimension is None:
            if register.file not in _FILES:
                return register
            name = self._name(register.file, register.index)
            return register if name == register.index and not register.array_id else moved(_PLAIN[register.file], name)
        changes = {ref: IndirectRef(ref.file, self._name(ref.file, ref.index), ref.component) for ref in indices_of(register)}
        if register.indirect is not None:
            register = replace(register, indirect=changes[register.indirect])
        else:
            register = moved(register, self._name(register.file, register.index))
        dimension = register.dimension
        if dimension is not None and dimension.indirect is not None:
            register = replace(register, dimension=replace(dimension, indirect=changes[dimension.indirect]))
        return register

    def _name(self, file: File, index: int) -> int:
        """Return the new number of a register. Any will do for one that an operand names without reading or writing a channel."""
        known = self._by_file.get(file)
        if known is None:
            return index
        name = known.get(index)
        if name is None:
            name = index if index in self._fixed[file] else 0
            known[index] = name
            self.names[RegisterRef(file, index)] = name
        return name
