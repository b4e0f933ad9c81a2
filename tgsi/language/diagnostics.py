"""Messages about shaders: codes, labelled places, carets; and the exceptions that carry them.

Stages collect every finding and raise once, at their end. API misuse is not a diagnostic: it is TypeError or ValueError.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import wraps
from inspect import isfunction
from typing import Any, ParamSpec, TypeVar

from tgsi.language.record import record
from tgsi.language.source import Span

P = ParamSpec("P")
R = TypeVar("R")


class Severity(Enum):
    """Degree of a finding; only errors raise."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@record
class Label:
    """A place and the remark about it."""

    span: Span
    text: str = ""


@record
class Fix:
    """A replacement of the characters of a place; an insertion where the place is empty."""

    span: Span
    text: str


@record
class Diagnostic:
    """One finding. The first label is the place that the message is about; `fixes` together correct the text where that is certain."""

    code: str
    severity: Severity
    message: str
    labels: tuple[Label, ...] = ()
    hint: str = ""
    fixes: tuple[Fix, ...] = ()

    @property
    def span(self) -> Span | None:
        """The primary place: the span of the first label."""
        return self.labels[0].span if self.labels else None

    def render(self) -> str:
        """The message with its source lines and carets, without a final newline."""
        lines = [f"{self.severity.value}[{self.code}]: {self.message}"]
        width = max((len(str(label.span.line)) for label in self.labels), default=1)
        shown = None
        for label in self.labels:
            place = label.span.source.name, label.span.line
            if place != shown:
                arrow = "-->" if shown is None else ":::"
                lines += [f"{' ' * width}{arrow} {label.span}", f"{' ' * width} |"]
                lines.append(f"{label.span.line:>{width}} | {_printable(label.span.source.line_text(label.span.line))}")
            lines.append(f"{' ' * width} | {_carets(label)}".rstrip())
            shown = place
        if self.hint:
            lines.append(f"{' ' * width} = hint: {self.hint}")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """The finding as plain data: lines and columns are 1-based, offsets count characters."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "hint": self.hint,
            "labels": [
                {
                    "file": label.span.source.name,
                    "line": label.span.line,
                    "column": label.span.column,
                    "start": label.span.start,
                    "end": label.span.end,
                    "text": label.text,
                }
                for label in self.labels
            ],
            "fixes": [{"start": fix.span.start, "end": fix.span.end, "text": fix.text} for fix in self.fixes],
        }


MAX_SHOWN = 160
"""Characters of a source line that a message shows."""


def _printable(text: str) -> str:
    shown = text[:MAX_SHOWN]
    return "".join(c if c == "\t" or c.isprintable() else "\ufffd" for c in shown) + ("..." if len(text) > MAX_SHOWN else "")


def _carets(label: Label) -> str:
    span = label.span
    line = span.source.line_text(span.line)
    start = span.column - 1
    end = max(start + 1, min(start + span.end - span.start, len(line)))
    pad = "".join("\t" if c == "\t" else " " for c in line[:start])
    if start > MAX_SHOWN:
        return f"{' ' * MAX_SHOWN}^ at column {start + 1} {label.text}".rstrip()
    return f"{pad}{'^' * (min(end, MAX_SHOWN + 1) - start)} {label.text}".rstrip()


def apply_fixes(text: str, findings: Iterable[Diagnostic]) -> str:
    """The text with the corrections of the findings. Corrections that overlap those of an earlier finding wait for the next round.

    `text` is the source of the findings. A second round parses the result, and so on until no finding has a correction.
    """
    chosen: list[Fix] = []
    for finding in findings:
        new = finding.fixes
        if all(fix.span.end < old.span.start or old.span.end < fix.span.start for fix in new for old in chosen):
            chosen += new
    for fix in sorted(chosen, key=lambda fix: fix.span.start, reverse=True):
        text = text[: fix.span.start] + fix.text + text[fix.span.end :]
    return text


class Diagnostics:
    """Collection of findings; `raise_if_errors` ends a stage."""

    def __init__(self) -> None:
        self._found: list[Diagnostic] = []

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    @property
    def has_errors(self) -> bool:
        """True if any finding is an error."""
        return any(d.severity is Severity.ERROR for d in self._found)

    def add(self, diagnostic: Diagnostic) -> None:
        """Add a finding."""
        self._found.append(diagnostic)

    def error(self, code: str, message: str, *labels: Label, hint: str = "") -> None:
        """Add an error."""
        self.add(Diagnostic(code, Severity.ERROR, message, labels, hint))

    def warning(self, code: str, message: str, *labels: Label, hint: str = "") -> None:
        """Add a warning."""
        self.add(Diagnostic(code, Severity.WARNING, message, labels, hint))

    def sorted(self) -> tuple[Diagnostic, ...]:
        """All findings in the order of their places."""
        return tuple(sorted(self._found, key=lambda d: d.span.start if d.span else -1))

    def raise_if_errors(self, kind: type[DiagnosticError]) -> None:
        """Raise `kind` with every finding if one of them is an error."""
        if self.has_errors:
            raise kind(self.sorted())


class TgsiError(Exception):
    """Base of every exception that this package raises about its input."""


class DiagnosticError(TgsiError):
    """Base of the errors that carry diagnostics; their text is the rendered messages."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return "\n\n".join(d.render() for d in self.diagnostics)


class ParseError(DiagnosticError):
    """The text is not TGSI."""


class ValidationError(DiagnosticError):
    """The program breaks a rule of the language."""


class LimitError(DiagnosticError):
    """The program uses semantics or sizes beyond a limit set."""


class LinkError(DiagnosticError):
    """Two programs do not fit together."""


class UnsupportedError(DiagnosticError):
    """The program is correct, but the engine does not support something that it uses."""

    @classmethod
    def at(cls, code: str, message: str, span: Span | None = None, *, hint: str = "") -> UnsupportedError:
        """An error of one finding at one place."""
        labels = (Label(span),) if span is not None else ()
        return cls((Diagnostic(code, Severity.ERROR, message, labels, hint),))


class TimeLimitError(DiagnosticError):
    """A call took longer than its limit. Its results are incomplete; its arguments can be used again."""


class ValidationWarning(UserWarning):
    """A call that is legal and almost surely wrong, of a context of ``Screen(validate=True)``."""


def shown_at_caller(function: Callable[P, R]) -> Callable[P, R]:
    """A public function whose errors with diagnostics have one frame below the caller's. All are kept where TGSI_DEBUG is set."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except DiagnosticError as error:
            if os.environ.get("TGSI_DEBUG"):
                raise
            raise error.with_traceback(None)  # noqa: B904 - it is the same error

    return call


def show_at_caller(module: dict[str, Any], names: Iterable[str]) -> None:
    """Wrap functions of a module, given by name, in `shown_at_caller`."""
    for name in names:
        if isfunction(module[name]):
            module[name] = shown_at_caller(module[name])
            module[name].__module__ = module["__name__"]
