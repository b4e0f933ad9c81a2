"""Clears and copies agree with plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from backends.formats.arrays import unpack, unpack_depth, unpack_stencil
from tgsi import gallium as g

pytestmark = pytest.mark.light

RNG = np.random.default_rng(7)


def filled(screen: g.Screen, **given: object) -> g.Resource:
    resource = screen.resource_create(**given)  # type: ignore[arg-type]
    for level in range(resource.last_level + 1):
        blocks = resource.blocks(level)
        blocks[...] = RNG.integers(0, 256, blocks.shape, np.uint8)
    return resource


def test_clear_reaches_every_bound_target_in_its_own_format(screen: g.Screen, ctx: g.Context) -> None:
    formats = ("R8G8B8A8_UNORM", "R16G16B16A16_FLOAT", "R32_FLOAT", "B5G6R5_UNORM")
    targets = [screen.resource_create(width0=70, height0=3, format=f) for f in formats]
    depth = screen.resource_create(width0=70, height0=3, format="Z24_UNORM_S8_UINT")
    ctx.set_framebuffer_state(cbufs=targets, zsbuf=depth)
    ctx.clear(color=(1, 0.5, 0, 1), depth=0.5, stencil=0x155)
    ctx.flush()
    expected = {"R8G8B8A8_UNORM": [255, 128, 0, 255], "R16G16B16A16_FLOAT": [1, 0.5, 0, 1], "R32_FLOAT": [1]}
    for target in targets[:3]:
        assert (target.texels() == np.array(expected[target.format.name], target.texels().dtype)).all()
    assert (targets[3].texels() == (31 << 11 | 32 << 5)).all()
    flat = np.ascontiguousarray(depth.blocks()).reshape(-1)
    assert abs(unpack_depth(depth.plain_format, flat) - 0.5).max() < 1e-6
    assert (unpack_stencil(depth.plain_format, flat) == 0x55).all()


def test_clear_leaves_what_was_not_asked_for(screen: g.Screen, ctx: g.Context) -> None:
    first, second = filled(screen, width0=8, height0=8), filled(screen, width0=8, height0=8)
    depth = filled(screen, width0=8, height0=8, format="Z24_UNORM_S8_UINT")
    before, words = first.texels().copy(), depth.texels().copy()
    ctx.set_framebuffer_state(cbufs=[first, second], zsbuf=depth)
    ctx.clear("COLOR1|STENCIL", color=(0, 0, 0, 0), stencil=0)
    ctx.flush()
    assert (first.texels() == before).all()
    assert not second.texels().any()
    assert (depth.texels() == words & 0xFFFFFF).all()


def test_integer_targets_are_cleared_to_integers(screen: g.Screen, ctx: g.Context) -> None:
    target = screen.resource_create(width0=4, height0=4, format="R32G32B32A32_UINT")
    other = screen.resource_create(width0=4, height0=4)
    ctx.set_framebuffer_state(cbufs=[target, other])
    ctx.clear("COLOR", color=(4000000001, 2, 3, 0))
    ctx.flush()
    assert (target.texels() == (4000000001, 2, 3, 0)).all()
    assert (other.texels() == (255, 255, 255, 0)).all()


def test_clear_render_target_fills_a_rectangle_of_all_layers(screen: g.Screen, ctx: g.Context) -> None:
    array = screen.resource_create(target="TEXTURE_2D_ARRAY", width0=8, height0=8, array_size=3)
    surface = ctx.create_surface(array, first_layer=1)
    ctx.clear_render_target(surface, color=(1, 1, 1, 1), x=2, y=3, width=4, height=2)
    expected = np.zeros((3, 8, 8, 4), np.uint8)
    expected[1:, 3:5, 2:6] = 255
    assert (array.texels() == expected).all()
    with pytest.raises(ValueError, match="7 \\+ 2 in x is outside"):
        ctx.clear_render_target(surface, x=7, width=2)


@pytest.mark.parametrize("format", ["Z24_UNORM_S8_UINT", "Z32_FLOAT_S8X24_UINT", "S8_UINT_Z24_UNORM"])
@pytest.mark.parametrize("buffers", ["DEPTH", "STENCIL", "DEPTHSTENCIL"])
def test_clear_depth_stencil_keeps_the_other_part(screen: g.Screen, ctx: g.Context, format: str, buffers: str) -> None:
    target = screen.resource_create(width0=4, height0=4, format=format)
    ctx.clear_depth_stencil(target, depth=1.0, stencil=9)
    ctx.clear_depth_stencil(target, buffers=buffers, depth=0.0, stencil=200, width=2)
    flat = np.ascontiguousarray(target.blocks()[0, :, :2]).reshape(-1)
    assert (unpack_depth(target.plain_format, flat) == (1.0 if buffers == "STENCIL" else 0.0)).all()
    assert (unpack_stencil(target.plain_format, flat) == (9 if buffers == "DEPTH" else 200)).all()
    rest = np.ascontiguousarray(target.blocks()[0, :, 2:]).reshape(-1)
    assert (unpack_depth(target.plain_format, rest) == 1).all()


def test_clear_texture_and_clear_buffer_repeat_their_value(screen: g.Screen, ctx: g.Context) -> None:
    texture = screen.resource_create(width0=4, height0=4, last_level=1, format="R16_UINT")
    ctx.clear_texture(texture, np.uint16(0x1234), level=1, box=(0, 0, 1, 2))
    assert texture.texels(1)[0, :, :, 0].tolist() == [[0x1234, 0], [0x1234, 0]]
    buffer = screen.resource_create(target="BUFFER", width0=10)
    ctx.clear_buffer(buffer, b"\1\2", offset=4, size=4)
    assert buffer.storage.tolist() == [0, 0, 0, 0, 1, 2, 1, 2, 0, 0]
    with pytest.raises(ValueError, match="size: 3 is not a multiple of 2"):
        ctx.clear_buffer(buffer, b"\1\2", size=3)
    with pytest.raises(ValueError, match="has 2 bytes, not 4"):
        ctx.clear_texture(texture, bytes(4))


def test_copy_region_moves_bytes(screen: g.Screen, ctx: g.Context) -> None:
    src = filled(screen, width0=8, height0=8, last_level=1)
    dst = screen.resource_create(target="TEXTURE_2D_ARRAY", width0=8, height0=8, array_size=2, format="R32_FLOAT")
    ctx.resource_copy_region(dst, src, dstx=1, dsty=2, dstz=1, src_level=1, src_box=(1, 1, 3, 2))
    expected = np.zeros_like(dst.blocks())
    expected[1, 2:4, 1:4] = src.blocks(1)[0, 1:3, 1:4]
    assert (dst.blocks() == expected).all()


def test_copies_that_cannot_be_are_refused(screen: g.Screen, ctx: g.Context) -> None:
    texture = filled(screen, width0=8, height0=8)
    with pytest.raises(ValueError, match="overlap"):
        ctx.resource_copy_region(texture, texture, dstx=1, src_box=(0, 0, 4, 4))
    with pytest.raises(ValueError, match="not of one size"):
        ctx.resource_copy_region(texture, screen.resource_create(width0=8, format="R8_UNORM"))
    ctx.resource_copy_region(texture, texture, dstx=4, src_box=(0, 0, 4, 4))
    assert (texture.blocks()[:, :4, 4:] == texture.blocks()[:, :4, :4]).all()


def test_nearest_blit_scales_mirrors_and_clips(screen: g.Screen, ctx: g.Context) -> None:
    src = filled(screen, width0=5, height0=3)
    dst = filled(screen, width0=16, height0=9)
    before = dst.texels()[0].copy()
    ctx.blit(dst, src=src, dst_box=(1, 0, 10, 9), src_box=(5, 0, -5, 3), scissor={"minx": 0, "miny": 2, "maxx": 6, "maxy": 100})
    for y in range(9):
        for x in range(16):
            inside = 1 <= x < 6 and y >= 2
            want = src.texels()[0, y // 3, 4 - (x - 1) // 2] if inside else before[y, x]
            assert (dst.texels()[0, y, x] == want).all(), (x, y)


@pytest.mark.parametrize("filter", ["NEAREST", "LINEAR"])
@pytest.mark.parametrize(
    ("dst_box", "src_box"),
    [
        ((-3, -2, 16, 12), (0, 0, 5, 3)),
        ((5, 4, 40, 7), (5, 3, -5, -3)),
        ((0, 0, 16, 9), (-4, -1, 13, 5)),
        ((2, 1, 9, 5), (-2, -1, 9, 5)),
        ((1, 1, 6, 6), (40, -9, -6, 6)),
    ],
)
def test_a_blit_draws_what_the_target_has_of_a_box_and_repeats_the_edge_of_the_source(
    screen: g.Screen, ctx: g.Context, dst_box: tuple[int, ...], src_box: tuple[int, ...], filter: str
) -> None:
    src, dst = filled(screen, width0=5, height0=3), filled(screen, width0=16, height0=9)
    margin = 50  # the same with both boxes complete
    wide = screen.resource_create(width0=16 + 2 * margin, height0=9 + 2 * margin)
    wide.blocks()[:, margin:-margin, margin:-margin] = dst.blocks()
    around = screen.resource_create(width0=5 + 2 * margin, height0=3 + 2 * margin)
    around.blocks()[...] = np.pad(src.blocks(), ((0, 0), (margin, margin), (margin, margin), (0, 0)), "edge")
    x, y, width, height = src_box
    scissor = {"minx": 0, "miny": 2, "maxx": 14, "maxy": 8}
    ctx.blit(dst, src=src, dst_box=dst_box, src_box=src_box, filter=filter, scissor=scissor)
    moved = {key: value + margin for key, value in scissor.items()}
    box = (dst_box[0] + margin, dst_box[1] + margin, *dst_box[2:])
    ctx.blit(wide, src=around, dst_box=box, src_box=(x + margin, y + margin, width, height), filter=filter, scissor=moved)
    assert (dst.blocks() == wide.blocks()[:, margin:-margin, margin:-margin]).all()


def test_a_resolve_reaches_outside_too(screen: g.Screen, ctx: g.Context) -> None:
    src, dst = screen.resource_create(width0=8, height0=8, nr_samples=4, bind="RENDER_TARGET"), filled(screen, width0=8, height0=8)
    for k in range(4):
        src.blocks(0, k)[...] = 10 * np.arange(8)[:, None, None]
    before = dst.blocks().copy()
    ctx.blit(dst, src=src, dst_box=(-2, 3, 8, 8), src_box=(1, -3, 8, 8))
    assert (dst.blocks()[0, :3] == before[0, :3]).all()
    assert (dst.blocks()[0, :, 6:] == before[0, :, 6:]).all()
    assert (dst.blocks()[0, 3:, :6] == np.array([0, 0, 0, 0, 10], np.uint8)[:, None, None]).all()
    ctx.blit(dst, src=src, dst_box=(0, 0, 8, 8), src_box=(0, 90, 8, 8))
    assert (dst.blocks() == 70).all()


def test_boxes_of_blits_that_are_empty_or_name_layers_that_are_not_there_are_refused(screen: g.Screen, ctx: g.Context) -> None:
    texture = filled(screen, width0=8, height0=8)
    for box, text in (((0, 0, 0, 8), "it is empty"), ((0, 0, -4, 8), "mirror the source"), ((0, 0, 1, 4, 4, 1), "in z is outside")):
        with pytest.raises(ValueError, match=text):
            ctx.blit(texture, src=texture, dst_box=box)
    with pytest.raises(ValueError, match="box: "):
        ctx.blit(texture, src=texture, src_box=(1 << 40, 0, 8, 8))
    ctx.blit(texture, src=texture, dst_box=(-(1 << 31), 0, (1 << 31) + 8, 8), src_box=(0, 0, 8, 8))


def test_blit_converts_and_masks(screen: g.Screen, ctx: g.Context) -> None:
    src = filled(screen, width0=4, height0=4)
    dst = screen.resource_create(width0=4, height0=4, format="B8G8R8A8_UNORM")
    ctx.blit(dst, src=src, mask="RGB")
    assert (dst.texels()[..., :3] == src.texels()[..., 2::-1]).all()
    assert not dst.texels()[..., 3].any()
    wide = screen.resource_create(width0=4, height0=4, format="R32G32B32A32_FLOAT")
    ctx.blit(wide, src=src)
    assert np.allclose(wide.texels(), src.texels() / 255.0)


def test_linear_blit_is_bilinear_with_clamped_edges(screen: g.Screen, ctx: g.Context) -> None:
    src = filled(screen, width0=4, height0=3, format="R8_UNORM")
    dst = screen.resource_create(width0=7, height0=5, format="R32_FLOAT")
    ctx.blit(dst, src=src, filter="LINEAR")
    values = src.texels()[0, ..., 0] / 255.0
    for y in range(5):
        for x in range(7):
            u, v = (x + 0.5) * 4 / 7 - 0.5, (y + 0.5) * 3 / 5 - 0.5
            x0, y0 = int(np.floor(u)), int(np.floor(v))
            a, b = u - x0, v - y0
            at = [[values[min(max(y0 + j, 0), 2), min(max(x0 + i, 0), 3)] for i in (0, 1)] for j in (0, 1)]
            want = (at[0][0] * (1 - a) + at[0][1] * a) * (1 - b) + (at[1][0] * (1 - a) + at[1][1] * a) * b
            assert abs(dst.texels()[0, y, x, 0] - want) < 1e-6


def test_depth_blit_moves_depth_or_stencil(screen: g.Screen, ctx: g.Context) -> None:
    src, dst = (screen.resource_create(width0=4, height0=4, format=f) for f in ("Z32_FLOAT_S8X24_UINT", "Z24_UNORM_S8_UINT"))
    ctx.clear_depth_stencil(src, depth=0.25, stencil=7)
    ctx.blit(dst, src=src, mask="S")
    assert (dst.texels() == 7 << 24).all()
    ctx.blit(dst, src=src, mask="Z")
    flat = np.ascontiguousarray(dst.blocks()).reshape(-1)
    assert abs(unpack_depth(dst.plain_format, flat) - 0.25).max() < 1e-6
    with pytest.raises(ValueError, match="cannot become"):
        ctx.blit(dst, src=screen.resource_create(width0=4, height0=4))


def test_mipmaps_average_four_texels(screen: g.Screen, ctx: g.Context) -> None:
    texture = filled(screen, width0=16, height0=8, last_level=4, format="R8G8B8A8_UNORM")
    assert ctx.generate_mipmap(texture)
    for level in (1, 2, 3):
        before = texture.texels(level - 1)[0].astype(np.float64)
        mean = (before[0::2, 0::2] + before[1::2, 0::2] + before[0::2, 1::2] + before[1::2, 1::2]) / 4
        assert abs(texture.texels(level)[0] - mean).max() <= 0.5 + 1e-4
    last = texture.texels(3)[0].astype(np.float64)
    assert abs(texture.texels(4)[0, 0, 0] - last[0].mean(axis=0)).max() <= 0.5 + 1e-4


@pytest.mark.parametrize("format", ["Z16_UNORM", "Z24X8_UNORM", "Z32_FLOAT", "Z24_UNORM_S8_UINT", "Z32_FLOAT_S8X24_UINT"])
def test_a_linear_filter_averages_depth_and_takes_the_nearest_stencil(screen: g.Screen, ctx: g.Context, format: str) -> None:
    """Mesa's virgl driver makes the levels of depth textures by such blits."""
    texture, copy = (screen.resource_create(width0=16, height0=4, last_level=1, format=format) for _ in range(2))
    for x in range(16):
        for made in (texture, copy):
            ctx.clear_depth_stencil(made, depth=x / 32, stencil=x, x=x, width=1)
    ctx.generate_mipmap(texture)
    ctx.blit(copy, src=copy, dst_level=1, filter="LINEAR")
    for made in (texture, copy):
        flat = np.ascontiguousarray(made.blocks(1)).reshape(-1)
        assert abs(unpack_depth(made.plain_format, flat).reshape(2, 8) - (2 * np.arange(8) + 0.5) / 32).max() < 1e-4
        if "S8" in format:
            assert (unpack_stencil(made.plain_format, flat).reshape(2, 8) == 2 * np.arange(8) + 1).all()


def test_mipmaps_of_volumes_average_eight_and_those_of_arrays_stay_in_their_layer(screen: g.Screen, ctx: g.Context) -> None:
    volume = screen.resource_create(target="TEXTURE_3D", width0=4, height0=4, depth0=4, last_level=1, format="R32_FLOAT")
    volume.texels()[..., 0] = np.arange(64).reshape(4, 4, 4)
    ctx.generate_mipmap(volume)
    assert volume.texels(1)[0, 0, 0, 0] == np.mean([0, 1, 4, 5, 16, 17, 20, 21])
    array = screen.resource_create(target="TEXTURE_2D_ARRAY", width0=2, height0=2, array_size=3, last_level=1, format="R32_FLOAT")
    array.texels()[..., 0] = np.arange(3).reshape(3, 1, 1)
    ctx.generate_mipmap(array, first_layer=1)
    assert array.texels(1)[:, 0, 0, 0].tolist() == [0, 1, 2]


def test_blit_is_exact_for_every_format_with_itself(screen: g.Screen, ctx: g.Context) -> None:
    src = filled(screen, width0=4, height0=4, format="R11G11B10_FLOAT")
    dst = screen.resource_create(width0=4, height0=4, format="R11G11B10_FLOAT")
    ctx.blit(dst, src=src)
    assert (dst.blocks() == src.blocks()).all()
    assert np.isfinite(unpack(src.plain_format, np.ascontiguousarray(src.blocks()).reshape(-1))).any()
