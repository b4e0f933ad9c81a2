"""Facts about the declarations of programs, for validation and explanations."""

from __future__ import annotations

from backends.pipe.enums import Prim
from tgsi.language.facts.enums import File, Processor
from tgsi.language.program import Program

LINES = {Prim.LINES, Prim.LINE_LOOP, Prim.LINE_STRIP, Prim.LINES_ADJACENCY, Prim.LINE_STRIP_ADJACENCY}
"""Modes whose primitives are lines."""


def registers(program: Program, file: File) -> list[int]:
    """Numbers of the registers, or units, that a program declares in a file, in order."""
    return sorted({number for item in program.declared(file) for number in range(item.first, item.last + 1)})


def semantics(program: Program, file: File) -> set[str]:
    """Names of the semantics that a program declares in a file."""
    return {item.semantic.name for item in program.declared(file) if item.semantic is not None}


def corners(program: Program, mode: Prim) -> int:
    """Vertices of a primitive that leaves the last stage before the rasterizer: 1 of a point, 2 of a line, 3 of a triangle.

    mode: of the draw.
    """
    if program.processor is Processor.GEOM:
        mode = Prim(program.property("GS_OUTPUT_PRIMITIVE", int(Prim.TRIANGLE_STRIP)))
    elif program.processor is Processor.TESS_EVAL:
        mode = Prim.POINTS if program.property("TES_POINT_MODE") else Prim(program.property("TES_PRIM_MODE"))
    return 1 if mode is Prim.POINTS else 2 if mode in LINES else 3
