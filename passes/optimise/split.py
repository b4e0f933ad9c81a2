"""The pass split-registers."""

from __future__ import annotations

from dataclasses import replace

from passes.analysis.webs import DESTINATION, OFFSET, SOURCE, Webs, slot
from passes.edit import moved, with_operands
from passes.form import Form, FormPass
from tgsi.language.facts.enums import File
from tgsi.language.facts.limits import SOFTWARE
from tgsi.language.ir import Declaration, DstOperand, IndirectRef, Instruction, RegisterRef, SrcOperand, TexOffset
from tgsi.language.program import Program
from tgsi.language.record import record

_MOST = {File.TEMP: SOFTWARE.temporaries, File.ADDR: SOFTWARE.addresses}
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
    first = {file: program.file_size(file) for file in _MOST}
    following = dict(first)
    most = _MOST if bounded else dict.fromkeys(_MOST, _UNBOUNDED)
    names: dict[int, int] = {}
    owners: set[tuple[File, int]] = set()
    made: list[Instruction] = []
    files: dict[int, File] = {}
    for item, mentions in zip(program.instructions, webs.mentions):
        changes: dict[int, int] = {}
        for number, node in mentions:
            file, index = _named(item, number)
            web = webs.web(node)
            name = names.get(web)
            if name is None:
                name = index
                if (file, index) in owners and following[file] < most[file]:
                    name = following[file]
                    following[file] += 1
                owners.add((file, index))
                names[web] = name
                files[web] = file
            if name != index:
                changes[number] = name
        made.append(_renamed(item, changes) if changes else item)
    declarations = _without_arrays(program, webs)
    if following == first and declarations == program.declarations:
        return program, *_facts(webs, names, files)
    more = tuple(Declaration(file, first[file], following[file] - 1) for file in _MOST if following[file] > first[file])
    made_program = replace(program, declarations=declarations + more, instructions=tuple(made))
    return made_program, *_facts(webs, names, files)


def _facts(webs: Webs, names: dict[int, int], files: dict[int, File]) -> tuple[set[RegisterRef], set[RegisterRef]]:
    zeros = {webs.web(node) for node in webs.starts}
    carried = {webs.web(node) for node in webs.carried}
    unknown = webs.without_nodes
    return (
        {RegisterRef(files[web], names[web]) for web in zeros if web in names} | unknown,
        {RegisterRef(files[web], names[web]) for web in carried if web in names} | unknown,
    )


def _without_arrays(program: Program, webs: Webs) -> tuple[Declaration, ...]:
    """Return the declarations; arrays of TEMP that no operand names by number lose theirs."""
    made = []
    for item in program.declarations:
        if item.file is File.TEMP and item.array_id and (File.TEMP, item.array_id) not in webs.cells.groups:
            item = replace(item, array_id=0)
        made.append(item)
    return tuple(made)


def _named(item: Instruction, number: int) -> tuple[File, int]:
    """Return file and index of the register in a slot."""
    operands: tuple[SrcOperand | DstOperand | TexOffset, ...] = (item.src, item.dst, item.offsets)[number >> 16]
    register = operands[number >> 2 & 0x3FFF].register
    if not number & 3:
        return register.file, register.index
    dimension = register.dimension
    ref = register.indirect if number & 3 == 1 or dimension is None else dimension.indirect
    assert ref is not None
    return ref.file, ref.index


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
