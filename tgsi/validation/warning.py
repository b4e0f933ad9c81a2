"""Findings said by a warning, once, and the place in the caller's program that it names."""

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
"""Findings that are remembered; after that, nothing is said."""
_NO_CALLERS = ("<frozen", "<string>/")


@record
class Place:
    """A line of a program."""

    file: str
    line: int


def caller() -> Place:
    """The line of the program that called this package: of the first frame outside of it."""
    frame = sys._getframe(1)
    while frame.f_back is not None and (frame.f_code.co_filename.startswith(ROOTS) or frame.f_code.co_filename.startswith(_NO_CALLERS)):
        frame = frame.f_back
    return Place(frame.f_code.co_filename, frame.f_lineno)


class Reports:
    """Findings that were said, each once of its rule and subject.

    tell: takes each text, too: the debug callback of a context.
    """

    def __init__(self) -> None:
        self._said: set[tuple[str, object]] = set()
        self.tell: Callable[[str], None] | None = None

    def say(self, call: str, item: Finding, place: Place) -> None:
        """Warn at a line of the caller's program."""
        key = (item.rule, item.subject)
        if key in self._said or len(self._said) >= _MOST_SAID:
            return
        self._said.add(key)
        text = f"{call}: {item.text}"
        if self.tell is not None:
            self.tell(text)
        warnings.warn_explicit(text, ValidationWarning, place.file, place.line)
