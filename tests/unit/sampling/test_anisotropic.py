"""Anisotropic filters: generated code and interpreter agree, also on stripes, ends of levels and hostile numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.abi.keys import SamplerKey, sampler_key, texture_key
from backends.formats import Format
from backends.interp.sampling.sample import sample
from backends.pipe.enums import TexCompare, TexFilter, TexMipFilter, TextureTarget, TexWrap
from backends.pipe.state import SamplerState
from backends.run.textures import TextureData
from tests.unit.sampling.support import random_texture, staged_sample

pytestmark = pytest.mark.light

Array = NDArray[np.float32]
LINEAR = SamplerState(
    min_img_filter=TexFilter.LINEAR, mag_img_filter=TexFilter.LINEAR, min_mip_filter=TexMipFilter.LINEAR, max_anisotropy=8, max_lod=15.0
)
MODES = [TexWrap.REPEAT, TexWrap.CLAMP_TO_EDGE, TexWrap.MIRROR_REPEAT, TexWrap.CLAMP_TO_BORDER]


def floats(words: NDArray[np.uint32]) -> Array:
    return words.view(np.float32)


def gradients(rng: np.random.Generator, count: int) -> tuple[Array, Array]:
    """Derivatives of all lengths and directions, far from the edges between levels."""
    turn, long, ratio = rng.uniform(0, 7, count), 2.0 ** rng.uniform(-8, -1, count), rng.uniform(1, 12, count)
    x = np.stack([np.cos(turn), np.sin(turn)], 1) * long[:, None]
    y = np.stack([-np.sin(turn), np.cos(turn)], 1) * (long / ratio)[:, None]
    return x.astype(np.float32), y.astype(np.float32)


def agree(texture: TextureData, state: SamplerState, target: str, coords: Array, **given: Any) -> Array:
    with np.errstate(all="ignore"):
        expected = floats(sample(texture, state, target, coords, **given))
    found = floats(staged_sample(texture, state, target, coords, **given))
    same = np.isclose(found, expected, rtol=2e-5, atol=2e-5) | (np.isnan(found) & np.isnan(expected))
    # a level of detail near an edge between levels may fall on its other side
    assert same.all(axis=1).mean() > 0.99, np.argwhere(~same)[:5]
    return found


@pytest.mark.parametrize("wrap", MODES)
@pytest.mark.parametrize("anisotropy", [2, 4, 16])
def test_generated_code_equals_interpreter(wrap: TexWrap, anisotropy: int) -> None:
    rng = np.random.default_rng(anisotropy)
    state = replace(LINEAR, wrap_s=wrap, wrap_t=wrap, max_anisotropy=anisotropy, border_color=(0.5, 0.25, 1.0, 0.0))
    texture = random_texture(Format.R8G8B8A8_UNORM, 64, 32, 1, 6, seed=3)
    coords = np.zeros((64, 4), np.float32)
    coords[:, :2] = rng.uniform(-0.7, 1.7, (64, 2))
    agree(texture, state, "2D", coords, lod_mode="gradient", derivatives=gradients(rng, 64))


@pytest.mark.parametrize(("target", "layers"), [("2D_ARRAY", 3), ("CUBE", 6), ("CUBEARRAY", 12), ("SHADOW2D", 1)])
def test_every_target_of_two_axes_has_ellipses(target: str, layers: int) -> None:
    rng = np.random.default_rng(5)
    format = Format.Z32_FLOAT if target == "SHADOW2D" else Format.R8G8B8A8_UNORM
    texture = random_texture(format, 32, 32, layers, 6, seed=4)
    state = replace(LINEAR, compare_mode=TexCompare.R_TO_TEXTURE) if target == "SHADOW2D" else LINEAR
    coords = rng.uniform(-1, 1, (32, 4)).astype(np.float32)
    slopes = [rng.uniform(-0.1, 0.1, (32, 3 if "CUBE" in target else 2)).astype(np.float32) for _ in range(2)]
    agree(texture, state, target, coords, lod_mode="gradient", derivatives=tuple(slopes))


def test_quads_give_the_derivatives_and_a_bias_moves_the_level() -> None:
    texture = random_texture(Format.R32G32B32A32_FLOAT, 64, 64, 1, 7, seed=6)
    y, x = np.mgrid[:8, :8]
    order = np.arange(64).reshape(4, 2, 4, 2).transpose(0, 2, 1, 3).ravel()
    coords = np.zeros((64, 4), np.float32)
    coords[:, 0], coords[:, 1] = (x / 9.0).ravel()[order], (y / 90.0).ravel()[order]
    plain = agree(texture, LINEAR, "2D", coords)
    biased = agree(texture, LINEAR, "2D", coords, lod_mode="bias", lod=np.full(64, 1.3, np.float32))
    assert not np.allclose(plain, biased)


def striped(along: int) -> TextureData:
    """Texture with stripes of one texel, 64 x 64, averaged level by level."""
    base = np.zeros((64, 64), np.float32)
    if along == 0:
        base[:, ::2] = 1
    else:
        base[::2] = 1
    levels: list[Any] = [base]
    while levels[-1].shape[0] > 1:
        above = levels[-1]
        levels.append((above[::2, ::2] + above[1::2, ::2] + above[::2, 1::2] + above[1::2, 1::2]) / 4)
    return TextureData(Format.R32_FLOAT, tuple(np.ascontiguousarray(v)[None, ..., None].view(np.uint8) for v in levels))


def test_stripes_along_the_long_axis_stay_sharp() -> None:
    """A pixel covers 8 texels vertically and half a texel horizontally: vertical stripes stay visible, while an ordinary filter takes their
    gray level.
    """
    coords = np.zeros((16, 4), np.float32)
    coords[:, 0], coords[:, 1] = (np.arange(16) + 0.5) / 64, 0.5
    slopes = (np.tile(np.array([0.5 / 64, 0], np.float32), (16, 1)), np.tile(np.array([0, 8 / 64], np.float32), (16, 1)))
    sharp = agree(striped(0), replace(LINEAR, max_anisotropy=16), "2D", coords, lod_mode="gradient", derivatives=slopes)[:, 0]
    assert sharp[::2].min() > 0.75
    assert sharp[1::2].max() < 0.25
    gray = agree(striped(0), replace(LINEAR, max_anisotropy=0), "2D", coords, lod_mode="gradient", derivatives=slopes)[:, 0]
    assert np.abs(gray - 0.5).max() < 1e-6
    across = agree(striped(1), replace(LINEAR, max_anisotropy=16), "2D", coords, lod_mode="gradient", derivatives=slopes)[:, 0]
    assert np.abs(across - 0.5).max() < 0.02


def test_what_is_magnified_or_at_the_last_level_is_filtered_as_ever() -> None:
    rng = np.random.default_rng(8)
    texture = random_texture(Format.R8G8B8A8_UNORM, 16, 16, 1, 3, seed=9)
    coords = rng.uniform(0, 1, (32, 4)).astype(np.float32)
    for size in (1 / 64, 1.0):
        slopes = tuple(np.full((32, 2), size, np.float32) * np.array(sign, np.float32) for sign in ([1, 1], [1, -1]))
        ordinary = replace(LINEAR, max_anisotropy=0)
        found = [agree(texture, s, "2D", coords, lod_mode="gradient", derivatives=slopes) for s in (LINEAR, ordinary)]
        assert (found[0] == found[1]).all()


def test_constant_textures_stay_constant() -> None:
    texture = TextureData(Format.R32_FLOAT, tuple(np.full((1, 32 >> k, 32 >> k, 1), 0.375, np.float32).view(np.uint8) for k in range(6)))
    rng = np.random.default_rng(10)
    coords = rng.uniform(-3, 3, (64, 4)).astype(np.float32)
    found = agree(texture, LINEAR, "2D", coords, lod_mode="gradient", derivatives=gradients(rng, 64))
    assert np.abs(found[:, 0] - 0.375).max() < 1e-6


def test_no_number_costs_more_than_a_bounded_ellipse() -> None:
    """Derivatives and coordinates are infinite, huge or missing; the sampler clamps the level of detail to 0."""
    texture = random_texture(Format.R8G8B8A8_UNORM, 16, 16, 1, 5, seed=11)
    state = replace(LINEAR, max_anisotropy=16, max_lod=0.0)
    hostile = np.array([0.3, np.inf, -np.inf, np.nan, 1e30, -1e30, 3e7, 1e-40], np.float32)
    coords = np.zeros((64, 4), np.float32)
    coords[:, 0], coords[:, 1] = np.repeat(hostile, 8), np.tile(hostile, 8)
    slopes = tuple(np.stack([np.roll(coords[:, 0], k), coords[:, 1]], 1) for k in (1, 2))
    found = floats(staged_sample(texture, state, "2D", coords, lod_mode="gradient", derivatives=(slopes[0], slopes[1])))
    assert found.min() >= 0
    assert found.max() <= 1.0001


@pytest.mark.parametrize("anisotropy", [2, 16])
def test_an_ellipse_does_not_depend_on_the_lanes_beside_it(anisotropy: int) -> None:
    """Rows and columns are those of the widest ellipse of a vector, and coordinates may be hostile: every lane sums its own texels."""
    rng = np.random.default_rng(12)
    texture = random_texture(Format.R8G8B8A8_UNORM, 64, 64, 1, 6, seed=13)
    coords = np.zeros((64, 4), np.float32)
    coords[:, :2] = rng.uniform(-1, 2, (64, 2))
    coords[::9, 0], coords[4::9, 1] = 3e7, np.nan
    slopes = gradients(rng, 64)
    state, order = replace(LINEAR, max_anisotropy=anisotropy), rng.permutation(64)
    found = staged_sample(texture, state, "2D", coords, lod_mode="gradient", derivatives=slopes, lanes=16)
    mixed = (slopes[0][order], slopes[1][order])
    for lanes in (8, 16):
        again = staged_sample(texture, state, "2D", coords[order], lod_mode="gradient", derivatives=mixed, lanes=lanes)
        assert np.array_equal(again, found[order])


def test_ellipses_of_more_rows_than_are_measured_at_a_time_are_whole() -> None:
    texture = random_texture(Format.R8G8B8A8_UNORM, 128, 128, 1, 2, seed=14)
    state = replace(LINEAR, max_anisotropy=64, max_lod=0.0)
    coords = np.random.default_rng(15).uniform(0, 1, (16, 4)).astype(np.float32)
    slopes = (np.tile(np.array([0.01, 0], np.float32), (16, 1)), np.tile(np.array([0.02, 0.4], np.float32), (16, 1)))
    agree(texture, state, "2D", coords, lod_mode="gradient", derivatives=slopes)


def test_only_samplers_that_filter_levels_of_two_axes_have_the_longer_code() -> None:
    def view(target: TextureTarget, levels: int) -> Any:
        return texture_key(Format.R8G8B8A8_UNORM, target, (0, 1, 2, 3), width=8, height=8, depth=1, last_level=levels)  # type: ignore[arg-type]

    full = SamplerKey.of(LINEAR)
    assert full.anisotropic
    assert not SamplerKey.of(replace(LINEAR, max_anisotropy=1)).anisotropic
    assert not SamplerKey.of(replace(LINEAR, min_mip_filter=TexMipFilter.NEAREST)).anisotropic
    assert sampler_key(full, view(TextureTarget.TEXTURE_2D, 3)).anisotropic
    assert not sampler_key(full, view(TextureTarget.TEXTURE_2D, 0)).anisotropic
    assert not sampler_key(full, view(TextureTarget.TEXTURE_1D, 3)).anisotropic
    assert not sampler_key(full, view(TextureTarget.TEXTURE_3D, 3)).anisotropic
