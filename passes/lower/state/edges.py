"""Edge flags as instructions: lower-edge-flag."""

from __future__ import annotations

from passes.base import Pass
from passes.lower.insert import insert
from passes.lower.state.additions import Additions, X, ends, of, op, register_of
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Declaration, RegisterRef
from tgsi.language.program import Program
from tgsi.language.record import record


@record(slots=False)
class LowerEdgeFlag(Pass):
    """Let a vertex program pass the edge flag of its vertices on.

    At each end of the program EDGEFLAG.x becomes x of the input `attribute`; -1 means the first input after the declared ones, as in
    OpenGL's state tracker. A program that writes EDGEFLAG itself stays unchanged, and so do programs of other stages.
    """

    name = "lower-edge-flag"
    attribute: int = -1

    def __post_init__(self) -> None:
        """Check `attribute`.

        Raises:
            ValueError: it is below -1.
        """
        if self.attribute < -1:
            raise ValueError(f"pass {self.name}: attribute: {self.attribute} is not an input")

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        flag = Semantic("EDGEFLAG")
        if program.processor is not Processor.VERT or register_of(program, File.OUT, flag) is not None:
            return program
        more = Additions(program)
        number = program.file_size(File.IN) if self.attribute < 0 else self.attribute
        if not any(item.covers(number) for item in program.declared(File.IN)):
            more.declarations.append(Declaration(File.IN, number, number))
        copy = op("MOV", more.output(flag), of(RegisterRef(File.IN, number), X), mask=1)
        return more.finish(insert(program, dict.fromkeys(ends(program), (copy,))))
