"""Warnings about findings, each issued once, and the line of the caller's program that they name."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

from backends.device.bound import DrawState
from tgsi.language.diagnostics import ValidationWarning
from tgsi.language.record import record
from tgsi.validation.findings import Finding

ROOTS = tuple(f"{Path(file).parents[1]}{os.sep}" for file in (__file__, DrawState.__init__.__code__.co_filename))
"""Folders of this package and of the devices."""
_MOST_SAID = 5000
"""Findings after which no more warnings are issued."""
_NO_CALLERS = ("<frozen", "<string>/")


@record
class Place:
    """A line of a program, and the command of a frontend that it calls; empty where there is none."""

    file: str
    line: int
    call: str = ""


def caller() -> Place:
    """The line of the first frame outside of this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and (frame.f_code.co_filename.startswith(ROOTS) or frame.f_code.co_filename.startswith(_NO_CALLERS)):
        frame = frame.f_back
    return Place(frame.f_code.co_filename, frame.f_lineno)


class Reports:
    """Warns of findings, once for each rule and subject.

    A frontend replaces the last four callbacks, so that warnings name its own commands.

    Attributes:
        tell: the debug callback of a context, which receives each text.
        place: returns the line that a finding is about.
        words: returns the text of a finding; empty: no warning.
        is_asked: returns whether the program reads a picture now.
        warn: issues a warning of text, category, file and line.
    """

    def __init__(self) -> None:
        self._said: set[tuple[str, object]] = set()
        self.tell: Callable[[str], None] | None = None
        self.place: Callable[[], Place] = caller
        self.words: Callable[[Finding], str] = lambda item: item.text
        self.is_asked: Callable[[], bool] = lambda: True
        self.warn: Callable[..., None] = warnings.warn_explicit

    def say(self, call: str, item: Finding, place: Place) -> None:
        """Warn at a line of the caller's program."""
        key = (item.rule, item.subject)
        if key in self._said or len(self._said) >= _MOST_SAID:
            return
        self._said.add(key)
        words = self.words(item)
        if not words:
            return
        text = f"{place.call or call}: {words}"
        if self.tell is not None:
            self.tell(text)
        self.warn(text, ValidationWarning, place.file, place.line)
