"""Fixed-function state of colors as instructions: lower-clamp-color, lower-two-side.

These passes change the program's results: each replaces a rasterizer state, which then stays off. `passes.lower.state` has the passes for
other states.
"""

from __future__ import annotations

from passes.base import Pass
from passes.lower.clamp import Clamp, clamp_colors
from passes.lower.face import two_sided_from_face
from tgsi.language.facts.enums import Processor
from tgsi.language.program import Program
from tgsi.language.record import record


@record(slots=False)
class LowerClampColor(Pass):
    """Clamp color outputs to [0, 1] at the end of the program."""

    name = "lower-clamp-color"

    def run(self, program: Program) -> Program:
        """See `Pass.run` and `passes.lower.clamp.clamp_colors`."""
        return clamp_colors(program, Clamp.ALWAYS)


@record(slots=False)
class LowerTwoSide(Pass):
    """Let a fragment program choose between COLOR and BCOLOR by FACE.

    `colors` is a mask: bit n stands for COLOR[n], for which the vertex program must write BCOLOR[n]. Programs of other stages stay
    unchanged.
    """

    name = "lower-two-side"
    colors: int = 3

    def run(self, program: Program) -> Program:
        """See `Pass.run` and `passes.lower.face.two_sided_from_face`."""
        if program.processor is not Processor.FRAG:
            return program
        return two_sided_from_face(program, tuple(n for n in range(self.colors.bit_length()) if self.colors >> n & 1))
