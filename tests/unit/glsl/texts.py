"""Texts as glslang gets them, in one line for each directive and one for all code between."""

from __future__ import annotations

from typing import Any

from frontends.glsl.prepare import Prepared, prepare
from frontends.glsl.request import Request
from tgsi.language.diagnostics import Diagnostic, ParseError
from tgsi.language.facts.enums import Processor
from tgsi.language.source import Source


def prepared(text: str, stage: Processor = Processor.FRAG, **request: Any) -> Prepared:
    """A text of GLSL prepared for glslang."""
    return prepare(Request(source=Source(text, "shader"), stage=stage, **request))


def code(text: str, stage: Processor = Processor.FRAG, **request: Any) -> str:
    """The live code of a text, a space between two tokens."""
    return " ".join(token[0] for token in prepared(text, stage, **request).tokens)


def head(text: str, stage: Processor = Processor.FRAG, **request: Any) -> list[str]:
    """The lines before the live code."""
    item = prepared(text, stage, **request)
    return item.text.split("\n")[: len(item.head)]


def errors(text: str, stage: Processor = Processor.FRAG, **request: Any) -> tuple[Diagnostic, ...]:
    """The errors of a text that the preprocessor or the upgrade refuses."""
    try:
        prepared(text, stage, **request)
    except ParseError as error:
        return error.diagnostics
    return ()


def places(items: tuple[Diagnostic, ...]) -> list[tuple[int, int, str] | None]:
    """Line, column and characters that each finding is about."""
    return [None if item.span is None else (item.span.line, item.span.column, item.span.text) for item in items]
