"""INPUT memory of a launch is a copy: what a program stores there is never seen by the caller (context.rst, "Compute kernel execution")."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.gallium.compute_cases import launch, words, zeros
from tgsi import gallium as g

pytestmark = pytest.mark.light

STORE = """COMP
DCL MEMORY[0], INPUT
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {0, 7, 0, 0}
LOAD TEMP[0].x, MEMORY[0], IMM[0].xxxx
STORE BUFFER[0].x, IMM[0].xxxx, TEMP[0].xxxx
STORE MEMORY[0].x, IMM[0].xxxx, IMM[0].yyyy
END
"""


def test_what_a_program_stores_into_input_memory_stays_in_its_launch(ctx: g.Context) -> None:
    given, found = np.array([5], np.uint32), zeros(ctx, 1)
    for _ in range(2):
        launch(ctx, STORE, found, block=(1, 1, 1), input=given)
        assert words(found).tolist() == [5]
    assert given.tolist() == [5]
