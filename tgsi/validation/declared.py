"""Facts about the declarations of programs, for validation and explanations."""

from __future__ import annotations

import numpy as np

from backends.pipe.enums import Prim
from tgsi.language.facts.enums import File, Processor
from tgsi.language.interface import Block, Variable
from tgsi.language.program import Program

LINES = {Prim.LINES, Prim.LINE_LOOP, Prim.LINE_STRIP, Prim.LINES_ADJACENCY, Prim.LINE_STRIP_ADJACENCY}
"""Modes whose primitives are lines."""


NAN_CAUSES = "a division by 0 where it was computed, or a look-at whose up vector is parallel to the line of sight?"
"""A guess at the cause of a uniform that is NaN."""


def end_of(block: Block) -> int:
    """Bytes of a block up to the end of its last member, without padding."""
    ends = [0]
    for item in block.members.values():
        size = (item.columns - 1) * item.matrix_stride + 4 * item.rows
        ends.append(item.offset + size + sum((count - 1) * stride for count, stride in zip(item.sizes, item.strides, strict=False)))
    return max(ends)


def padding_hint(block: Block) -> str:
    """A note for blocks whose layout pads elements of arrays; empty for others."""
    for item in block.members.values():
        if item.strides and item.columns == 1 and item.strides[-1] > 4 * item.rows:
            return f"; each element of {item.name!r} takes {item.strides[-1]} bytes, as std140 pads it"
    return ""


def has_nan(data: bytes | bytearray, variable: Variable) -> bool:
    """True if a float, vector or matrix in the bytes of its block has a component that is NaN."""
    vectors, words = (variable.rows, variable.columns) if variable.row_major else (variable.columns, variable.rows)
    for k in range(vectors):
        start = variable.offset + k * variable.matrix_stride
        if np.isnan(np.frombuffer(bytes(data[start : start + 4 * words]).ljust(4 * words, b"\0"), np.float32)).any():
            return True
    return False


def uniform_at(program: Program, buffer: int, row: int) -> str:
    """The path of the uniform, or member of a uniform block, that holds a row of a constant buffer; empty if the program has no names."""
    interface = program.interface
    blocks = [] if interface is None else [*interface.blocks.values(), *([interface.uniforms] if interface.uniforms else [])]
    for block in blocks:
        for name, member in block.members.items() if block.binding == buffer else ():
            if member.offset <= 16 * row + 12 < member.offset + 16 * max(1, member.columns):
                return name
    return ""


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
