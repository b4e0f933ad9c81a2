"""Front end: parse a text and validate the program."""

from __future__ import annotations

import argparse
from typing import Any

from tgsi.tools.compile.files import TOKENS


def checked(text: str, name: str, options: argparse.Namespace) -> tuple[Any, tuple[Any, ...]]:
    """The program of a text or of a listing of tokens, notes about its old forms, and the validator's findings. Raises ParseError."""
    with options.watch.stage("load parser"):
        from passes.validate import check
        from passes.validate.semantics import LIMITS as BY_NAME
        from tgsi.language.text.parser import parse
        from tgsi.language.text.syntax import syntax

        syntax()

    with options.watch.stage("parse"):
        if TOKENS.fullmatch(text):
            from tgsi.language.tokens.decoder import decode

            program = decode([int(word, 16) for word in text.split()], name=name)
        else:
            program = parse(text, name=name, dialect=options.dialect)
    with options.watch.stage("validate"):
        return program, program.notes + check(program, semantic_limits=BY_NAME[options.limits] if options.limits else None)
