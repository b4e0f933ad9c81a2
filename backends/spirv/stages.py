"""Stages as execution models, and properties as execution modes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from backends.spirv.state import State
from tgsi.language.facts.enums import Primitive, Processor
from tgsi.language.facts.properties import LOWER_ORIGINS

MODELS: Mapping[Processor, str] = MappingProxyType(
    {
        Processor.VERT: "Vertex",
        Processor.FRAG: "Fragment",
        Processor.GEOM: "Geometry",
        Processor.TESS_CTRL: "TessellationControl",
        Processor.TESS_EVAL: "TessellationEvaluation",
        Processor.COMP: "GLCompute",
    }
)
"""Execution model of each stage."""

_INPUTS = {
    Primitive.POINTS: "InputPoints",
    Primitive.LINES: "InputLines",
    Primitive.LINE_STRIP: "InputLines",
    Primitive.LINE_LOOP: "InputLines",
    Primitive.LINES_ADJACENCY: "InputLinesAdjacency",
    Primitive.LINE_STRIP_ADJACENCY: "InputLinesAdjacency",
    Primitive.TRIANGLES_ADJACENCY: "InputTrianglesAdjacency",
    Primitive.TRIANGLE_STRIP_ADJACENCY: "InputTrianglesAdjacency",
}
_OUTPUTS = {
    Primitive.POINTS: "OutputPoints",
    Primitive.LINES: "OutputLineStrip",
    Primitive.LINE_STRIP: "OutputLineStrip",
    Primitive.LINE_LOOP: "OutputLineStrip",
}
_DOMAINS = {Primitive.TRIANGLES: "Triangles", Primitive.QUADS: "Quads", Primitive.LINES: "Isolines"}
_SPACINGS = {0: "SpacingFractionalOdd", 1: "SpacingFractionalEven", 2: "SpacingEqual"}
_REFUSED = {
    "VS_WINDOW_SPACE_POSITION": "positions in window space",
    "FS_BLEND_EQUATION_ADVANCED": "advanced blending",
    "LAYER_VIEWPORT_RELATIVE": "layers relative to viewports",
    "TCS_TESS_FACTOR_ROUND_TO_POW2": "rounded levels",
    "TCS_TESS_FACTOR_MAX": "a highest level",
}
"""Properties that SPIR-V has no words for."""

_VERTICES = 32
"""Vertices that a geometry program without GS_MAX_OUTPUT_VERTICES may emit."""


def modes(s: State) -> None:
    """State capabilities and execution modes of the stage and its properties."""
    m, program, entry = s.module, s.program, s.entry
    for item in program.properties:
        if item.name in _REFUSED and program.property(item.name):
            s.fail("M033", f"SPIR-V has no words for {_REFUSED[item.name]} ({item.name})", item.span)
    m.need("Shader")
    match program.processor:
        case Processor.FRAG:
            m.mode(entry, "OriginLowerLeft" if program.property("FS_COORD_ORIGIN") in LOWER_ORIGINS else "OriginUpperLeft")
            if program.property("FS_COORD_PIXEL_CENTER"):
                m.mode(entry, "PixelCenterInteger")
            if program.property("FS_EARLY_DEPTH_STENCIL"):
                m.mode(entry, "EarlyFragmentTests")
            if program.property("FS_POST_DEPTH_COVERAGE"):
                m.need("SampleMaskPostDepthCoverage", extension="SPV_KHR_post_depth_coverage")
                m.mode(entry, "PostDepthCoverage")
        case Processor.GEOM:
            m.need("Geometry")
            m.mode(entry, _INPUTS.get(Primitive(program.property("GS_INPUT_PRIMITIVE", 4)), "Triangles"))
            m.mode(entry, _OUTPUTS.get(Primitive(program.property("GS_OUTPUT_PRIMITIVE", 5)), "OutputTriangleStrip"))
            m.mode(entry, "OutputVertices", program.property("GS_MAX_OUTPUT_VERTICES") or _VERTICES)
            m.mode(entry, "Invocations", max(1, program.property("GS_INVOCATIONS", 1)))
        case Processor.TESS_CTRL:
            m.need("Tessellation")
            m.mode(entry, "OutputVertices", program.property("TCS_VERTICES_OUT", 1))
        case Processor.TESS_EVAL:
            m.need("Tessellation")
            domain = program.property("TES_PRIM_MODE")
            if domain not in _DOMAINS:
                s.fail("M033", "the patches of a TESS_EVAL program are TRIANGLES, QUADS or LINES (TES_PRIM_MODE)")
            m.mode(entry, _DOMAINS[Primitive(domain)])
            m.mode(entry, _SPACINGS.get(program.property("TES_SPACING"), "SpacingEqual"))
            m.mode(entry, "VertexOrderCw" if program.property("TES_VERTEX_ORDER_CW") else "VertexOrderCcw")
            if program.property("TES_POINT_MODE"):
                m.mode(entry, "PointMode")
        case Processor.COMP:
            sizes = [program.property(f"CS_FIXED_BLOCK_{axis}") for axis in ("WIDTH", "HEIGHT", "DEPTH")]
            if not all(sizes):
                s.fail("M033", "a block has a fixed size in SPIR-V", hint="state CS_FIXED_BLOCK_WIDTH, _HEIGHT and _DEPTH")
            m.mode(entry, "LocalSize", *sizes)
