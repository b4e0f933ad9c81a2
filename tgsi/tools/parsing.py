"""The parser of every command: an error is one line that names the option, the value and the nearest right one.

`number` and `pixel` read arguments. `reason` is the system's message about a file.
"""

from __future__ import annotations

import argparse
import errno
import math
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

_EXPECTED = {"int": "a whole number", "float": "a number"}
_REWORDED: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(r"argument ([^:]+): invalid (\w+) value: (.*)"),
        lambda m: f"{m[1]}: expected {_EXPECTED.get(m[2], 'another value')}, not {m[3]}",
    ),
    (re.compile(r"argument ([^:]+): expected (?:at least )?one argument"), lambda m: f"{m[1]}: the value is missing"),
    (re.compile(r"argument ([^:]+): not allowed with argument (.*)"), lambda m: f"{m[1]}: not allowed with {m[2]}"),
    (re.compile(r"argument ([^:]+): (.*)", re.DOTALL), lambda m: f"{m[1]}: {m[2]}"),
    (re.compile(r"the following arguments are required: (.*)"), lambda m: f"{m[1]} is missing"),
)
"""Messages of argparse, and their form in our commands."""


class Parser(argparse.ArgumentParser):
    """Argument parser whose errors are one line on stderr, with exit code 2; `parse_args` suggests the nearest option."""

    def error(self, message: str) -> NoReturn:
        """Print a line and exit."""
        self.exit(2, f"{self.prog}: {reworded(message)}\n")

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> argparse.Namespace:  # type: ignore[override]
        """Parse a command line. Exits for unknown options and further arguments."""
        options: argparse.Namespace
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.error(self._unknown(unknown[0]))
        return options

    def _unknown(self, word: str) -> str:
        if not word.startswith("-"):
            return f"unexpected argument `{word}`"
        from tgsi.tools.nearest import nearest

        hint = nearest(word.split("=")[0], [name for action in self._actions for name in action.option_strings])
        return f"unknown option `{word}`; {hint}" if hint else f"unknown option `{word}` (see {self.prog} --help)"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            from tgsi.tools.nearest import nearest

            names = [str(choice) for choice in action.choices]
            hint = nearest(str(value), names) or f"it is one of {', '.join(names)}"
            name = "/".join(action.option_strings) or str(action.metavar or action.dest)
            self.error(f"{name}: unknown value `{value}`; {hint}")


def reworded(message: str) -> str:
    """A message of argparse in the form of our commands; other messages are unchanged."""
    for pattern, form in _REWORDED:
        match = pattern.fullmatch(message)
        if match is not None:
            return form(match)
    return message


def number(low: float, high: float, kind: Callable[[str], float]) -> Callable[[str], float]:
    """Function that reads a number of a kind (int, float) from `low` to `high`."""

    def convert(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
        if not low <= value <= high:  # `not` also rejects NaN
            raise argparse.ArgumentTypeError(
                f"{text} is not in {low} .. {high}" if math.isfinite(high) else f"{text} is not a number from {low} on"
            )
        return value

    return convert


def pixel(most: int) -> Callable[[str], tuple[int, ...]]:
    """Function that reads X,Y with up to `most` numbers in all."""

    def convert(text: str) -> tuple[int, ...]:
        parts = text.split(",")
        if not 2 <= len(parts) <= most or not all(part.strip().isdecimal() and len(part) < 8 for part in parts):
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a pixel; X,Y are numbers from 0, such as 120,80")
        return tuple(int(part) for part in parts)

    return convert


def reason(error: OSError) -> str:
    """The operating system's message for an error, in lower case, or the nearest folder that is missing on the way to the file."""
    if error.errno == errno.ENOENT and error.filename and not isinstance(error.filename, int):
        missing = [folder for folder in Path(os.fsdecode(error.filename)).parents if not os.path.lexists(folder)]
        if missing:
            return f"there is no folder {missing[-1]}"
    return (error.strerror or str(error)).lower()
