"""Suggestions ("did you mean"), for words that keep their case."""

from __future__ import annotations

from collections.abc import Sequence

from tgsi.language.messages import did_you_mean


def nearest(word: str, names: Sequence[str]) -> str:
    """A hint that names the name most like a word; nothing where none is."""
    by_upper = {name.upper(): name for name in names}
    hint = did_you_mean(word, by_upper)
    for upper, name in by_upper.items():
        hint = hint.replace(f"`{upper}`", f"`{name}`")
    return hint
