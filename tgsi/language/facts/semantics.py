"""Semantics: the only contract between shader stages. Register numbers have no meaning across stages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tgsi.language.record import record


@record
class Semantic:
    """Name and index of a register's meaning, as ``GENERIC[3]``."""

    name: str
    index: int = 0

    def __str__(self) -> str:
        return f"{self.name}[{self.index}]" if self.index or self.name in ("GENERIC", "TEXCOORD") else self.name

    def __lt__(self, other: Semantic) -> bool:
        return (SEMANTICS[self.name].number, self.index) < (SEMANTICS[other.name].number, other.index)


@record
class SemanticInfo:
    """Facts of one semantic name: its token number, the stages where it may stand, its meaning, and its number of indices.

    `indices` is None where the limit set decides (GENERIC); color outputs of fragment programs count render targets instead.
    """

    name: str
    number: int
    stages: str
    meaning: str
    indices: int | None = 1

    @property
    def is_later(self) -> bool:
        """True for semantics that Mesa 18.1 does not have."""
        return self.number > _LAST_NUMBER


INDICES = 1 << 32
"""Number of indices that a semantic without limits has: an index is a 32-bit number."""

TOKEN_INDICES = 1 << 16
"""Number of indices that a token can hold."""

_LAST_NUMBER = 44
"""Number of the last semantic of Mesa 18.1."""

# number, name, where it may stand, meaning
# fmt: off
_ROWS: tuple[tuple[int, str, str, str], ...] = (
    (0, "POSITION", "VS/GS/TES out, FS in, FS out", "out: clip position; FS in: window x,y,z,1/w; FS out: z is the depth"),
    (1, "COLOR", "VS/GS out, FS in/out, VS in", "index 0/1 primary/secondary in linkage, index = render target at FS output; flat/smooth follows the rasterizer when interp is COLOR"),  # noqa: E501
    (2, "BCOLOR", "VS/GS out", "back color, swapped for COLOR of the same index on back faces with two-sided light"),
    (3, "FOG", "VS out, FS in", "fog coordinate; ordinary vec4"),
    (4, "PSIZE", "VS/GS/TES out", "point size in x"),
    (5, "GENERIC", "any", "user varying; sprite replacement by bit k when TEXCOORD cap is off"),
    (6, "NORMAL", "VS in (legacy)", "normal"),
    (7, "FACE", "FS in or SV", "in: float >0 front, <0 back; SV: ~0 front, 0 back"),
    (8, "EDGEFLAG", "VS in/out", "0/1: edge drawn in line or point fill"),
    (9, "PRIM_ID", "GS/FS in or SV, MS out per primitive", "primitive number"),
    (10, "INSTANCEID", "VS SV", "instance number without base"),
    (11, "VERTEXID", "VS SV", "vertex number with base"),
    (12, "STENCIL", "FS out", "stencil reference in y"),
    (13, "CLIPDIST", "VS/GS/TES out", "index 0/1: eight clip/cull distances"),
    (14, "CLIPVERTEX", "VS/GS/TES out", "position used against user planes"),
    (15, "GRID_SIZE", "CS/TS/MS SV", "blocks per axis; in MS after a task, blocks launched by the task"),
    (16, "BLOCK_ID", "CS/TS/MS SV", "block coordinates"),
    (17, "BLOCK_SIZE", "CS/TS/MS SV", "threads per block per axis"),
    (18, "THREAD_ID", "CS/TS/MS SV", "thread coordinates in block"),
    (19, "TEXCOORD", "VS out, FS in", "texture coordinates, index 0..7, replaceable by sprite; only with the TEXCOORD cap"),
    (20, "PCOORD", "FS in", "point coordinate (s,t,0,1); only with the TEXCOORD cap"),
    (21, "VIEWPORT_INDEX", "GS out (VS/TES with cap), FS in", "viewport number, x, integer"),
    (22, "LAYER", "GS out (VS/TES with cap), FS in", "layer number, x, integer"),
    (23, "SAMPLEID", "FS SV", "sample number; forces per-sample run"),
    (24, "SAMPLEPOS", "FS SV", "sample position in [0,1]^2; forces per-sample run"),
    (25, "SAMPLEMASK", "FS SV/out", "coverage bits in x"),
    (26, "INVOCATIONID", "GS/TCS/TS/MS SV", "invocation number; in TS and MS that of the thread in its block"),
    (27, "VERTEXID_NOBASE", "VS SV", "VERTEXID - BASEVERTEX"),
    (28, "BASEVERTEX", "VS SV", "base vertex, or start when not indexed"),
    (29, "PATCH", "TCS out, TES in", "per-patch varying"),
    (30, "TESSCOORD", "TES SV", "xyz domain point"),
    (31, "TESSOUTER", "TCS out, TES SV/in", "outer levels"),
    (32, "TESSINNER", "TCS out, TES SV/in", "inner levels"),
    (33, "VERTICESIN", "TCS/TES SV", "patch vertices"),
    (34, "HELPER_INVOCATION", "FS SV", "true when the lane is only there for derivatives"),
    (35, "BASEINSTANCE", "VS SV", "base instance"),
    (36, "DRAWID", "VS/TS/MS SV", "number of the draw in a multi-draw"),
    (37, "WORK_DIM", "CS SV", "OpenCL dimensions"),
    (38, "SUBGROUP_SIZE", "any SV", "lanes per subgroup, at most 64"),
    (39, "SUBGROUP_INVOCATION", "any SV", "own lane number n"),
    (40, "SUBGROUP_EQ_MASK", "any SV", "64-bit mask: bit n"),
    (41, "SUBGROUP_GE_MASK", "any SV", "bits >= n inside the subgroup"),
    (42, "SUBGROUP_GT_MASK", "any SV", "bits > n"),
    (43, "SUBGROUP_LE_MASK", "any SV", "bits <= n"),
    (44, "SUBGROUP_LT_MASK", "any SV", "bits < n"),
    (45, "CS_USER_DATA_AMD", "CS SV", "four words that the driver hands to a grid; nothing in Gallium sets them"),
    (46, "VIEWPORT_MASK", "VS/GS/TES out, MS out per primitive", "x: bit k draws the primitive in viewport k; 0 culls it"),
    (47, "TESS_DEFAULT_OUTER_LEVEL", "TCS SV", "the outer levels of set_tess_state"),
    (48, "TESS_DEFAULT_INNER_LEVEL", "TCS SV", "xy: the inner levels of set_tess_state"),
    (49, "CULL_PRIMITIVE", "MS out, per primitive", "x: the primitive is culled unless it is 0"),
    (50, "PRIMITIVE_INDICES", "MS out, per primitive", "numbers of its vertices: x for POINTS, xy for LINES, xyz for TRIANGLES"),
)
# fmt: on

_INDICES: Mapping[str, int | None] = {"GENERIC": None, "COLOR": 2, "BCOLOR": 2, "CLIPDIST": 2, "TEXCOORD": 8, "PATCH": 32}
"""Number of indices of the names that have more than one; None as in `SemanticInfo.indices`.

The first three are those of the linkage proposal of 2010, which gives every other name of its time one index; the last three are younger.
"""

SEMANTICS: Mapping[str, SemanticInfo] = MappingProxyType(
    {name: SemanticInfo(name, number, stages, meaning, _INDICES.get(name, 1)) for number, name, stages, meaning in _ROWS}
)
"""Semantic facts by their spelling."""

PATCH_SEMANTICS = frozenset({"PATCH", "TESSINNER", "TESSOUTER", "PRIM_ID"})
"""Inputs and outputs that exist once per patch; all others exist once per vertex."""

MESH_SEMANTICS = frozenset({"VIEWPORT_MASK", "CULL_PRIMITIVE", "PRIMITIVE_INDICES"})
"""Outputs that only mesh programs have."""

PRIMITIVE_SEMANTICS = MESH_SEMANTICS | {"PRIM_ID", "LAYER", "VIEWPORT_INDEX"}
"""Outputs that mesh programs always have once a primitive."""

VERTEX_SEMANTICS = frozenset({"POSITION", "PSIZE", "CLIPDIST", "CLIPVERTEX"})
"""Outputs that mesh programs always have once a vertex. All others exist once a primitive if they are declared PRIMITIVE."""
