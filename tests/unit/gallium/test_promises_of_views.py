"""Sentences of context.rst about sampler views, shader resources and surfaces, each held by a test of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.unit.picture import STRIP, Picture, screen
from tgsi import gallium as g

pytestmark = pytest.mark.light


def sampled(picture: Picture, view: g.SamplerView, place: str, opcode: str = "TEX", kind: str = "2D", **sampler: Any) -> list[float]:
    """The texel that a fragment shader samples at a place."""
    ctx = picture.ctx
    ctx.set_sampler_views("FRAGMENT", [view])
    ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state(**sampler)])
    picture.draw(
        f"FRAG\nDCL SAMP[0]\nDCL SVIEW[0], {kind}, FLOAT\nDCL OUT[0], COLOR\nIMM[0] FLT32 {{{place}}}\n"
        f"{opcode} OUT[0], IMM[0], SAMP[0], {kind}\nEND\n"
    )
    found: list[float] = picture.pixels()[0, 0].tolist()
    return found


def test_a_view_reads_texels_in_its_own_format() -> None:
    picture = Picture(1, 1)
    texture = screen().resource_create(width0=1, height0=1, format="R8G8B8A8_UNORM")
    picture.ctx.texture_subdata(texture, bytes([128, 0, 255, 51]))
    plain, encoded = (
        sampled(picture, picture.ctx.create_sampler_view(texture, format=format), "0.5, 0.5, 0.0, 0.0")
        for format in ("R8G8B8A8_UNORM", "R8G8B8A8_SRGB")
    )
    assert plain == pytest.approx([128 / 255, 0, 1, 0.2])
    assert encoded == pytest.approx([((128 / 255 + 0.055) / 1.055) ** 2.4, 0, 1, 0.2], abs=1e-6)


@pytest.mark.parametrize(
    ("swizzle", "expected"),
    [(("X", "Y", "Z", "W"), [1, 2, 3, 4]), (("W", "Z", "Y", "X"), [4, 3, 2, 1]), (("0", "1", "Y", "Y"), [0, 1, 2, 2])],
)
def test_a_view_has_the_channels_that_its_swizzle_names(swizzle: tuple[str, ...], expected: list[float]) -> None:
    picture = Picture(1, 1)
    texture = screen().resource_create(width0=1, height0=1, format="R32G32B32A32_FLOAT")
    picture.ctx.texture_subdata(texture, np.array([1, 2, 3, 4], np.float32))
    view = picture.ctx.create_sampler_view(texture, swizzle=swizzle)
    assert sampled(picture, view, "0.5, 0.5, 0.0, 0.0") == expected


@pytest.mark.parametrize(("index", "layer"), [(0, 3), (1, 4), (2, 5), (3, 5), (99, 5), (-1, 3)])
def test_layers_of_a_view_count_from_its_first_and_end_with_its_last(index: int, layer: int) -> None:
    picture = Picture(1, 1)
    texture = screen().resource_create(target="TEXTURE_2D_ARRAY", width0=1, height0=1, array_size=8, format="R32_FLOAT")
    picture.ctx.texture_subdata(texture, np.arange(8, dtype=np.float32), layer_stride=4)
    view = picture.ctx.create_sampler_view(texture, first_layer=3, last_layer=5)
    assert sampled(picture, view, f"0.5, 0.5, {float(index)}, 0.0", kind="2D_ARRAY")[0] == layer


def test_levels_of_a_view_count_from_its_first_and_the_samplers_from_there() -> None:
    picture = Picture(1, 1)
    texture = screen().resource_create(width0=64, height0=64, format="R32_FLOAT", last_level=6)
    for level in range(7):
        picture.ctx.texture_subdata(texture, np.full((64 >> level, 64 >> level), level, np.float32), level=level)
    view = picture.ctx.create_sampler_view(texture, first_level=3, last_level=5)
    cases: tuple[tuple[int, dict[str, Any], int], ...] = (
        (0, {}, 3),
        (1, {}, 4),
        (9, {}, 5),  # the last level of the view
        (0, {"min_lod": 2.0}, 5),  # the sampler counts from the view's first level
        (9, {"max_lod": 1.0}, 4),
    )
    for lod, limits, expected in cases:
        given: dict[str, Any] = {"min_mip_filter": "NEAREST", "max_lod": 100.0} | limits
        assert sampled(picture, view, f"0.5, 0.5, 0.0, {float(lod)}", "TXL", **given)[0] == expected


def test_the_swizzle_of_a_view_holds_for_the_border_too() -> None:
    assert screen().get_param("TEXTURE_BORDER_COLOR_QUIRK") == 0
    picture = Picture(1, 1)
    texture = screen().resource_create(width0=1, height0=1, format="R32G32B32A32_FLOAT")
    view = picture.ctx.create_sampler_view(texture, swizzle=("W", "Z", "Y", "1"))
    border: dict[str, Any] = {"wrap_s": "CLAMP_TO_BORDER", "border_color": (1.0, 2.0, 3.0, 4.0)}
    assert sampled(picture, view, "5.5, 0.5, 0.0, 0.0", **border) == [4, 3, 2, 1]


BUFFER_FORMATS = [f for f in g.Format if screen().is_format_supported(f, target="BUFFER", bind="SAMPLER_VIEW")]


def test_views_of_buffers_read_every_format_as_textures_do() -> None:
    """The texel of a buffer and the same texel of a 2D texture, through one program for each kind of number."""
    assert screen().get_param("BUFFER_SAMPLER_VIEW_RGBA_ONLY") == 0
    assert len(BUFFER_FORMATS) > 100
    rng = np.random.default_rng(5)
    picture = Picture(1, 1, format="R32G32B32A32_UINT", targets=2)
    ctx = picture.ctx
    for format in BUFFER_FORMATS:
        kind = "SINT" if "_SINT" in format.name else "UINT" if "_UINT" in format.name else "FLOAT"
        texel = rng.integers(0, 64, format.block_bytes, np.uint8)
        buffer = picture.buffer(np.concatenate([texel, np.zeros(-len(texel) % 4, np.uint8)]))
        texture = screen().resource_create(width0=1, height0=1, format=format, bind="SAMPLER_VIEW")
        ctx.texture_subdata(texture, texel.tobytes())
        swizzle = ("W", "Z", "Y", "X")
        views = [
            ctx.create_sampler_view(buffer, format=format, swizzle=swizzle, size=len(texel)),
            ctx.create_sampler_view(texture, swizzle=swizzle),
        ]
        ctx.set_sampler_views("FRAGMENT", views)
        picture.draw(
            f"FRAG\nDCL SAMP[0..1]\nDCL SVIEW[0], BUFFER, {kind}\nDCL SVIEW[1], 2D, {kind}\nDCL OUT[0], COLOR\nDCL OUT[1], COLOR[1]\n"
            "IMM[0] INT32 {0, 0, 0, 0}\nTXF OUT[0], IMM[0], SAMP[0], BUFFER\nTXF OUT[1], IMM[0], SAMP[1], 2D\nEND\n"
        )
        assert picture.pixels(0).tolist() == picture.pixels(1).tolist(), format


# -- gradients, gathers --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("step", "level"), [(0.125, 0), (0.25, 1), (0.5, 2), (1.0, 3)])
def test_the_gradients_of_txd_choose_the_level(step: float, level: int) -> None:
    picture = Picture(1, 1)
    ctx = picture.ctx
    texture = screen().resource_create(width0=8, height0=8, format="R32_FLOAT", last_level=3)
    for number in range(4):
        ctx.texture_subdata(texture, np.full((8 >> number, 8 >> number), number, np.float32), level=number)
    ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(texture)])
    ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state(min_mip_filter="NEAREST", max_lod=9.0)])
    picture.draw(
        f"FRAG\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL OUT[0], COLOR\nIMM[0] FLT32 {{0.5, 0.5, {step}, 0.0}}\n"
        "TXD OUT[0], IMM[0], IMM[0].zwww, IMM[0].wzww, SAMP[0], 2D\nEND\n"
    )
    assert picture.pixels()[0, 0, 0] == level


def test_texels_of_a_mirrored_copy_are_gathered_in_the_order_of_the_coordinates() -> None:
    picture = Picture(1, 1)
    ctx = picture.ctx
    texture = screen().resource_create(width0=4, height0=1, format="R32_FLOAT")
    ctx.texture_subdata(texture, np.arange(4, dtype=np.float32))
    ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(texture)])
    ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state(wrap_s="MIRROR_REPEAT")])
    picture.draw(
        "FRAG\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.5, 0.5, 0.0, 0.0}\nIMM[1] INT32 {0, 0, 0, 0}\n"
        "TG4 OUT[0], IMM[0], IMM[1].xxxx, SAMP[0], 2D\nEND\n"
    )
    assert picture.pixels()[0, 0].tolist() == [2, 1, 1, 2]  # coordinates 5 and 6 are texels 2 and 1


# -- shader resources ----------------------------------------------------------------------------------------------------------
def word(ctx: g.Context, buffer: g.Resource, offset: int = 0) -> int:
    found = np.zeros(1, np.uint32)
    ctx.buffer_read(buffer, found, offset=offset)
    return int(found[0])


STORE = "DCL BUFFER[0]\nDCL TEMP[15]\nIMM[5] UINT32 {{0, {}, 0, 0}}\nATOMUADD TEMP[15].x, BUFFER[0], IMM[5].xxxx, IMM[5].yyyy\n"


def test_shader_resources_are_bound_for_all_stages_of_draws() -> None:
    picture = Picture(1, 1)
    counter = picture.buffer(np.zeros(1, np.uint32))
    picture.ctx.set_shader_resources([counter])
    vertex = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\n" + STORE.format(1).replace("IMM[5]", "IMM[0]") + "MOV OUT[0], IN[0]\nEND\n"
    fragment = "FRAG\nDCL OUT[0], COLOR\n" + STORE.format(100).replace("IMM[5]", "IMM[0]") + "END\n"
    triangle = np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], np.float32)
    picture.draw(fragment, vertex, triangle, mode="TRIANGLES")
    assert word(picture.ctx, counter) == 3 + 100
    picture.ctx.set_shader_resources([None])
    picture.draw(fragment, vertex, triangle, mode="TRIANGLES")
    assert word(picture.ctx, counter) == 103


def test_shader_resources_are_levels_and_ranges() -> None:
    picture = Picture(1, 1)
    ctx = picture.ctx
    array = screen().resource_create(target="TEXTURE_2D_ARRAY", width0=4, height0=4, array_size=4, last_level=1, format="R32_UINT")
    buffer = picture.buffer(np.zeros(8, np.uint32))
    ctx.set_shader_resources([g.ShaderBuffer(buffer, 8, 8), ctx.create_surface(array, level=1, first_layer=2, last_layer=3)])
    stores = "".join(f"STORE BUFFER[0].x, IMM[0].{c}{c}{c}{c}, IMM[1].xxxx\n" for c in "xyz")
    picture.draw(
        "FRAG\nDCL OUT[0], COLOR\nDCL BUFFER[0]\nDCL IMAGE[1], 2D_ARRAY, PIPE_FORMAT_R32_UINT, WR\n"
        "IMM[0] UINT32 {0, 4, 8, 0}\nIMM[1] UINT32 {7, 0, 0, 0}\nIMM[2] UINT32 {0, 0, 1, 0}\nIMM[3] UINT32 {0, 0, 2, 0}\n"
        f"{stores}STORE IMAGE[1], IMM[2], IMM[1].xxxx, 2D_ARRAY, PIPE_FORMAT_R32_UINT\n"
        "STORE IMAGE[1], IMM[3], IMM[1].xxxx, 2D_ARRAY, PIPE_FORMAT_R32_UINT\nEND\n"
    )
    words = np.zeros(8, np.uint32)
    ctx.buffer_read(buffer, words)
    assert words.tolist() == [0, 0, 7, 7, 0, 0, 0, 0]
    assert [int(array.texels(1)[layer, 0, 0, 0]) for layer in range(4)] == [0, 0, 0, 7]
    assert not array.texels(0).any()


def test_what_a_draw_stored_is_there_for_all() -> None:
    picture = Picture(4, 4)
    buffer = picture.buffer(np.zeros(1, np.uint32))
    picture.ctx.set_shader_buffers("FRAGMENT", [buffer])
    picture.draw("FRAG\nDCL OUT[0], COLOR\n" + STORE.format(9).replace("IMM[5]", "IMM[0]") + "END\n", points=STRIP[:3], mode="TRIANGLES")
    with picture.ctx.transfer_map(buffer, usage="READ") as mapped:
        assert mapped.data.view(np.uint32)[0] > 0


# -- surfaces ------------------------------------------------------------------------------------------------------------------
def test_targets_need_the_bind_flag_of_their_kind(ctx: g.Context) -> None:
    plain = screen().resource_create(width0=4, height0=4, bind="SAMPLER_VIEW")
    deep = screen().resource_create(width0=4, height0=4, format="Z32_FLOAT", bind="SAMPLER_VIEW")
    with pytest.raises(ValueError, match="RENDER_TARGET"):
        ctx.create_surface(plain)
    with pytest.raises(ValueError, match="DEPTH_STENCIL"):
        ctx.create_surface(deep)


def test_slices_of_a_volume_are_layers_of_a_surface(ctx: g.Context) -> None:
    volume = screen().resource_create(target="TEXTURE_3D", width0=4, height0=4, depth0=4, format="R32_FLOAT")
    ctx.set_framebuffer_state(cbufs=[ctx.create_surface(volume, first_layer=1, last_layer=2)])
    ctx.clear("COLOR", color=(5, 0, 0, 0))
    ctx.flush()
    assert [float(volume.texels()[k, 0, 0, 0]) for k in range(4)] == [0, 5, 5, 0]
