"""Every diagnostic code in the sources has an explanation."""

from __future__ import annotations

import re
from pathlib import Path

from tgsi.language.codes import EXPLANATIONS

ROOT = Path(__file__).resolve().parents[3]


def used() -> set[str]:
    """Quoted codes in all sources."""
    sources = [path for folder in ("tgsi", "passes", "linkage", "frontends", "backends") for path in (ROOT / folder).rglob("*.py")]
    return {code for path in sources for code in re.findall(r'"([PGMVLSKB]\d{3})"', path.read_text(encoding="utf-8"))}


def test_every_used_code_is_explained() -> None:
    assert used() - set(EXPLANATIONS) == set()


def test_every_explained_code_is_used() -> None:
    assert set(EXPLANATIONS) - used() == set()


def test_explanations_are_sentences() -> None:
    for code, item in EXPLANATIONS.items():
        assert item.text.endswith("."), code
        assert len(item.title) < 60, code
