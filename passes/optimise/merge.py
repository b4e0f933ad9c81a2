"""The pass merge-temporaries."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from heapq import heappop, heappush

from passes.analysis.access import free_indexing, is_idle_copy
from passes.analysis.cells import place_of
from passes.analysis.makers import MOVES
from passes.analysis.uses import runs
from passes.analysis.values import Values
from passes.edit import Renamer, changed_in_place, plain, with_parts
from passes.form import Form, FormPass
from passes.optimise.split import SplitRegisters
from tgsi.language.facts.enums import ADDR, TEMP, File
from tgsi.language.ir import PLACES, Declaration, Dimension, IndirectRef, Instruction, RegisterRef
from tgsi.language.program import Program
from tgsi.language.record import record

_FILES = frozenset({TEMP, ADDR})
_PLAIN = {PLACES[file]: file for file in _FILES}
"""The files by their place in cells."""


@record(slots=False)
class MergeTemporaries(FormPass):
    """Let TEMP and ADDR registers share a number if no lane needs both at a time, number them densely, and drop unused ones.

    A copy between two of them that share a number goes, too.
    Arrays keep their registers, and a program that indexes all of TEMP by an address is not changed. A register that is read before it is
    written is needed, as 0, from the start. A program that would only get other numbers, and no fewer registers, stays as it is.
    """

    name = "merge-temporaries"

    def run(self, program: Program) -> Program:
        """See `Pass.run`. The result may be an equal program."""
        form = Form(program)
        self.rewrite(form)
        merged = form.finish()
        return program if merged == program else merged

    def rewrite(self, form: Form) -> bool:
        """See `FormPass.rewrite`."""
        form.renew_cells()
        if not form.is_split:
            SplitRegisters().rewrite(form)
        program, values = form.finish(), form.values
        declared = {item.file for item in program.declarations}
        fixed: dict[File, set[int]] = {}
        for file in _FILES:
            if file in declared and not (values.is_indexed and free_indexing(program, file)):
                fixed[file] = _fixed(values, file)
        spans = _spans(form) if fixed else {}
        names = {file: _chosen(file, spans, fixed[file]) for file in fixed}
        renamed = _Namer(names, fixed, values).program(program)
        if renamed is not program and values.opcodes.bits & MOVES and any(map(is_idle_copy, renamed.instructions)):
            renamed = changed_in_place(renamed, [None if is_idle_copy(item) else item for item in renamed.instructions])
        if renamed is not form.original and _is_renamed(form.original, renamed):
            renamed = form.original
        zeros, carried = form.zeros, form.carried
        if renamed is not program:
            form.restart(renamed)
            form.zeros, form.carried = _renamed(zeros, names), _renamed(carried, names)
        return renamed is not program


def _is_renamed(old: Program, new: Program) -> bool:
    """Return true if two programs that do the same differ in the numbers of TEMP and ADDR registers alone, and the new one has no fewer."""
    if len(old.instructions) != len(new.instructions) or old.immediates != new.immediates:
        return False
    if any(old.file_size(file) > new.file_size(file) for file in _FILES):
        return False
    return all(a is b or _are_alike(a, b) for a, b in zip(old.instructions, new.instructions))


def _are_alike(a: Instruction, b: Instruction) -> bool:
    """Return true if two instructions differ in the numbers of their registers alone."""
    if a.opcode is not b.opcode or a.saturate is not b.saturate or a.label != b.label or len(a.src) != len(b.src) or a.offsets != b.offsets:
        return False
    if a.precise is not b.precise or a.texture is not b.texture or a.memory != b.memory:
        return False
    for one, two in zip(a.dst, b.dst):
        if one.write_mask != two.write_mask or not _is_numbered(one.register, two.register):
            return False
    for source, other in zip(a.src, b.src):
        if source.swizzle != other.swizzle or source.negate is not other.negate or source.absolute is not other.absolute:
            return False
        if not _is_numbered(source.register, other.register):
            return False
    return True


def _is_numbered(one: RegisterRef, two: RegisterRef) -> bool:
    """Return true if two registers are equal, or plain registers of one file of TEMP and ADDR."""
    return one == two or (one.file is two.file and one.file in _FILES and one.cell >= 0 <= two.cell)


Names = dict[File, dict[int, int]]
"""New numbers of registers, by file and old number."""


def _renamed(cells: set[int], names: Names) -> set[int]:
    """Return the new cells of channel x of registers, from their old ones."""
    renamed = set()
    for cell in cells:
        file, index, _ = place_of(cell)
        renamed.add(names[file].get(index, index) * 16 + PLACES[file] if file in names else cell)
    return renamed


Spans = dict[int, tuple[int, int]]
"""The first and the last time at which a register is needed, by the number of its cells without their channel."""


def _chosen(file: File, spans: Spans, fixed: set[int]) -> dict[int, int]:
    """Return the new numbers of the registers of a file that may move."""
    code = PLACES[file] >> 2
    moving = [(first, last, key >> 2) for key, (first, last) in spans.items() if key >= 0 and key & 3 == code and key >> 2 not in fixed]
    moving.sort()
    names: dict[int, int] = {}
    if not moving:
        return names
    free = [index for index in range(len(moving) + len(fixed)) if index not in fixed]  # sorted, so that it is a heap
    ending: list[tuple[int, int]] = []
    for first, last, index in moving:
        while ending and ending[0][0] < first:
            heappush(free, heappop(ending)[1])
        name = heappop(free)
        names[index] = name
        heappush(ending, (last, name))
    return names


def _spans(form: Form) -> Spans:
    """Return the stretch in which each register is needed.

    A read at place p stands at 2 * p and a write at 2 * p + 1, so that a result may take the register of a source.
    """
    values = form.values
    begin: dict[int, int] = {}
    end: dict[int, int] = {}
    time = 0
    for item, reads, writes in zip(values.items, values.reads, values.writes):
        last = -1  # the channels of a register follow each other
        for cell in reads:
            key = cell >> 2
            if key != last:
                last = key
                end[key] = time
                if key not in begin:
                    begin[key] = time
        if writes and item is not None:
            if len(item.dst) == 1 and not item.opcode.uses_64bit:  # it has fetched all its sources before it stores anything
                key = writes[0] >> 2  # all of one register
                end[key] = time + 1
                if key not in begin:
                    begin[key] = time + 1
            else:
                for cell in writes:
                    key = cell >> 2
                    end[key] = time
                    if key not in begin:
                        begin[key] = time
        time += 2
    for cell in _read_first(values) if form.zeros and values.layout.is_straight else form.zeros:
        if (key := cell >> 2) in begin:
            begin[key] = -1
    if not values.layout.loops:
        return {key: (first, end[key]) for key, first in begin.items()}
    return _through_loops(form, {key: (first, end[key]) for key, first in begin.items()})


def _read_first(values: Values) -> set[int]:
    """Return the cells that a program without branches reads before it writes them. There may have been more when it was split."""
    written: set[int] = set()
    cells: set[int] = set()
    for reads, writes in zip(values.reads, values.writes):
        cells.update(cell for cell in reads if cell not in written)
        written.update(writes)
    return cells


def _through_loops(form: Form, spans: Spans) -> Spans:
    """Return the stretches so that they also cover the loops that repeat a part of them."""
    values = form.values
    layout = values.layout
    carried = {cell >> 2 for cell in form.carried}
    extended = spans.copy()
    for place, (reads, writes) in enumerate(zip(values.reads, values.writes)):
        loop = layout.loop_of(place)
        while loop >= 0:
            begin, stop, around = layout.loops[loop]
            for key in {cell >> 2 for cell in reads + writes}:
                start, end = spans[key][0] // 2, spans[key][1] // 2
                if key in carried or not (begin < start and end < stop):
                    extended[key] = min(extended[key][0], 2 * begin), max(extended[key][1], 2 * stop + 1)
            loop = around
    return extended


def _fixed(values: Values, file: File) -> set[int]:
    """Return the numbers that no other register may get: of arrays, of subroutines, of what other lanes may see."""
    code = PLACES[file]
    fixed: set[int] = set()
    if values.pinned or values.shared:
        fixed = {cell >> 4 for cell in (*values.pinned, *values.shared) if cell >= 0 and cell & 12 == code}
    if values.cells.groups:
        for item in values.program.declared(file):
            if item.array_id and (file, item.array_id) in values.cells.groups:
                fixed.update(range(item.first, item.last + 1))
    return fixed


_LOCAL = {True}


@lru_cache(maxsize=1024)
def _declared(file: File, first: int, last: int, local: bool) -> Declaration:
    return Declaration(file, first, last, local=local)


class _Plain(dict[int, RegisterRef]):
    """The new register for a TEMP or ADDR without address, by its cell."""

    def __init__(self, name: Callable[[File, int], int]) -> None:
        super().__init__()
        self._name = name

    def __missing__(self, cell: int) -> RegisterRef:
        place = cell & 12
        register = self[cell] = plain(self._name(_PLAIN[place], cell >> 4) << 4 | place)
        return register


class _Namer:
    """Renames the registers of a program, and declares them anew."""

    def __init__(self, names: Names, fixed: dict[File, set[int]], values: Values) -> None:
        self._names = names
        self._fixed = fixed
        self._arrays = values.cells.groups

    def program(self, program: Program) -> Program:
        """Return the program with its new names."""
        instructions = Renamer(_Plain(self._name), self._renamed).instructions(program.instructions)
        declarations = self._declarations(program)
        if declarations == program.declarations and instructions is program.instructions:
            return program
        return with_parts(program, declarations=declarations, instructions=instructions)

    def _declarations(self, program: Program) -> tuple[Declaration, ...]:
        declarations: list[Declaration] = []
        waiting: dict[File, list[Declaration]] = {}
        arrays = self._arrays
        for file, fixed in self._fixed.items():
            used = {*self._names[file].values(), *fixed}
            kinds: set[bool] = set()
            for item in program.declarations:
                if item.file is file:
                    if item.array_id and (file, item.array_id) in arrays:
                        used.difference_update(range(item.first, item.last + 1))
                    else:
                        kinds.add(item.local)
            waiting[file] = [_declared(file, first, last, kinds == _LOCAL) for first, last in runs(sorted(used))]
        for item in program.declarations:
            if item.file not in waiting or (item.array_id and (item.file, item.array_id) in arrays):
                declarations.append(item)
            else:
                declarations += waiting[item.file]
                waiting[item.file] = []
        return tuple(declarations)

    def _renamed(self, register: RegisterRef) -> RegisterRef:
        """Return a register that an address chooses with its new number, and new numbers of those that index it."""
        file, index, dimension, indirect = register.file, register.index, register.dimension, register.indirect
        if indirect is not None:
            indirect = self._index(indirect)
        elif file in self._names:
            index = self._name(file, index)
        if dimension is not None and dimension.indirect is not None and (row := self._index(dimension.indirect)) is not dimension.indirect:
            dimension = Dimension(dimension.index, row, dimension.array_id)
        if indirect is register.indirect and dimension is register.dimension and index == register.index:
            return register
        return RegisterRef(file, index, dimension, indirect, register.array_id)

    def _index(self, ref: IndirectRef) -> IndirectRef:
        """Return the register of an index with its new number, the same object if it keeps it."""
        name = self._name(ref.file, ref.index)
        return ref if name == ref.index else IndirectRef(ref.file, name, ref.component)

    def _name(self, file: File, index: int) -> int:
        """Return the new number of a register. Any will do for one that an operand names without reading or writing a channel."""
        known = self._names.get(file)
        if known is None:
            return index
        name = known.get(index)
        if name is None:
            name = index if index in self._fixed[file] else 0
            known[index] = name
        return name
