"""Traces of contexts with words changed, cut out, doubled or moved: played on a device and printed."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

import tgsi
from tests.fuzz.test_hostile_traces import PLACE, is_small, make_trace, mutated, outcome, print_all
from tests.unit.gallium.recording_device import Recorder

EACH = 20
"""Traces of a seed."""


@cache
def _trace() -> bytearray:
    with tempfile.TemporaryDirectory() as folder:
        return make_trace(Path(folder) / "a.trace")


def attempt(seed: int) -> Counter[str]:
    """Play each trace, a quarter of them with pictures, and print some."""
    chance, counts = random.Random(f"traces {seed}"), Counter[str]()
    with tgsi.Screen(threads=0) as drawing, tgsi.Screen(threads=0, device=Recorder()) as idle:
        for number in range(EACH):
            data = mutated(_trace(), chance)
            message = outcome(drawing if number % 4 == 0 and is_small(data) else idle, bytearray(data))
            assert not message or PLACE.match(message), message
            counts["refused" if message else "played"] += 1
            if number % 8 == 0:
                message = print_all(data)
                assert not message or PLACE.match(message), message
    return counts


def given(seed: int) -> str:
    """A description of how the traces are made."""
    return f"{EACH} mutants of tests.fuzz.test_hostile_traces.make_trace by Random('traces {seed}')"
