"""Semantics of inputs and outputs without a location: GENERIC indices computed from their names, the same in every program.

glslang gives such variables locations in the order of each text, which need not match the other stage. GLSL pairs them by name, and so do
these semantics, without a table that both programs would have to share: the index is a digest of the name.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from frontends.glsl.compatibility import OF_INPUTS, OF_OUTPUTS
from tgsi.language.diagnostics import Diagnostic, LimitError, Severity
from tgsi.language.facts.enums import File, Interpolation, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.interface import Port
from tgsi.language.ir import Declaration
from tgsi.language.program import Program

FIRST, COUNT = 4096, 60000
"""GENERIC indices computed from names. Smaller indices are locations that a text states."""

_OBJECTS = re.compile(r"^0:\?\s+Linker Objects\n((?:0:\?.*\n?)*)", re.MULTILINE)
_OBJECT = re.compile(r"^0:\?\s+'([^']*)' \((.*)\)$", re.MULTILINE)


def stated_names(tree: str, word: str) -> frozenset[str]:
    """The variables with an explicit `word` (location or binding) in the text. glslang prints this syntax tree before it assigns locations
    itself.
    """
    match = _OBJECTS.search(tree)
    if match is None:
        return frozenset()
    return frozenset(name.split("@")[0] for name, kind in _OBJECT.findall(match[1]) if re.search(rf"\b{word}=", kind))


def semantic_of_name(name: str, place: int = 0) -> Semantic:
    """The semantic of a name; `number` counts its registers if it has several."""
    return Semantic("GENERIC", FIRST + (zlib.crc32(name.encode()) + place) % COUNT)


def name_ports(program: Program, located: frozenset[str]) -> Program:
    """The program with semantics by name for the inputs and outputs between stages that have no location.

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
        unplaced = {name: port for name, port in ports.items() if port.variable not in located}
        new = _semantics(unplaced, program, patches, OF_INPUTS if side == "inputs" else OF_OUTPUTS)
        for name, semantics in new.items():
            old = Semantic(*_parts(ports[name].semantic))
            changes |= {(file, str(Semantic(old.name, old.index + place))): item for place, item in enumerate(semantics)}
        renamed[side] = MappingProxyType(
            {name: replace(port, semantic=str(new[name][0]), location=-1) if name in new else port for name, port in ports.items()}
        )
    declarations = tuple(_placed(item, changes) for item in program.declarations)
    return replace(program, declarations=declarations, interface=replace(interface, **renamed))


def _placed(item: Declaration, changes: Mapping[tuple[File, str], Semantic]) -> Declaration:
    """A declaration with its new semantic. Colors follow the shade model, unless the text says how they are interpolated."""
    semantic = changes.get((item.file, str(item.semantic)))
    if semantic is None:
        return item
    if semantic.name == "COLOR" and item.interpolation is Interpolation.PERSPECTIVE:
        return replace(item, semantic=semantic, interpolation=Interpolation.COLOR)
    return replace(item, semantic=semantic)


def _parts(semantic: str) -> tuple[str, int]:
    name, _, index = semantic.rstrip("]").partition("[")
    return name, int(index or 0)


def _patches(ports: Mapping[str, Port], located: frozenset[str]) -> dict[str, int]:
    """First index of each value of a patch without a location. There are 32, too few for digests, so names are sorted and take the free
    ones in order. Unused names count, too, since the other stage may use them."""
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


def _semantic(name: str, place: int, fixed: Mapping[str, Semantic]) -> Semantic:
    """The semantic of one register of a port: that of the fixed functions, or one computed from the name."""
    semantic = fixed.get(name)
    return semantic_of_name(name, place) if semantic is None else replace(semantic, index=semantic.index + place)


def _semantics(
    ports: Mapping[str, Port], program: Program, patches: Mapping[str, int], fixed: Mapping[str, Semantic]
) -> dict[str, list[Semantic]]:
    """The semantics of each port, one a register. patches: first indices of values of a patch; fixed: names with a predefined semantic."""
    made: dict[str, list[Semantic]] = {}
    owners: dict[Semantic, str] = {}
    for name, port in sorted(ports.items()):
        if port.semantic.startswith("PATCH"):
            made[name] = [Semantic("PATCH", patches[name] + place) for place in range(port.registers)]
            continue
        made[name] = [_semantic(name, place, fixed) for place in range(port.registers)]
        for semantic in made[name]:
            if owners.setdefault(semantic, name) != name:
                text = f"`{owners[semantic]}` and `{name}` of a {program.processor.name} program have one index"
                raise LimitError((Diagnostic("G015", Severity.ERROR, text, (), "rename one of them, or write layout(location = n)"),))
    return made
