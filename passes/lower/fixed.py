"""Fixed-function state as instructions and declarations: lower-clamp-color, lower-two-side, lower-flat-shade, lower-point-coord.

These passes change what a program computes: each does the work of a rasterizer state, so that the state can stay off.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from passes.base import Pass
from passes.lower.clamp import Clamp, clamp_colors
from passes.lower.face import two_sided_from_face
from tgsi.language.facts.enums import File, Interpolation, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Declaration
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


@record(slots=False)
class LowerFlatShade(Pass):
    """Make color inputs that follow the flatshade state constant over the primitive.

    Programs of other stages stay unchanged.
    """

    name = "lower-flat-shade"

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        if program.processor is not Processor.FRAG:
            return program
        made = tuple(_flat(item) for item in program.declarations)
        return program if made == program.declarations else replace(program, declarations=made)


def _flat(item: Declaration) -> Declaration:
    if item.file is not File.IN or item.semantic is None or item.semantic.name not in ("COLOR", "BCOLOR"):
        return item
    follows = item.interpolation is None or item.interpolation is Interpolation.COLOR
    return replace(item, interpolation=Interpolation.CONSTANT) if follows else item


@record(slots=False)
class LowerPointCoord(Pass):
    """Read the point coordinate, (s, t, 0, 1), in place of GENERIC inputs that point sprites replace.

    `generics` is a mask, as sprite_coord_enable: bit n stands for GENERIC[n]. Declared ranges are split if only a part is replaced.
    Programs of other stages stay unchanged.
    """

    name = "lower-point-coord"
    generics: int = 0

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        if program.processor is not Processor.FRAG:
            return program
        made = tuple(new for item in program.declarations for new in self._split(item))
        return program if made == program.declarations else replace(program, declarations=made)

    def _split(self, item: Declaration) -> Iterator[Declaration]:
        semantic = item.semantic
        if item.file is not File.IN or semantic is None or semantic.name != "GENERIC":
            yield item
            return
        numbers = range(semantic.index, semantic.index + item.last - item.first + 1)
        if not any(self.generics >> number & 1 for number in numbers):
            yield item
            return
        for register, number in zip(range(item.first, item.last + 1), numbers):
            if self.generics >> number & 1:
                coordinate = Semantic("PCOORD")
                yield replace(item, first=register, last=register, semantic=coordinate, interpolation=Interpolation.LINEAR, array_id=0)
            else:
                yield replace(item, first=register, last=register, semantic=Semantic("GENERIC", number), array_id=0)
