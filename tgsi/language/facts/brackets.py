"""The vertex bracket: the register files whose registers have one, and the number of vertices that an empty bracket stands for."""

from __future__ import annotations

from collections.abc import Mapping

from tgsi.language.facts.enums import File, Primitive, Processor
from tgsi.language.facts.semantics import PATCH_SEMANTICS, Semantic
from tgsi.language.facts.stages import PATCH_STAGES, STAGES

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

MESH_ROWS = 256
"""Vertices or primitives that `[]` stands for in mesh programs; the program's properties say how many there are."""

IMPLIED: Mapping[Processor, int] = {**dict.fromkeys(PATCH_STAGES, TESS_VERTICES), Processor.MESH: MESH_ROWS}
"""Rows that `[]` stands for in the stages that imply a number."""


def is_flat(stage: Processor, semantic: Semantic | None) -> bool:
    """True if inputs and outputs of a semantic have no vertex bracket in the text of a stage whose other registers have one."""
    return semantic is not None and semantic.name in PATCH_SEMANTICS and not STAGES[stage].is_mesh


def per_vertex(stage: Processor, file: File) -> bool:
    """True if registers of a file have the vertex of the primitive in their first bracket."""
    return file in STAGES[stage].vertex_rows
