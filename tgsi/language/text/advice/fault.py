"""A wrong statement as the advisers see it, and the advice that they give."""

from __future__ import annotations

import re

from tgsi.language.diagnostics import Diagnostic, Fix
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import Immediate
from tgsi.language.messages import shorten
from tgsi.language.record import record
from tgsi.language.source import Source, Span

BLANKS = " \t\n"
REACH = 2000
"""Characters around a place that advisers look at; longer statements get no advice, because expressions may take quadratic time."""
REGISTER = r"[A-Za-z]+[ \t]*\[[^\[\]\n,]*(?:\[[^\[\]\n]*\][^\[\]\n,]*)?\](?:[ \t]*\[[^\[\]\n]*\])?(?:\.[A-Za-z]+)?"
"""Expression of a register in one line, its index and letters included."""

OPERAND = rf"-?(?:\|{REGISTER}\||{REGISTER})"
"""Expression of a source in one line."""

NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?[fF]?"
"""Expression of a number in the ways that languages write it."""

_HEAD = re.compile(r"[ \t\n]*(?:[0-9]+[ \t]*:[ \t\n]*)?([A-Za-z][0-9A-Za-z_]*)")


@record(kw_only=True)
class Fault:
    """A finding about the statement ``text[start:end]``, at the place `at`.

    Attributes:
        text: the text, with blanks for comments.
        expects: the grammar's tokens that may stand at the place; empty where the statement fits the grammar.
        immediates: those that were read before.
        old: opcodes that only the legacy dialect has, where the text is of that dialect.
        strict: true in the strict dialect, which has no comments.
    """

    found: Diagnostic
    source: Source
    text: str
    start: int
    end: int
    at: int
    expects: frozenset[str]
    immediates: tuple[Immediate, ...]
    old: frozenset[str]
    strict: bool

    @property
    def line_end(self) -> int:
        """Offset at which the line of the place ends."""
        end = self.text.find("\n", self.at)
        return end if end >= 0 else len(self.text)

    @property
    def near_end(self) -> int:
        """As `line_end`, but not far from the place: corrections end there."""
        return min(self.line_end, self.at + REACH)

    @property
    def line_start(self) -> int:
        """Offset at which the line of the place begins."""
        return self.text.rfind("\n", 0, self.at) + 1

    @property
    def before(self) -> str:
        """The statement up to the place, without blanks at its end."""
        return self.text[self.start : self.at].rstrip(BLANKS)

    @property
    def head(self) -> str:
        """The first word of the statement, in capitals; a label does not count."""
        match = _HEAD.match(self.text, self.start)
        return match[1].upper() if match else ""

    @property
    def word(self) -> str:
        """The letters, digits and underscores at the place."""
        return word_at(self.text, self.at)

    def match(self, pattern: str, at: int = -1) -> re.Match[str] | None:
        """Match an expression, in any case, at the place or at another one."""
        return re.compile(pattern, re.IGNORECASE | re.ASCII).match(self.text, self.at if at < 0 else at)

    def fix(self, start: int, end: int, text: str) -> Fix:
        """A replacement."""
        return Fix(Span(self.source, start, end), text)

    def begins_statement(self, at: int) -> bool:
        """True if the word at a place is one that begins statements."""
        word = re.compile(r"(?:[0-9]+[ \t]*:[ \t]*)?([A-Za-z][0-9A-Za-z_]*)?").match(self.text, at)
        return word is not None and is_statement_word(word[1] or "")


def word_at(text: str, at: int) -> str:
    """The letters, digits and underscores at an offset."""
    match = re.compile(r"[0-9A-Za-z_]*", re.ASCII).match(text, at)
    return match[0] if match else ""


def is_statement_word(word: str) -> bool:
    """True for opcodes, suffixes included, and the words of declarations."""
    root = word.upper().removesuffix("_PRECISE").removesuffix("_SAT")
    return root in OPCODES or root in ("DCL", "IMM", "PROPERTY")


@record
class Advice:
    """A hint with its corrections; `at`, `code` and `message` replace those of the finding, and reading continues at `resume`."""

    hint: str
    fixes: tuple[Fix, ...] = ()
    at: tuple[int, int] | None = None
    message: str = ""
    code: str = ""
    resume: int = -1


def quoted(text: str) -> str:
    """A text of the language inside a message."""
    return f"`{shorten(text)}`"
