"""Front end: parse a text and validate the program."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tgsi.tools.compile.errors import PROGRAM, UsageError
from tgsi.tools.compile.files import Shader, is_token_listing

if TYPE_CHECKING:
    from passes.validate.semantics import SemanticLimits
    from tgsi.language.program import Program

DEFAULT_PROFILE = "software"
"""The device that judges and links shaders if the command names none."""


def checked(shader: Shader, options: argparse.Namespace) -> tuple[Any, tuple[Any, ...]]:
    """The program of a text of any language, of a SPIR-V module or of a listing of tokens, and findings: notes and the validator's.

    Raises ParseError, UnsupportedError.
    """
    with options.watch.stage("load parser"):
        from passes.validate import check
        from tgsi.language.diagnostics import ParseError
        from tgsi.language.text.parser import parse
        from tgsi.language.text.syntax import syntax

        syntax()

    with options.watch.stage("parse"):
        logged, name, text = shader.found, shader.name, shader.text
        if is_foreign(shader, options):
            program = _compiled(shader, options)
        elif logged is not None:
            if logged.program is None:
                raise ParseError(logged.findings)
            program = logged.program
        elif text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
            from tgsi.language.from_json import program_from_json

            program = program_from_json(text, name=name)
        elif is_token_listing(text):
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


def fails(findings: Iterable[Any], options: argparse.Namespace) -> bool:
    """True if one of the findings gives the exit code 1: an error, or with --werror a warning."""
    return any(item.severity.value == "error" or (options.werror and item.severity.value == "warning") for item in findings)


def is_foreign(shader: Shader, options: argparse.Namespace) -> bool:
    """True for a shader in another language than TGSI, judged by an option, the ending of its file's name, or its contents."""
    from tgsi.language.source import is_glsl

    if shader.found is not None:
        return False
    if options.language is not None:
        return bool(options.language != "tgsi")
    if shader.module or is_glsl(shader.text):
        return True
    if _is_tgsi(shader.text):
        return False
    from frontends.glsl.request import suffixes

    return suffixes(shader.name)[1] is not None


def _is_tgsi(text: str) -> bool:
    from tgsi.language.facts.enums import Processor

    return text.lstrip("\ufeff").split(None, 1)[:1] in [[stage.name] for stage in Processor] or is_token_listing(text)


def _compiled(shader: Shader, options: argparse.Namespace) -> Program:
    """The program of a shader in GLSL, HLSL or SPIR-V. UsageError for options that do not fit it; ParseError, UnsupportedError."""
    from frontends.glsl.request import suffixes
    from frontends.programs import compile_program

    stage, language = suffixes(shader.name)
    folder = Path(shader.name).parent
    defines = dict((*word.split("=", 1), None)[:2] for word in options.define)
    try:
        return compile_program(
            shader.module or shader.text,
            PROGRAM,
            stage=options.stage or stage,
            language=None if shader.module else options.language or language or "glsl",
            defines=defines,
            includes=[*([str(folder)] if folder.is_dir() and shader.name != "<stdin>" else []), *options.include],
            entry=options.entry,
            name=shader.name,
        )
    except (TypeError, ValueError) as error:
        raise UsageError(str(error).removeprefix(f"{PROGRAM}: ")) from None


def limits_of(options: argparse.Namespace) -> SemanticLimits | None:
    """The semantic limits for the shaders: those of --limits, otherwise those of the profile.

    None if neither was given: only --check and --link apply limits by default; other actions accept everything that the language allows. A
    link judges its shaders together.
    """
    from passes.validate.semantics import LIMITS as BY_NAME
    from passes.validate.semantics import SOFTWARE

    if options.limits:
        return BY_NAME[options.limits]
    if options.profile == DEFAULT_PROFILE:  # its module takes long to load
        return SOFTWARE if options.check or options.link else None
    from linkage.link import find_profile

    return find_profile(options.profile).semantic_limits
