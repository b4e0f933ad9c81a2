"""The alpha test as instructions: lower-alpha-test."""

from __future__ import annotations

from passes.base import Pass
from passes.lower.insert import insert
from passes.lower.state.additions import Additions, W, X, ends, of, op, register_of
from passes.lower.state.words import known_word
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.program import Program
from tgsi.language.record import record

FUNCTIONS = {
    "NEVER": "",
    "LESS": "SLT",
    "EQUAL": "SEQ",
    "LEQUAL": "SLE",
    "GREATER": "SGT",
    "NOTEQUAL": "SNE",
    "GEQUAL": "SGE",
    "ALWAYS": "",
}
"""Gallium's comparison functions, in its order, and the opcode that gives 1.0 where alpha passes."""


@record(slots=False)
class LowerAlphaTest(Pass):
    """Kill fragments whose alpha fails the alpha test.

    At each end of the program a fragment is killed unless COLOR[0].w FUNC reference is true; alpha is 0 if the program declares no
    COLOR[0]. With a NaN only NOTEQUAL and ALWAYS pass. `func` is NEVER, LESS, EQUAL, LEQUAL, GREATER, NOTEQUAL, GEQUAL or ALWAYS. The
    reference is `ref`, or CONST[buffer][constant].x if `constant` is not negative.

    Stores and atomics of the program happen in either case, as under the state. Programs of other stages stay unchanged.
    """

    name = "lower-alpha-test"
    func: str = "ALWAYS"
    ref: float = 0.0
    constant: int = -1
    buffer: int = 0

    def __post_init__(self) -> None:
        """Check `func`.

        Raises:
            ValueError: there is no such function.
        """
        known_word(self.name, "func", self.func, FUNCTIONS)

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        func = self.func.upper()
        if program.processor is not Processor.FRAG or func == "ALWAYS":
            return program
        more = Additions(program)
        if func == "NEVER":
            code = [op("KILL", None)]
        else:
            color = register_of(program, File.OUT, Semantic("COLOR"))
            alpha = more.number(0.0) if color is None else of(more.output(Semantic("COLOR"), 8), W)
            reference = more.number(self.ref) if self.constant < 0 else of(more.constants(self.constant, 1, self.buffer)[0], X)
            passed = more.temp()
            code = [
                op(FUNCTIONS[func], passed, alpha, reference, mask=1),
                op("ADD", passed, of(passed, X), more.number(-1.0), mask=1),
                op("KILL_IF", None, of(passed, X)),
            ]
        return more.finish(insert(program, dict.fromkeys(ends(program), code)))
