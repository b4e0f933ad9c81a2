"""Divisions of whole numbers in a text whose result is 0, such as ``1 / 2``: a warning for each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from frontends.glsl.preprocess.reports import Reports
from frontends.glsl.preprocess.scan import Token

_NUMBER = re.compile(r"[0-9]{1,9}[uU]?")
_STRONG = ("*", "/", "%", ".")
"""Tokens before a number that take it into another product, or make it a part of another word."""


def warn_of_divisions(tokens: Sequence[Token], reports: Reports) -> None:
    """Warn of literals whose quotient is 0 because they are whole numbers. ``x * 1 / 2`` divides the product, and is left out."""
    for number in range(1, len(tokens) - 1):
        if tokens[number][0] != "/":
            continue
        above, below = tokens[number - 1], tokens[number + 1]
        if not (_NUMBER.fullmatch(above[0]) and _NUMBER.fullmatch(below[0])) or (number > 1 and tokens[number - 2][0] in _STRONG):
            continue
        values = [int(token[0].rstrip("uU")) for token in (above, below)]
        if 0 < values[0] < values[1]:
            message = f"{above[0]} / {below[0]} divides whole numbers, and is 0"
            reports.warning(message, above, f"write {values[0]}.0 / {values[1]}.0 for {values[0] / values[1]:.4g}", "G003")
