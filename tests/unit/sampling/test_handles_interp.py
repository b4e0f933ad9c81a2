"""Interpreter: textures, samplers and images chosen at run time by addresses, and by handles in registers."""

from __future__ import annotations

import numpy as np
import pytest

from backends.pipe.enums import TexWrap
from backends.pipe.state import SamplerState
from backends.run.textures import TextureData
from tests.unit.sampling.interp_support import EDGE, numbered, repeated, rows, values, words
from tgsi.language.diagnostics import UnsupportedError

pytestmark = pytest.mark.light

TEXTURES = {0: numbered(1, 1, 2, first=10), 1: numbered(1, 1, 2, first=20), 5: numbered(1, 1, 2, first=50)}
NOTHING = [0, 0, 0, 0x3F800000]
UNITS = np.array([[0], [1], [2], [-1]])
HANDLES = np.array([[1], [2], [3], [0]])
PLACE = np.zeros((4, 4), int)
DECLARED = "DCL SAMP[0..1]\nDCL SVIEW[0..1], 2D, UINT"


def reds(body: str, *inputs: object, declared: str = DECLARED, textures: dict[int, TextureData] = TEXTURES) -> list[int]:
    return [row[0] for row in rows(words(declared, body, *inputs, textures=textures))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "body",
    [
        "TXF OUT[0], IN[0], SAMP[ADDR[0].x], 2D",
        "TEX_LZ OUT[0], IN[0], SAMP[ADDR[0].x], 2D",
        "TG4 OUT[0], IN[0], IMM[0].xxxx, SAMP[ADDR[0].x], 2D",
        "SAMPLE_I OUT[0], IN[0], SVIEW[ADDR[0].x]",
        "SAMPLE_L OUT[0], IN[0], SVIEW[ADDR[0].x], SAMP[0], IN[0].xxxx",
        "SAMPLE_L OUT[0], IN[0], SVIEW[ADDR[0].x], SAMP[ADDR[0].x], IN[0].xxxx",
        "GATHER4 OUT[0], IN[0], SVIEW[ADDR[0].x], SAMP[0]",
    ],
)
def test_units_differ_between_lanes_and_undeclared_ones_are_missing(body: str) -> None:
    found = words(DECLARED, f"UARL ADDR[0].x, IN[1].xxxx\n{body}", PLACE, UNITS, textures=TEXTURES, samplers=dict.fromkeys(range(6), EDGE))
    gathers = "TG4" in body or "GATHER4" in body
    assert rows(found)[2] == ([0] * 4 if gathers else NOTHING)
    assert [row[0] for row in rows(found)] == [10, 20, 0, 0]


@pytest.mark.parametrize(
    "body",
    [
        "TXF OUT[0], IN[0], IN[1], 2D",
        "TXF OUT[0], IN[0], IN[1].xyzw, 2D",
        "TXL OUT[0], IN[0], IN[1], 2D",
        "TG4 OUT[0], IN[0], IMM[0].xxxx, IN[1], 2D",
        "SAMPLE_I OUT[0], IN[0], IN[1]",
        "SAMPLE_L OUT[0], IN[0], IN[1], SAMP[0], IN[0].xxxx",
        "SAMPLE_L OUT[0], IN[0], IN[1], IN[1], IN[0].xxxx",
    ],
)
def test_handles_are_numbers_plus_one(body: str) -> None:
    assert reds(body, PLACE, HANDLES) == [10, 20, 0, 0]


def test_a_handle_reaches_what_is_bound_and_not_declared() -> None:
    assert reds("TXF OUT[0], IN[0], IN[1], 2D", PLACE, np.array([[6], [1], [7], [2**31]])) == [50, 10, 0, 0]


def test_a_handle_is_the_channel_that_the_swizzle_names() -> None:
    handles = np.array([[0, 1], [9, 2], [1, 6], [2, 0]])
    assert reds("TXF OUT[0], IN[0], IN[1].yxxx, 2D", PLACE, handles) == [10, 20, 50, 0]


def test_constants_and_immediates_hold_handles() -> None:
    assert reds("TXF OUT[0], IN[0], IMM[0].yzzz, 2D", PLACE)[0] == 10
    found = words(
        f"{DECLARED}\nDCL CONST[0..1]", "TXF OUT[0], IN[0], CONST[1], 2D", PLACE, textures=TEXTURES, constants={0: [[0] * 4, [2] * 4]}
    )
    assert rows(found)[0][0] == 20


def test_samp2hnd_and_img2hnd_give_handles() -> None:
    body = "MOV OUT[0], IMM[1].wwww\nSAMP2HND OUT[0].xy, SAMP[1], 2D"
    assert rows(words(DECLARED, body, PLACE, textures=TEXTURES))[0] == [2, 0, 7, 7]
    assert rows(words(DECLARED, "SAMP2HND OUT[0], SAMP[1], 2D", PLACE))[0] == [2, 0, 0, 0]
    assert rows(words("DCL IMAGE[0..3], 2D, WR", "IMG2HND OUT[0], IMAGE[3]", PLACE))[0] == [4, 0, 0, 0]


def test_handles_of_addressed_units_and_of_handles() -> None:
    body = "UARL ADDR[0].x, IN[1].xxxx\nSAMP2HND OUT[0], SAMP[ADDR[0].x], 2D"
    assert rows(words(DECLARED, body, PLACE, UNITS)) == [[1, 0, 0, 0], [2, 0, 0, 0], [3, 0, 0, 0], [0] * 4]
    assert rows(words(DECLARED, "SAMP2HND OUT[0], IN[1].yyyy, 2D", PLACE, np.array([[1, 5]] * 4)))[0] == [5, 0, 0, 0]


def test_a_handle_made_is_a_handle_taken() -> None:
    assert reds("SAMP2HND TEMP[0].xy, SAMP[1], 2D\nTXF OUT[0], IN[0], TEMP[0], 2D", PLACE)[0] == 20


def test_a_handle_to_another_shape_is_missing() -> None:
    textures = {0: TEXTURES[0], 2: numbered(6, 2, 2), 3: numbered(4, 2, 2, samples=4)}
    found = [reds(f"TXF OUT[0], IN[0], IN[1], {target}", PLACE, HANDLES + 2, textures=textures) for target in ("CUBE", "2D_MSAA", "2D")]
    three = [textures[2].texels(0)[0, 0, 0, 0], 0]
    assert [row[:2] for row in found] == [three, [0, 0], three]
    handles = np.array([[4], [3], [1], [0]])
    assert rows(words(DECLARED, "TXF OUT[0], IN[0], IN[1], 2D_MSAA", PLACE, handles, textures=textures))[0] == [0, 0, 0, 77]
    assert rows(words(DECLARED, "TXF OUT[0], IN[0], IN[1], CUBE", PLACE, handles, textures=textures))[0] == NOTHING


def test_view_and_sampler_are_chosen_on_their_own() -> None:
    samplers = {0: EDGE, 1: SamplerState(wrap_s=TexWrap.REPEAT, wrap_t=TexWrap.REPEAT)}
    body = "UARL ADDR[0].xy, IN[1]\nSAMPLE_L OUT[0], IN[0], SVIEW[ADDR[0].x], SAMP[ADDR[0].y], IN[2].xxxx"
    chosen = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    found = words(DECLARED, body, repeated([1.25, 0]), chosen, PLACE, textures=TEXTURES, samplers=samplers)
    assert [row[0] for row in rows(found)] == [11, 10, 21, 20]


def test_the_target_is_that_of_the_view_chosen() -> None:
    declared = "DCL SAMP[0]\nDCL SVIEW[0], 2D, UINT\nDCL SVIEW[1], 2D_ARRAY, UINT"
    body = "UARL ADDR[0].x, IN[1].xxxx\nSAMPLE_I OUT[0], IN[0], SVIEW[ADDR[0].x]"
    textures = {0: numbered(2, 1, 1), 1: numbered(2, 1, 1, first=10)}
    assert reds(body, np.array([[0, 0, 1, 0]] * 4), UNITS, declared=declared, textures=textures) == [0, 11, 0, 0]


def test_a_missing_sampler_makes_the_texture_missing_for_filters_alone() -> None:
    assert rows(words(DECLARED, "TEX_LZ OUT[0], IN[0], SAMP[0], 2D", PLACE, textures=TEXTURES, samplers={}))[0] == NOTHING
    assert reds("TXF OUT[0], IN[0], SAMP[0], 2D", PLACE)[0] == 10


def test_missing_textures_read_black_and_opaque_or_0() -> None:
    for body in ("TXF OUT[0], IN[0], IN[1], 2D", "SAMPLE_I OUT[0], IN[0], IN[1]", "TEX_LZ OUT[0], IN[0], IN[1], 2D"):
        assert values(words(DECLARED, body, PLACE, PLACE, textures=TEXTURES))[0] == [0, 0, 0, 1]
    for body in (
        "TXQ OUT[0], IN[0], IN[1], 2D",
        "SVIEWINFO OUT[0], IN[0], IN[1]",
        "TXQS OUT[0], IN[1], 2D",
        "LODQ OUT[0], IN[0], IN[1], 2D",
    ):
        assert rows(words(DECLARED, body, PLACE, PLACE, textures=TEXTURES))[0] == [0] * 4


def test_unknown_targets_are_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="UNKNOWN"):
        words("DCL SAMP[0]", "TEX_LZ OUT[0], IN[0], SAMP[0], UNKNOWN", PLACE, textures={0: TEXTURES[0]})


def test_the_swizzle_of_a_handle_does_not_order_the_result() -> None:
    handles = np.array([[0, 0, 2]] * 4)
    assert rows(words(DECLARED, "SAMPLE_I OUT[0], IN[0], IN[1].zzzz", PLACE, handles, textures=TEXTURES))[0] == [20, 0, 0, 77]
