"""Execution models as stages, and execution modes as properties."""

from __future__ import annotations

from frontends.spirv.emit.builtins import block_size
from frontends.spirv.emit.state import State
from tgsi.language.facts.enums import Primitive, Processor

PROCESSORS = {
    "Vertex": Processor.VERT,
    "TessellationControl": Processor.TESS_CTRL,
    "TessellationEvaluation": Processor.TESS_EVAL,
    "Geometry": Processor.GEOM,
    "Fragment": Processor.FRAG,
    "GLCompute": Processor.COMP,
    "TaskEXT": Processor.TASK,
    "MeshEXT": Processor.MESH,
}
"""Stage of each execution model."""

_INPUTS = {
    "InputPoints": Primitive.POINTS,
    "InputLines": Primitive.LINES,
    "InputLinesAdjacency": Primitive.LINES_ADJACENCY,
    "Triangles": Primitive.TRIANGLES,
    "InputTrianglesAdjacency": Primitive.TRIANGLES_ADJACENCY,
}
_OUTPUTS = {"OutputPoints": Primitive.POINTS, "OutputLineStrip": Primitive.LINE_STRIP, "OutputTriangleStrip": Primitive.TRIANGLE_STRIP}
_MESHES = {"OutputPoints": Primitive.POINTS, "OutputLinesNV": Primitive.LINES, "OutputTrianglesNV": Primitive.TRIANGLES}
_DOMAINS = {"Triangles": Primitive.TRIANGLES, "Quads": Primitive.QUADS, "Isolines": Primitive.LINES}
_SPACINGS = {"SpacingFractionalOdd": 0, "SpacingFractionalEven": 1, "SpacingEqual": 2}
_DEPTHS = {"DepthGreater": 2, "DepthLess": 3, "DepthUnchanged": 4}


def properties(s: State) -> dict[str, int]:
    """The properties of the program that do not depend on its code."""
    modes = s.tables.modes.get(s.entry.function, {})

    def word(mode: str, default: int = 0) -> int:
        return (modes.get(mode) or [default])[0]

    def choice(table: dict[str, Primitive] | dict[str, int], default: int) -> int:
        return next((int(value) for mode, value in table.items() if mode in modes), int(default))

    match s.processor:
        case Processor.FRAG:
            values = {"FS_COORD_ORIGIN": 0 if "OriginUpperLeft" in modes else 1}
            if "PixelCenterInteger" in modes:
                values["FS_COORD_PIXEL_CENTER"] = 1
            if "EarlyFragmentTests" in modes:
                values["FS_EARLY_DEPTH_STENCIL"] = 1
            if "PostDepthCoverage" in modes:
                values["FS_POST_DEPTH_COVERAGE"] = 1
            if depth := choice(_DEPTHS, 0):
                values["FS_DEPTH_LAYOUT"] = depth
            return values
        case Processor.GEOM:
            return {
                "GS_INPUT_PRIMITIVE": choice(_INPUTS, Primitive.TRIANGLES),
                "GS_OUTPUT_PRIMITIVE": choice(_OUTPUTS, Primitive.TRIANGLE_STRIP),
                "GS_MAX_OUTPUT_VERTICES": word("OutputVertices"),
                "GS_INVOCATIONS": word("Invocations", 1),
            }
        case Processor.TESS_CTRL:
            return {"TCS_VERTICES_OUT": word("OutputVertices", 1)}
        case Processor.TESS_EVAL:
            return {
                "TES_PRIM_MODE": choice(_DOMAINS, Primitive.TRIANGLES),
                "TES_SPACING": choice(_SPACINGS, 2),
                "TES_VERTEX_ORDER_CW": int("VertexOrderCw" in modes),
                "TES_POINT_MODE": int("PointMode" in modes),
            }
        case Processor.MESH:
            return {
                **_block(s),
                "MS_OUTPUT_PRIMITIVE": choice(_MESHES, Primitive.TRIANGLES),
                "MS_MAX_OUTPUT_VERTICES": word("OutputVertices"),
                "MS_MAX_OUTPUT_PRIMITIVES": word("OutputPrimitivesNV"),
            }
        case Processor.COMP | Processor.TASK:
            return _block(s)
    return {}


def _block(s: State) -> dict[str, int]:
    x, y, z = block_size(s)
    return {"CS_FIXED_BLOCK_WIDTH": x, "CS_FIXED_BLOCK_HEIGHT": y, "CS_FIXED_BLOCK_DEPTH": z}


def shared_bytes(s: State) -> None:
    """Set the property with the size of shared memory, in stages that have one."""
    names = {Processor.TASK: "TS_SHARED_BYTES", Processor.MESH: "MS_SHARED_BYTES"}
    if s.shared and s.processor in names:
        s.properties[names[s.processor]] = s.shared
