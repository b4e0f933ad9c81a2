"""Fragment inputs from plane coefficients.

At the pixels' centers they are evaluated at a quad's first pixel, its neighbors are one step away: that is Mesa's interpreter, so that
results can be compared bit by bit (the rasterizer has its own, closed formula). At other positions in a pixel the planes are evaluated
directly.
"""

from __future__ import annotations

import numpy as np

from backends.run.arguments import Arguments
from backends.run.canonical import canonical
from backends.run.result import Bits, Floats
from backends.run.shapes import QUAD
from tgsi.language.facts.enums import File, Interpolation, Location
from tgsi.language.ir import Declaration
from tgsi.language.program import Program


def inputs_at(program: Program, arguments: Arguments, offset: Floats | None = None) -> Bits:
    """The IN file, (registers, lanes, 4) words: the inputs as given, or planes at a place of each pixel.

    offset: (lanes, 2), the place as seen from the pixel's center; without it, each input is taken where its declaration says.
    POSITION is the pixel's position itself, FACE is (face, 0, 0, 1): both are the same all over the pixel. COLOR follows flatshade; a
    declaration that names no interpolation is constant.
    """
    words = arguments.inputs
    if arguments.coefs is None or arguments.quad_pos is None:
        return words
    words = words.copy()
    for declaration in program.declared(File.IN):
        place = _declared_offset(declaration, arguments) if offset is None else offset
        for register in range(declaration.first, declaration.last + 1):
            with np.errstate(all="ignore"):
                values = _input(declaration, arguments.coefs[register], arguments, arguments.quad_pos, place)
            words[register] = values.view(np.uint32)
    return words


def _declared_offset(declaration: Declaration, arguments: Arguments) -> Floats | None:
    match declaration.location:
        case Location.CENTROID:
            return arguments.centroid_offset
        case Location.SAMPLE:
            return arguments.sample_offset
        case _:
            return None


def _input(declaration: Declaration, planes: Floats, arguments: Arguments, position: Floats, offset: Floats | None) -> Floats:
    lanes = position.shape[1]
    name = declaration.semantic.name if declaration.semantic else ""
    if name == "POSITION":
        return np.ascontiguousarray(position.T)
    if name == "FACE":
        return np.tile(np.array([arguments.face, 0, 0, 1], np.float32), (lanes, 1))
    mode = declaration.interpolation or Interpolation.CONSTANT
    if mode is Interpolation.COLOR:
        mode = Interpolation.CONSTANT if arguments.flatshade_color else Interpolation.PERSPECTIVE
    if mode is Interpolation.CONSTANT:
        return np.tile(planes[0], (lanes, 1))
    value = canonical(_at_centers(planes, position, mode))
    if offset is None:
        return value
    centered = (offset == 0).all(axis=1, keepdims=True)
    result: Floats = np.where(centered, value, canonical(_at_offset(planes, position, mode, offset)))
    return result


def _at_centers(planes: Floats, position: Floats, mode: Interpolation) -> Floats:
    a0, dadx, dady = planes
    x, y, w = position[0, ::QUAD, None], position[1, ::QUAD, None], position[3, :, None]
    corner = (a0 + dadx * x) + dady * y
    value: Floats = np.stack([corner, corner + dadx, corner + dady, (corner + dadx) + dady], axis=1).reshape(-1, 4)
    return value / w if mode is Interpolation.PERSPECTIVE else value


def _at_offset(planes: Floats, position: Floats, mode: Interpolation, offset: Floats) -> Floats:
    """The slopes of 1/w are the differences between the quad's own pixels, like DDX and DDY."""
    a0, dadx, dady = planes
    right, down = offset[:, :1], offset[:, 1:]
    x, y, w = position[0, :, None], position[1, :, None], position[3, :, None]
    value: Floats = (a0 + dadx * (x + right)) + dady * (y + down)
    if mode is not Interpolation.PERSPECTIVE:
        return value
    quads = w.reshape(-1, QUAD, 1)
    dwdx: Floats = np.repeat(quads[:, 3] - quads[:, 2], QUAD, axis=0)
    dwdy: Floats = np.repeat(quads[:, 2] - quads[:, 0], QUAD, axis=0)
    result: Floats = value / ((w + dwdx * right) + dwdy * down)
    return result
