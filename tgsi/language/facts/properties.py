"""Program properties: numbers, meanings, and the words that text uses for their values."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tgsi.language.facts.enums import Primitive, Processor
from tgsi.language.facts.stages import STAGES
from tgsi.language.record import record

_PRIMITIVES = MappingProxyType({item.name: int(item) for item in Primitive})


@record
class PropertyInfo:
    """Facts of one property. `words` are the names that text uses for values; None if it writes a number."""

    name: str
    number: int
    meaning: str
    words: Mapping[str, int] | None = None
    is_later: bool = False


MESH_PRIMITIVES = (Primitive.POINTS, Primitive.LINES, Primitive.TRIANGLES)
"""Primitives that a mesh program may output."""

_WORDS: Mapping[str, Mapping[str, int]] = {
    "GS_INPUT_PRIMITIVE": _PRIMITIVES,
    "GS_OUTPUT_PRIMITIVE": _PRIMITIVES,
    "FS_COORD_ORIGIN": {"UPPER_LEFT": 0, "LOWER_LEFT": 1, "VIEWPORT_LOWER": 2, "VIEWPORT_UPPER": 3},
    "FS_COORD_PIXEL_CENTER": {"HALF_INTEGER": 0, "INTEGER": 1},
    "MS_OUTPUT_PRIMITIVE": {item.name: int(item) for item in MESH_PRIMITIVES},
    "NEXT_SHADER": {item.name: int(item) for item in Processor if not STAGES[item].is_mesh},
}

LOWER_ORIGINS = frozenset({1, 2})
"""Values of FS_COORD_ORIGIN that count from the lower edge."""
FIRST_OF_VIEWPORT = 2
"""Values of FS_COORD_ORIGIN from this one on name edges of the picture, and y grows toward the edge that the first viewport shows above."""

# number, name, meaning
# fmt: off
_ROWS: tuple[tuple[int, str, str], ...] = (
    (0, "GS_INPUT_PRIMITIVE", "primitive name"),
    (1, "GS_OUTPUT_PRIMITIVE", "primitive name (POINTS, LINE_STRIP, TRIANGLE_STRIP)"),
    (2, "GS_MAX_OUTPUT_VERTICES", "upper bound of EMIT"),
    (3, "FS_COORD_ORIGIN", "0 UPPER_LEFT (default), 1 LOWER_LEFT; ours: 2 VIEWPORT_LOWER, 3 VIEWPORT_UPPER; by name"),
    (4, "FS_COORD_PIXEL_CENTER", "0 HALF_INTEGER (default), 1 INTEGER; by name; does not move rasterization"),
    (5, "FS_COLOR0_WRITES_ALL_CBUFS", "1: COLOR[0] goes to every target"),
    (6, "FS_DEPTH_LAYOUT", "0 none, 1 any, 2 greater, 3 less, 4 unchanged; number in text"),
    (7, "VS_PROHIBIT_UCPS", "1: user clip planes have no effect"),
    (8, "GS_INVOCATIONS", "runs per primitive, default 1"),
    (9, "VS_WINDOW_SPACE_POSITION", "1: position is already in window space, w = 1/w; no clip, no viewport"),
    (10, "TCS_VERTICES_OUT", "patch size written"),
    (11, "TES_PRIM_MODE", "PIPE_PRIM number: 4 TRIANGLES, 7 QUADS, 1 LINES (isolines)"),
    (12, "TES_SPACING", "0 fractional odd, 1 fractional even, 2 equal"),
    (13, "TES_VERTEX_ORDER_CW", "1 clockwise"),
    (14, "TES_POINT_MODE", "1 points"),
    (15, "NUM_CLIPDIST_ENABLED", "clip scalars, first in CLIPDIST"),
    (16, "NUM_CULLDIST_ENABLED", "cull scalars, after the clip scalars"),
    (17, "FS_EARLY_DEPTH_STENCIL", "1: tests and occlusion count before the shader"),
    (18, "FS_POST_DEPTH_COVERAGE", "1: SAMPLEMASK input without failed samples; needs early tests"),
    (19, "NEXT_SHADER", "likely next stage, by processor name; hint of VS and TES"),
    (20, "CS_FIXED_BLOCK_WIDTH", "threads of a block along x; 0 = not fixed, which TASK and MESH refuse"),
    (21, "CS_FIXED_BLOCK_HEIGHT", "likewise along y"),
    (22, "CS_FIXED_BLOCK_DEPTH", "likewise along z"),
    (23, "MUL_ZERO_WINS", "1: 0*anything = 0 in every float product"),
)
_LATER: tuple[tuple[int, str, str], ...] = (
    (23, "LEGACY_MATH_RULES", "new name of MUL_ZERO_WINS"),
    (24, "VS_BLIT_SGPRS_AMD", "added after 18.1"),
    (25, "CS_USER_DATA_COMPONENTS_AMD", "added after 18.1"),
    (26, "LAYER_VIEWPORT_RELATIVE", "added after 18.1"),
    (27, "FS_BLEND_EQUATION_ADVANCED", "added after 18.1"),
    (28, "SEPARABLE_PROGRAM", "added after 18.1"),
    (29, "TCS_TESS_FACTOR_ROUND_TO_POW2", "seen in one 2023/24 fork tree only"),
    (30, "TCS_TESS_FACTOR_MAX", "seen in one 2023/24 fork tree only"),
    (31, "MS_OUTPUT_PRIMITIVE", "primitive name (POINTS, LINES, TRIANGLES), default TRIANGLES"),
    (32, "MS_MAX_OUTPUT_VERTICES", "upper bound of the vertices of a workgroup, 1 to 256; needed"),
    (33, "MS_MAX_OUTPUT_PRIMITIVES", "upper bound of the primitives of a workgroup, 1 to 256; needed"),
    (34, "TS_PAYLOAD_BYTES", "bytes of PAYLOAD memory that a task hands to its mesh workgroups, at most 16384"),
    (35, "TS_SHARED_BYTES", "bytes of SHARED memory of a task workgroup, at most 32768 with the payload"),
    (36, "MS_SHARED_BYTES", "bytes of SHARED memory of a mesh workgroup, at most 28672"),
)
# fmt: on

PROPERTIES: Mapping[str, PropertyInfo] = MappingProxyType(
    {name: PropertyInfo(name, number, meaning, _WORDS.get(name)) for number, name, meaning in _ROWS}
    | {name: PropertyInfo(name, number, meaning, _WORDS.get(name), True) for number, name, meaning in _LATER}
)
"""Property facts by their spelling."""
