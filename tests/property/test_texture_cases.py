"""Gathers, fetches, queries, handles and images: the code generator agrees with the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

import tgsi
from tests.property.texture_cases import Case, texture_case

pytestmark = pytest.mark.usefixtures("light_code")

NEAR = 1e-4
MIXED = 4e-6
RANGES = [(0, 30), *(pytest.param(begin, begin + 147, marks=pytest.mark.nightly) for begin in range(30, 1500, 147))]
"""Number of cases in every run, and in the nightly run."""


def differences(case: Case, lanes: int) -> list[str]:
    """Lines that describe each differing word."""
    program = tgsi.parse(case.text)
    tgsi.validate(program)
    expected = tgsi.run(program, engine="interp", **case.arguments)
    found = tgsi.run(program, engine="jit", lanes=lanes, **case.arguments)
    same = found.outputs == expected.outputs
    for register in case.mixed:
        a, b = found.floats[:, register].astype(np.float64), expected.floats[:, register].astype(np.float64)
        with np.errstate(invalid="ignore"):
            same[:, register] |= np.abs(a - b) <= MIXED * np.maximum(np.abs(b), 1.0)
    for register in case.lods:
        a, b = found.floats[:, register].astype(np.float64), expected.floats[:, register].astype(np.float64)
        same[:, register] |= np.abs(a - b) <= NEAR
        # at the edge between two levels the rounding of the level of detail decides
        edge = np.any(np.abs(np.abs(b - np.floor(b)) - 0.5) < NEAR, axis=1)
        same[:, register] |= edge[:, None] & (np.abs(a - b) <= 1.0 + NEAR)
    lines = [
        f"invocation {i} OUT[{r}].{'xyzw'[c]}: {found.outputs[i, r, c]:08x}, interpreter {expected.outputs[i, r, c]:08x}"
        for i, r, c in np.argwhere(~same)
    ]
    lines += [f"invocation {i}: alive differs" for i in np.flatnonzero(found.alive != expected.alive)]
    lines += [f"images[{unit}] differs" for unit in expected.images if not np.array_equal(found.images[unit], expected.images[unit])]
    return lines


@pytest.mark.parametrize(("begin", "end"), RANGES)
def test_code_generator_equals_interpreter(begin: int, end: int) -> None:
    for seed in range(begin, end):
        case = texture_case(seed)
        found = differences(case, 16)
        assert not found, "\n".join([f"seed {seed}", case.text, *found[:20]])


@pytest.mark.parametrize("lanes", [4, 8, 32, 64])
def test_any_number_of_lanes(lanes: int) -> None:
    for seed in range(10_000, 10_006):
        case = texture_case(seed, lanes)
        found = differences(case, lanes)
        assert not found, "\n".join([f"seed {seed}", case.text, *found[:20]])
