"""Fragment inputs from plane coefficients: evaluated at a quad's first pixel, its neighbors are one step away.

That is Mesa's interpreter, so that results can be compared bit by bit; the rasterizer has its own, closed formula.
"""

from __future__ import annotations

import numpy as np

from backends.arguments import Arguments
from backends.result import Bits, Floats
from backends.shapes import QUAD
from tgsi.enums import File, Interpolation
from tgsi.ir import Declaration, Program


def interpolated_inputs(program: Program, arguments: Arguments) -> Bits:
    """The IN file, (registers, lanes, 4) words: the inputs as given, or planes at the pixels' positions.

    POSITION is the pixel's position itself, FACE is (face, 0, 0, 1). COLOR follows flatshade; a declaration that names no
    interpolation is constant.
    """
    words = arguments.inputs
    if arguments.quad_pos is None:
        return words
    if arguments.coefs is not None:
        words = words.copy()
        for declaration in program.declared(File.IN):
            for register in range(declaration.first, declaration.last + 1):
                words[register] = _input(declaration, arguments.coefs[register], arguments).view(np.uint32)
    return words


def _input(declaration: Declaration, planes: Floats, arguments: Arguments) -> Floats:
    position = arguments.quad_pos
    if position is None:
        raise ValueError("planes need positions")
    lanes = position.shape[1]
    name = declaration.semantic.name if declaration.semantic else ""
    if name == "POSITION":
        return np.ascontiguousarray(position.T)
    if name == "FACE":
        return np.tile(np.array([arguments.face, 0, 0, 1], np.float32), (lanes, 1))
    mode = declaration.interpolation or Interpolation.CONSTANT
    if mode is Interpolation.COLOR:
        mode = Interpolation.CONSTANT if arguments.flatshade_color else Interpolation.PERSPECTIVE
    a0, dadx, dady = planes
    if mode is Interpolation.CONSTANT:
        return np.tile(a0, (lanes, 1))
    x, y, w = position[0, ::QUAD, None], position[1, ::QUAD, None], position[3, :, None]
    corner = (a0 + dadx * x) + dady * y
    value: Floats = np.stack([corner, corner + dadx, corner + dady, (corner + dadx) + dady], axis=1).reshape(lanes, 4)
    return value / w if mode is Interpolation.PERSPECTIVE else value
