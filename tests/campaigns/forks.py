"""Forks of a process whose threads compile and draw: every child compiles and draws."""

from __future__ import annotations

from collections import Counter

from tests.unit.gallium.test_forks import assert_children_draw

EACH = 10
"""Forks of a seed."""


def attempt(seed: int) -> Counter[str]:
    """Fork under load."""
    assert_children_draw(EACH)
    return Counter(drew=EACH)


def given(seed: int) -> str:
    """A description of a seed."""
    return f"{EACH} forks while two threads compile and draw"
