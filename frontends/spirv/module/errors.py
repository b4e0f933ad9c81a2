"""Errors about modules, with the word, the instruction and, if the module has it, the line of the source."""

from __future__ import annotations

from dataclasses import field
from typing import NoReturn

from frontends.spirv.module.grammar import ROWS
from tgsi.language.diagnostics import Diagnostic, DiagnosticError, Label, ParseError, Severity, UnsupportedError
from tgsi.language.record import record
from tgsi.language.source import Source, Span

UNSUPPORTED = frozenset({"M020", "M021", "M022", "M023"})
"""Codes of correct SPIR-V that TGSI cannot express, or that is too large."""


@record(frozen=False)
class Op:
    """One instruction of a module.

    `operands` are ids, words and strings in the order of the grammar, without type and result. Image operands and memory access are a
    dict: name of the bit -> ids or words.
    """

    number: int
    type: int
    result: int
    operands: list[object]
    at: int
    line: tuple[int, int] = (0, 0)

    @property
    def name(self) -> str:
        """The name of the instruction, as ``OpLoad``."""
        row = ROWS.get(self.number)
        return f"Op{row.name}" if row is not None else f"instruction {self.number}"

    def id(self, place: int) -> int:
        """The operand of a place, which is an id or a word."""
        value = self.operands[place]
        if not isinstance(value, int):
            raise TypeError(f"operand {place} is not a number")
        return value

    def ids(self, first: int = 0) -> list[int]:
        """The operands from a place on, which are ids or words."""
        return [self.id(place) for place in range(first, len(self.operands))]

    def text(self, place: int) -> str:
        """The operand of a place, which is a string."""
        return str(self.operands[place])

    def access(self, place: int) -> dict[str, list[int]]:
        """The operands of a mask at a place; empty if it is omitted."""
        value = self.operands[place] if place < len(self.operands) else {}
        if not isinstance(value, dict):
            raise TypeError(f"operand {place} is not a mask")
        return value


@record(frozen=False)
class Sources:
    """The files of a module's lines: names and, where OpSource has them, texts."""

    name: str
    files: dict[int, str] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    made: dict[int, Source] = field(default_factory=dict)
    last: int = 0

    def label(self, line: tuple[int, int]) -> Label | None:
        """The place of a line whose text is available."""
        file, number = line
        text = self.texts.get(file)
        if text is None or not number:
            return None
        if file not in self.made:
            self.made[file] = Source(text, self.files.get(file, self.name))
        source = self.made[file]
        if number > len(source.line_starts):
            return None
        start = source.line_starts[number - 1]
        content = source.line_text(number)
        indent = len(content) - len(content.lstrip())
        return Label(Span(source, start + indent, start + max(len(content.rstrip()), indent + 1)))

    def fail(self, code: str, text: str, op: Op | None = None, *, hint: str = "") -> NoReturn:
        """Raise the error of a code. UnsupportedError for `UNSUPPORTED`, ParseError for every other."""
        place = self.name
        labels: tuple[Label, ...] = ()
        if op is not None:
            place = f"{self.name}, word {op.at}, {op.name}"
            label = self.label(op.line)
            if label is not None:
                labels = (label,)
            elif op.line[1]:
                place += f", line {op.line[1]} of {self.files.get(op.line[0], 'the source')}"
        raise error(code, f"{place}: {text}", labels, hint)


def error(code: str, text: str, labels: tuple[Label, ...] = (), hint: str = "") -> DiagnosticError:
    """The error of one finding."""
    kind: type[DiagnosticError] = UnsupportedError if code in UNSUPPORTED else ParseError
    return kind((Diagnostic(code, Severity.ERROR, text, labels, hint),))
