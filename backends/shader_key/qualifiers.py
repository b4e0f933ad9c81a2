"""Interpolation as qualifiers of GLSL."""

from __future__ import annotations

from tgsi.language.facts.enums import Interpolation, Location
from tgsi.language.ir import Declaration

_MODES: dict[Interpolation | None, str] = {Interpolation.CONSTANT: "flat", Interpolation.LINEAR: "noperspective"}
_PLACES = {Location.CENTROID: "centroid", Location.SAMPLE: "sample"}

WORDS = ("centroid", "sample", "flat", "noperspective")
"""Qualifiers of inputs, in the order in which they are written; without one, interpolation is perspective, at the center."""


def qualifiers(item: Declaration) -> str:
    """Return the qualifiers of a fragment input, with a space between them."""
    return " ".join(filter(None, (_PLACES.get(item.location, ""), _MODES.get(item.interpolation, ""))))
