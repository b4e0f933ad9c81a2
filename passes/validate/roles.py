"""Roles of the operands of each opcode, and the register files that may serve in each role."""

from __future__ import annotations

from enum import Enum
from functools import cache

from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import Reads


class Role(Enum):
    """The purpose of an operand. The value is its name in messages."""

    VALUE = "a source"
    SAMPLER = "a sampler"
    VIEW = "a sampler view"
    RESOURCE = "a resource"
    IMAGE = "an image"
    VARYING = "an interpolated input"
    ANY = "an operand"
    RESULT = "a destination"
    STORE = "a writable resource"

    __hash__ = object.__hash__  # roles are keys of tables, and an enumeration hashes the name


HANDLES = frozenset({File.CONST, File.IN, File.TEMP, File.IMM, File.SV})
"""Files whose registers may hold a bindless handle instead of a resource."""

FILES: dict[Role, frozenset[File]] = {
    Role.VALUE: frozenset({File.CONST, File.IN, File.OUT, File.TEMP, File.ADDR, File.IMM, File.SV}),
    Role.SAMPLER: frozenset({File.SAMP}) | HANDLES,
    Role.VIEW: frozenset({File.SVIEW}) | HANDLES,
    Role.RESOURCE: frozenset({File.BUFFER, File.IMAGE, File.MEMORY, File.CONSTBUF, File.HWATOMIC}) | HANDLES,
    Role.IMAGE: frozenset({File.IMAGE}) | HANDLES,
    Role.VARYING: frozenset({File.IN}),
    Role.ANY: frozenset(File) - {File.NULL},
    Role.RESULT: frozenset({File.OUT, File.TEMP, File.ADDR, File.NULL}),
    Role.STORE: frozenset({File.BUFFER, File.IMAGE, File.MEMORY}) | HANDLES,
}
"""Register files that may serve in each role."""

_ROLES: dict[int | Reads, Role] = {
    Reads.SAMPLER: Role.SAMPLER,
    Reads.VIEW: Role.VIEW,
    Reads.RESOURCE: Role.RESOURCE,
    Reads.IMAGE: Role.IMAGE,
    Reads.VARYING: Role.VARYING,
    Reads.TARGET: Role.ANY,
}
"""Roles of sources that are not read as values."""


@cache
def source_roles(name: str) -> tuple[Role, ...]:
    """Roles of the sources of an opcode."""
    return tuple(_ROLES.get(rule, Role.VALUE) for rule in OPCODES[name].reads)


def destination_role(name: str) -> Role:
    """Role of the destinations of an opcode."""
    return Role.STORE if OPCODES[name].stores_to_dst else Role.RESULT
