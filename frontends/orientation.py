"""Origin of window coordinates for programs from GLSL: y grows toward the picture's upper edge, in targets of either order of rows."""

from __future__ import annotations

from dataclasses import replace

from tgsi.language.facts.enums import Processor
from tgsi.language.facts.properties import FIRST_OF_VIEWPORT, LOWER_ORIGINS, PROPERTIES
from tgsi.language.ir import Property
from tgsi.language.program import Program

_ORIGIN = "FS_COORD_ORIGIN"
_WORDS = PROPERTIES[_ORIGIN].words or {}


def oriented(program: Program) -> Program:
    """Return a fragment program with an origin that follows the viewport's orientation, if `interface.is_upward`; otherwise `program`."""
    origin = program.property(_ORIGIN)
    if (
        program.processor is not Processor.FRAG
        or program.interface is None
        or not program.interface.is_upward
        or origin >= FIRST_OF_VIEWPORT
    ):
        return program
    following = Property(_ORIGIN, _WORDS["VIEWPORT_LOWER" if origin in LOWER_ORIGINS else "VIEWPORT_UPPER"])
    return replace(program, properties=(*(item for item in program.properties if item.name != _ORIGIN), following))
