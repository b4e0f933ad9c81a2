"""Numbers that Mesa 18.1 leaves free in the fields of tokens, and their owners: this project, or later trees of Mesa.

Source: p_shader_tokens.h of Mesa 18.1 for the widths of fields, that of Mesa 25 for later numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from tgsi.language.facts.enums import File, MemoryType, Processor
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.facts.semantics import SEMANTICS
from tgsi.language.facts.traits import Trait
from tgsi.language.record import record


@record
class NumberField:
    """A field of tokens: the numbers `first` to `last` are those that Mesa 18.1 does not use.

    `ours` has the numbers of this project's tables, of whatever origin; `foreign` those that later trees use and the tables do not have.
    """

    name: str
    first: int
    last: int
    ours: Mapping[int, str]
    foreign: Mapping[int, str] = field(default_factory=dict)


_OPCODES = {info.number: name for name, info in OPCODES.items() if Trait.GAP not in info.traits}
_SEMANTICS = {info.number: name for name, info in SEMANTICS.items()}
_PROPERTIES = {info.number: name for name, info in PROPERTIES.items()}

FIELDS = (
    NumberField("opcode", 250, 255, _OPCODES),
    NumberField("register file", 15, 15, {int(item): item.name for item in File}),
    NumberField("shader stage", 6, 15, {int(item): item.name for item in Processor}),
    NumberField("kind of memory (declaration, bits 27 to 29)", 4, 7, {int(item): item.name for item in MemoryType}),
    NumberField("bit of a declaration", 29, 31, {29: "PRIMITIVE of OUT; third bit of the kind of MEMORY"}),
    NumberField("semantic", 45, 255, _SEMANTICS),
    NumberField("property", 24, 255, _PROPERTIES),
)
"""Fields with unused numbers."""


def owners(kind: NumberField) -> dict[int, str]:
    """The owner of each number of a field that has one, from `first` on."""
    known = {number: f"`{name}`" if " " not in name else name for number, name in kind.ours.items()}
    return {number: owner for number, owner in (known | dict(kind.foreign)).items() if kind.first <= number <= kind.last}


def free(kind: NumberField) -> list[int]:
    """The numbers of a field that have no owner, in rising order."""
    return [number for number in range(kind.first, kind.last + 1) if number not in kind.ours and number not in kind.foreign]
