"""The pass split-registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from passes.analysis.cells import CODES, place_of
from passes.analysis.webs import DESTINATION, OFFSET, SOURCE, Webs, slot
from passes.edit import moved, with_operands, with_parts
from passes.form import Form, FormPass
from tgsi.language.facts.enums import ADDR, TEMP
from tgsi.language.facts.limits import SOFTWARE
from tgsi.language.ir import Declaration, DstOperand, IndirectRef, Instruction, RegisterRef, SrcOperand, TexOffset
from tgsi.language.program import Program
from tgsi.language.record import record

_MOST = {TEMP: SOFTWARE.temporaries, ADDR: SOFTWARE.addresses}
_UNBOUNDED = 1 << 30


@record(slots=False)
class SplitRegisters(FormPass):
    """Give every web of writes and reads a TEMP or ADDR of its own, so that most registers hold one value.

    Arrays whose registers no address reaches become plain registers. merge-temporaries goes the other way. Beyond the limits of the
    language registers stay as they are.
    """

    name = "split-registers"

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        return split(program, bounded=True)[0]

    def rewrite(self, form: Form) -> bool:
        """See `FormPass.rewrite`."""
        if form.is_split and not form.is_stale:
            return False
        before = form.finish()
        after, zeros, carried = split(before, bounded=False)
        form.restart(after)
        form.zeros, form.carried, form.is_split = zeros, carried, True
        return after is not before


def split(program: Program, *, bounded: bool) -> tuple[Program, set[RegisterRef], set[RegisterRef]]:
    """Split the registers of a program. Unless `bounded`, there may be more of them than the language has.

    Returns the program, the registers that may be read before they are written, and those that may carry values into the next round of a
    loop.
    """
    webs = Webs(program)
    first = {CODES[file]: program.file_size(file) for file in _MOST}
    following = dict(first)
    most = {CODES[file]: _MOST[file] if bounded else _UNBOUNDED for file in _MOST}
    names: dict[int, int] = {}  # web -> cell of the first channel
    owners: set[int] = set()
    made: list[Instruction] = []
    roots = webs.roots
    for item, mentions in zip(program.instructions, webs.mentions):
        changes: dict[int, int] = {}
        for number, node, cell in mentions:
            old = cell & ~3
            new = names.get(roots[node])
            if new is None:
                new, code = old, cell & 12
                if old in owners and following[code] < most[code]:
                    new = following[code] << 4 | code
                    following[code] += 1
                owners.add(old)
                names[roots[node]] = new
            if new != old:
                changes[number] = new >> 4
        made.append(_renamed(item, changes) if changes else item)
    declarations = _without_arrays(program, webs)
    if following == first and declarations == program.declarations:
        return program, *_facts(webs, names)
    more = [Declaration(file, first[code], following[code] - 1) for file in _MOST if following[code := CODES[file]] > first[code]]
    made_program = with_parts(program, declarations=(*declarations, *more), instructions=tuple(made))
    return made_program, *_facts(webs, names)


def _facts(webs: Webs, names: dict[int, int]) -> tuple[set[RegisterRef], set[RegisterRef]]:
    """Return the registers that may be read before they are written, and those that may carry values into the next round of a loop."""
    unknown = webs.without_nodes

    def registers(nodes: Sequence[int]) -> set[RegisterRef]:
        found = {names[web] for web in {webs.roots[node] for node in nodes} if web in names}
        return {RegisterRef(*place_of(cell)[:2]) for cell in found} | unknown

    return registers(webs.starts), registers(webs.carried)


def _without_arrays(program: Program, webs: Webs) -> tuple[Declaration, ...]:
    """Return the declarations; arrays of TEMP that no operand names by number lose theirs."""
    made = []
    for item in program.declarations:
        if item.file is TEMP and item.array_id and (TEMP, item.array_id) not in webs.cells.groups:
            item = replace(item, array_id=0)
        made.append(item)
    return tuple(made)


def _renamed(item: Instruction, changes: dict[int, int]) -> Instruction:
    src = tuple(SrcOperand(_register(o.register, changes, SOURCE, n), o.swizzle, o.negate, o.absolute) for n, o in enumerate(item.src))
    dst = tuple(DstOperand(_register(o.register, changes, DESTINATION, n), o.write_mask) for n, o in enumerate(item.dst))
    made = with_operands(item, dst, src)
    if item.offsets:
        offsets = tuple(TexOffset(_register(o.register, changes, OFFSET, n), o.swizzle) for n, o in enumerate(item.offsets))
        made = replace(made, offsets=offsets)
    return made


def _register(register: RegisterRef, changes: dict[int, int], kind: int, operand: int) -> RegisterRef:
    if register.indirect is not None or register.dimension is not None:
        register = _with_indices(register, changes, kind, operand)
    index = changes.get(slot(kind, operand))
    if index is None:
        return register
    return moved(register if not register.array_id else replace(register, array_id=0), index)


def _with_indices(register: RegisterRef, changes: dict[int, int], kind: int, operand: int) -> RegisterRef:
    index = changes.get(slot(kind, operand, 1))
    if index is not None and register.indirect is not None:
        register = replace(register, indirect=IndirectRef(register.indirect.file, index, register.indirect.component))
    index = changes.get(slot(kind, operand, 2))
    dimension = register.dimension
    if index is not None and dimension is not None and dimension.indirect is not None:
        indirect = IndirectRef(dimension.indirect.file, index, dimension.indirect.component)
        register = replace(register, dimension=replace(dimension, indirect=indirect))
    return register
