"""Results of numeric operations that GLSL, HLSL and SPIR-V leave undefined, chosen as OpenGL's drivers do."""

from __future__ import annotations

from passes.lower.denormals import LowerDenormalTests
from passes.lower.numbers import LowerIntLimits, LowerNanLimits
from tgsi.language.program import Program

_PASSES = (LowerDenormalTests(), LowerIntLimits(), LowerNanLimits())


def as_drivers(program: Program) -> Program:
    """The program with the results on which drivers agree: of a number and a NaN, MIN and MAX are the number; a float above all integers is
    the largest one; comparisons with 0 take a denormal number for 0.

    `tgsi-vtest` runs the same passes on the TGSI that Mesa made of a text, so one text draws one picture.
    """
    for item in _PASSES:
        program = item.run(program)
    return program
