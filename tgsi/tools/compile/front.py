"""Front end: parse a text and validate the program."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tgsi.tools.compile.files import TOKENS, Shader

if TYPE_CHECKING:
    from passes.validate.semantics import SemanticLimits

DEFAULT_PROFILE = "software"
"""The device that judges and links shaders if the command names none."""


def checked(shader: Shader, options: argparse.Namespace) -> tuple[Any, tuple[Any, ...]]:
    """The program of a text or of a listing of tokens, notes about its old forms, and the validator's findings. Raises ParseError."""
    with options.watch.stage("load parser"):
        from passes.validate import check
        from tgsi.language.diagnostics import ParseError
        from tgsi.language.text.parser import parse
        from tgsi.language.text.syntax import syntax

        syntax()

    with options.watch.stage("parse"):
        found, name, text = shader.found, shader.name, shader.text
        if found is not None:
            if found.program is None:
                raise ParseError(found.findings)
            program = found.program
        elif TOKENS.fullmatch(text):
            from tgsi.language.tokens.decoder import decode

            program = decode([int(word, 16) for word in text.lstrip("\ufeff").split()], name=name)
        else:
            program = parse(text, name=name, dialect=options.dialect)
    with options.watch.stage("validate"):
        findings = program.notes + check(program, semantic_limits=None if options.link else limits_of(options))
        if options.lint and not any(item.severity.value == "error" for item in findings):
            from passes.lint import lint

            findings += lint(program)
        return program, findings


def limits_of(options: argparse.Namespace) -> SemanticLimits | None:
    """The semantic limits that judge the shaders: those of --limits, otherwise those of the profile.

    None if neither was asked for: --check and --link always judge, other actions print and run what the language allows. A link judges
    its shaders together.
    """
    from linkage.link import find_profile
    from passes.validate.semantics import LIMITS as BY_NAME

    if options.limits:
        return BY_NAME[options.limits]
    if not (options.check or options.link) and options.profile == DEFAULT_PROFILE:
        return None
    return find_profile(options.profile).semantic_limits
