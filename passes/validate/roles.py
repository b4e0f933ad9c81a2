"""What each operand of an opcode is for, and which register files may serve."""

from __future__ import annotations

from enum import Enum
from functools import cache

from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OPCODES


class Role(Enum):
    """What an operand is read or written as. The value is how messages call it."""

    VALUE = "a source"
    SAMPLER = "a sampler"
    VIEW = "a sampler view"
    RESOURCE = "a resource"
    IMAGE = "an image"
    VARYING = "an interpolated input"
    ANY = "an operand"
    RESULT = "a destination"
    STORE = "a writable resource"


HANDLES = frozenset({File.CONST, File.IN, File.TEMP, File.IMM, File.SV})
"""Registers that may hold a bindless handle where a resource is wanted."""

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
"""Register files that may stand for each role."""

_VIEW_ONLY = frozenset({"SAMPLE_I", "SAMPLE_I_MS", "SVIEWINFO"})


@cache
def source_roles(name: str) -> tuple[Role, ...]:
    """Roles of the sources of an opcode."""
    info = OPCODES[name]
    roles = [Role.VALUE] * info.num_src
    if info.is_texture:
        roles[-1] = Role.SAMPLER
    elif name in _VIEW_ONLY:
        roles[1] = Role.VIEW
    elif "sample" in info.flags or name == "LOD":
        roles[1:3] = [Role.VIEW, Role.SAMPLER]
    elif name in ("SAMPLE_POS", "SAMPLE_INFO", "FBFETCH"):
        roles[0] = Role.ANY
    elif name == "IMG2HND":
        roles[0] = Role.IMAGE
    elif info.has_memory and info.num_src and name != "STORE":
        roles[0] = Role.RESOURCE
    elif name.startswith("INTERP_"):
        roles[0] = Role.VARYING
    return tuple(roles)


def destination_role(name: str) -> Role:
    """Role of the destinations of an opcode."""
    return Role.STORE if name == "STORE" else Role.RESULT
