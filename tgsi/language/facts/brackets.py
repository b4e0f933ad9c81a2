"""The vertex bracket: the register files that have one, and the number of vertices that an empty bracket `[]` means."""

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
"""Meaning of `[]` in vertices, by GS_INPUT_PRIMITIVE; 1 for other primitives."""

TESS_VERTICES = 32
"""Meaning of `[]` in vertices, in both tessellation stages."""

MESH_ROWS = 256
"""Largest number of vertices or primitives that `[]` can mean in mesh programs; the program's properties have the exact number."""

IMPLIED: Mapping[Processor, int] = {**dict.fromkeys(PATCH_STAGES, TESS_VERTICES), Processor.MESH: MESH_ROWS}
"""Rows that `[]` means, in the stages that imply a number."""


def is_flat(stage: Processor, semantic: Semantic | None) -> bool:
    """True if inputs and outputs of a semantic have no vertex bracket in the text of a stage whose other registers have one."""
    return semantic is not None and semantic.name in PATCH_SEMANTICS and not STAGES[stage].is_mesh


def per_vertex(stage: Processor, file: File) -> bool:
    """True if registers of a file have the vertex of the primitive in their first bracket."""
    return file in STAGES[stage].vertex_rows
