"""Color clamping as instructions, for devices without such a state."""

from __future__ import annotations

from enum import Enum

from passes.lower.insert import insert
from passes.lower.state.additions import Additions, ends, of, op
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.stages import STAGES
from tgsi.language.ir import RegisterRef
from tgsi.language.program import Program


class Clamp(Enum):
    """Rule for clamping colors to [0, 1]: never (SM3), always, or only for fixed-point targets (SM2 and old OpenGL have either)."""

    NEVER = "never"
    ALWAYS = "always"
    FIXED_ONLY = "fixed only"

    def is_on(self, *, has_float_target: bool) -> bool:
        """Return true if colors are clamped with these targets."""
        return self is Clamp.ALWAYS or (self is Clamp.FIXED_ONLY and not has_float_target)


def clamp_colors(program: Program, mode: Clamp, *, has_float_target: bool = False) -> Program:
    """Return the program with its color outputs clamped to [0, 1]: COLOR and BCOLOR of vertex stages, COLOR of fragment programs.

    A saturating MAX with 0 is inserted before every end of the main program, and in geometry programs before every EMIT. So a NaN becomes
    0, and -0.0 becomes 0.0, as under the state; SAT alone would leave both.

    Raises:
        UnsupportedError: the program is a mesh program.

    Source: the first open issue of the linkage proposal of 2010.
    """
    if not mode.is_on(has_float_target=has_float_target):
        return program
    if STAGES[program.processor].is_mesh:
        raise UnsupportedError.at("B001", "colors of mesh programs are not clamped: any thread writes any vertex, so none is the last")
    names = ("COLOR",) if program.processor is Processor.FRAG else ("COLOR", "BCOLOR")
    more = Additions(program)
    zero = more.number(0.0)
    moves = tuple(
        op("MAX", RegisterRef(File.OUT, register), of(RegisterRef(File.OUT, register)), zero, mask=item.usage_mask, saturate=True)
        for item in program.declared(File.OUT)
        if item.semantic is not None and item.semantic.name in names
        for register in range(item.first, item.last + 1)
    )
    if not moves:
        return program
    return more.finish(insert(program, dict.fromkeys(ends(program), moves)))
