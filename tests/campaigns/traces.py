"""Traces of contexts with words changed, cut out, doubled or moved: played on a device and printed."""

from __future__ import annotations

import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

from tests.fuzz.test_hostile_traces import make_trace, sweep

EACH = 20
"""Traces of a seed."""


@cache
def _trace() -> bytearray:
    with tempfile.TemporaryDirectory() as folder:
        return make_trace(Path(folder) / "a.trace")


def attempt(seed: int) -> Counter[str]:
    """Play each trace, a quarter of them with pictures, and print some."""
    return +Counter(sweep(_trace(), EACH, seed))


def given(seed: int) -> str:
    """A description of how the traces are made."""
    return f"{EACH} mutants of tests.fuzz.test_hostile_traces.make_trace by Random({seed})"
