"""Sample shading as declarations: lower-per-sample."""

from __future__ import annotations

from dataclasses import replace

from passes.base import Pass
from passes.lower.state.additions import Additions, X, of, op, prologue
from passes.lower.state.words import known_word
from tgsi.language.facts.enums import File, Interpolation, Location, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Declaration
from tgsi.language.program import Program
from tgsi.language.record import record

_FIXED = frozenset({"POSITION", "FACE", "PRIM_ID", "LAYER", "VIEWPORT_INDEX"})
"""Inputs that no location moves."""


@record(slots=False)
class LowerPerSample(Pass):
    """Run a fragment program for each sample, with its inputs interpolated there.

    Inputs that vary get the location SAMPLE, as under force_persample_interp; this is `inputs` ALL. DECLARED keeps all locations, as
    set_min_samples does. A program that then has no input at a sample and no SAMPLEID reads SAMPLEID once, which makes devices run it for
    each sample. Programs of other stages stay unchanged.
    """

    name = "lower-per-sample"
    inputs: str = "ALL"

    def __post_init__(self) -> None:
        """Check `inputs`.

        Raises:
            ValueError: it is another word.
        """
        known_word(self.name, "inputs", self.inputs, ("ALL", "DECLARED"))

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        if program.processor is not Processor.FRAG:
            return program
        if self.inputs.upper() == "ALL":
            declarations = tuple(map(_at_sample, program.declarations))
            program = program if declarations == program.declarations else replace(program, declarations=declarations)
        if any(_is_per_sample(item) for item in program.declarations):
            return program
        more = Additions(program)
        read = op("MOV", more.temp(), of(more.system("SAMPLEID"), X), mask=1)
        return more.finish(prologue(program, [read]))


def _at_sample(item: Declaration) -> Declaration:
    if item.file is not File.IN or item.semantic is None or item.semantic.name in _FIXED:
        return item
    is_color = item.semantic.name in ("COLOR", "BCOLOR")
    varies = is_color if item.interpolation is None else item.interpolation is not Interpolation.CONSTANT
    return replace(item, location=Location.SAMPLE) if varies else item


def _is_per_sample(item: Declaration) -> bool:
    """Return true for a declaration that makes devices run the program for each sample."""
    if item.file is File.SV:
        return item.semantic in (Semantic("SAMPLEID"), Semantic("SAMPLEPOS"))
    return item.file is File.IN and item.location is Location.SAMPLE and item.semantic != Semantic("PCOORD")
