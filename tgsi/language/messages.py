"""What a reader says about a wrong text: the mistake that a builder raises, and words that it may have meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TypeVar

T = TypeVar("T")


class Mistake(Exception):
    """What a builder does not accept: a code, a message, the text it is about, and a hint.

    The fast reader only sees that there is one. Lark then reads the statement again with tokens that know their place, and
    the same builder raises the same mistake, with an exact caret.
    """

    def __init__(self, code: str, message: str, token: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.token, self.hint = code, message, token, hint


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """A hint with the nearest name, or nothing."""
    if len(word) > 64:  # comparing costs the product of the lengths
        return ""
    close = get_close_matches(word.upper(), names, 1)
    return f"did you mean `{close[0]}`?" if close else ""


def known(table: Mapping[str, T], word: str, what: str, code: str, hint: str = "") -> T:
    """The entry of a word, whatever its case; `hint` is for a word that is like none.

    Raises:
        Mistake: the table has no such word; the hint is the nearest one.
    """
    upper = word.strip().upper()
    try:
        return table[upper]
    except KeyError:
        raise Mistake(
            code, f"unknown {what} `{shorten(word.strip())}`", word, did_you_mean(upper, table) or hint or choices(table)
        ) from None


def choices(table: Iterable[str]) -> str:
    """All names of a small table as a hint, or nothing for a large one."""
    names = list(table)
    return f"it is one of {', '.join(names)}" if len(names) <= 8 else ""


def shorten(text: str) -> str:
    """A text fit to stand inside a message."""
    flat = " ".join(text.split())
    return flat if len(flat) <= 60 else f"{flat[:57]}..."
