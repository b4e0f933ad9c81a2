"""Check of the programs of a link against a limit set: a BCOLOR in one of them lowers the limit of GENERIC in all."""

from __future__ import annotations

from passes.analysis import facts
from passes.validate.semantics import ARBITRARY, SemanticLimits, broken_rule, has_back_color, is_interface, judge
from tgsi.language.diagnostics import Diagnostic, LinkError, Severity
from tgsi.language.program import Program
from tgsi.language.record import record


@record
class Indices:
    """The indices of a program, which decide nearly every check, computed once per program."""

    generic: int
    """Highest GENERIC index between two stages, -1 without one."""
    has_back: bool
    is_legal: bool
    """True if the program obeys the rules common to all limit sets."""


def indices_of(program: Program) -> Indices:
    """The indices of a program, computed once for each program object in O(declarations)."""
    return facts.of(program, _indices)


def _indices(program: Program) -> Indices:
    lasts = [
        item.semantic.index + max(0, item.last - item.first)
        for item in program.declarations
        if item.semantic is not None and item.semantic.name == "GENERIC" and is_interface(program, item)
    ]
    is_legal = not any(broken_rule(program, item, ARBITRARY, False) for item in program.declarations)
    return Indices(max(lasts, default=-1), has_back_color(program), is_legal)


def check_together(limits: SemanticLimits, *programs: Program) -> None:
    """Check programs that link with each other.

    Raises:
        LinkError: a program breaks a rule of the limit set (S010 to S015); every finding is in the exception.
    """
    if limits.distinct is None and not limits.dense:
        has_back, highest = False, -1
        for program in programs:
            part = facts.of(program, _indices)
            if not part.is_legal:
                break
            if part.has_back:
                has_back = True
            if part.generic > highest:
                highest = part.generic
        else:
            if highest < limits.generics(has_back):
                return
    findings: list[Diagnostic] = []
    for number, program in enumerate(programs):
        findings += judge(program, limits, programs[:number] + programs[number + 1 :])
    if any(item.severity is Severity.ERROR for item in findings):
        raise LinkError(tuple(findings))
