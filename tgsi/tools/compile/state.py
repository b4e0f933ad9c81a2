"""Option of ``tgsi-compile`` for the state that GLSL and SPIR-V are written for."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tgsi.tools.compile.errors import UsageError

if TYPE_CHECKING:
    from backends.shader_key.key import ShaderKey

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
