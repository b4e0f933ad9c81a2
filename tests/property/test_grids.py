"""launch_grid on generated programs agrees with the interpreter for every width, level and number of threads."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from backends.compute import dispatch
from backends.llvm.kernels.grids import GridKey
from tests.property.engines import check
from tests.property.grids import grid_differences
from tests.property.programs import FUEL, generate
from tests.property.settings import NIGHTLY_EXAMPLES, ranges

pytestmark = pytest.mark.usefixtures("light_code")

SCREENS: tuple[dict[str, Any], ...] = (
    {"threads": 0, "lanes": 8},
    {"threads": 0, "lanes": 16},
    {"threads": 1, "lanes": 32, "cpu": "x86-64-v2"},
    {"threads": 3, "lanes": 64},
    {"threads": 0, "lanes": 16, "cpu": "x86-64"},
)
SHARE = 10
"""Stride through the programs that other tests compare in every run."""


@pytest.fixture(autouse=True)
def short_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "GridKey", partial(GridKey, fuel=FUEL))


@pytest.mark.parametrize(("begin", "end"), ranges(NIGHTLY_EXAMPLES, 1000))
def test_grids_are_what_the_interpreter_says(begin: int, end: int) -> None:
    for seed in range(begin // SHARE, end // SHARE):
        check(generate(seed, ("COMP",)), partial(grid_differences, **SCREENS[seed % len(SCREENS)]))
