"""Access chains, loads and stores of whole variables and of their parts."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from frontends.spirv.emit import memory, opaque, variables
from frontends.spirv.emit.code import Ref, Refs
from frontends.spirv.emit.places import Known, Memory, Mixed, Place, Registers, Unit, Varying, is_opaque, registers
from frontends.spirv.emit.state import State
from frontends.spirv.module.errors import Op
from frontends.spirv.module.types import MAX_WORDS, Array, Matrix, Struct, Type, Vector, elements, name, part

Index: TypeAlias = int | Ref


def place_of(s: State, id: int, op: Op) -> Place:
    """The place that a pointer names. Error M005 where the id is not a pointer."""
    return variables.root(s, id, op)


def walk(s: State, place: Place, indices: list[int], op: Op) -> Place:
    """The part of a place that a list of index ids selects."""
    for id in indices:
        known = s.constant(id)
        place = step(s, place, known if known is not None else s.code.plain(s.value(id))[0], op)
    return place


def step(s: State, place: Place, index: Index, op: Op) -> Place:
    """The part of a place that an index selects."""
    kind = place.kind
    if isinstance(index, int) and not _exists(kind, index):
        s.fail("M006", f"there is no part {index} of {name(kind)}", op)
    if isinstance(kind, Struct) and not isinstance(index, int):
        s.fail("M006", "the number of a member is a constant", op)
    match place:
        case Varying():
            return _varying(s, place, index, op)
        case Registers():
            return _registers(place, index)
        case Memory():
            return _memory(s, place, index)
        case Unit():
            return _unit(place, index)
        case Mixed():
            return _mixed(place, index)
    return _known(s, place, index)


def _exists(kind: Type, index: int) -> bool:
    if isinstance(kind, Struct):
        return 0 <= index < len(kind.members)
    if isinstance(kind, Array) and not kind.size:
        return index >= 0
    return isinstance(kind, Vector | Matrix | Array) and 0 <= index < kind.size


def _element(kind: Type) -> Type:
    if not isinstance(kind, Vector | Matrix | Array):
        raise TypeError(f"{name(kind)} has no elements")
    return kind.element


def _varying(s: State, place: Varying, index: Index, op: Op) -> Place:
    if place.needs_row:
        return variables.narrowed(s, replace(place, kind=_element(place.kind), row=index, needs_row=False), op)
    if isinstance(place.kind, Struct):
        assert isinstance(index, int)
        return variables.member(s, place, index, op)
    inner = _element(place.kind)
    if isinstance(index, int):
        return replace(place, kind=inner, offset=place.offset + index * registers(inner))
    _declare(s, place, op)
    return replace(place, kind=inner, terms=(*place.terms, (index, registers(inner))))


def _declare(s: State, place: Varying, op: Op) -> None:
    """Declare the registers of all parts, which an index may reach."""
    for piece in _pieces(s, place, op):
        if isinstance(piece, Varying):
            _declare(s, piece, op)


def _registers(place: Registers, index: Index) -> Registers:
    kind = place.kind
    if isinstance(kind, Struct):
        assert isinstance(index, int)
        inner, _ = part(kind, index)
        return replace(place, kind=inner, index=place.index + sum(map(registers, kind.members[:index])))
    inner = _element(kind)
    if place.packed or isinstance(kind, Vector):
        if isinstance(index, int):
            channel = place.channel + index * inner.words
            return replace(place, kind=inner, index=place.index + channel // 4, channel=channel % 4, packed=False)
        assert isinstance(kind, Vector | Array)
        return replace(place, kind=inner, pick=index, width=kind.size)
    step = registers(inner)
    if isinstance(index, int):
        return replace(place, kind=inner, index=place.index + index * step)
    return replace(place, kind=inner, terms=(*place.terms, (index, step)))


def _memory(s: State, place: Memory, index: Index) -> Place:
    kind = place.kind
    if isinstance(kind, Struct):
        assert isinstance(index, int)
        stride, row_major = memory.matrix_layout(s, kind, index)
        offset = place.offset + memory.member_offset(s, kind, index)
        return replace(place, kind=kind.members[index], offset=offset, stride=stride, row_major=row_major, is_block=False)
    inner = _element(kind)
    if place.is_block:  # an array of blocks: each has its own number
        step = elements(inner)
        if isinstance(index, int):
            return replace(place, kind=inner, number=place.number + index * step)
        return replace(place, kind=inner, chosen=(*place.chosen, (index, step)))
    step, scalar_step = 0, place.scalar_step
    match kind:
        case Array():
            step = memory.array_stride(kind)
        case Matrix():
            size = 4 * kind.element.element.words
            stride = place.stride or (kind.size if place.row_major else kind.element.size) * size
            step, scalar_step = (size, stride) if place.row_major else (stride, 0)
        case Vector():
            step, scalar_step = place.scalar_step or 4 * kind.element.words, 0
    if isinstance(index, int):
        return replace(place, kind=inner, offset=place.offset + index * step, scalar_step=scalar_step)
    return replace(place, kind=inner, terms=(*place.terms, (index, step)), scalar_step=scalar_step)


def _unit(place: Unit, index: Index) -> Place:
    inner = _element(place.kind)
    step = elements(inner)
    if isinstance(index, int):
        return replace(place, kind=inner, number=place.number + index * step)
    return replace(place, kind=inner, terms=(*place.terms, (index, step)))


def _mixed(place: Mixed, index: Index) -> Place:
    numbers = _registers(place.registers, index)
    if isinstance(place.kind, Struct):
        assert isinstance(index, int)
        made = replace(place, kind=numbers.kind, registers=numbers, path=(*place.path, index))
    else:
        made = replace(place, kind=numbers.kind, registers=numbers, indices=(*place.indices, index))
    if is_opaque(made.kind):
        return opaque.unit(made, made.kind)
    return made if opaque.leaves(made.kind) else numbers


def _known(s: State, place: Known, index: Index) -> Place:
    if isinstance(index, int):
        inner, first = part(place.kind, index)
        return Known(kind=inner, words=place.words[first : first + inner.words])
    inner = _element(place.kind)
    return Known(kind=inner, words=tuple(memory.pick(s, place.words, index, inner.words)))


def load(s: State, place: Place, op: Op) -> list[Ref]:
    """The words of a place of any kind but a unit."""
    match place:
        case Known():
            return list(place.words)
        case Registers() | Memory():
            return memory.load(s, place, op)
        case Varying():
            return [ref for piece in _pieces(s, place, op) for ref in load(s, piece, op)]
    s.fail("M006", f"{name(place.kind)} has no value that could be loaded", op)


def store(s: State, place: Place, refs: Refs, op: Op) -> None:
    """Write the words of a place."""
    match place:
        case Registers() | Memory():
            memory.store(s, place, refs, op)
        case Varying():
            for piece in _pieces(s, place, op):
                words = piece.kind.words
                store(s, piece, refs[:words], op)
                refs = refs[words:]
        case _:
            s.fail("M006", f"a place of type {name(place.kind)} cannot be written", op)


def _pieces(s: State, place: Varying, op: Op) -> list[Place]:
    kind = place.kind
    if kind.words >= MAX_WORDS:
        s.fail("M023", f"a value of type {name(kind)} is too large", op)
    count = len(kind.members) if isinstance(kind, Struct) else kind.size if isinstance(kind, Array) else 0
    return [_varying(s, place, number, op) for number in range(count)]
