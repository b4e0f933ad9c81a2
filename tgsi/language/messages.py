"""Parts of messages about wrong text: the exception that builders raise, and suggestions of similar words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

T = TypeVar("T")


class Mistake(Exception):
    """Fault that a builder finds in a text: a code, a message, the text that it is about, and a hint.

    The fast reader only learns that there is one. Lark then reads the statement again with tokens that carry their place, and the same
    builder raises the same mistake, with an exact caret.
    """

    def __init__(self, code: str, message: str, token: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.token, self.hint = code, message, token, hint


def nearest_name(word: str, names: Iterable[str], least: float = 0.6) -> str:
    """The name that is nearest to a word, or an empty string. `least`: from 0 to 1, how alike the two have to be."""
    if len(word) > 64:  # comparing costs the product of the lengths
        return ""
    from difflib import get_close_matches  # only for wrong words

    close = get_close_matches(word.upper(), names, 1, least)
    return close[0] if close else ""


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """A hint with the nearest name, or an empty string."""
    near = nearest_name(word, names)
    return f"did you mean `{near}`?" if near else ""


def known(table: Mapping[str, T], word: str, what: str, code: str, hint: str = "") -> T:
    """Look a word up in a table, ignoring case. `hint` is for a word that resembles no name.

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
    """A hint with all names of a small table; an empty string for a large one."""
    names = list(table)
    return f"it is one of {', '.join(names)}" if len(names) <= 8 else ""


def shorten(text: str) -> str:
    """A text on one line of at most 60 characters, for use inside a message."""
    flat = " ".join(text.split())
    return flat if len(flat) <= 60 else f"{flat[:57]}..."
