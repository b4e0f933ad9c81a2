"""Interpreter: multisampled textures, samples and their positions, explicit levels of detail."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.pipe.enums import CompareFunc, TexCompare, TexFilter, TexMipFilter
from backends.run.textures import TextureData
from tests.unit.sampling.interp_support import EDGE, floats, numbered, repeated, rows, values, words

pytestmark = pytest.mark.light

MSAA = numbered(4, 2, 2, samples=4)  # red = 4 * sample + 2 * y + x
ARRAY = numbered(6, 1, 2, samples=2)  # 3 layers; red = 2 * (3 * sample + layer) + x
MSAA_2D = "DCL SAMP[0]\nDCL SVIEW[0], 2D_MSAA, UINT"
MSAA_ARRAY = "DCL SAMP[0]\nDCL SVIEW[0], 2D_ARRAY_MSAA, UINT"
NONE = [0, 0, 0, 0]


def reds(words: NDArray[np.uint32]) -> list[int]:
    return [row[0] for row in rows(words)]


def test_txf_reads_sample_w() -> None:
    places = np.array([[0, 0, 0, 0], [1, 0, 0, 1], [0, 1, 9, 2], [1, 1, 0, 3]])
    assert reds(words(MSAA_2D, "TXF OUT[0], IN[0], SAMP[0], 2D_MSAA", places, textures=MSAA)) == [0, 5, 10, 15]


def test_samples_and_texels_outside_are_0() -> None:
    places = np.array([[0, 0, 0, 4], [0, 0, 0, -1], [2, 0, 0, 0], [0, -1, 0, 0]])
    assert rows(words(MSAA_2D, "TXF OUT[0], IN[0], SAMP[0], 2D_MSAA", places, textures=MSAA)) == [NONE] * 4


def test_layers_of_multisampled_arrays() -> None:
    places = np.array([[1, 0, 2, 0], [0, 0, 0, 1], [1, 0, 2, 1], [0, 0, 3, 0]])
    assert reds(words(MSAA_ARRAY, "TXF OUT[0], IN[0], SAMP[0], 2D_ARRAY_MSAA", places, textures=ARRAY)) == [5, 6, 11, 0]


def test_txf_lz_reads_sample_0() -> None:
    places = np.array([[1, 1, 0, 3]] * 4)
    assert reds(words(MSAA_2D, "TXF_LZ OUT[0], IN[0], SAMP[0], 2D_MSAA", places, textures=MSAA))[0] == 3


def test_sample_i_ms_has_the_sample_in_a_source_of_its_own() -> None:
    places, samples = np.array([[1, 0, 2, 9]] * 4), np.array([[0], [1], [2], [-1]])
    found = words(MSAA_ARRAY, "SAMPLE_I_MS OUT[0], IN[0], SVIEW[0].xxxx, IN[1].xxxx", places, samples, textures=ARRAY)
    assert rows(found) == [[5] * 4, [11] * 4, NONE, NONE]


def test_sample_i_has_the_sample_in_w() -> None:
    places = np.array([[1, 0, 0, 0], [1, 0, 0, 1], [1, 0, 0, 3], [1, 0, 0, 4]])
    assert reds(words(MSAA_2D, "SAMPLE_I OUT[0], IN[0], SVIEW[0]", places, textures=MSAA)) == [1, 5, 13, 0]


def test_a_single_sample_is_sample_0_of_a_multisampled_target() -> None:
    places = np.array([[1, 1, 0, 0], [1, 1, 0, 1], [0, 1, 0, 0], [0, 1, 0, -1]])
    assert reds(words(MSAA_2D, "TXF OUT[0], IN[0], SAMP[0], 2D_MSAA", places, textures=numbered(1, 2, 2))) == [3, 0, 2, 0]


def test_filtering_a_multisampled_texture_reads_sample_0() -> None:
    places = np.array([[0.25, 0.75, 0.0], [0.25, 0.75, 3.0], [0.75, 0.25, 0.0], [0.0, 0.0, 0.0]], np.float32)
    assert reds(words(MSAA_2D, "TEX OUT[0], IN[0], SAMP[0], 2D_MSAA", places, textures=MSAA)) == [2, 2, 1, 0]


def test_faces_of_cubes_are_layers_and_w_is_the_level() -> None:
    big, small = numbered(12, 2, 2), numbered(12, 1, 1, first=100)
    texture = replace(big, levels=(*big.levels, *small.levels))
    places = np.array([[1, 0, 5, 0], [0, 0, 11, 1], [0, 0, 6, 0], [0, 0, 12, 0]])
    for target, want in (("CUBE", [21, 111, 24, 0]), ("CUBEARRAY", [21, 111, 24, 0])):
        declared = f"DCL SAMP[0]\nDCL SVIEW[0], {target}, UINT"
        assert reds(words(declared, f"TXF OUT[0], IN[0], SAMP[0], {target}", places, textures=texture)) == want


def test_offsets_of_a_fetch_come_from_registers() -> None:
    places, offsets = np.array([[1, 1, 0, 0]] * 4), np.array([[1, 0], [0, -1], [-2, 0], [2, 2]])
    declared = "DCL SAMP[0]\nDCL SVIEW[0], 2D, UINT"
    found = words(declared, "TXF OUT[0], IN[0], SAMP[0], 2D, IN[1].xyz", places, offsets, textures=numbered(1, 4, 4))
    assert reds(found) == [6, 1, 0, 15]


def test_offsets_of_a_sample_come_from_registers() -> None:
    offsets = np.array([[1, 0], [0, -1], [-1, 0], [2, 2]])
    declared = "DCL SAMP[0]\nDCL SVIEW[0], 2D, UINT"
    found = words(declared, "TXL OUT[0], IN[0], SAMP[0], 2D, IN[1].xyz", repeated([0.3, 0.3, 0, 0]), offsets, textures=numbered(1, 4, 4))
    assert reds(found) == [6, 1, 4, 15]


def test_shadow_targets_are_fetched_without_a_comparison() -> None:
    sampler = replace(EDGE, compare_mode=TexCompare.R_TO_TEXTURE, compare_func=CompareFunc.ALWAYS)
    declared = "DCL SAMP[0]\nDCL SVIEW[0], SHADOW2D, FLOAT"
    found = words(declared, "TXF OUT[0], IN[0], SAMP[0], SHADOW2D", np.zeros((4, 4), int), textures=floats([[0.75]]), samplers=sampler)
    assert values(found)[0][0] == 0.75


@pytest.mark.parametrize(
    ("texture", "target", "want"),
    [(MSAA, "2D_MSAA", [4, 2, 2]), (ARRAY, "2D_ARRAY_MSAA", [2, 2, 1]), (numbered(1, 2, 3), "2D", [1, 3, 2])],
)
def test_txqs_and_txq_say_how_many_samples_and_texels(texture: TextureData, target: str, want: list[int]) -> None:
    declared = f"DCL SAMP[0]\nDCL SVIEW[0], {target}, UINT"
    body = f"TXQ TEMP[0].yzw, IMM[0].xxxx, SAMP[0], {target}\nTXQS TEMP[0].x, SAMP[0], {target}\nMOV OUT[0], TEMP[0]"
    layers = {"2D_ARRAY_MSAA": 3}.get(target, 0)
    sizes = words(declared, f"TXQ OUT[0], IMM[0].xxxx, SAMP[0], {target}", np.zeros((4, 4), int), textures=texture)
    assert rows(sizes)[0] == [want[1], want[2], layers, 1]
    assert rows(words(declared, body, np.zeros((4, 4), int), textures=texture))[0] == [want[0], want[2], layers, 1]


def test_without_a_texture_there_are_no_samples() -> None:
    for body in ("TXQS OUT[0], SAMP[0], 2D_MSAA", "SAMPLE_INFO OUT[0], SVIEW[0], IMM[0]", "SAMPLE_POS OUT[0], SVIEW[0], IMM[0]"):
        assert rows(words(MSAA_2D, body, np.zeros((4, 4), int)))[0] == NONE


def test_samples_of_views_and_of_the_target() -> None:
    none = np.zeros((4, 4), int)
    places = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]]
    assert rows(words(MSAA_2D, "SAMPLE_INFO OUT[0], SVIEW[0].yxzw, IMM[0]", none, textures=MSAA))[0] == [0, 4, 0, 0]
    assert rows(words(MSAA_2D, "SAMPLE_INFO OUT[0], TEMP[0], IMM[0]", none, textures=MSAA, sample_positions=places))[0] == [4, 0, 0, 0]
    assert rows(words(MSAA_2D, "SAMPLE_INFO OUT[0], TEMP[0], IMM[0]", none, textures=MSAA))[0] == [1, 0, 0, 0]


def test_places_of_samples() -> None:
    index = np.array([[0], [3], [4], [-1]])
    found = words(MSAA_2D, "SAMPLE_POS OUT[0], SVIEW[0], IN[0].xxxx", index, textures=MSAA)
    assert values(found) == [[0.375, 0.125, 0, 0], [0.625, 0.875, 0, 0], [0] * 4, [0] * 4]
    places = [[0.25, 0.5], [0.75, 0.0]]
    found = words(MSAA_2D, "SAMPLE_POS OUT[0], TEMP[0].yxzw, IN[0].xxxx", index, textures=MSAA, sample_positions=places)
    assert values(found) == [[0.5, 0.25, 0, 0], [0] * 4, [0] * 4, [0] * 4]


def test_a_single_sample_lies_in_the_middle() -> None:
    index = np.array([[0], [3], [4], [-1]])
    for body in ("SAMPLE_POS OUT[0], SVIEW[0], IN[0].xxxx", "SAMPLE_POS OUT[0], TEMP[0], IN[0].xxxx"):
        assert values(words(MSAA_2D, body, index, textures=numbered(1, 2, 2))) == [[0.5, 0.5, 0, 0]] * 4


def test_samples_without_a_usual_pattern_lie_in_the_middle() -> None:
    index = np.array([[0], [2], [3], [-1]])
    found = words(MSAA_2D, "SAMPLE_POS OUT[0], SVIEW[0], IN[0].xxxx", index, textures=numbered(3, 1, 1, samples=3))
    assert values(found) == [[0.5, 0.5, 0, 0]] * 2 + [[0] * 4] * 2


def mipmapped() -> TextureData:
    levels = [numbered(1, size, size) for size in (8, 4, 2, 1)]
    return replace(levels[0], levels=tuple(level.levels[0] for level in levels))


def spread(step: float) -> NDArray[np.float32]:
    """Quad whose s grows by `step` texels of 8 from pixel to pixel."""
    return np.array([[0, 0], [step / 8, 0], [0, 0], [step / 8, 0]], np.float32)


LODQ = "LODQ OUT[0], IN[0], SAMP[0], 2D"
SAMPLED = "DCL SAMP[0]\nDCL SVIEW[0], 2D, UINT"


@pytest.mark.parametrize(
    ("mip", "step", "want"),
    [
        (TexMipFilter.LINEAR, 2.0, [1.0, 1.0]),
        (TexMipFilter.LINEAR, 2.0**1.5, [1.5, 1.5]),
        (TexMipFilter.NEAREST, 2.0**1.25, [1.0, 1.25]),
        (TexMipFilter.NEAREST, 2.0**1.5, [2.0, 1.5]),
        (TexMipFilter.NONE, 4.0, [0.0, 2.0]),
        (TexMipFilter.LINEAR, 0.5, [0.0, -1.0]),
        (TexMipFilter.LINEAR, 1024.0, [3.0, 10.0]),
        (TexMipFilter.LINEAR, 0.0, [0.0, -64.0]),
    ],
)
def test_lodq_gives_the_level_accessed_and_the_one_computed(mip: TexMipFilter, step: float, want: list[float]) -> None:
    sampler = replace(EDGE, min_mip_filter=mip)
    found = values(words(SAMPLED, LODQ, spread(step), textures=mipmapped(), samplers=sampler))[0]
    assert found == pytest.approx([*want, 0, 0], abs=1e-6)


@pytest.mark.parametrize(("by_length", "want"), [(False, 2.0), (True, 2.5)])
def test_the_level_follows_the_largest_derivative_or_the_longest_vector(by_length: bool, want: float) -> None:
    turned = np.array([[0, 0], [0.5, 0.5], [0.25, 0], [0.75, 0.5]], np.float32)  # 4 of 8 texels along both axes, a square root of 32
    sampler = replace(EDGE, min_mip_filter=TexMipFilter.LINEAR, lod_by_length=by_length)
    assert values(words(SAMPLED, LODQ, turned, textures=mipmapped(), samplers=sampler))[0] == pytest.approx([want, want, 0, 0], abs=1e-6)


def test_bias_counts_in_both_and_limits_in_the_first_alone() -> None:
    sampler = replace(EDGE, min_mip_filter=TexMipFilter.LINEAR, lod_bias=0.5, min_lod=1.75, max_lod=2.25)
    found = [values(words(SAMPLED, LODQ, spread(s), textures=mipmapped(), samplers=sampler))[0][:2] for s in (1.0, 2.0**1.5, 8.0)]
    assert np.allclose(found, [[1.75, 0.5], [2.0, 2.0], [2.25, 3.5]])


def test_lod_follows_the_views_swizzle() -> None:
    sampler = replace(EDGE, min_mip_filter=TexMipFilter.NEAREST)
    found = words(SAMPLED, "LOD OUT[0], IN[0], SVIEW[0].yxwx, SAMP[0]", spread(2.0**1.25), textures=mipmapped(), samplers=sampler)
    assert values(found)[0] == pytest.approx([1.25, 1.0, 0.0, 1.0])


def test_lodq_of_cubes_measures_on_the_face() -> None:
    # on +x, s = 0.5 - z / 2x: a step of 1 in z is half a face, 4 of 8 texels: level 2
    texture = numbered(6, 8, 8)
    coords = np.array([[1, 0, 0], [1, 0, 1], [1, 0, 0], [1, 0, 1]], np.float32)
    sampler = replace(EDGE, min_mip_filter=TexMipFilter.LINEAR)
    found = words(SAMPLED.replace("2D", "CUBE"), LODQ.replace("2D", "CUBE"), coords, textures=texture, samplers=sampler)
    assert values(found)[0] == pytest.approx([0.0, 2.0, 0.0, 0.0])


def test_lodq_without_texture_is_0() -> None:
    assert rows(words(SAMPLED, LODQ, spread(4.0)))[0] == NONE


def test_sviewinfo_takes_no_swizzle() -> None:
    found = words(SAMPLED, "SVIEWINFO OUT[0], IN[0].xxxx, SVIEW[0].wwww", np.array([[0], [1], [4], [-1]]), textures=mipmapped())
    assert rows(found) == [[8, 8, 0, 4], [4, 4, 0, 4], [0, 0, 0, 4], [0, 0, 0, 4]]


SHADOW = replace(EDGE, compare_mode=TexCompare.R_TO_TEXTURE, compare_func=CompareFunc.LESS)


@pytest.mark.parametrize("target", ["2D", "SHADOW2D", "3D", "CUBE", "SHADOWCUBEARRAY", "RECT", "1D_ARRAY"])
@pytest.mark.parametrize("opcode", ["SAMPLE_C", "SAMPLE_C_LZ"])
def test_sample_c_compares_views_of_every_target(opcode: str, target: str) -> None:
    texture = floats(np.full((6, 1, 1) if "CUBE" in target else (1, 1), 0.5))
    declared = f"DCL SAMP[0]\nDCL SVIEW[0], {target}, FLOAT"
    references = np.array([[0.25], [0.5], [0.75], [0.4]], np.float32)
    body = f"{opcode} OUT[0], IN[0], SVIEW[0], SAMP[0], IN[1].xxxx"
    found = values(words(declared, body, repeated([0, 0, 0, 0]), references, textures=texture, samplers=SHADOW))
    assert found == [[1, 1, 1, 1], [0, 0, 0, 1], [0, 0, 0, 1], [1, 1, 1, 1]]


def test_sample_of_a_shadow_view_has_its_reference_where_tex_has_it() -> None:
    coords = np.array([[0, 0, 0.25], [0, 0, 0.75], [0, 0, 0.5], [0, 0, -1]], np.float32)
    declared = "DCL SAMP[0]\nDCL SVIEW[0], SHADOW2D, FLOAT"
    found = values(words(declared, "SAMPLE OUT[0], IN[0], SVIEW[0], SAMP[0]", coords, textures=floats([[0.5]]), samplers=SHADOW))
    assert [row[0] for row in found] == [1, 0, 0, 1]


def test_a_cube_array_without_a_reference_compares_with_0() -> None:
    texture = floats(np.full((6, 1, 1), 0.5))
    declared = "DCL SAMP[0]\nDCL SVIEW[0], SHADOWCUBEARRAY, FLOAT"
    body = "TXL2 OUT[0], IN[0], IMM[0].xxxx, SAMP[0], SHADOWCUBEARRAY"
    assert values(words(declared, body, repeated([1, 0, 0, 0]), textures=texture, samplers=SHADOW))[0] == [1] * 4


def test_offsets_move_within_seamless_cubes() -> None:
    sampler = replace(EDGE, seamless_cube_map=True, min_img_filter=TexFilter.LINEAR, mag_img_filter=TexFilter.LINEAR)
    texture = floats(np.arange(6 * 16).reshape(6, 4, 4))
    declared = "DCL SAMP[0]\nDCL SVIEW[0], CUBE, FLOAT"
    # +x: direction (1, y, z) is s = 0.5 - z/2, t = 0.5 - y/2; the middle of texel (1, 1) is s = t = 3/8
    body = "TXL OUT[0], IN[0], SAMP[0], CUBE, IMM[0].yxx"
    assert values(words(declared, body, repeated([1, 0.25, 0.25, 0]), textures=texture, samplers=sampler))[0][0] == 6.0


def test_a_comparison_gives_floats_for_integer_formats_too() -> None:
    sampler = replace(EDGE, compare_mode=TexCompare.R_TO_TEXTURE, compare_func=CompareFunc.ALWAYS)
    declared = "DCL SAMP[0]\nDCL SVIEW[0], SHADOW2D, UINT"
    for body in ("TEX_LZ OUT[0], IN[0], SAMP[0], SHADOW2D", "TG4 OUT[0], IN[0], IMM[0].xxxx, SAMP[0], SHADOW2D"):
        assert values(words(declared, body, np.zeros((4, 4)), textures=numbered(1, 2, 2), samplers=sampler))[0] == [1.0] * 4
