"""INTERP_*, declared locations and FBFETCH agree between the engines, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from tests.unit.picture import both

pytestmark = pytest.mark.light

TEXT = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE{0}
DCL IN[1], GENERIC[1], LINEAR{0}
DCL IN[2], COLOR, COLOR{0}
DCL IN[3], POSITION, LINEAR
DCL IN[4], GENERIC[4], CONSTANT
DCL IN[5], FACE, CONSTANT
DCL SV[0], SAMPLEID
DCL SV[1], DRAWID
DCL OUT[0..15], COLOR
DCL ADDR[0]
IMM[0] INT32 {{0, 1, 2, 3}}
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
MOV OUT[2], IN[2]
INTERP_OFFSET OUT[3], IN[0], SV[1]
INTERP_OFFSET OUT[4].xzw, IN[1].wzyx, SV[1]
INTERP_OFFSET OUT[5], -|IN[2]|, SV[1]
INTERP_OFFSET OUT[6], IN[3], SV[1]
INTERP_OFFSET_SAT OUT[7], IN[4], SV[1]
INTERP_CENTROID OUT[8], IN[0]
INTERP_CENTROID OUT[9], IN[2]
INTERP_SAMPLE OUT[10], IN[0], SV[0]
INTERP_SAMPLE OUT[11], IN[1], IMM[0].yyyy
INTERP_SAMPLE OUT[12], IN[2], IMM[0].wwww
UARL ADDR[0].x, SV[0].xxxx
INTERP_OFFSET OUT[13], IN[ADDR[0].x], SV[1]
FBFETCH OUT[14], OUT[2]
FBFETCH OUT[15].xy, -OUT[ADDR[0].x].wzyx
END
"""
COUNT = 64
TABLE = [[0.125, 0.25], [0.875, 0.375], [0.5, 0.75]]


def fragments(seed: int) -> dict[str, Any]:
    """Arguments of a run: planes, positions, samples, targets."""
    rng = np.random.default_rng(seed)
    quad = np.arange(COUNT) // 4
    positions = np.ones((4, COUNT), np.float32)
    positions[0] = 2 * (quad % 4) + np.arange(COUNT) % 2 + 0.5
    positions[1] = 2 * (quad // 4) + np.arange(COUNT) // 2 % 2 + 0.5
    positions[3] = rng.uniform(0.2, 3, COUNT)
    offsets = rng.normal(size=(COUNT, 4)).astype(np.float32)
    offsets[::5, :2] = [0.0, -0.0]
    offsets[3, 0] = np.nan
    colors: dict[int, NDArray[np.float32]] = {k: rng.normal(size=(COUNT, 4)).astype(np.float32) for k in (0, 2)}
    return {
        "coefs": rng.normal(size=(6, 3, 4)).astype(np.float32),
        "quad_pos": positions,
        "system_values": {"DRAWID": offsets, "SAMPLEID": rng.integers(0, 5, COUNT)},
        "framebuffer": colors,
        "sample_positions": TABLE,
        "coverage": rng.integers(0, 8, COUNT).astype(np.uint32),
    }


@pytest.mark.parametrize("location", ["", ", CENTROID", ", SAMPLE"])
@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("lanes", [4, 16, 64])
def test_both_engines_agree_about_planes(location: str, flat: bool, lanes: int) -> None:
    given = fragments(lanes)
    found = both(TEXT.format(location), flatshade_color=flat, lanes=lanes, **given).floats
    if not location:
        centered = np.arange(COUNT) % 5 == 0
        assert (found[centered, 3] == found[centered, 0]).all()
        assert (found[~centered, 3] != found[~centered, 0]).any(axis=1).all()
    assert (found[:, 14] == given["framebuffer"][2]).all()


@pytest.mark.parametrize("location", ["", ", CENTROID", ", SAMPLE"])
def test_given_inputs_do_not_move(location: str) -> None:
    given = fragments(1)
    del given["coefs"], given["quad_pos"]
    inputs = np.random.default_rng(2).normal(size=(COUNT, 6, 4)).astype(np.float32)
    found = both(TEXT.format(location), inputs, **given).floats
    for register, source in ((0, 0), (3, 0), (8, 0), (10, 0), (11, 1), (12, 2)):
        assert (found[:, register] == inputs[:, source]).all()


@pytest.mark.parametrize(("location", "table"), [("CENTROID", [[0.5, 0.5], [0.5, 0.25]]), ("SAMPLE", [[0.0, 0.0], [0.25, 1.0]])])
def test_a_declared_location_is_where_an_input_is_evaluated(location: str, table: list[list[float]]) -> None:
    """One quad; the input is x + 10 y, linear. Only sample 1 of the second pixel is covered."""
    text = f"FRAG\nDCL IN[0], GENERIC[0], LINEAR, {location}\nDCL SV[0], SAMPLEID\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
    planes = np.zeros((1, 3, 4), np.float32)
    planes[0, 1, 0], planes[0, 2, 0] = 1, 10
    positions = np.array([[0.5, 1.5, 0.5, 1.5], [0.5, 0.5, 1.5, 1.5], [0] * 4, [1] * 4], np.float32)
    given: dict[str, Any] = {"system_values": {"SAMPLEID": [0, 1, 0, 0]}, "coverage": [3, 2, 3, 1], "sample_positions": table}
    found = both(text, coefs=planes, quad_pos=positions, **given).floats[:, 0, 0]
    x, y = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    expected = x + 0.5 + 10 * (y + 0.5)
    if location == "CENTROID":
        expected[1] = 1 + table[1][0] + 10 * table[1][1]
        expected[3] = 1 + table[0][0] + 10 * (1 + table[0][1])
    else:
        expected = x + 10.0 * y
        expected[1] = 1 + table[1][0] + 10 * table[1][1]
    assert found.tolist() == expected.tolist()


def test_fetches_of_no_target_give_0() -> None:
    text = "FRAG\nDCL OUT[0], COLOR\nDCL OUT[1], POSITION\nDCL TEMP[0]\nFBFETCH OUT[0], {}\nEND\n"
    colors = {0: np.ones((4, 4), np.float32)}
    for operand, value in (("OUT[0]", 1), ("OUT[1]", 0), ("TEMP[0]", 0)):
        assert (both(text.format(operand), framebuffer=colors).floats[:, 0] == value).all()
    assert (both(text.format("OUT[0]"), framebuffer={1: colors[0]}).floats == 0).all()
    assert (both(text.format("OUT[0]").replace("COLOR", "COLOR[60000]"), framebuffer=colors).floats == 0).all()


def test_fetched_words_of_integer_targets_stay() -> None:
    text = "FRAG\nDCL OUT[0], COLOR\nFBFETCH OUT[0], OUT[0]\nEND\n"
    colors = {0: np.array([[0x7F800001, 0xFFFFFFFF, 1, 0x80000000]], np.uint32)}
    for engine in ("interp", "jit"):
        assert (tgsi.run(tgsi.parse(text), framebuffer=colors, engine=engine).outputs[:, 0] == colors[0]).all()
