"""New locations for inputs and outputs that overlap in the module: wide attributes, and variables without a location in the text."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from frontends.spirv.emit.places import registers
from frontends.spirv.emit.state import State
from frontends.spirv.emit.variables import has_rows, is_patch
from frontends.spirv.module.types import MAX_WORDS, Array, Pointer, Struct, Type, inner
from tgsi.language.facts.enums import Processor


def moved(s: State, located: Collection[str] | None) -> dict[int, int]:
    """First location of each variable whose location differs from the module's."""
    return {**_attributes(s), **({} if located is None else _unstated(s, located))}


def _located(s: State, storage: str) -> Iterator[tuple[int, int, int]]:
    """Location, id and number of registers of each input or output."""
    for id, op in s.tables.globals.items():
        kind, location = s.tables.types.get(op.type, op), s.tables.decoration(id, "Location")
        if isinstance(kind, Pointer) and kind.storage == storage and location is not None:
            target = s.tables.types.get(kind.target)
            if has_rows(s, id, storage == "Output") and isinstance(target, Array):
                target = target.element
            yield from ((first, id, size) for first, size in _members(s, target, location))


def _members(s: State, kind: Type, location: int) -> Iterator[tuple[int, int]]:
    """Location and number of registers: of each member of a block whose members state locations, otherwise of the whole value."""
    block = inner(kind)
    stated = [s.tables.member(block.id, number, "Location") for number in range(len(block.members))] if isinstance(block, Struct) else []
    if not isinstance(block, Struct) or all(place is None for place in stated):
        yield location, _size(kind)
        return
    for member, place in zip(block.members, stated):
        first = location if place is None else place
        location = first + _size(member)
        yield first, _size(member)


def _size(kind: Type) -> int:
    return registers(kind) if kind.words < MAX_WORDS else 0


def _attributes(s: State) -> dict[int, int]:
    """Each vertex program input whose location an earlier one occupies, because wide vectors have a single location in OpenGL."""
    if s.processor is not Processor.VERT:
        return {}
    taken: dict[int, list[tuple[int, int]]] = {}
    for location, id, size in _located(s, "Input"):
        taken.setdefault(location, []).append((id, size))
    free, numbers = 0, {}
    for location, items in sorted(taken.items()):
        first = max(location, free)
        for id, size in items:
            free = max(free, first + size)
            if first != location:
                numbers[id] = first
    return numbers


def _unstated(s: State, located: Collection[str]) -> dict[int, int]:
    """Each variable without a location in the text whose location from glslang is already in use."""
    numbers: dict[int, int] = {}
    for storage in ("Input", "Output"):
        if (storage, s.processor) == ("Input", Processor.VERT):
            continue
        taken: set[tuple[bool, int]] = set()
        items = [((s.tables.names.get(id) or "anon") not in located, location, id, size) for location, id, size in _located(s, storage)]
        for is_free, location, id, size in sorted(items):
            of_patch, first = is_patch(s, id), location
            while is_free and any((of_patch, place) in taken for place in range(first, first + size)):
                first += 1
            taken.update((of_patch, place) for place in range(first, first + size))
            if first != location:
                numbers[id] = first
    return numbers
