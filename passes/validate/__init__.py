"""Rules that a program must keep before an engine may run it.

`check` lists every finding, `validate` raises when one of them is an error. A program that passed can make an engine raise
UnsupportedError, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping

from passes.validate import declarations, flow, operands, semantics, sizes, stages, textures
from passes.validate.context import Context
from passes.validate.semantics import SemanticLimits
from tgsi.language.diagnostics import Diagnostic, LimitError, Severity, ValidationError
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.limits import SOFTWARE, ShaderLimits
from tgsi.language.program import Program

_RULES = (flow.check, declarations.check, operands.check, textures.check, stages.check, sizes.check)

__all__ = ["Limits", "check", "validate"]


Limits = ShaderLimits | Mapping[Processor, ShaderLimits]
"""One set for all stages, or one a stage; stages that a mapping leaves out have those of the software renderer."""


def check(program: Program, *, limits: Limits = SOFTWARE, semantic_limits: SemanticLimits | None = None) -> tuple[Diagnostic, ...]:
    """Every finding about a program, errors and warnings, in the order of their places.

    Semantic indices are judged only where `semantic_limits` asks for it: our own renderer takes any.
    """
    if not isinstance(limits, ShaderLimits):
        limits = limits.get(program.processor, SOFTWARE)
    context = Context(program, limits)
    for rule in _RULES:
        rule(context)
    if semantic_limits is not None:
        semantics.check(context, semantic_limits)
    return context.found.sorted()


def validate(program: Program, *, limits: Limits = SOFTWARE, semantic_limits: SemanticLimits | None = None) -> None:
    """Accept a program or raise with every finding.

    Raises:
        ValidationError: a rule of the language is broken.
        LimitError: the program is right, but larger than `limits`, or uses semantics beyond `semantic_limits`.
    """
    found = check(program, limits=limits, semantic_limits=semantic_limits)
    errors = [diagnostic for diagnostic in found if diagnostic.severity is Severity.ERROR]
    if errors:
        raise (LimitError if all(diagnostic.code.startswith("S") for diagnostic in errors) else ValidationError)(found)
