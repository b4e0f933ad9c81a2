"""Findings of the preprocessor, collected until its end."""

from __future__ import annotations

import re
from typing import NoReturn

from frontends.glsl.preprocess.scan import NOWHERE, Places, Token, is_word, without_ends
from tgsi.language.diagnostics import Diagnostic, Label, ParseError, Severity
from tgsi.language.messages import shorten
from tgsi.language.source import Span

MAX_FINDINGS = 50
"""Findings of one text."""

_WORD = re.compile(r"[A-Za-z0-9_]+|.", re.DOTALL)


class Reports:
    """The findings of a text so far."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.findings: list[Diagnostic] = []

    def labels(self, token: Token, remark: str = "") -> tuple[Label, ...]:
        """The place of a token, and that in the macro which it comes from."""
        text, place, origin = token
        first = (Label(self._span(text, place), remark),)
        return first if origin == NOWHERE else (*first, Label(self._span(text, origin), "in this macro"))

    def _span(self, text: str, place: int) -> Span:
        """The characters of a token; the original word if the token was replaced."""
        span = self.places.span(place, len(text))
        after = span.source.text[span.end : span.end + 1]
        if without_ends(span.text) == text and not (is_word(text) and (is_word(after) or after.isdecimal())):
            return span
        word = _WORD.match(span.source.text, span.start)
        return span if word is None else Span(span.source, *word.span())

    def error(self, message: str, token: Token, hint: str = "", code: str = "G001") -> None:
        """Report an error and continue; the fiftieth ends the preprocessor."""
        self.findings.append(Diagnostic(code, Severity.ERROR, message, self.labels(token), hint))
        if len(self.findings) >= MAX_FINDINGS:
            raise ParseError(self._errors())

    def warning(self, message: str, token: Token, hint: str = "", code: str = "G002") -> None:
        """Note a warning."""
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(Diagnostic(code, Severity.WARNING, message, self.labels(token), hint))

    def refuse(self, message: str, token: Token, hint: str = "", code: str = "G001") -> NoReturn:
        """Raise ParseError with an error, and with those before it."""
        self.findings.append(Diagnostic(code, Severity.ERROR, message, self.labels(token), hint))
        raise ParseError(self._errors())

    def raise_errors(self) -> None:
        """Raise ParseError if there are errors."""
        if errors := self._errors():
            raise ParseError(errors)

    def _errors(self) -> list[Diagnostic]:
        return [item for item in self.findings if item.severity is Severity.ERROR]


def quoted(text: str) -> str:
    """Characters of a text in a message."""
    return f"`{shorten(text)}`"
