"""Inputs of fragments from plane equations, for runs: computed before the program starts."""

from __future__ import annotations

import numpy as np

from backends.run.arguments import Arguments
from backends.run.canonical import canonical
from backends.run.result import Bits, Floats
from backends.run.shapes import QUAD
from tgsi.language.facts.enums import File, Interpolation, Location
from tgsi.language.ir import Declaration
from tgsi.language.program import Program


def interpolate(program: Program, arguments: Arguments) -> Bits:
    """IN file of a run, (registers, lanes, 4) words: the given inputs, or plane equations at the quad's corner, then stepped to its pixels.

    POSITION is the pixel's position, FACE is (face, 0, 0, 1). COLOR is constant with flatshade_color, otherwise perspective. A register
    without a mode is constant. CENTROID and SAMPLE move an input away from the pixel's center.
    """
    position, planes = arguments.quad_pos, arguments.coefs
    if position is None or planes is None:
        return arguments.inputs
    result = np.zeros((program.file_size(File.IN), arguments.lanes, 4), np.float32)
    for declaration in program.declared(File.IN):
        semantic = declaration.semantic.name if declaration.semantic is not None else ""
        mode, place = mode_of(declaration, arguments.flatshade_color), _place(declaration, arguments)
        for register in range(declaration.first, declaration.last + 1):
            if semantic == "POSITION":
                result[register] = position.T
            elif semantic == "FACE":
                result[register] = (arguments.face, 0.0, 0.0, 1.0)
            elif mode is Interpolation.CONSTANT:
                result[register] = planes[register, 0]
            else:
                result[register] = _plane(planes[register], mode, position, place)
    return result.view(np.uint32)


def mode_of(declaration: Declaration, flat_color: bool) -> Interpolation:
    """Interpolation mode of an input: CONSTANT, LINEAR or PERSPECTIVE."""
    mode = declaration.interpolation
    if mode is None:
        return Interpolation.CONSTANT
    if mode is Interpolation.COLOR:
        return Interpolation.CONSTANT if flat_color else Interpolation.PERSPECTIVE
    return mode


def _place(declaration: Declaration, arguments: Arguments) -> Floats | None:
    places = {Location.CENTROID: arguments.centroid_offset, Location.SAMPLE: arguments.sample_offset}
    return places.get(declaration.location)


def _plane(plane: Floats, mode: Interpolation, position: Floats, place: Floats | None) -> Floats:
    """Values of one register, (lanes, 4), at `place`, (lanes, 2), relative to the pixels' centers."""
    start, dx, dy = plane
    lanes = position.shape[1]
    x, y, w = position[0], position[1], position[3]
    corner = np.arange(lanes) // QUAD * QUAD
    column, row = np.arange(lanes) % 2 == 1, np.arange(lanes) % QUAD >= 2
    with np.errstate(all="ignore"):
        value: Floats = (start + dx * x[corner][:, None]) + dy * y[corner][:, None]
        value = np.where(column[:, None], value + dx, value)
        value = np.where(row[:, None], value + dy, value)
        if place is not None:
            right, down = place[:, 0], place[:, 1]
            away = right.astype(np.bool_) | down.astype(np.bool_)
            moved = (start + dx * (x + right)[:, None]) + dy * (y + down)[:, None]
            value = np.where(away[:, None], moved, value)
            by_x, by_y = w[corner + 3] - w[corner + 2], w[corner + 2] - w[corner]
            w = np.where(away, (w + by_x * right) + by_y * down, w)
        if mode is Interpolation.PERSPECTIVE:
            value /= w[:, None]
    return canonical(value)
