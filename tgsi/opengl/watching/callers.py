"""The Python line that calls OpenGL: the program's line, or the nearest line of a package."""

from __future__ import annotations

import os
import sys
import sysconfig
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tgsi.validation.warning import ROOTS, Place

NOWHERE = Place("<no Python>", 0)
"""The place of a call from a thread without Python."""

_PACKAGES = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))
_STANDARD = sysconfig.get_paths()["stdlib"] + os.sep
OURS, PACKAGE, PROGRAM = range(3)


@cache
def kind_of(file: str) -> int:
    """The owner of a file's code: this package or the import system, another package, or the program."""
    if file.startswith((*ROOTS, "<frozen")):
        return OURS
    is_package = any(part in file for part in _PACKAGES) or file.startswith(_STANDARD)
    return PACKAGE if is_package else PROGRAM


def caller() -> Place:
    """The program's line that called the current command; if only packages are on the stack, the nearest line."""
    frame = sys._getframe(1)
    nearest = NOWHERE
    while frame is not None:
        kind = kind_of(frame.f_code.co_filename)
        if kind == PROGRAM:
            return Place(frame.f_code.co_filename, frame.f_lineno)
        if kind == PACKAGE and nearest is NOWHERE:
            nearest = Place(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back  # type: ignore[assignment]
    return nearest


def shown(place: Place) -> str:
    """A place as text: the file path is relative if it is below the current directory."""
    if place is NOWHERE:
        return "a thread without Python"
    return f"{_short(place.file)}:{place.line}"


@cache
def _short(file: str) -> str:
    try:
        return str(Path(file).relative_to(Path.cwd()))
    except (ValueError, OSError):
        return file


def unraisable(error: BaseException) -> None:
    """Pass an exception that cannot go through C to `sys.unraisablehook`."""
    more: Any = SimpleNamespace(exc_type=type(error), exc_value=error, exc_traceback=error.__traceback__)
    more.err_msg, more.object = "In a command of OpenGL", None
    sys.unraisablehook(more)
