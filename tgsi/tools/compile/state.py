"""Option of ``tgsi-compile`` for the state that GLSL and SPIR-V are written for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tgsi.tools.compile.errors import UsageError

if TYPE_CHECKING:
    from backends.shader_key.key import ShaderKey
    from tgsi.language.program import Program

WRITTEN = ("glsl", "spirv", "spirv-text")
"""Outputs that --state goes with."""


def add_state_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--state`` to a parser."""
    parser.add_argument(
        "--state",
        metavar="LIST",
        help="with --emit glsl or spirv: state, bindings and names that the output is for, e.g. "
        "`alpha-test=GREATER:0.5,origin=LOWER_LEFT,bindings=SAMP:8,names=SAMP[0]:albedo`; docs/state.md has the list",
    )


def chosen_state(options: argparse.Namespace) -> ShaderKey | None:
    """The key that --state gives; None without it.

    Raises:
        UsageError: the option stands without an output that it goes with, or its text is wrong.
    """
    if options.state is None:
        return None
    if options.emit not in WRITTEN:
        raise UsageError(f"--state: it goes with --emit {', '.join(WRITTEN[:-1])} or {WRITTEN[-1]}; other outputs take --lower")
    from backends.shader_key.key import ShaderKey

    try:
        return ShaderKey.parse(options.state)
    except (TypeError, ValueError) as error:
        raise UsageError(f"--state: {error}") from None


def matched(options: argparse.Namespace, programs: Sequence[Program]) -> ShaderKey | None:
    """The key, with the qualifiers of the fragment program if it is the only one among several programs that become GLSL."""
    from tgsi.language.diagnostics import DiagnosticError
    from tgsi.language.facts.enums import Processor

    key: ShaderKey | None = options.shader_key
    fragments = [program for program in programs if program.processor is Processor.FRAG]
    if key is None or options.emit != "glsl" or len(programs) < 2 or len(fragments) != 1:
        return key
    from backends.shader_key.matching import matching_key

    try:
        return matching_key(key, fragments[0])
    except (DiagnosticError, ValueError):  # reported when the fragment program is written
        return key
