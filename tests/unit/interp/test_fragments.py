"""FRAG: inputs at other positions of the pixel, and the target's color."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backends.interp.run import run
from tests.unit.interp.support import column
from tgsi.language.text.parser import parse

HEADER = """FRAG
DCL IN[0], GENERIC[0], {mode}
DCL IN[1], POSITION, LINEAR
DCL IN[2], FACE, CONSTANT
DCL OUT[0], COLOR
DCL OUT[1], COLOR[2]
DCL OUT[2], POSITION
DCL CONST[0..1]
DCL TEMP[0]
DCL ADDR[0]
IMM[0] UINT32 {{0, 1, 2, 4294967295}}
IMM[1] FLT32 {{0.25, -0.5, 0.0, 1.0}}
"""
QUAD = np.array([[4.5, 5.5, 4.5, 5.5], [6.5, 6.5, 7.5, 7.5], [0] * 4, [2, 4, 8, 16]], np.float32)
PLANES = np.array([[[3] * 4, [10] * 4, [100] * 4]] * 3, np.float32)
SAMPLES = [[0.25, 0.75], [0.75, 0.5]]
CENTERS = [3 + 10 * x + 100 * y for x, y in ((4.5, 6.5), (5.5, 6.5), (4.5, 7.5), (5.5, 7.5))]


def _run(body: str, mode: str = "LINEAR", *, register: int = 0, **options: Any) -> Any:
    result = run(parse(f"{HEADER.format(mode=mode)}{body}\nEND\n"), coefs=PLANES, quad_pos=QUAD, **options)
    return result.floats[:, register, 0].tolist()


def test_an_offset_moves_along_the_plane() -> None:
    assert _run("INTERP_OFFSET OUT[0], IN[0], IMM[1].xyzz") == [value + 2.5 - 50 for value in CENTERS]


def test_an_offset_moves_1_w_along_the_quads_own_differences() -> None:
    dx, dy = 16 - 8, 8 - 2  # of the bottom row, of the left column
    moved = [(value + 2.5 - 50) / np.float32(w + 0.25 * dx - 0.5 * dy) for value, w in zip(CENTERS, (2, 4, 8, 16))]
    assert _run("INTERP_OFFSET OUT[0], IN[0], IMM[1].xyzz", "PERSPECTIVE") == np.array(moved, np.float32).tolist()


@pytest.mark.parametrize("mode", ["LINEAR", "PERSPECTIVE", "COLOR", "CONSTANT"])
def test_no_offset_gives_the_ordinary_input(mode: str) -> None:
    planes = np.random.default_rng(3).uniform(-1, 1, (3, 3, 4)).astype(np.float32)
    text = HEADER.format(mode=mode) + "INTERP_OFFSET OUT[0], IN[0], -IMM[1].zzzz\nMOV OUT[1], IN[0]\nEND\n"
    out = run(parse(text), coefs=planes, quad_pos=QUAD).outputs
    assert out[:, 0].tolist() == out[:, 1].tolist()


def test_flat_inputs_the_position_and_the_face_do_not_move() -> None:
    assert _run("INTERP_OFFSET OUT[0], IN[0], IMM[1].xyzz", "CONSTANT") == [3] * 4
    assert _run("INTERP_OFFSET OUT[0], IN[0], IMM[1].xyzz", "COLOR", flatshade_color=True) == [3] * 4
    assert _run("INTERP_OFFSET OUT[0], IN[1], IMM[1].xyzz") == [4.5, 5.5, 4.5, 5.5]
    assert _run("INTERP_OFFSET OUT[0], IN[2], IMM[1].xyzz", face=-1.0) == [-1] * 4


def test_an_input_goes_to_a_numbered_sample_and_to_the_center_where_there_is_none() -> None:
    body = "UADD TEMP[0].x, CONST[0].xxxx, IMM[0].xxxx\nINTERP_SAMPLE OUT[0], IN[0], TEMP[0].xxxx"
    moved = {0: -2.5 + 25, 1: 2.5, 2: 0, 0xFFFFFFFF: 0}
    for number, step in moved.items():
        constants = {0: np.array([[number] * 4], np.uint32)}
        assert _run(body, constants=constants, sample_positions=SAMPLES) == [value + step for value in CENTERS]


def test_centroid_is_the_first_covered_sample_of_a_partly_covered_pixel() -> None:
    expected = [CENTERS[0], CENTERS[1] - 2.5 + 25, CENTERS[2] + 2.5, CENTERS[3]]
    options: dict[str, Any] = {"sample_positions": SAMPLES, "coverage": [3, 1, 2, 0]}
    assert _run("INTERP_CENTROID OUT[0], IN[0]", **options) == expected
    assert _run("MOV OUT[0], IN[0]", "LINEAR, CENTROID", **options) == expected


def test_inputs_declared_by_sample_are_taken_at_the_lanes_sample() -> None:
    options: dict[str, Any] = {"sample_positions": SAMPLES, "system_values": {"SAMPLEID": [0, 1, 1, 0]}}
    expected = [CENTERS[0] + 22.5, CENTERS[1] + 2.5, CENTERS[2] + 2.5, CENTERS[3] + 22.5]
    assert _run("MOV OUT[0], IN[0]", "LINEAR, SAMPLE", **options) == expected


def test_offsets_count_from_the_center_wherever_the_declaration_is() -> None:
    options: dict[str, Any] = {"sample_positions": SAMPLES, "system_values": {"SAMPLEID": [0, 1, 1, 0]}}
    assert _run("INTERP_OFFSET OUT[0], IN[0], IMM[1].zzzz", "LINEAR, SAMPLE", **options) == CENTERS


def test_modifiers_and_swizzles_act_on_the_value() -> None:
    planes = np.zeros((3, 3, 4), np.float32)
    planes[0, 0] = [1, 2, 3, 4]
    text = HEADER.format(mode="LINEAR") + "INTERP_OFFSET OUT[0], -IN[0].wzyx, IMM[1].wzzz\nEND\n"
    out = run(parse(text), coefs=planes, quad_pos=QUAD).floats
    assert out[0, 0].tolist() == [-4, -3, -2, -1]


def test_inputs_given_as_values_do_not_move() -> None:
    inputs = np.arange(4 * 3 * 4, dtype=np.float32).reshape(4, 3, 4)
    text = HEADER.format(mode="PERSPECTIVE") + "INTERP_OFFSET OUT[0], IN[0], IMM[1].xyzz\nINTERP_CENTROID OUT[1], IN[0]\nEND\n"
    out = run(parse(text), inputs).floats
    assert out[:, 0].tolist() == out[:, 1].tolist() == inputs[:, 0].tolist()


def test_fetches_take_the_target_of_the_outputs_semantic() -> None:
    colors = {0: column([1, 2, 3, 4]), 2: column([5, 6, 7, 8])}
    text = (
        HEADER.format(mode="LINEAR") + "FBFETCH TEMP[0], OUT[1]\nFBFETCH OUT[0], OUT[0]\nMOV OUT[1], TEMP[0]\nFBFETCH OUT[2], OUT[2]\nEND\n"
    )
    out = run(parse(text), coefs=PLANES, quad_pos=QUAD, framebuffer=colors).outputs
    assert out[:, 0, 0].tolist() == [1, 2, 3, 4]
    assert out[:, 1, 0].tolist() == [5, 6, 7, 8]
    assert not out[:, 2].any()


def test_a_fetched_target_may_differ_between_lanes_and_be_absent() -> None:
    body = """F2U TEMP[0].x, IN[1].xxxx
UADD TEMP[0].x, TEMP[0].xxxx, CONST[0].xxxx
UARL ADDR[0].x, TEMP[0].xxxx
FBFETCH OUT[2], -OUT[ADDR[0].x].yyyy"""
    colors = {0: np.full((4, 4), 1.5, np.float32)}
    constants = {0: np.full((1, 4), 2**32 - 4, np.uint32)}
    assert _run(body, register=2, framebuffer=colors, constants=constants) == [-1.5, -0.0, -1.5, -0.0]


def test_no_fragments_give_nothing() -> None:
    program = parse(HEADER.format(mode="LINEAR") + "MOV OUT[0], IN[0]\nEND\n")
    assert run(program, coefs=PLANES, quad_pos=QUAD[:, :0]).outputs.shape == (0, 3, 4)
