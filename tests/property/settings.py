"""Sizes of the tests over generated programs: a sample in every run, all programs in the nightly run (`./dev nightly`)."""

from __future__ import annotations

import itertools

import pytest

CI_EXAMPLES = 150
"""Number of generated programs in every run. They find the planted faults, and all but one
of the 59 that 200 programs find of 85 more (`python -m tests.property.mutations`); measured vectors find that one."""

MESH_PAIRS = 12
"""Number of generated pairs of task and mesh programs in every run. A dozen suffice to find each planted fault."""

NIGHTLY_EXAMPLES = 1500
BATCH = 250
"""Number of programs in one nightly test, small enough to spread the tests over processes."""


def ranges(examples: int, batch: int) -> list[object]:
    """Parameters (begin, end): the first CI_EXAMPLES for every run, the others for nightly runs."""
    edges = [0, *range(CI_EXAMPLES, examples, batch), examples]
    pairs = list(itertools.pairwise(edges))
    return [pairs[0], *(pytest.param(*pair, marks=pytest.mark.nightly) for pair in pairs[1:])]
