"""Layout qualifiers of whole programs, from their properties."""

from __future__ import annotations

from backends.glsl.places import refuse
from backends.glsl.version import Version
from tgsi.language.facts.enums import Primitive, Processor
from tgsi.language.program import Program

_IN = {
    Primitive.POINTS: "points",
    Primitive.LINES: "lines",
    Primitive.LINES_ADJACENCY: "lines_adjacency",
    Primitive.TRIANGLES: "triangles",
    Primitive.TRIANGLES_ADJACENCY: "triangles_adjacency",
}
_OUT = {Primitive.POINTS: "points", Primitive.LINE_STRIP: "line_strip", Primitive.TRIANGLE_STRIP: "triangle_strip"}
_DOMAINS = {Primitive.TRIANGLES: "triangles", Primitive.QUADS: "quads", Primitive.LINES: "isolines"}
_SPACINGS = ("fractional_odd_spacing", "fractional_even_spacing", "equal_spacing")
_REFUSED = {
    "MUL_ZERO_WINS": "products in which 0 wins",
    "LEGACY_MATH_RULES": "products in which 0 wins",
    "VS_WINDOW_SPACE_POSITION": "a position in window space",
    "LAYER_VIEWPORT_RELATIVE": "a layer relative to the viewport",
    "FS_BLEND_EQUATION_ADVANCED": "advanced blending",
    "FS_POST_DEPTH_COVERAGE": "coverage after the depth test",
}


def check_properties(program: Program, version: Version) -> None:
    """Refuse stages and properties that GLSL has no words for."""
    if program.processor in (Processor.TASK, Processor.MESH):
        refuse(f"stage {program.processor.name}", None, "vertex, tessellation, geometry, fragment and compute programs become GLSL")
    for item in program.properties:
        if item.name in _REFUSED and item.value:
            refuse(f"{_REFUSED[item.name]} ({item.name})", item.span)


def layouts(program: Program, version: Version) -> list[str]:
    """Lines for the properties of the program."""
    value = program.property
    match program.processor:
        case Processor.GEOM:
            invocations = value("GS_INVOCATIONS", 1)
            runs = f", invocations = {invocations}" if invocations > 1 else ""
            read = _IN.get(Primitive(value("GS_INPUT_PRIMITIVE", Primitive.TRIANGLES)))
            written = _OUT.get(Primitive(value("GS_OUTPUT_PRIMITIVE", Primitive.TRIANGLE_STRIP)))
            if read is None or written is None:
                refuse("a geometry program of these primitives", None)
            return [f"layout({read}{runs}) in;", f"layout({written}, max_vertices = {value('GS_MAX_OUTPUT_VERTICES')}) out;"]
        case Processor.TESS_CTRL:
            return [f"layout(vertices = {value('TCS_VERTICES_OUT')}) out;"]
        case Processor.TESS_EVAL:
            domain = _DOMAINS.get(Primitive(value("TES_PRIM_MODE", Primitive.TRIANGLES)))
            if domain is None:
                refuse("a tessellation of this domain", None)
            words = [domain, _SPACINGS[value("TES_SPACING", 2) % 3], "cw" if value("TES_VERTEX_ORDER_CW") else "ccw"]
            return [f"layout({', '.join(words + ['point_mode'] * bool(value('TES_POINT_MODE')))}) in;"]
        case Processor.COMP:
            sizes = [value(f"CS_FIXED_BLOCK_{name}") for name in ("WIDTH", "HEIGHT", "DEPTH")]
            if not all(sizes):
                refuse("a block without a fixed size", None, "PROPERTY CS_FIXED_BLOCK_WIDTH, _HEIGHT and _DEPTH say it")
            shown = ", ".join(f"local_size_{axis} = {size}" for axis, size in zip("xyz", sizes) if axis == "x" or size > 1)
            return [f"layout({shown}) in;"]
        case Processor.FRAG:
            lines = ["layout(early_fragment_tests) in;"] if value("FS_EARLY_DEPTH_STENCIL") else []
            if value("FS_COLOR0_WRITES_ALL_CBUFS"):
                lines.append("// the color goes to every color buffer that is bound; GLSL writes the first")
            return lines
        case _:
            return []
