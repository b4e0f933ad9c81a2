"""Images of every format: stores and loads of compiled code agree with the interpreter byte for byte."""

from __future__ import annotations

import numpy as np
import pytest

import tgsi
from backends.formats import Format
from tests.unit.sampling.support import random_texture

pytestmark = pytest.mark.light

COLORS = [format for format in Format if not format.is_depth_stencil]
STEP = 11
TEXT = """VERT
DCL IN[0..1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL IMAGE[0], 2D, WR
LOAD OUT[0], IMAGE[0], IN[0], 2D
STORE IMAGE[0], IN[0], IN[1], 2D
STORE IMAGE[0].yw, IN[0].yxzw, IN[1].wzyx, 2D
LOAD OUT[1], IMAGE[0].wzyx, IN[0], 2D
END
"""


@pytest.mark.parametrize("start", [0, *(pytest.param(start, marks=pytest.mark.nightly) for start in range(1, STEP))])
def test_stores_and_loads(start: int) -> None:
    random, program = np.random.default_rng(start), tgsi.parse(TEXT)
    for format in COLORS[start::STEP]:
        inputs = np.zeros((16, 2, 4), np.uint32)
        inputs[:, 0] = random.integers(-1, 7, (16, 4)) & 0xFFFFFFFF
        inputs[:8, 1] = random.uniform(-1.5, 1.5, (8, 4)).astype(np.float32).view(np.uint32)
        inputs[8:, 1] = random.integers(0, 1 << 32, (8, 4), dtype=np.uint32)
        image = random_texture(format, 6, 5)
        expected = tgsi.run(program, inputs, images={0: image}, engine="interp")
        found = tgsi.run(program, inputs, images={0: image}, engine="jit")
        assert np.array_equal(found.outputs, expected.outputs), format.name
        assert found.images[0].tolist() == expected.images[0].tolist(), format.name
