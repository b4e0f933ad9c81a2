"""Semantics of inputs and outputs without a location: GENERIC indices made of their names, the same in every program.

glslang gives such variables locations in the order of each text, which says nothing about the other stage. GLSL pairs them by name, and so
do these semantics, without a table that both programs would have to share: the index is a digest of the name.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from tgsi.language.diagnostics import Diagnostic, LimitError, Severity
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.interface import Port
from tgsi.language.program import Program

FIRST, COUNT = 4096, 60000
"""Indices of names. Locations that a text states lie below, and are their own indices."""

_OBJECTS = re.compile(r"^0:\?\s+Linker Objects\n((?:0:\?.*\n?)*)", re.MULTILINE)
_OBJECT = re.compile(r"^0:\?\s+'([^']*)' \((.*)\)$", re.MULTILINE)


def stated_names(tree: str, word: str) -> frozenset[str]:
    """The variables whose `word`, location or binding, the text states, of the syntax tree that glslang prints before it adds its own."""
    found = _OBJECTS.search(tree)
    if found is None:
        return frozenset()
    return frozenset(name.split("@")[0] for name, kind in _OBJECT.findall(found[1]) if re.search(rf"\b{word}=", kind))


def semantic_of_name(name: str, place: int = 0) -> Semantic:
    """The semantic of a name: of its register of a number, where it takes several."""
    return Semantic("GENERIC", FIRST + (zlib.crc32(name.encode()) + place) % COUNT)


def name_ports(program: Program, located: frozenset[str]) -> Program:
    """The program with semantics by name for the inputs and outputs between stages that have no location of their own.

    Raises:
        LimitError: two names have one index (G015).
    """
    interface = program.interface
    if interface is None:
        return program
    changes: dict[tuple[File, str], Semantic] = {}
    sides = {"inputs": File.IN, "outputs": File.OUT}
    ends = {Processor.VERT: "inputs", Processor.FRAG: "outputs"}
    renamed: dict[str, Any] = {"patches": MappingProxyType({})}
    patches = _patches(interface.patches, located)
    for side, file in sides.items():
        ports: Mapping[str, Port] = getattr(interface, side)
        if side == ends.get(program.processor):
            continue
        new = _semantics({name: port for name, port in ports.items() if port.variable not in located}, program, patches)
        for name, semantics in new.items():
            old = Semantic(*_parts(ports[name].semantic))
            changes |= {(file, str(Semantic(old.name, old.index + place))): item for place, item in enumerate(semantics)}
        renamed[side] = MappingProxyType(
            {name: replace(port, semantic=str(new[name][0]), location=-1) if name in new else port for name, port in ports.items()}
        )
    declarations = tuple(
        replace(item, semantic=changes[item.file, str(item.semantic)]) if (item.file, str(item.semantic)) in changes else item
        for item in program.declarations
    )
    return replace(program, declarations=declarations, interface=replace(interface, **renamed))


def _parts(semantic: str) -> tuple[str, int]:
    name, _, index = semantic.rstrip("]").partition("[")
    return name, int(index or 0)


def _patches(ports: Mapping[str, Port], located: frozenset[str]) -> dict[str, int]:
    """First index of each value of a patch without a location. There are 32, too few for digests: these take the free ones in the order of
    their names, those that the program does not use included, since the other stage may use them."""
    taken = {_parts(port.semantic)[1] + place for port in ports.values() if port.variable in located for place in range(port.registers)}
    numbers: dict[str, int] = {}
    for name, port in sorted(ports.items()):
        if port.variable not in located:
            first = 0
            while not taken.isdisjoint(range(first, first + port.registers)):
                first += 1
            taken.update(range(first, first + port.registers))
            numbers[name] = first
    return numbers


def _semantics(ports: Mapping[str, Port], program: Program, patches: Mapping[str, int]) -> dict[str, list[Semantic]]:
    """The semantics of each port, one a register. patches: first indices of values of a patch."""
    made: dict[str, list[Semantic]] = {}
    owners: dict[Semantic, str] = {}
    for name, port in sorted(ports.items()):
        if port.semantic.startswith("PATCH"):
            made[name] = [Semantic("PATCH", patches[name] + place) for place in range(port.registers)]
            continue
        made[name] = [semantic_of_name(name, place) for place in range(port.registers)]
        for semantic in made[name]:
            if owners.setdefault(semantic, name) != name:
                text = f"`{owners[semantic]}` and `{name}` of a {program.processor.name} program have one index"
                raise LimitError(
                    (Diagnostic("G015", Severity.ERROR, text, (), "name one of them otherwise, or write layout(location = n)"),)
                )
    return made
