"""The vertex bracket: the register files whose registers have one, and the number of vertices that an empty bracket stands for."""

from __future__ import annotations

from collections.abc import Mapping

from tgsi.language.facts.enums import File, Primitive, Processor
from tgsi.language.facts.stages import STAGES

VERTICES: Mapping[Primitive, int] = {
    Primitive.POINTS: 1,
    Primitive.LINES: 2,
    Primitive.TRIANGLES: 3,
    Primitive.LINES_ADJACENCY: 4,
    Primitive.TRIANGLES_ADJACENCY: 6,
}
"""Vertices that `[]` stands for after PROPERTY GS_INPUT_PRIMITIVE; others count as one."""

TESS_VERTICES = 32
"""Vertices that `[]` stands for in both tessellation stages."""


def per_vertex(stage: Processor, file: File) -> bool:
    """True if registers of a file have the vertex of the primitive in their first bracket."""
    return file in STAGES[stage].vertex_rows
