"""The window of programs that come from GLSL: y grows toward the upper edge of the picture, whichever row of the target that is."""

from __future__ import annotations

from dataclasses import replace

from tgsi.language.facts.properties import FIRST_OF_VIEWPORT, LOWER_ORIGINS, PROPERTIES
from tgsi.language.ir import Property
from tgsi.language.program import Program

_ORIGIN = "FS_COORD_ORIGIN"
_WORDS = PROPERTIES[_ORIGIN].words or {}


def oriented(program: Program) -> Program:
    """The program with the origin that follows the viewport, if its interface says that its window does."""
    origin = program.property(_ORIGIN)
    if program.interface is None or not program.interface.is_upward or origin >= FIRST_OF_VIEWPORT:
        return program
    following = Property(_ORIGIN, _WORDS["VIEWPORT_LOWER" if origin in LOWER_ORIGINS else "VIEWPORT_UPPER"])
    return replace(program, properties=(*(item for item in program.properties if item.name != _ORIGIN), following))
