"""The kernels of mesh draws on generated programs agree with the interpreter for every width and level."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from tests.property.engines import check
from tests.property.mesh_launches import launch_differences
from tests.property.programs import generate
from tests.property.settings import NIGHTLY_EXAMPLES, ranges

pytestmark = pytest.mark.usefixtures("light_code")

KERNELS: tuple[dict[str, Any], ...] = (
    {"lanes": 8},
    {"lanes": 16},
    {"lanes": 32, "cpu": "x86-64-v2"},
    {"lanes": 64},
    {"lanes": 4, "cpu": "x86-64"},
)
SHARE = 10
"""Stride through the programs that other tests compare in every run."""


@pytest.mark.parametrize("stage", ["TASK", "MESH"])
@pytest.mark.parametrize(("begin", "end"), ranges(NIGHTLY_EXAMPLES, 1000))
def test_launches_are_what_the_interpreter_says(begin: int, end: int, stage: str) -> None:
    for seed in range(begin // SHARE, end // SHARE):
        check(generate(seed, (stage,)), partial(launch_differences, **KERNELS[seed % len(KERNELS)]))
