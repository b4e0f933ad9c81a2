"""Powers too small to count in a sum with constants are replaced there, as some CPUs are slow with denormals; the sum keeps its bits."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi

FACTORS = [0.0, -0.0, *(sign * 2.0**n for n in (-60, -21, -20, 0, 20, 21, 60) for sign in (1, -1))]
ADDENDS = [0.0, -0.0, *(sign * 2.0**n for n in (-126, -60, -41, -40, -20, 0, 20) for sign in (1, -1))]
POWERS = {"EX2": "EX2 TEMP[0], IN[0]", "POW": "POW TEMP[0], IN[0], IN[1]"}
SUMS = {
    "MAD": "TEMP[0].xxxx, {factor}, {addend}",
    "MAD turned": "{factor}, TEMP[0].xxxx, {addend}",
    "LRP": "TEMP[0].xxxx, {factor}, {addend}",
}


def immediates(values: list[float]) -> list[str]:
    words = np.array(values, np.float32).view(np.uint32)
    return [f"{{{', '.join(f'{word}' for word in words[k : k + 4])}}}" for k in range(0, len(values), 4)]


def program(power: str, form: str) -> str:
    rows = [*immediates(FACTORS), *immediates(ADDENDS)]
    lines = [f"IMM[{k}] UINT32 {row}" for k, row in enumerate(rows)]
    sums = [
        f"{form.split()[0]} OUT[{1 + 4 * e + k}], " + SUMS[form].format(factor=f"IMM[{k}]", addend=f"IMM[{4 + e // 4}].{'xyzw'[e % 4] * 4}")
        for e in range(len(ADDENDS))
        for k in range(len(FACTORS) // 4)
    ]
    count = 1 + len(sums)
    heads = ["VERT", "DCL IN[0..1]", *(f"DCL OUT[{k}], GENERIC[{k}]" for k in range(count)), "DCL TEMP[0]"]
    return "\n".join([*heads, *lines, POWERS[power], "MOV OUT[0], TEMP[0].xxxx", *sums, "END"])


def inputs(power: str) -> NDArray[np.float32]:
    steps = np.concatenate([np.linspace(-152, -90, 200), [-np.inf, np.inf, np.nan, 0.0, 3.5, -20.0]]).astype(np.float32)
    given = np.zeros((steps.size * 2, 2, 4), np.float32)
    if power == "EX2":
        given[: steps.size, 0] = steps[:, None]
    else:  # bases of both signs: an odd power of a negative one is negative
        given[: steps.size, 0] = (2.0 ** (steps.astype(np.float64) / 31)).astype(np.float32)[:, None]
        given[steps.size :, 0] = -given[: steps.size, 0]
        given[:, 1] = 31.0
    return given


@pytest.mark.parametrize("form", SUMS)
@pytest.mark.parametrize("power", POWERS)
def test_sums_of_tiny_powers_and_constants_keep_their_bits(power: str, form: str) -> None:
    found = tgsi.run(tgsi.parse(program(power, form)), inputs(power)).outputs.view(np.float32)
    x = found[:, 0, 0]
    assert (np.abs(x[(x != 0) & np.isfinite(x)]) < 2.0**-126).sum() > 20
    factors, addends = np.array(FACTORS, np.float32), np.array(ADDENDS, np.float32)
    with np.errstate(invalid="ignore"):
        by = factors - addends[:, None] if form == "LRP" else np.broadcast_to(factors, (len(ADDENDS), len(FACTORS)))
        want = x[:, None, None] * by + addends[:, None]
    got = found[:, 1:].reshape(want.shape)
    assert ((got.view(np.uint32) == want.view(np.uint32)) | np.isnan(got) & np.isnan(want)).all()
