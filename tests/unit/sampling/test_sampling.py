"""Generated sampling agrees with the interpreter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.formats import Format
from backends.interp.sampling.fetch import fetch, query_size
from backends.interp.sampling.sample import sample
from backends.pipe.enums import CompareFunc, Swizzle, TexCompare, TexFilter, TexMipFilter, TexWrap
from backends.pipe.state import SamplerState
from backends.run.textures import TextureData
from tests.levels import need
from tests.unit.sampling.support import LANES, random_texture, staged_fetch, staged_sample, staged_size

pytestmark = pytest.mark.light

NEAREST, LINEAR = TexFilter.NEAREST, TexFilter.LINEAR
RGBA8 = Format.R8G8B8A8_UNORM
TOLERANCE = 2e-6
BORDER = (0.25, 0.5, 0.75, 1.5)


def state(wrap: TexWrap = TexWrap.REPEAT, image: TexFilter = NEAREST, mip: TexMipFilter = TexMipFilter.NONE, **more: Any) -> SamplerState:
    return replace(
        SamplerState(
            wrap_s=wrap, wrap_t=wrap, wrap_r=wrap, min_img_filter=image, mag_img_filter=image, min_mip_filter=mip, border_color=BORDER
        ),
        **more,
    )


def coordinates(texture: TextureData, count: int = 512, seed: int = 3) -> NDArray[np.float32]:
    """Random coordinates around the texture, texel centers and edges, and extreme ones: infinities, NaN, 1e30."""
    rng = np.random.default_rng(seed)
    width, height, depth = texture.sizes[0]
    coords = rng.uniform(-2.5, 3.5, (count, 5)).astype(np.float32)
    part = count // 4
    size = np.array([width, height, depth])
    coords[:part, :3] = (rng.integers(-2 * size, 3 * size, (part, 3)) + rng.choice([0.0, 0.25, 0.5], (part, 3))) / size
    strange = np.array([np.inf, -np.inf, np.nan, 1e30, -1e30, 4e6, -5e6, 1e-30, -1e-30, -0.0, 1.0, -1.0], np.float32)
    coords[part : part + 24, 0] = np.resize(strange, 24)
    coords[part + 12 : part + 36, 1] = np.resize(strange, 24)
    return coords


def assert_same(got: NDArray[np.uint32], want: NDArray[np.uint32], tolerance: float = 0.0) -> None:
    if tolerance == 0.0:
        assert np.array_equal(got, want)
        return
    with np.errstate(invalid="ignore"):
        difference = np.abs(got.view(np.float32).astype(np.float64) - want.view(np.float32))
    assert np.nanmax(difference) <= tolerance


@pytest.mark.parametrize("size", [(8, 4), (7, 5), (1, 1)])
@pytest.mark.parametrize("wrap", list(TexWrap))
@pytest.mark.parametrize("image", [NEAREST, LINEAR])
def test_wrap_modes(wrap: TexWrap, image: TexFilter, size: tuple[int, int]) -> None:
    texture = random_texture(RGBA8, *size)
    coords = coordinates(texture)
    got = staged_sample(texture, state(wrap, image), "2D", coords)
    assert_same(got, sample(texture, state(wrap, image), "2D", coords), 0.0 if image is NEAREST else TOLERANCE)


@pytest.mark.parametrize("wrap", [TexWrap.CLAMP, TexWrap.CLAMP_TO_EDGE, TexWrap.CLAMP_TO_BORDER])
@pytest.mark.parametrize("image", [NEAREST, LINEAR])
def test_coordinates_in_texels(wrap: TexWrap, image: TexFilter) -> None:
    texture = random_texture(RGBA8, 13, 9)
    coords = coordinates(texture) * np.float32(10)
    sampler = state(wrap, image, normalized_coords=False)
    assert_same(staged_sample(texture, sampler, "RECT", coords), sample(texture, sampler, "RECT", coords), TOLERANCE)


FORMATS = [
    Format.R8G8B8A8_UNORM, Format.B8G8R8X8_UNORM, Format.A8R8G8B8_UNORM, Format.R8G8B8A8_SRGB, Format.R8G8B8A8_SNORM, Format.R8_UNORM,
    Format.L8A8_UNORM, Format.A8_UNORM, Format.I8_UNORM, Format.B5G6R5_UNORM, Format.B4G4R4A4_UNORM, Format.R10G10B10A2_UNORM,
    Format.R8G8B8_UNORM, Format.R16G16B16_UNORM, Format.R32G32B32_FLOAT,
    Format.R16G16_UNORM, Format.R32_FLOAT, Format.R32G32_FLOAT, Format.R32G32B32A32_FLOAT, Format.R9G9B9E5_FLOAT, Format.Z16_UNORM,
    Format.Z24_UNORM_S8_UINT, Format.Z32_FLOAT, Format.R32G32B32A32_UINT, Format.R8G8B8A8_SINT, Format.R16_UINT,
]  # fmt: skip


@pytest.mark.parametrize("format", FORMATS)
def test_formats(format: Format) -> None:
    texture = random_texture(format, 6, 5)
    coords = coordinates(texture, 256)
    for image in (NEAREST, LINEAR):
        sampler = state(TexWrap.MIRROR_REPEAT, image)
        got, want = staged_sample(texture, sampler, "2D", coords), sample(texture, sampler, "2D", coords)
        largest = 70000.0 if format is Format.R9G9B9E5_FLOAT else 1.0
        assert_same(got, want, 0.0 if image is NEAREST or format.is_integer else TOLERANCE * largest)


@pytest.mark.parametrize(("target", "layers"), [("CUBE", 6), ("CUBEARRAY", 12)])
@pytest.mark.parametrize("format", [RGBA8, Format.Z16_UNORM, Format.R32_FLOAT])
def test_cubes_without_seams(target: str, layers: int, format: Format) -> None:
    texture = random_texture(format, 4, 4, layers, 3)
    coords = np.nan_to_num(coordinates(texture, 2048), nan=0.5, posinf=2.0, neginf=-2.0)
    coords[:256, :3] = np.sign(coords[:256, :3]) * (1 + 0.02 * coords[:256, :3])  # corners
    for sampler in (
        state(TexWrap.CLAMP_TO_EDGE, LINEAR, seamless_cube_map=True),
        state(TexWrap.REPEAT, LINEAR, TexMipFilter.NEAREST, seamless_cube_map=True, mag_img_filter=NEAREST, min_lod=-9.0),
    ):
        got, want = (g(texture, sampler, target, coords) for g in (staged_sample, sample))
        difference = np.abs(got.view(np.float32) - want.view(np.float32)).max(axis=1)
        assert np.mean(difference > 4 * TOLERANCE) <= (0.0 if sampler.min_mip_filter is TexMipFilter.NONE else 0.02)


@pytest.mark.parametrize(("target", "layers"), [("CUBE", 6), ("CUBEARRAY", 12)])
@pytest.mark.parametrize("wrap", [TexWrap.REPEAT, TexWrap.MIRROR_REPEAT, TexWrap.CLAMP_TO_BORDER])
def test_faces_of_seamless_cubes_end_at_their_edges(target: str, layers: int, wrap: TexWrap) -> None:
    """Directions of two equal axes have a coordinate of exactly 1, whose nearest texel is the last one."""
    texture = random_texture(Format.R32_FLOAT, 4, 4, layers)
    signs = np.array([(x, y, z) for x in (-1, 0.3, 1) for y in (-1, 0.3, 1) for z in (-1, 0.3, 1)], np.float32)
    coords = np.repeat(np.concatenate([signs, np.zeros((27, 1), np.float32)], 1), 16, axis=0)
    sampler = state(wrap, NEAREST, seamless_cube_map=True)
    inside = coords.copy()
    inside[:, :3] = np.where(np.arange(3) == np.abs(coords[:, :3]).argmax(1)[:, None], coords[:, :3], coords[:, :3] * np.float32(0.99))
    want = sample(texture, state(TexWrap.CLAMP_TO_EDGE, NEAREST), target, inside)
    for found in (staged_sample(texture, sampler, target, coords), sample(texture, sampler, target, coords)):
        assert_same(found, want, 0.0)


def test_cubes_without_seams_are_continuous_over_edges() -> None:
    texture = random_texture(RGBA8, 4, 4, 6)
    sampler = state(TexWrap.CLAMP_TO_EDGE, LINEAR, seamless_cube_map=True)
    rng = np.random.default_rng(9)
    coords = np.zeros((256, 4), np.float32)
    for row in coords:
        a, b, c = rng.permutation(3)
        row[a], row[b], row[c] = rng.choice([-1, 1]), rng.choice([-1, 1]), rng.uniform(-0.7, 0.7)
    near = coords.copy()
    near[:, :3] *= 1 + rng.uniform(-1e-5, 1e-5, (256, 3)).astype(np.float32)
    a, b = (staged_sample(texture, sampler, "CUBE", c).view(np.float32) for c in (coords, near))
    assert np.abs(a - b).max() < 1e-3


TARGETS = [("1D", 1), ("2D", 1), ("3D", 5), ("CUBE", 6), ("1D_ARRAY", 3), ("2D_ARRAY", 4), ("CUBEARRAY", 12)]


def texture_for(target: str, layers: int, format: Format = RGBA8, levels: int = 1) -> TextureData:
    height = 1 if target.startswith("1D") else 8
    return random_texture(format, 8, height, layers, levels, volume=target == "3D")


@pytest.mark.parametrize(("target", "layers"), TARGETS)
@pytest.mark.parametrize("image", [NEAREST, LINEAR])
def test_targets(target: str, layers: int, image: TexFilter) -> None:
    texture = texture_for(target, layers)
    coords = coordinates(texture)
    if "CUBE" in target:
        coords = np.nan_to_num(coords, nan=0.5, posinf=2.0, neginf=-2.0)
    for wrap in (TexWrap.CLAMP_TO_EDGE, TexWrap.CLAMP_TO_BORDER):
        got, want = (g(texture, state(wrap, image), target, coords) for g in (staged_sample, sample))
        assert_same(got, want, 0.0 if image is NEAREST else TOLERANCE)


@pytest.mark.parametrize(("target", "layers"), TARGETS)
@pytest.mark.parametrize("mip", [TexMipFilter.NEAREST, TexMipFilter.LINEAR])
@pytest.mark.parametrize("by_length", [False, True])
def test_mip_levels_from_derivatives(target: str, layers: int, mip: TexMipFilter, by_length: bool) -> None:
    texture = texture_for(target, layers, levels=4)
    rng = np.random.default_rng(4)
    places = np.repeat(rng.uniform(0, 1, (128, 5)), 4, axis=0)
    step = np.repeat(2.0 ** rng.uniform(-6, 1, (128, 1)), 4, axis=0)
    corner = np.tile([[0, 0], [1, 0], [0, 1], [1, 1]], (128, 1))
    places[:, :2] += corner * step
    places[:, 2] += corner[:, 0] * step[:, 0] * 0.5
    coords = places.astype(np.float32)
    sampler = state(TexWrap.REPEAT, LINEAR, mip, min_lod=0.1, max_lod=2.6, lod_bias=0.3, lod_by_length=by_length)
    want = sample(texture, sampler, target, coords)
    got = staged_sample(texture, sampler, target, coords)
    difference = np.abs(got.view(np.float32) - want.view(np.float32)).max(axis=1)
    # a LOD near a rounding edge of the nearest level may fall to either side
    assert np.mean(difference > 1e-3) < (0.02 if mip is TexMipFilter.NEAREST else 0.001)


@pytest.mark.parametrize("mip", [TexMipFilter.NEAREST, TexMipFilter.LINEAR])
@pytest.mark.parametrize("limits", [(0.0, 0.0, 9.0), (1.25, 0.0, 9.0), (-3.0, 1.5, 9.0), (-0.5, 0.0, -2.0), (0.0, -8.0, 0.0)])
@pytest.mark.parametrize("far", [0.5, 1.0, 1.0000001, 3.0])
def test_bias_and_limits_count_where_all_lanes_magnify(mip: TexMipFilter, limits: tuple[float, float, float], far: float) -> None:
    """far: the largest scale factor, that of the last quad."""
    texture = random_texture(RGBA8, 64, 64, 1, 5)
    scale = np.repeat(np.append(np.linspace(0.1, 0.9, 15), far), 4)[:, None]
    corner = np.tile([[0, 0], [1, 0], [0, 1], [1, 1]], (16, 1))
    coords = np.zeros((64, 5), np.float32)
    coords[:, :2] = (0.25 + corner * scale / 64).astype(np.float32)
    sampler = state(TexWrap.CLAMP_TO_EDGE, LINEAR, mip, lod_bias=limits[0], min_lod=limits[1], max_lod=limits[2])
    assert_same(staged_sample(texture, sampler, "2D", coords), sample(texture, sampler, "2D", coords), TOLERANCE)


@pytest.mark.parametrize("mode", ["explicit", "bias", "zero", "gradient"])
@pytest.mark.parametrize("format", [RGBA8, Format.R32G32B32A32_FLOAT])
@pytest.mark.parametrize("filters", [(NEAREST, LINEAR), (LINEAR, NEAREST), (LINEAR, LINEAR)])
def test_lod_modes_and_filters(mode: Any, format: Format, filters: tuple[TexFilter, TexFilter]) -> None:
    texture = random_texture(format, 16, 8, 1, 5)
    coords = np.nan_to_num(coordinates(texture), nan=0.5, posinf=2.0, neginf=-2.0)
    rng = np.random.default_rng(6)
    lod = rng.uniform(-3, 7, len(coords)).astype(np.float32)
    lod[:8] = [0.0, -0.0, 1.0, 4.0, np.inf, -np.inf, np.nan, 1e30]
    slopes = (rng.uniform(-1, 1, (len(coords), 2)) * 2.0 ** rng.uniform(-6, 1, (len(coords), 1))).astype(np.float32)
    sampler = state(TexWrap.MIRROR_REPEAT, LINEAR, TexMipFilter.LINEAR, min_img_filter=filters[0], mag_img_filter=filters[1], min_lod=-5.0)
    more: dict[str, Any] = {"lod": lod} if mode in ("explicit", "bias") else {}
    if mode == "gradient":
        more = {"derivatives": (slopes, slopes[::-1].copy())}
    if mode == "bias":
        coords = np.repeat(coords[::4], 4, axis=0)
    want = sample(texture, sampler, "2D", coords, lod_mode=mode, **more)
    got = staged_sample(texture, sampler, "2D", coords, lod_mode=mode, **more)
    assert_same(got, want, 2e-4)


SHADOWS = ["SHADOW1D", "SHADOW2D", "SHADOWRECT", "SHADOW1D_ARRAY", "SHADOW2D_ARRAY", "SHADOWCUBE", "SHADOWCUBEARRAY"]


@pytest.mark.parametrize("func", list(CompareFunc))
@pytest.mark.parametrize("target", SHADOWS)
def test_shadow_comparison(func: CompareFunc, target: str) -> None:
    layers = 12 if "CUBE" in target else 3 if "ARRAY" in target else 1
    texture = random_texture(Format.Z16_UNORM, 4, 1 if "1D" in target else 4, layers)
    coords = np.random.default_rng(2).uniform(-0.5, 1.5, (256, 5)).astype(np.float32)
    for image in (NEAREST, LINEAR):
        sampler = state(TexWrap.CLAMP_TO_EDGE, image, compare_mode=TexCompare.R_TO_TEXTURE, compare_func=func)
        got, want = (g(texture, sampler, target, coords) for g in (staged_sample, sample))
        assert_same(got, want, 0.0 if image is NEAREST else TOLERANCE)


@pytest.mark.parametrize("engine", [staged_sample, sample])
@pytest.mark.parametrize(
    ("func", "share"), [(CompareFunc.LESS, 0.75), (CompareFunc.GEQUAL, 0.25), (CompareFunc.EQUAL, 0.25), (CompareFunc.NEVER, 0.0)]
)
def test_linear_filters_mix_the_results_of_comparisons(engine: Any, func: CompareFunc, share: float) -> None:
    depths = np.array([[0.5, 0.75], [0.875, 1.0]], np.float32)[None, :, :, None]  # the reference 0.5 is below three of four
    texture = TextureData(Format.Z32_FLOAT, (depths.view(np.uint8),))
    linear = state(TexWrap.CLAMP_TO_EDGE, LINEAR, compare_mode=TexCompare.R_TO_TEXTURE, compare_func=func)
    found = engine(texture, linear, "SHADOW2D", np.array([[0.5, 0.5, 0.5, 0.0]] * LANES, np.float32)).view(np.float32)
    assert found.tolist() == [[share, share, share, 1.0]] * LANES


@pytest.mark.parametrize("engine", [staged_sample, sample])
def test_levels_and_ellipses_mix_the_results_of_comparisons(engine: Any) -> None:
    sizes = (8, 4, 2, 1)
    near = tuple(np.full((1, size, size, 1), float(k == 0), np.float32).view(np.uint8) for k, size in enumerate(sizes))
    texture = TextureData(Format.Z32_FLOAT, near)  # 1 at level 0, 0 below it: half way between them half of the texels are above 0.5
    mixed = state(TexWrap.REPEAT, LINEAR, TexMipFilter.LINEAR, compare_mode=TexCompare.R_TO_TEXTURE, compare_func=CompareFunc.LESS)
    coords = np.array([[0.3, 0.6, 0.5, 0.0]] * LANES, np.float32)
    halfway = engine(texture, mixed, "SHADOW2D", coords, lod_mode="explicit", lod=np.full(LANES, 0.5, np.float32)).view(np.float32)
    assert halfway.tolist() == [[0.5, 0.5, 0.5, 1.0]] * LANES
    striped = np.zeros((1, 8, 8, 1), np.float32)
    striped[:, :, ::2] = 1.0
    texture = TextureData(Format.Z32_FLOAT, (striped.view(np.uint8), *near[1:]))
    ellipses = replace(mixed, max_anisotropy=4)
    slopes = np.array([[0.5, 0.0], [0.0, 0.05]], np.float32)
    found = engine(texture, ellipses, "SHADOW2D", coords, lod_mode="gradient", derivatives=(slopes[[0] * LANES], slopes[[1] * LANES]))
    assert ((found.view(np.float32)[:, 0] > 0.25) & (found.view(np.float32)[:, 0] < 0.75)).all()


def test_view_swizzle_applies_last() -> None:
    swizzle = (Swizzle.W, Swizzle.X, Swizzle.ONE, Swizzle.ZERO)
    for format in (RGBA8, Format.R32G32B32A32_UINT):
        texture = random_texture(format, 4, 4, swizzle=swizzle)
        coords = coordinates(texture, 64)
        got = staged_sample(texture, state(), "2D", coords)
        assert_same(got, sample(texture, state(), "2D", coords))
        assert (got[:, 2] == (1 if format.is_integer else 0x3F800000)).all()


def test_offsets_move_by_texels() -> None:
    texture = random_texture(RGBA8, 8, 8)
    coords = coordinates(texture, 256)
    for image in (NEAREST, LINEAR):
        sampler = state(TexWrap.REPEAT, image)
        got = staged_sample(texture, sampler, "2D", coords, offsets=(3, -7))
        assert_same(got, sample(texture, sampler, "2D", coords, offsets=(3, -7)), 0.0 if image is NEAREST else TOLERANCE)


@pytest.mark.parametrize(("target", "layers"), [t for t in TARGETS if "CUBE" not in t[0]] + [("BUFFER", 1)])
def test_fetch_reads_zero_outside(target: str, layers: int) -> None:
    levels = 1 if target == "BUFFER" else 3
    format = Format.R32G32B32A32_UINT
    texture = random_texture(format, 8, 1 if target in ("BUFFER", "1D", "1D_ARRAY") else 4, layers, levels, volume=target == "3D")
    rng = np.random.default_rng(8)
    coords = rng.integers(-2, 9, (512, 4)).astype(np.int32)
    coords[:4] = [[-(2**31)] * 4, [2**31 - 1] * 4, [8, 0, 0, 0], [0, 4, 0, 0]]
    lod = rng.integers(-1, 4, 512).astype(np.int32)
    assert np.array_equal(staged_fetch(texture, target, coords, lod), fetch(texture, target, coords, lod=lod))
    assert np.array_equal(staged_fetch(texture, target, coords, None, (1, -1)), fetch(texture, target, coords, offsets=(1, -1)))


@pytest.mark.parametrize(("target", "layers"), TARGETS)
def test_query_gives_sizes_and_levels(target: str, layers: int) -> None:
    texture = texture_for(target, layers, levels=4)
    lod = np.resize(np.arange(-1, 6), 16).astype(np.int32)
    assert np.array_equal(staged_size(texture, target, lod), query_size(texture, target, 16, lod=lod))


@pytest.mark.parametrize("format", [RGBA8, Format.B5G6R5_UNORM])
def test_lanes_and_processors_give_the_same_bits(format: Format) -> None:
    texture = random_texture(format, 16, 16, 1, 5)
    coords = coordinates(texture, 256)
    sampler = state(TexWrap.REPEAT, LINEAR, TexMipFilter.LINEAR)
    first = staged_sample(texture, sampler, "2D", coords)
    for lanes, cpu in ((8, "host"), (32, "host"), (4, "x86-64"), (8, "x86-64-v3")):
        assert np.array_equal(staged_sample(texture, sampler, "2D", coords, lanes=lanes, cpu=cpu), first), (lanes, cpu)


@pytest.mark.parametrize("sizes", [(16, 16), (13, 7), (1, 5), (8, 1)])
@pytest.mark.parametrize("wrap", [TexWrap.REPEAT, TexWrap.CLAMP_TO_EDGE, TexWrap.MIRROR_REPEAT])
def test_squares_of_texels_give_the_bits_of_single_texels(wrap: TexWrap, sizes: tuple[int, int]) -> None:
    """AVX2 sums bytes of whole squares, and may read past the end of a row, whose texels have weight 0."""
    need("x86-64-v3")
    texture = random_texture(RGBA8, *sizes, 1, 2)
    coords = coordinates(texture, 256)
    sampler = state(wrap, LINEAR, TexMipFilter.LINEAR)
    single = staged_sample(texture, sampler, "2D", coords, lanes=4, cpu="x86-64")
    for lanes in (8, 16):
        assert np.array_equal(staged_sample(texture, sampler, "2D", coords, lanes=lanes, cpu="x86-64-v3"), single)


@pytest.mark.parametrize("format", [RGBA8, Format.R16G16_UNORM, Format.R8G8_UNORM])
def test_footprints_inside_of_a_face_do_not_depend_on_those_at_its_edges(format: Format) -> None:
    rng = np.random.default_rng(21)
    texture = random_texture(format, 16, 16, 6, seed=22)
    sampler = state(TexWrap.CLAMP_TO_EDGE, LINEAR, seamless_cube_map=True)
    coords = rng.uniform(-1, 1, (128, 4)).astype(np.float32)
    coords[:32, :3] = [1, 0.9999, -0.9999]
    inside = np.abs(coords[:, :3])
    inside.sort(axis=1)
    order = np.argsort(inside[:, 1] / inside[:, 2])  # vectors of footprints far from all edges first
    found = staged_sample(texture, sampler, "CUBE", coords, lod_mode="zero")
    assert np.array_equal(staged_sample(texture, sampler, "CUBE", coords[order], lod_mode="zero"), found[order])


def test_infinite_texels_of_a_level_with_weight_0_do_not_count() -> None:
    levels = [np.full((1, 8 >> k, 8 >> k, 4), value, np.float32) for k, value in enumerate((0.5, np.inf, np.inf))]
    texture = TextureData(Format.R32G32B32A32_FLOAT, tuple(level.view(np.uint8).reshape(*level.shape[:3], 16) for level in levels))
    lod = np.zeros(LANES, np.float32)
    lod[1] = 0.5  # this lane takes the second level, whose texels the others must not see
    sampler = state(TexWrap.REPEAT, LINEAR, TexMipFilter.LINEAR, max_lod=15.0)
    found = staged_sample(texture, sampler, "2D", np.full((LANES, 4), 0.3, np.float32), lod_mode="explicit", lod=lod).view(np.float32)
    assert not np.isfinite(found[1]).any()
    assert (np.delete(found, 1, 0) == 0.5).all()
