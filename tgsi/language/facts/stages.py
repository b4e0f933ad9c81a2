"""Shader stages: one row for each, in the order in which a draw goes through them. Code that treats stages alike reads this table.

A draw of vertices goes through VERT to FRAG. A draw of meshes goes through TASK, MESH and FRAG, and through no other stage.

Sources: tgsi.rst of Mesa 18.1 (registers with two dimensions, BARRIER, properties) and context.rst (bind_*_state, stream output).
TASK and MESH: PIPE_SHADER_TASK and PIPE_SHADER_MESH of Mesa 25.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tgsi.language.facts.enums import File, Primitive, Processor
from tgsi.language.record import record


@record(kw_only=True)
class Stage:
    """Facts of one shader stage.

    Attributes:
        processor: the number of the stage; Gallium's ShaderType has the same numbers.
        call: the stage in the names of Gallium's calls, as ``vs`` in bind_vs_state.
        prefix: the beginning of the names of its properties.
        is_drawn: True for stages of draws; grids run the others.
        is_mesh: True for the stages that replace all stages from VERT to GEOM.
        feeds_rasterizer: True if the stage may be the last one before the rasterizer. It may then have stream output, unless `is_mesh`.
        needs: the stage that has to stand right after this one; None if any later stage may.
        vertex_rows: register files with a row for each vertex, as ``IN[vertex][register]``: of a primitive, or of all that a workgroup of
            a mesh program outputs.
        is_patch: True if its primitives are patches of up to 32 vertices; the semantics PATCH, TESSOUTER and TESSINNER exist once a patch.
        has_groups: True if invocations run in groups, in which BARRIER makes them wait for each other.
        has_blocks: True if the groups are blocks of threads, of which a grid is launched, with memory of their own.
    """

    processor: Processor
    call: str
    prefix: str
    is_drawn: bool = True
    is_mesh: bool = False
    feeds_rasterizer: bool = False
    needs: Processor | None = None
    vertex_rows: frozenset[File] = frozenset()
    is_patch: bool = False
    has_groups: bool = False
    has_blocks: bool = False


_IN = frozenset({File.IN})

_ROWS = (
    Stage(processor=Processor.VERT, call="vs", prefix="VS_", feeds_rasterizer=True),
    Stage(
        processor=Processor.TESS_CTRL,
        call="tcs",
        prefix="TCS_",
        needs=Processor.TESS_EVAL,
        vertex_rows=frozenset({File.IN, File.OUT}),
        is_patch=True,
        has_groups=True,
    ),
    Stage(processor=Processor.TESS_EVAL, call="tes", prefix="TES_", feeds_rasterizer=True, vertex_rows=_IN, is_patch=True),
    Stage(processor=Processor.GEOM, call="gs", prefix="GS_", feeds_rasterizer=True, vertex_rows=_IN),
    Stage(processor=Processor.FRAG, call="fs", prefix="FS_"),
    Stage(processor=Processor.COMP, call="compute", prefix="CS_", is_drawn=False, has_groups=True, has_blocks=True),
    Stage(processor=Processor.TASK, call="ts", prefix="TS_", is_mesh=True, needs=Processor.MESH, has_groups=True, has_blocks=True),
    Stage(
        processor=Processor.MESH,
        call="ms",
        prefix="MS_",
        is_mesh=True,
        feeds_rasterizer=True,
        vertex_rows=frozenset({File.OUT}),
        has_groups=True,
        has_blocks=True,
    ),
)

STAGES: Mapping[Processor, Stage] = MappingProxyType({row.processor: row for row in _ROWS})
"""The facts of each stage."""

PIPELINE = tuple(row.processor for row in _ROWS if row.is_drawn and not row.is_mesh)
"""Stages of a draw of vertices, in order; those between the first and the last may be left out."""

MESH_PIPELINE = (*(row.processor for row in _ROWS if row.is_mesh), Processor.FRAG)
"""Stages of a draw of meshes, in order; the first may be left out."""

LAST_STAGES = tuple(row.processor for row in _ROWS if row.feeds_rasterizer)
"""Stages that may be the last before the rasterizer: those of `PIPELINE` in their order, then that of `MESH_PIPELINE`."""

ROW_STAGES = frozenset(row.processor for row in _ROWS if File.IN in row.vertex_rows)
"""Stages with a row of inputs for each vertex of a primitive."""

PATCH_STAGES = frozenset(row.processor for row in _ROWS if row.is_patch)
"""Stages whose primitives are patches."""

GROUP_STAGES = frozenset(row.processor for row in _ROWS if row.has_groups)
"""Stages whose invocations may wait for each other, in groups."""

BLOCK_STAGES = frozenset(row.processor for row in _ROWS if row.has_blocks)
"""Stages whose groups are blocks of threads, launched as a grid."""

INPUT_VERTICES: Mapping[int, int] = {
    Primitive.POINTS: 1,
    Primitive.LINES: 2,
    Primitive.LINE_LOOP: 2,
    Primitive.LINE_STRIP: 2,
    Primitive.LINES_ADJACENCY: 4,
    Primitive.LINE_STRIP_ADJACENCY: 4,
    Primitive.TRIANGLES_ADJACENCY: 6,
    Primitive.TRIANGLE_STRIP_ADJACENCY: 6,
}
"""Vertices of the primitives that a geometry program reads, as Mesa's scan counts them; 3 for all others."""
