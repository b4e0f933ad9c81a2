"""Kernels of draws agree with the interpreter on generated programs of patches."""

from __future__ import annotations

import functools

import pytest

from tests.levels import LANES
from tests.property.engines import check
from tests.property.patches import kernel_differences
from tests.property.programs import generate
from tests.property.settings import BATCH, NIGHTLY_EXAMPLES, ranges

pytestmark = pytest.mark.usefixtures("light_code")

STAGES = ("TESS_CTRL", "TESS_EVAL")


@pytest.mark.parametrize(("begin", "end"), ranges(NIGHTLY_EXAMPLES // 5, BATCH))
def test_programs_of_patches_equal_interpreted_ones(begin: int, end: int) -> None:
    for seed in range(begin, min(end, begin + 30) if begin == 0 else end):
        lanes = LANES[seed // 2 % len(LANES)]
        check(generate(seed, STAGES), functools.partial(kernel_differences, lanes=lanes))
