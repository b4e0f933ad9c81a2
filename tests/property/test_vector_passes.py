"""Passes that combine channels preserve the results of the interpreter, on programs made for them."""

from __future__ import annotations

import pytest

from passes.registry import DEFAULT
from tests.property.engines import check
from tests.property.test_passes import differences
from tests.property.vector_programs import generate_vectors

_SPLIT = "split-registers,remove-dead-code"
PIPELINES = [
    f"{_SPLIT},form-dot-products",
    f"{_SPLIT},reduce-by-vectors",
    f"{_SPLIT},absorb-constants",
    f"{_SPLIT},blend-moves",
    "if-to-select{instructions=12},remove-dead-code",
    DEFAULT,
]


@pytest.mark.parametrize(("begin", "end"), [(0, 25), pytest.param(25, 5000, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("pipeline", PIPELINES, ids=lambda text: text[-30:])
def test_passes_that_combine_channels_keep_the_results_of_any_program(pipeline: str, begin: int, end: int) -> None:
    for seed in range(begin, end):
        check(generate_vectors(seed), lambda text, arguments: differences(text, arguments, pipeline))
