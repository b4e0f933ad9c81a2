"""Suggestions ("did you mean") for case-sensitive words."""

from __future__ import annotations

from collections.abc import Sequence

from tgsi.language.messages import did_you_mean


def nearest(word: str, names: Sequence[str]) -> str:
    """Hint with the name most similar to `word`; "" if no name is similar."""
    by_upper = {name.upper(): name for name in names}
    hint = did_you_mean(word, by_upper)
    for upper, name in by_upper.items():
        hint = hint.replace(f"`{upper}`", f"`{name}`")
    return hint
