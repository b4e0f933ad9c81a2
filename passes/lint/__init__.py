"""Lints: findings about right programs that are surely, or very likely, not what their writers meant. No lint is an error.

`lint(program)` follows the data and the control flow of a valid program. Each module has the lints of one subject and a `check(context)`
that names its codes: `unwritten` (L001 to L004), `unused` (L010, L011), `flow` (L020 to L024), `constants` (L030 to L033).

May import `passes.analysis` and `tgsi.language`. It runs only if it is asked for: `tgsi.check(program, lint=True)`, `tgsi-compile --check
--lint`. Read next: `context`, then `unused`.
"""

from __future__ import annotations

from passes.lint import constants, flow, unused, unwritten
from passes.lint.context import Context
from tgsi.language.diagnostics import Diagnostic
from tgsi.language.program import Program

_LINTS = (unwritten.check, unused.check, flow.check, constants.check)

__all__ = ["lint"]


def lint(program: Program) -> tuple[Diagnostic, ...]:
    """Return the lints of a valid program in the order of their places: warnings for certain mistakes, and notes about possible ones.

    Raises:
        ValidationError, UnsupportedError: blocks do not nest, or nest too deep.
    """
    context = Context(program)
    for check in _LINTS:
        check(context)
    return context.found.sorted()
