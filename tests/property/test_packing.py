"""PK2US, PK4UB and PK4B round the exact product in both engines."""

from __future__ import annotations

import numpy as np
import pytest

import tgsi

SCALES = {"PK2US": 65535, "PK4UB": 255, "PK4B": 127}


@pytest.mark.parametrize("name", SCALES)
@pytest.mark.parametrize("cpu", ["host", "x86-64"])
def test_packing_rounds_to_the_nearest_step(name: str, cpu: str) -> None:
    scale = SCALES[name]
    steps = np.arange(scale + 1)
    middles = ((steps + 0.5) / scale).astype(np.float32)
    near = [np.nextafter(middles, np.float32(side)) for side in (-9, 9)]
    values = np.concatenate([steps / scale, middles, *near, np.random.default_rng(3).random(20000)]).astype(np.float32)
    program = tgsi.parse(f"VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n{name} OUT[0], IN[0].xxxx\nEND")
    inputs = np.repeat(values[:, None, None], 4, axis=2)
    bits = 16 if name == "PK2US" else 8
    want = np.rint(np.minimum(values.astype(np.float64), 1) * scale).astype(np.uint32)
    assert (tgsi.run(program, inputs, engine="interp").outputs[:, 0, 0] & ((1 << bits) - 1) == want).all()
    assert (tgsi.run(program, inputs, cpu=cpu).outputs[:, 0, 0] & ((1 << bits) - 1) == want).all()
