"""Bounds for the differences between the engines in the last places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backends.interp.run import run as interpret
from backends.llvm.kernels.run import run as execute
from tests.golden.vectors import is_nan, ordered
from tests.property.programs import words
from tgsi.language.text.parser import parse

COUNT = 4096

# statement, units in the last place, absolute error
LIMITS = {
    "EX2 OUT[0], IN[0].xxxx": (2, 0.0),
    "LG2 OUT[0], IN[0].xxxx": (2, 0.0),
    "POW OUT[0], |IN[0].xxxx|, IN[1].xxxx": (2, 0.0),
    "POW OUT[0], IN[0].xxxx, IN[1].xxxx": (2, 0.0),
    "SIN OUT[0], IN[0].xxxx": (0, 2.0**-23 + 2.0**-25),
    "COS OUT[0], IN[0].xxxx": (0, 2.0**-23 + 2.0**-25),
    "EXP OUT[0].xz, IN[0].xxxx": (2, 0.0),
    "LOG OUT[0].z, IN[0].xxxx": (2, 0.0),
    "LIT OUT[0].z, IN[0]": (2, 0.0),
}


@pytest.mark.parametrize("statement", LIMITS)
def test_engines_are_near_each_other_for_every_kind_of_input(statement: str) -> None:
    program = parse(f"VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\n{statement}\nEND\n")
    inputs: Any = words(99, (COUNT, 2, 4))
    random = np.random.default_rng(5)
    inputs[: COUNT // 2, 0] = random.uniform(-20, 20, (COUNT // 2, 4)).astype(np.float32).view(np.uint32)
    inputs[: COUNT // 2, 1] = random.uniform(-4, 4, (COUNT // 2, 4)).astype(np.float32).view(np.uint32)
    expected, got = interpret(program, inputs).outputs, execute(program, inputs).outputs
    ulp, absolute = LIMITS[statement]
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(got.view(np.float32).astype(np.float64) - expected.view(np.float32).astype(np.float64))
    near = (np.abs(ordered(got) - ordered(expected)) <= ulp) | (distance <= absolute) | (is_nan(got) & is_nan(expected))
    rows, channels = np.nonzero(~near[:, 0])
    wrong = zip(inputs[rows, :, 0].tolist(), got[rows, 0, channels].tolist(), expected[rows, 0, channels].tolist())
    assert [f"{given}: {a:08x} compiled, {b:08x} interpreted" for given, a, b in wrong] == []
