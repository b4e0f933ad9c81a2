"""Rules that a program must keep before an engine may run it.

`check` lists every finding, `validate` raises if one of them is an error. A program that passed can make an engine raise UnsupportedError,
and no other error. Each module has the rules of one subject and a `check(context)` that names its error codes: `flow`, `declarations`,
`operands`, `textures`, `stages`, `mesh`, `sizes`, `semantics`. `context` holds the program's tables and the findings; `roles` names the
operands.

May import `tgsi.language` alone; every other part of `passes` is above. It runs once a program, and after each pass of a pipeline.
Read next: `context`, then a short one such as `sizes`; docs/reference/diagnostics.md lists the codes.
"""

from __future__ import annotations

from collections.abc import Mapping

from passes.validate import declarations, flow, mesh, operands, semantics, sizes, stages, textures
from passes.validate.context import Context
from passes.validate.semantics import SemanticLimits
from tgsi.language.diagnostics import Diagnostic, LimitError, Severity, ValidationError
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.limits import SOFTWARE, ShaderLimits
from tgsi.language.program import Program

_RULES = (flow.check, declarations.check, operands.check, textures.check, stages.check, mesh.check, sizes.check)

__all__ = ["Limits", "check", "validate"]


Limits = ShaderLimits | Mapping[Processor, ShaderLimits]
"""One set for all stages, or one a stage; stages that a mapping leaves out have those of the software renderer."""


def check(
    program: Program, *, limits: Limits = SOFTWARE, semantic_limits: SemanticLimits | None = None, good: Program | None = None
) -> tuple[Diagnostic, ...]:
    """Return every finding about a program, errors and warnings, in the order of their places.

    good: a valid program, under the same limits, from which this one was made; declarations that both share are not checked again.
    Semantic indices are judged only if `semantic_limits` is given: this project's own renderer takes any.
    """
    if not isinstance(limits, ShaderLimits):
        limits = limits.get(program.processor, SOFTWARE)
    context = Context(program, limits, good)
    for rule in _RULES:
        rule(context)
    if semantic_limits is not None:
        semantics.check(context, semantic_limits)
    return context.found.sorted() if len(context.found) else ()


def validate(
    program: Program, *, limits: Limits = SOFTWARE, semantic_limits: SemanticLimits | None = None, good: Program | None = None
) -> None:
    """Accept a program, or raise with every finding. `good` is as for `check`.

    Raises:
        ValidationError: a rule of the language is broken.
        LimitError: the program is correct, but larger than `limits`, or uses semantics beyond `semantic_limits`.
    """
    findings = check(program, limits=limits, semantic_limits=semantic_limits, good=good)
    if not findings:
        return
    errors = [diagnostic for diagnostic in findings if diagnostic.severity is Severity.ERROR]
    if errors:
        raise (LimitError if all(diagnostic.code.startswith("S") for diagnostic in errors) else ValidationError)(findings)
