"""DFMA rounds once on every CPU level, with and without an instruction for it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from tests.levels import need

PROGRAM = """VERT
DCL IN[0..2]
DCL OUT[0], GENERIC[0]
DFMA OUT[0], IN[0], IN[1], IN[2]
END
"""
LEVELS = ("x86-64", "x86-64-v3")
SPECIAL = [
    0.0,
    1.0,
    1.5,
    2.0**-1074,
    2.0**-1022,
    2.0**-1022 - 2.0**-1074,
    2.0**1023,
    math.nextafter(math.inf, 0),
    math.inf,
    math.nan,
    1 + 2.0**-52,
]


def exact(a: float, b: float, e: float) -> float:
    if not all(map(math.isfinite, (a, b, e))):
        return e if math.isfinite(a) and math.isfinite(b) else a * b + e
    total = Fraction(a) * Fraction(b) + Fraction(e)
    if not total:
        return a * b + e
    try:
        return float(total)
    except OverflowError:
        return math.inf if total > 0 else -math.inf


def triples() -> NDArray[np.float64]:
    """Special values of both signs, random bits, sums that cancel, products near the smallest numbers, ties."""
    random = np.random.default_rng(7)
    special = np.array([*SPECIAL, *(-x for x in SPECIAL)])
    count = 2000
    bits = random.integers(0, 2**64, (count, 3), np.uint64).view(np.float64)
    near = random.normal(size=(count, 3)) * 2.0 ** random.integers(-40, 40, (count, 3))
    cancelling = near.copy()
    cancelling[:, 2] = -(near[:, 0] * near[:, 1]) * (1 + random.integers(-3, 4, count) * 2.0**-52)
    lowest = [random.integers(low, high, count) for low, high in ((-560, -480), (-560, -480), (-1074, -1000))]
    tiny = near * 2.0 ** np.stack(lowest, axis=1)
    steps = [random.integers(0, 4, count) * 2.0**-52, random.integers(0, 4, count) * 2.0**-52, random.integers(-2, 3, count) * 2.0**-105]
    ties = np.stack([1 + steps[0], 1 + steps[1], steps[2]], axis=1)
    return np.concatenate([random.choice(special, (count, 3)), bits, near, cancelling, tiny, ties])


@pytest.mark.parametrize("level", LEVELS)
def test_double_fma_rounds_once(level: str) -> None:
    need(level)
    values = triples()
    inputs = np.concatenate([values[:, :, None], values[:, :, None]], axis=2).view(np.uint32)
    result = tgsi.run(tgsi.parse(PROGRAM), inputs, cpu=level).outputs[:, 0].copy().view(np.float64)
    want = np.array([exact(*row) for row in values.tolist()])
    equal = (result[:, 0].view(np.uint64) == want.view(np.uint64)) | np.isnan(result[:, 0]) & np.isnan(want)
    assert not np.flatnonzero(~equal).size, values[~equal][:5]
    assert (np.isnan(result[:, 1]) | (result[:, 1] == result[:, 0])).all()
