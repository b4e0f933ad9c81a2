"""The interpreter runs any valid program, or names the feature that it does not support."""

from __future__ import annotations

from collections import Counter

import pytest

import tgsi
from tests.fuzz.mutants import mutant
from tests.property.fitting import fitting_arguments
from tests.property.settings import NIGHTLY_EXAMPLES, ranges
from tgsi.language.diagnostics import UnsupportedError


@pytest.mark.parametrize(("begin", "end"), ranges(NIGHTLY_EXAMPLES, 500))
def test_mutants_never_crash_the_interpreter(begin: int, end: int) -> None:
    seen: Counter[str] = Counter()
    for number in range(begin, end):
        program = mutant(number)
        if program is None:
            continue
        try:
            tgsi.run(program, engine="interp", fuel=50, **fitting_arguments(program, number))
            seen["ran"] += 1
        except UnsupportedError:
            seen["unsupported"] += 1
    assert seen["ran"] > (end - begin) * 0.8, seen
