"""Tools to make a changed program: labels that keep their targets, immediates that are found or added, new temporaries."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter, is_
from typing import Any, TypeVar

from passes.analysis import facts
from passes.analysis.access import free_indexing, indexed_registers
from passes.analysis.cells import place_of
from tgsi.language.facts.enums import IMM, TEMP, File, ImmediateType
from tgsi.language.facts.limits import SOFTWARE
from tgsi.language.facts.opcodes import OpcodeInfo
from tgsi.language.facts.traits import CALL, SUBROUTINE
from tgsi.language.ir import CHOSEN, Declaration, DstOperand, Immediate, Instruction, RegisterRef, SrcOperand, TexOffset
from tgsi.language.program import Program
from tgsi.language.record import open_twin

_label = attrgetter("label")
_NO_LABEL = {None}
_KINDS = {"float": ImmediateType.FLT32, "int": ImmediateType.INT32}


def rebuilt(program: Program, instructions: Sequence[Sequence[Instruction]]) -> Program:
    """Return the program with each instruction replaced by a sequence of any length; labels keep their targets."""
    flat = [item for new in instructions for item in new]
    if len(flat) == len(program.instructions) and all(map(is_, flat, program.instructions)):
        return program
    if set(map(_label, flat)) <= _NO_LABEL:
        return with_parts(program, instructions=tuple(flat))
    places = [0]
    for new in instructions:
        places.append(places[-1] + len(new))
    relabeled = []
    for item in flat:
        label = item.label
        if label is not None:
            if item.opcode.flow is CALL:
                label = _sub(program, label)
            label = places[label] if 0 <= label < len(places) else places[-1]
            item = item if label == item.label else with_operands(item, item.dst, item.src, label)
        relabeled.append(item)
    return with_parts(program, instructions=tuple(relabeled))


def changed_in_place(program: Program, items: Sequence[Instruction | None]) -> Program:
    """Return the program with each instruction replaced by another one, or removed (None); labels keep their targets."""
    remaining = [item for item in items if item is not None]
    if not set(map(_label, remaining)) <= _NO_LABEL:
        return rebuilt(program, [() if item is None else (item,) for item in items])
    return with_parts(program, instructions=tuple(remaining))


def _sub(program: Program, label: int) -> int:
    """Return the BGNSUB that a call means: its label names that or the instruction after it."""
    for index in (label, label - 1):
        if 0 <= index < len(program.instructions) and program.instructions[index].opcode.flow is SUBROUTINE:
            return index
    return label


class Immediates:
    """The immediates of a program that is being changed."""

    __slots__ = ("_holders", "_open", "_program", "items")

    def __init__(self, program: Program) -> None:
        self._program = program
        self.items = list(program.immediates)
        self._open: dict[ImmediateType, int] = {}  # the last immediate of each type that was added
        self._holders: dict[int, dict[int, None]] | None = None

    def copy(self) -> Immediates:
        """Return immediates that change apart from these."""
        duplicate = Immediates(self._program)
        duplicate.items = self.items.copy()
        return duplicate

    def source(self, words: Sequence[int | None], kind: str) -> SrcOperand | None:
        """Return an operand whose channel c is ``words[c]`` (None: any word), or None if there is no room for a new immediate.

        A program that indexes its immediates by an address can observe their number, so none is added to it.
        """
        wanted = list(dict.fromkeys([word for word in words if word is not None]))
        rest = set(wanted[1:])
        for index in self._having(wanted[0]) if wanted else range(min(1, len(self.items))):
            if not rest or rest.issubset(self.items[index].words):
                return _operand(index, self.items[index].words, words)
        if not wanted or free_indexing(self._program, IMM):
            return None
        type_ = _KINDS.get(kind, ImmediateType.UINT32)
        index = self._open.get(type_, -1)
        if index >= 0:
            old = self.items[index].words
            new = [*dict.fromkeys(old), *(word for word in wanted if word not in old)]
            if len(new) <= 4 and _keeps(old, _four(new)):
                self._place(index, Immediate(type_, _four(new)))
                return _operand(index, self.items[index].words, words)
        if len(self.items) >= SOFTWARE.immediates:
            return None
        self.items.append(Immediate(type_, _four(wanted)))
        self._open[type_] = len(self.items) - 1
        self._place(len(self.items) - 1, self.items[-1])
        return _operand(len(self.items) - 1, self.items[-1].words, words)

    def _having(self, word: int) -> list[int]:
        """Return the immediates with a word, in order."""
        if len(self.items) <= _FEW:
            return [index for index, item in enumerate(self.items) if word in item.words]
        if self._holders is None:
            self._holders = {}
            for index, item in enumerate(self.items):
                for own in item.words:
                    self._holders.setdefault(own, {})[index] = None
        return sorted(self._holders.get(word, ()))

    def _place(self, index: int, item: Immediate) -> None:
        self.items[index] = item
        if self._holders is not None:
            for word in item.words:
                self._holders.setdefault(word, {})[index] = None

    def finish(self, program: Program) -> Program:
        """Return the program with these immediates."""
        return program if len(self.items) == len(self._program.immediates) else with_parts(program, immediates=tuple(self.items))


def _four(words: Sequence[int]) -> tuple[int, int, int, int]:
    filled = [*words, *[words[-1]] * 4]
    return filled[0], filled[1], filled[2], filled[3]


def _keeps(old: tuple[int, int, int, int], new: tuple[int, int, int, int]) -> bool:
    """Return true if each old word is first found in its old channel, so that existing operands stay right."""
    return all(new.index(word) == old.index(word) for word in old)


_FEW = 16
"""Immediates that are looked at one after the other to find a word."""

_FIRST = RegisterRef(IMM, 0)


def _operand(index: int, have: tuple[int, int, int, int], words: Sequence[int | None]) -> SrcOperand:
    places = [-1 if word is None else have.index(word) for word in words]
    if -1 in places:
        first = next((place for place in places if place >= 0), 0)
        places = [first if place < 0 else place for place in places]
    x, y, z, w = places
    return source_of(moved(_FIRST, index), (x, y, z, w))


def as_float(word: int) -> float:
    """Return the float of 32 bits."""
    value: float = struct.unpack("<f", struct.pack("<I", word))[0]
    return value


_Open, _OpenSource = open_twin(Instruction), open_twin(SrcOperand)


def source_of(register: RegisterRef, swizzle: tuple[int, int, int, int], negate: bool = False, absolute: bool = False) -> SrcOperand:
    """Return a source, in two thirds of the time of its constructor."""
    operand = _OpenSource()
    operand.register, operand.swizzle, operand.negate, operand.absolute = register, swizzle, negate, absolute
    operand.__class__ = SrcOperand
    return operand  # type: ignore[no-any-return]


def with_operands(
    item: Instruction, dst: tuple[DstOperand, ...], src: tuple[SrcOperand, ...], label: int | None = None, *, saturate: bool | None = None
) -> Instruction:
    """Return an instruction with other operands, and with a label or a saturation if one is given."""
    changed = _Open()
    changed.opcode, changed.dst, changed.src, changed.precise = item.opcode, dst, src, item.precise
    changed.saturate = item.saturate if saturate is None else saturate
    changed.label = item.label if label is None else label
    changed.texture, changed.returns, changed.offsets, changed.memory, changed.span = (
        item.texture,
        item.returns,
        item.offsets,
        item.memory,
        item.span,
    )
    changed.__class__ = Instruction
    return changed  # type: ignore[no-any-return]


def with_opcode(
    item: Instruction, opcode: OpcodeInfo, src: tuple[SrcOperand, ...], *, saturate: bool = False, precise: bool = False
) -> Instruction:
    """Return an instruction with the same destination that computes something else."""
    changed = _Open()
    changed.opcode, changed.dst, changed.src, changed.saturate, changed.precise = opcode, item.dst, src, saturate, precise
    changed.texture, changed.returns, changed.offsets, changed.memory = item.texture, item.returns, item.offsets, item.memory
    changed.label, changed.span = item.label, item.span
    changed.__class__ = Instruction
    return changed  # type: ignore[no-any-return]


def with_parts(
    program: Program,
    *,
    declarations: tuple[Declaration, ...] | None = None,
    immediates: tuple[Immediate, ...] | None = None,
    instructions: tuple[Instruction, ...] | None = None,
) -> Program:
    """Return a program with other parts, in a tenth of the time of `dataclasses.replace`."""
    changed = object.__new__(Program)
    changed.__dict__.update(
        processor=program.processor,
        declarations=program.declarations if declarations is None else declarations,
        immediates=program.immediates if immediates is None else immediates,
        properties=program.properties,
        instructions=program.instructions if instructions is None else instructions,
        source=program.source,
        notes=program.notes,
        interface=program.interface,
    )
    if instructions is None and (known := facts.known(program, indexed_registers)) is not None:
        facts.keep(changed, indexed_registers, known)
    return changed


def moved(register: RegisterRef, index: int) -> RegisterRef:
    """Return a register with another number; a direct one without dimension is the same object each time."""
    if register.dimension is None and register.indirect is None and not register.array_id:
        key = register.file, index
        reference = _plain.get(key)
        if reference is None:
            reference = _plain[key] = RegisterRef(register.file, index)
        return reference
    return RegisterRef(register.file, index, register.dimension, register.indirect, register.array_id)


_plain: dict[tuple[File, int], RegisterRef] = {}


def plain(cell: int) -> RegisterRef:
    """Return the plain register whose channel x has a cell; the same object each time."""
    reference = _registers.get(cell)
    if reference is None:
        file, index, _ = place_of(cell)
        reference = _registers[cell] = moved(RegisterRef(file, 0), index)
    return reference


_registers: dict[int, RegisterRef] = {}


def destination(register: RegisterRef, mask: int) -> DstOperand:
    """Return a destination. A plain one is the same object each time."""
    if register.cell < 0 or register.array_id:
        return DstOperand(register, mask)
    key = register.cell << 4 | mask
    operand = _destinations.get(key)
    if operand is None:
        operand = _destinations[key] = DstOperand(moved(register, register.index), mask)
    return operand


_destinations: dict[int, DstOperand] = {}


Operand = TypeVar("Operand", SrcOperand, DstOperand, TexOffset)


def with_register(operand: Operand, register: RegisterRef) -> Operand:
    """Return an operand of a register, the same object if it has that."""
    if register is operand.register:
        return operand
    changed: Any
    if type(operand) is SrcOperand:
        changed = source_of(register, operand.swizzle, operand.negate, operand.absolute)
    elif isinstance(operand, DstOperand):
        changed = destination(register, operand.write_mask)
    else:
        assert isinstance(operand, TexOffset)
        changed = TexOffset(register, operand.swizzle)
    return changed  # type: ignore[no-any-return]


class Renamer:
    """The instructions of one program with other TEMP and ADDR registers.

    plain: the new register for one without address, by its cell. chosen: the new register for one that an address chooses.
    """

    def __init__(self, plain: Mapping[int, RegisterRef], chosen: Callable[[RegisterRef], RegisterRef]) -> None:
        self._plain = plain
        self._chosen = chosen

    def instructions(self, items: tuple[Instruction, ...]) -> tuple[Instruction, ...]:
        """Return the instructions, the same object if none changes."""
        renamed: list[Instruction] = []
        plain = self._plain
        for item in items:
            src, dst = item.src, item.dst
            sources: list[SrcOperand] | None = None
            targets: list[DstOperand] | None = None
            for number, operand in enumerate(src):
                register = operand.register
                cell = register.cell
                if cell & 8:  # of OUT, STILL or CHOSEN
                    if cell != CHOSEN or (new := self._chosen(register)) is register:
                        continue
                elif (new := plain[cell]).cell == cell and not register.array_id:
                    continue
                sources = sources or list(src)
                sources[number] = source_of(new, operand.swizzle, operand.negate, operand.absolute)
            for number, target in enumerate(dst):
                register = target.register
                cell = register.cell
                if cell & 8:
                    if cell != CHOSEN or (new := self._chosen(register)) is register:
                        continue
                elif (new := plain[cell]).cell == cell and not register.array_id:
                    continue
                targets = targets or list(dst)
                targets[number] = destination(new, target.write_mask)
            if item.offsets:
                item = self._with_offsets(item)
            if sources is not None or targets is not None:
                item = with_operands(item, dst if targets is None else tuple(targets), src if sources is None else tuple(sources))
            renamed.append(item)
        return items if all(map(is_, renamed, items)) else tuple(renamed)

    def _with_offsets(self, item: Instruction) -> Instruction:
        offsets = []
        for offset in item.offsets:
            register = offset.register
            cell = register.cell
            if not cell & 8:
                new = self._plain[cell]
                register = register if new.cell == cell and not register.array_id else new
            elif cell == CHOSEN:
                register = self._chosen(register)
            offsets.append(with_register(offset, register))
        return item if all(map(is_, offsets, item.offsets)) else replace(item, offsets=tuple(offsets))


class Temporaries:
    """New TEMP registers after those that a program declares."""

    def __init__(self, program: Program) -> None:
        self._first = self.next = program.file_size(TEMP)
        self.closed = free_indexing(program, TEMP)
        """True if the program can observe the size of the file, so that no register may be added."""

    def room(self, count: int) -> bool:
        """Return true if `count` more registers can be made."""
        return not self.closed and self.next + count <= SOFTWARE.temporaries

    def new(self) -> RegisterRef:
        """Return one more register."""
        self.next += 1
        return RegisterRef(TEMP, self.next - 1)

    def finish(self, program: Program) -> Program:
        """Return the program with the new registers declared."""
        if self.next == self._first:
            return program
        return with_parts(program, declarations=(*program.declarations, Declaration(TEMP, self._first, self.next - 1)))
