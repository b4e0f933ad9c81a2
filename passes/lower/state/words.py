"""Options of lowerings that are words."""

from __future__ import annotations

from collections.abc import Iterable

from tgsi.language.messages import did_you_mean


def known_word(name: str, option: str, word: str, words: Iterable[str]) -> None:
    """Check that an option of a pass is one of some words, in either case.

    Raises:
        ValueError: it is not one of them; the message names the pass, the option and the nearest word.
    """
    words = list(words)
    if word.upper() not in words:
        raise ValueError(f"pass {name}: {option}: `{word}` is not one of {', '.join(words)}; {did_you_mean(word, words)}".rstrip("; "))
