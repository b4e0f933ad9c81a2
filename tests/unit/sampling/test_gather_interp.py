"""Interpreter: TG4 and GATHER4 return four texels in the order (-,+) (+,+) (+,-) (-,-)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from backends.interp.sampling.sample import gather
from backends.pipe.enums import CompareFunc, Swizzle, TexCompare, TexWrap
from backends.pipe.state import SamplerState
from tests.unit.sampling.interp_support import EDGE, LINEAR, floats, numbered, repeated, rows, values, words

pytestmark = pytest.mark.light

DECLARED = "DCL SAMP[0]\nDCL SVIEW[0], 2D, UINT"
CENTER = repeated([0.5, 0.5])
TG4 = "TG4 OUT[0], IN[0], IMM[0].xxxx, SAMP[0], 2D"


@pytest.mark.parametrize("sampler", [EDGE, LINEAR])
def test_the_four_texels_around_a_corner_whatever_the_filter(sampler: SamplerState) -> None:
    assert rows(words(DECLARED, TG4, CENTER, textures=numbered(1, 4, 4), samplers=sampler))[0] == [9, 10, 6, 5]


@pytest.mark.parametrize(("component", "want"), [("y", [2, 2, 1, 1]), ("z", [0] * 4), ("w", [77] * 4)])
def test_component(component: str, want: list[int]) -> None:
    body = f"TG4 OUT[0], IN[0], IMM[0].{component * 4}, SAMP[0], 2D"
    assert rows(words(DECLARED, body, CENTER, textures=numbered(1, 4, 4)))[0] == want


def test_component_differs_between_lanes_and_only_its_two_low_bits_count() -> None:
    components = np.array([[0], [1], [3], [6]])
    found = rows(words(DECLARED, "TG4 OUT[0], IN[0], IN[1].xxxx, SAMP[0], 2D", CENTER, components, textures=numbered(1, 4, 4)))
    assert found == [[9, 10, 6, 5], [2, 2, 1, 1], [77] * 4, [0] * 4]


def test_component_is_one_of_the_views() -> None:
    texture = numbered(1, 4, 4, swizzle=(Swizzle.W, Swizzle.ONE, Swizzle.ZERO, Swizzle.X))
    found = [rows(words(DECLARED, TG4.replace("xxxx", c * 4), CENTER, textures=texture))[0] for c in "xyzw"]
    assert found == [[77] * 4, [1] * 4, [0] * 4, [9, 10, 6, 5]]


def test_one_offset_moves_all_texels() -> None:
    body = f"{TG4}, IMM[0].yxx"  # (1, 0)
    assert rows(words(DECLARED, body, CENTER, textures=numbered(1, 4, 4)))[0] == [10, 11, 7, 6]


def test_an_offset_may_come_from_a_register_and_differ_between_lanes() -> None:
    offsets = np.array([[0, 0], [1, 0], [0, -1], [1, 1]])
    found = rows(words(DECLARED, f"{TG4}, IN[1].xyy", CENTER, offsets, textures=numbered(1, 4, 4)))
    assert found == [[9, 10, 6, 5], [10, 11, 7, 6], [5, 6, 2, 1], [14, 15, 11, 10]]


def test_four_offsets_give_each_result_its_own_footprint_of_which_it_is_the_lower_left_texel() -> None:
    body = f"{TG4}, IMM[0].xxx, IMM[0].yxx, IMM[0].xyx, IMM[1].xxx"  # (0,0) (1,0) (0,1) (-1,-1)
    assert rows(words(DECLARED, body, CENTER, textures=numbered(1, 4, 4)))[0] == [5, 6, 9, 0]


def test_of_two_offsets_the_first_counts() -> None:
    body = f"{TG4}, IMM[0].yxx, IMM[0].zzz"
    assert rows(words(DECLARED, body, CENTER, textures=numbered(1, 4, 4)))[0] == [10, 11, 7, 6]


WRAPS = {
    # footprint of columns at s = -0.25 in a row of 4 texels: -2 and -1; border is 9
    TexWrap.REPEAT: (2, 3),
    TexWrap.MIRROR_REPEAT: (1, 0),
    TexWrap.CLAMP_TO_EDGE: (0, 0),
    TexWrap.CLAMP_TO_BORDER: (9, 9),
    TexWrap.CLAMP: (9, 0),  # the coordinate is clamped to 0, where the texels -1 and 0 meet
    TexWrap.MIRROR_CLAMP_TO_EDGE: (1, 0),
    TexWrap.MIRROR_CLAMP_TO_BORDER: (1, 0),
    TexWrap.MIRROR_CLAMP: (1, 0),
}


@pytest.mark.parametrize(("wrap", "want"), WRAPS.items())
def test_texels_are_wrapped_one_by_one_and_keep_their_order(wrap: TexWrap, want: tuple[int, int]) -> None:
    sampler = SamplerState(wrap_s=wrap, wrap_t=TexWrap.CLAMP_TO_EDGE, border_color=(9.0, 0.0, 0.0, 0.0))
    found = rows(words(DECLARED, TG4, repeated([-0.25, 0.5]), textures=numbered(1, 1, 4), samplers=sampler))[0]
    assert found == [want[0], want[1], want[1], want[0]]


def test_beyond_the_mirrored_copy_clamps_reach_edge_or_border() -> None:
    # s = -1.5: columns -7 and -6, mirrored 6 and 5; MIRROR_CLAMP takes -1 first: columns -5 and -4, mirrored 4 and 3
    found = {}
    for wrap in (TexWrap.MIRROR_CLAMP_TO_EDGE, TexWrap.MIRROR_CLAMP_TO_BORDER, TexWrap.MIRROR_CLAMP):
        sampler = SamplerState(wrap_s=wrap, wrap_t=TexWrap.CLAMP_TO_EDGE, border_color=(9.0, 0.0, 0.0, 0.0))
        found[wrap] = rows(words(DECLARED, TG4, repeated([-1.5, 0.5]), textures=numbered(1, 1, 4), samplers=sampler))[0][:2]
    assert list(found.values()) == [[3, 3], [9, 9], [9, 3]]


def test_coordinates_of_rectangles_are_texels() -> None:
    declared = DECLARED.replace("2D", "RECT")
    sampler = replace(EDGE, normalized_coords=False)
    found = words(declared, TG4.replace("2D", "RECT"), repeated([2.0, 3.0]), textures=numbered(1, 4, 4), samplers=sampler)
    assert rows(found)[0] == [13, 14, 10, 9]


def test_layers_are_rounded() -> None:
    declared, body = DECLARED.replace("2D", "2D_ARRAY"), TG4.replace("2D", "2D_ARRAY")
    coords = np.array([[0.5, 0.5, layer] for layer in (0.4, 0.5, 2.0, 7.0)], np.float32)
    assert [row[3] for row in rows(words(declared, body, coords, textures=numbered(3, 4, 4)))] == [5, 21, 37, 37]


def test_only_level_0_is_read_whatever_the_limits_are() -> None:
    big, small = numbered(1, 4, 4), numbered(1, 2, 2, first=50)
    texture = replace(big, levels=(*big.levels, *small.levels))
    sampler = replace(EDGE, min_lod=1.0, lod_bias=3.0)
    assert rows(words(DECLARED, TG4, CENTER, textures=texture, samplers=sampler))[0] == [9, 10, 6, 5]


@pytest.mark.parametrize("target", ["CUBE", "CUBEARRAY"])
def test_cube_faces(target: str) -> None:
    # direction (1, 0, 0): the middle of face +x, s = t = 0.5; texel (1, 1) of 2x2 faces is number 4 * face + 3
    declared, body = DECLARED.replace("2D", target), TG4.replace("2D", target)
    coords = np.array([[1, 0, 0, 0], [-1, 0, 0, 0], [0, 0, 1, 1], [0, -1, 0, 1]], np.float32)
    found = rows(words(declared, body, coords, textures=numbered(12, 2, 2)))
    cubes = [0, 0, 6, 6] if target == "CUBEARRAY" else [0] * 4
    faces = [cube + face for cube, face in zip(cubes, [0, 1, 4, 3])]
    assert found == [[4 * f + 2, 4 * f + 3, 4 * f + 1, 4 * f] for f in faces]


def test_seamless_cubes_reach_over_the_edge() -> None:
    # 1x1 faces; direction (1, 0, 0.5) lies on +x at s = 0.25, so the left texels are those of +z (face 4), the right ones of +x;
    # t = 0.5 of one texel: both rows of the footprint are rows 0 and 1 around the middle: the upper leaves the face to -y (face 3)
    sampler = replace(EDGE, seamless_cube_map=True)
    texture = numbered(6, 1, 1)
    found = rows(
        words(DECLARED.replace("2D", "CUBE"), TG4.replace("2D", "CUBE"), repeated([1.0, 0.0, 0.5]), textures=texture, samplers=sampler)
    )
    left, right = 4, 0
    assert found[0][2:] == [right, left]
    assert found[0][1] == 3


def test_one_dimension_has_the_same_texel_in_both_rows() -> None:
    declared, body = DECLARED.replace("2D", "1D"), TG4.replace("2D", "1D")
    assert rows(words(declared, body, CENTER, textures=numbered(1, 1, 4)))[0] == [1, 2, 2, 1]


def test_three_dimensions_take_the_nearest_slice() -> None:
    declared, body = DECLARED.replace("2D", "3D"), TG4.replace("2D", "3D")
    coords = np.array([[0.5, 0.5, r] for r in (0.1, 0.49, 0.51, 9.0)], np.float32)
    assert [row[3] for row in rows(words(declared, body, coords, textures=numbered(2, 4, 4)))] == [5, 5, 21, 21]


COMPARING = replace(EDGE, compare_mode=TexCompare.R_TO_TEXTURE, compare_func=CompareFunc.LESS)
DEPTHS = floats([[0.1, 0.2], [0.3, 0.4]])


def test_shadow_targets_compare_each_texel() -> None:
    # the reference 0.25 is less than 0.3 and 0.4 in the upper row
    body = "TG4 OUT[0], IN[0], IMM[0].wwww, SAMP[0], SHADOW2D"
    found = words("DCL SAMP[0]\nDCL SVIEW[0], SHADOW2D, FLOAT", body, repeated([0.5, 0.5, 0.25]), textures=DEPTHS, samplers=COMPARING)
    assert values(found)[0] == [1, 1, 0, 0]


def test_shadow_targets_without_a_comparison_give_the_texels() -> None:
    body = "TG4 OUT[0], IN[0], IMM[0].wwww, SAMP[0], SHADOW2D"
    found = words("DCL SAMP[0]\nDCL SVIEW[0], SHADOW2D, FLOAT", body, repeated([0.5, 0.5, 0.25]), textures=DEPTHS)
    assert values(found)[0] == pytest.approx([0.3, 0.4, 0.2, 0.1])


def test_arrays_of_shadow_cubes_have_the_reference_in_the_second_source() -> None:
    texture = floats(np.arange(12).reshape(12, 1, 1) / 16)  # face 6 + 1 holds 7/16
    body = "TG4 OUT[0], IN[0], IN[1].xxxx, SAMP[0], SHADOWCUBEARRAY"
    references = np.array([[6 / 16], [7 / 16], [8 / 16], [0]], np.float32)
    declared = "DCL SAMP[0]\nDCL SVIEW[0], SHADOWCUBEARRAY, FLOAT"
    found = words(declared, body, repeated([-1.0, 0.0, 0.0, 1.0]), references, textures=texture, samplers=COMPARING)
    assert values(found) == [[1] * 4, [0] * 4, [0] * 4, [1] * 4]


def test_a_missing_texture_is_black_and_opaque() -> None:
    assert values(words(DECLARED, TG4, CENTER))[0] == [0] * 4
    assert values(words(DECLARED, TG4.replace("xxxx", "wwww"), CENTER))[0] == [1] * 4


def test_a_missing_shadow_texture_is_black_whatever_the_reference_is() -> None:
    for target in ("SHADOW2D", "SHADOWCUBEARRAY"):
        declared = f"DCL SAMP[0]\nDCL SVIEW[0], {target}, FLOAT"
        body = f"TG4 OUT[0], IN[0], IMM[0].wwww, SAMP[0], {target}"
        assert values(words(declared, body, CENTER))[0] == [0] * 4


def test_gather4_reads_red_and_orders_the_results_by_the_views_swizzle() -> None:
    assert rows(words(DECLARED, "GATHER4 OUT[0], IN[0], SVIEW[0], SAMP[0]", CENTER, textures=numbered(1, 4, 4)))[0] == [9, 10, 6, 5]
    found = words(DECLARED, "GATHER4 OUT[0], IN[0], SVIEW[0].wxyy, SAMP[0].yyyy", CENTER, textures=numbered(1, 4, 4))
    assert rows(found)[0] == [1, 2, 2, 2]


def test_coordinates_that_are_no_numbers_stay_inside() -> None:
    coords = np.array([[np.nan, 0.5], [np.inf, 0.5], [-np.inf, 0.5], [3e38, 0.5]], np.float32)
    texture = numbered(1, 1, 4)
    assert [row[0] for row in rows(gather(texture, EDGE, "2D", coords))] == [0, 3, 0, 3]
    assert gather(texture, SamplerState(), "2D", coords).max() <= 3
