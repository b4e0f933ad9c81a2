"""Blits and mipmaps agree with the same arithmetic in numpy, format by format."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from backends.formats import FORMATS, Format
from backends.formats.arrays import pack, pack_depth_stencil, unpack, unpack_depth, unpack_stencil
from tgsi import gallium as g

pytestmark = pytest.mark.light

COLORS = [f for f in FORMATS.values() if not f.is_depth_stencil]
DEPTHS = [f for f in FORMATS.values() if f.is_depth_stencil]
BOX = (12, 1, -9, 7)  # mirrored, inside 13 x 9 texels
WIDTH, HEIGHT = 13, 9


def filled(screen: g.Screen, format: Format, seed: int, width: int = WIDTH, height: int = HEIGHT, **more: Any) -> g.Resource:
    """Texture with values that the format can hold, without NaN, so that bytes can be compared."""
    texture = screen.resource_create(format=format.name, width0=width, height0=height, **more)
    random = np.random.default_rng(seed)
    values = random.uniform(-1.5, 1.5, (width * height, 4)).astype(np.float32)
    whole = random.integers(0, 250, (width * height, 4))
    if format.is_depth_stencil:
        texels = pack_depth_stencil(format, np.abs(values[:, 0]) / 2, whole[:, 1].astype(np.uint8))
    else:
        texels = pack(format, values if format.kind == "float" else whole.astype(np.uint32 if format.kind == "uint" else np.int32))
    texture.blocks(0)[...] = texels.reshape(texture.blocks(0).shape)
    return texture


def line(count: int, start: int, size: int) -> NDArray[Any]:
    return (np.arange(count) + 0.5) * (size / count) + start


def nearest(source: NDArray[Any], width: int, height: int) -> NDArray[Any]:
    x, y = (np.floor(line(n, s, m)).astype(int) for n, s, m in ((width, BOX[0], BOX[2]), (height, BOX[1], BOX[3])))
    return np.asarray(source[y[:, None], x[None]])


def linear(values: NDArray[np.float32], axis: int, count: int, start: int, size: int) -> NDArray[np.float32]:
    at = line(count, start, size) - 0.5
    low, high = min(start, start + size), max(start, start + size) - 1
    first, second = (np.clip(np.floor(at) + k, low, high).astype(int) for k in (0, 1))
    share = (at - np.floor(at)).astype(np.float32).reshape([-1 if k == axis else 1 for k in range(values.ndim)])
    a, b = values.take(first, axis), values.take(second, axis)
    return np.asarray(a + (b - a) * share)


def colors(texture: g.Resource, format: Format) -> NDArray[Any]:
    blocks = texture.blocks(0)[0]
    return unpack(format, np.ascontiguousarray(blocks).reshape(-1)).reshape(*blocks.shape[:2], 4)


@pytest.mark.parametrize("format", COLORS, ids=lambda f: f.name)
def test_nearest_blits_move_texels_of_every_format(format: Format, screen: g.Screen, ctx: g.Context) -> None:
    src, dst = filled(screen, format, 1), filled(screen, format, 2, 21, 18)
    ctx.blit(dst, src=src, src_box=BOX)
    assert np.array_equal(dst.blocks(0)[0], nearest(src.blocks(0)[0], 21, 18))


@pytest.mark.parametrize("format", [f for f in COLORS if f.kind == "float"], ids=lambda f: f.name)
def test_linear_blits_filter_columns_then_rows_in_float32(format: Format, screen: g.Screen, ctx: g.Context) -> None:
    src, dst = filled(screen, format, 3), filled(screen, format, 4, 21, 18)
    want = linear(linear(colors(src, format), 1, 21, BOX[0], BOX[2]), 0, 18, BOX[1], BOX[3])
    ctx.blit(dst, src=src, src_box=BOX, filter="LINEAR")
    assert np.array_equal(dst.blocks(0)[0], pack(format, want.reshape(-1, 4)).reshape(18, 21, -1))


@pytest.mark.parametrize("mask", ["R", "GA", "RGB"])
@pytest.mark.parametrize("to", ["B8G8R8A8_UNORM", "R8G8B8_UNORM", "R16G16B16A16_FLOAT", "R32G32B32_FLOAT", "R8G8B8A8_SRGB", "B5G6R5_UNORM"])
def test_blits_convert_and_keep_what_the_mask_leaves_out(to: str, mask: str, screen: g.Screen, ctx: g.Context) -> None:
    of, format = FORMATS["R8G8B8A8_UNORM"], FORMATS[to]
    src, dst = filled(screen, of, 5), filled(screen, format, 6, 21, 18)
    want, new = colors(dst, format), nearest(colors(src, of), 21, 18)
    for channel in mask:
        want[:, :, "RGBA".index(channel)] = new[:, :, "RGBA".index(channel)]
    ctx.blit(dst, src=src, src_box=BOX, mask=mask)
    assert np.array_equal(dst.blocks(0)[0], pack(format, want.reshape(-1, 4)).reshape(18, 21, -1))


@pytest.mark.parametrize("mask", ["RGBA", "RB"])
@pytest.mark.parametrize("filter", ["NEAREST", "LINEAR"])
@pytest.mark.parametrize("to", ["B8G8R8A8_UNORM", "R8G8B8_UNORM", "R16G16B16A16_FLOAT", "R8G8B8A8_SRGB", "B5G6R5_UNORM", "A8_UNORM"])
def test_alpha_blended_blits_mix_by_the_alpha_of_the_source(to: str, filter: str, mask: str, screen: g.Screen, ctx: g.Context) -> None:
    of, format = FORMATS["R16G16B16A16_FLOAT"], FORMATS[to]
    src, dst = filled(screen, of, 5), filled(screen, format, 6, 21, 18)
    old, new = colors(dst, format), colors(src, of)
    if filter == "LINEAR":
        new = linear(linear(new, 1, 21, BOX[0], BOX[2]), 0, 18, BOX[1], BOX[3])
    else:
        new = nearest(new, 21, 18)
    alpha = new[:, :, 3:]
    mixed, want = new * alpha + old * (np.float32(1) - alpha), old.copy()
    for channel in mask:
        want[:, :, "RGBA".index(channel)] = mixed[:, :, "RGBA".index(channel)]
    ctx.blit(dst, src=src, src_box=BOX, filter=filter, mask=mask, alpha_blend=True)
    assert np.array_equal(dst.blocks(0)[0], pack(format, want.reshape(-1, 4)).reshape(18, 21, -1))


def test_what_has_no_color_cannot_be_blended(screen: g.Screen, ctx: g.Context) -> None:
    for name in ("R8G8B8A8_UINT", "Z32_FLOAT"):
        texture = screen.resource_create(format=name, width0=4, height0=4)
        with pytest.raises(ValueError, match=f"alpha_blend: {name} has no color"):
            ctx.blit(texture, src=texture, alpha_blend=True)


WINDOWS = ((2, 3, 9, 9), (5, 1, 14, 7), (0, 15, 40, 16), (8, 8, 8, 12), (18, 0, 25, 30))
"""Rectangles that meet, reach over the edge, or are empty: minx, miny, maxx, maxy."""


@pytest.mark.parametrize("count", range(6))
@pytest.mark.parametrize("include", [False, True])
def test_window_rectangles_cut_a_blit(include: bool, count: int, screen: g.Screen, ctx: g.Context) -> None:
    format = FORMATS["R8G8B8A8_UNORM"]
    src, dst = filled(screen, format, 1), filled(screen, format, 2, 21, 18)
    inside = np.zeros((18, 21), bool)
    for x0, y0, x1, y1 in WINDOWS[:count]:
        inside[y0:y1, x0:x1] = True
    want = dst.blocks(0)[0].copy()
    chosen = inside if include else ~inside
    chosen[:, 19:] = False  # the scissor
    want[chosen] = nearest(src.blocks(0)[0], 21, 18)[chosen]
    windows = [dict(zip(("minx", "miny", "maxx", "maxy"), item)) for item in WINDOWS[:count]]
    scissor = {"maxx": 19, "maxy": 18}
    ctx.blit(dst, src=src, src_box=BOX, scissor=scissor, window_rectangles=windows, window_rectangle_include=include)
    assert np.array_equal(dst.blocks(0)[0], want)


def test_a_cut_blit_within_one_texture_reads_what_was_there_before(screen: g.Screen, ctx: g.Context) -> None:
    texture = filled(screen, FORMATS["R8G8B8A8_UNORM"], 3)
    before = texture.blocks(0)[0].copy()
    ctx.blit(texture, src=texture, src_box=(0, HEIGHT, WIDTH, -HEIGHT), window_rectangles=[{"minx": 3, "miny": 2, "maxx": 8, "maxy": 5}])
    want = before[::-1].copy()
    want[2:5, 3:8] = before[2:5, 3:8]
    assert np.array_equal(texture.blocks(0)[0], want)


def test_window_rectangles_of_a_blit_are_checked(screen: g.Screen, ctx: g.Context) -> None:
    texture = screen.resource_create(width0=4, height0=4)
    with pytest.raises(ValueError, match="window_rectangles: 9 are too many; 8 are possible"):
        ctx.blit(texture, src=texture, window_rectangles=[{}] * 9)
    with pytest.raises(ValueError, match=r"window_rectangles\[1\]: maxx: 70000 is not in 0 .. 65535"):
        ctx.blit(texture, src=texture, window_rectangles=[{}, {"maxx": 70000}])


@pytest.mark.parametrize("mask", ["Z", "S", "ZS"])
@pytest.mark.parametrize("to", DEPTHS, ids=lambda f: f.name)
@pytest.mark.parametrize("of", DEPTHS, ids=lambda f: f.name)
def test_depth_and_stencil_move_where_both_formats_have_them(of: Format, to: Format, mask: str, screen: g.Screen, ctx: g.Context) -> None:
    src, dst = filled(screen, of, 7), filled(screen, to, 8, 21, 18)
    texels = nearest(src.blocks(0)[0], 21, 18).reshape(-1)
    old = dst.blocks(0).copy().reshape(-1)
    depth = unpack_depth(of, texels) if "Z" in mask and of.has_depth and to.has_depth else None
    stencil = unpack_stencil(of, texels) if "S" in mask and of.has_stencil and to.has_stencil else None
    want = old if depth is None and stencil is None else pack_depth_stencil(to, depth, stencil, old)
    ctx.blit(dst, src=src, src_box=BOX, mask=mask)
    assert np.array_equal(dst.blocks(0).reshape(-1), want)


@pytest.mark.parametrize("cpu", ["host", "x86-64"])
def test_mipmaps_of_odd_sizes_have_the_same_bytes_on_every_level(cpu: str) -> None:
    with tgsi.Screen(cpu=cpu) as screen:
        texture = filled(screen, FORMATS["R16G16B16A16_SNORM"], 9, 45, 31, last_level=5)
        screen.context_create().generate_mipmap(texture)
        source = colors(texture, texture.plain_format)
        for level in range(1, 6):
            height, width = texture.blocks(level).shape[1:3]
            source = linear(linear(source, 1, width, 0, source.shape[1]), 0, height, 0, source.shape[0])
            packed = pack(texture.plain_format, source.reshape(-1, 4))
            assert np.array_equal(texture.blocks(level)[0], packed.reshape(height, width, -1))
            source = unpack(texture.plain_format, packed.reshape(-1)).reshape(height, width, 4)


def test_a_blit_inside_one_level_reads_all_before_it_writes(screen: g.Screen, ctx: g.Context) -> None:
    texture = filled(screen, FORMATS["R8G8B8A8_UNORM"], 10, 700, 700)
    before = texture.blocks(0)[0].copy()
    ctx.blit(texture, src=texture, dst_box=(0, 1, 700, 699), src_box=(0, 0, 700, 350))
    assert np.array_equal(texture.blocks(0)[0, 1:], before[(2 * np.arange(699) + 1) * 350 // (2 * 699)])
