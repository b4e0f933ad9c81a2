"""Compute programs with images and textures, and the order of grids and draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tgsi
from backends.run.textures import TextureData
from tests.unit.gallium.compute_cases import ADD_ONE, buffer, launch, words, zeros
from tgsi import gallium as g

pytestmark = pytest.mark.light

COPY = """COMP
DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL SV[2], BLOCK_SIZE
DCL IMAGE[0], {target}, PIPE_FORMAT_R8G8B8A8_UNORM, WR
DCL IMAGE[1], {target}, PIPE_FORMAT_R8G8B8A8_UNORM, WR
DCL TEMP[0..1]
IMM[0] UINT32 {{1, 0, 0, 0}}
UMAD TEMP[0].xyz, SV[1].xyzz, SV[2].xyzz, SV[0].xyzz
LOAD TEMP[1], IMAGE[0], TEMP[0], {target}, PIPE_FORMAT_R8G8B8A8_UNORM
STORE IMAGE[1].{mask}, TEMP[0], TEMP[1].{swizzle}, {target}, PIPE_FORMAT_R8G8B8A8_UNORM
END
"""

FORMATS = [
    *("R8G8B8A8_UNORM", "B8G8R8A8_UNORM", "R8_UNORM", "R8G8_SNORM", "R16G16B16A16_FLOAT", "R11G11B10_FLOAT", "R32_UINT", "R32G32_SINT"),
    *(
        "R32G32B32A32_FLOAT",
        "R10G10B10A2_UNORM",
        "R16_UINT",
        "R8G8B8A8_UINT",
        "B5G6R5_UNORM",
        "R8G8B8_UNORM",
        "R9G9B9E5_FLOAT",
        "R32G32B32_FLOAT",
    ),
]


def texture(ctx: g.Context, format: str, width: int, height: int, layers: int = 1, seed: int = 0, **more: Any) -> g.Resource:
    """Texture of random bytes, or of zeros for seed 0."""
    target = more.pop("target", "TEXTURE_2D_ARRAY" if layers > 1 else "TEXTURE_2D")
    more |= {"depth0": layers} if target == "TEXTURE_3D" else {"array_size": layers}
    made = ctx.screen.resource_create(target=target, format=format, width0=width, height0=height, **more)
    if seed:
        blocks = made.blocks()
        blocks[...] = np.random.default_rng(seed).integers(0, 255 if "FLOAT" not in format else 60, blocks.shape)
    return made


def as_data(resource: g.Resource) -> TextureData:
    """Texels in the form of `tgsi.run`."""
    return TextureData(resource.plain_format, (resource.blocks().copy(),))


@pytest.mark.parametrize("format", FORMATS)
def test_images_are_read_and_written_as_the_interpreter_does(ctx: g.Context, format: str) -> None:
    source, target = texture(ctx, format, 13, 9, seed=3), texture(ctx, format, 13, 9, seed=4)
    text = COPY.format(target="2D", mask="xzw", swizzle="zyxw")
    given = {0: as_data(source), 1: as_data(target)}
    expected = tgsi.run(tgsi.parse(text), images=given, grid=(4, 3, 1), block=(4, 4, 1), engine="interp").images
    ctx.set_shader_images("COMPUTE", [source, target])
    launch(ctx, text, block=(4, 4, 1), grid=(4, 3, 1))
    assert (source.blocks() == expected[0]).all()
    assert (target.blocks() == expected[1]).all()
    padding = target.storage.copy()
    info = target.levels[0]
    rows = padding.reshape(-1, info.row_stride)[: info.height]
    assert not rows[:, info.width * target.format.block_bytes :].any()


@pytest.mark.parametrize(
    ("target", "kind"), [("2D_ARRAY", "TEXTURE_2D_ARRAY"), ("3D", "TEXTURE_3D"), ("CUBE", "TEXTURE_CUBE"), ("1D_ARRAY", "TEXTURE_1D_ARRAY")]
)
def test_layers_and_slices_are_places_of_an_image(ctx: g.Context, target: str, kind: str) -> None:
    height = 1 if kind == "TEXTURE_1D_ARRAY" else 5
    layers = 6
    source, copy = (texture(ctx, "R32_UINT", 5, height, layers, seed, target=kind) for seed in (5, 0))
    ctx.set_shader_images("COMPUTE", [source, copy])
    grid = (1, 6, 1) if target == "1D_ARRAY" else (1, 1, 6)
    launch(ctx, COPY.format(target=target, mask="x", swizzle="xyzw"), block=(5, height, 1), grid=grid)
    assert (copy.blocks() == source.blocks()).all()


def test_an_image_is_a_level_and_a_range_of_layers_with_a_format_of_its_own(ctx: g.Context) -> None:
    source = texture(ctx, "R8G8B8A8_UNORM", 16, 16, 4, seed=6, last_level=2)
    source.blocks(1)[...] = np.random.default_rng(7).integers(0, 256, source.blocks(1).shape)
    copy = texture(ctx, "R32_UINT", 16, 16, 3)
    views = [g.ImageView(source, format="R32_UINT", level=1, first_layer=1, last_layer=2), {"resource": copy, "access": "WRITE"}]
    ctx.set_shader_images("COMPUTE", views)
    launch(ctx, COPY.format(target="2D_ARRAY", mask="x", swizzle="xyzw"), block=(16, 16, 1), grid=(1, 1, 4))
    assert (copy.blocks()[:2, :8, :8] == source.blocks(1)[1:3]).all()
    assert not copy.blocks()[2].any()
    assert not copy.blocks()[:, 8:].any()
    assert not copy.blocks()[:, :, 8:].any()


def test_a_range_of_a_buffer_can_be_an_image(ctx: g.Context) -> None:
    source, copy = buffer(ctx, np.arange(40, dtype=np.uint32)), zeros(ctx, 40)
    ctx.set_shader_images(
        "COMPUTE", [{"resource": source, "format": "R32_UINT", "offset": 16, "size": 80}, {"resource": copy, "format": "R32_UINT"}]
    )
    launch(ctx, COPY.format(target="BUFFER", mask="x", swizzle="xyzw"), block=(40, 1, 1))
    assert list(words(copy)) == [*range(4, 24), *[0] * 20]


def test_sizes_of_resources(ctx: g.Context) -> None:
    text = """COMP
DCL BUFFER[0..1]
DCL IMAGE[0], 2D_ARRAY, PIPE_FORMAT_R8_UNORM, WR
DCL TEMP[0..1]
IMM[0] UINT32 {0, 16, 0, 0}
RESQ TEMP[0], IMAGE[0], 2D_ARRAY
RESQ TEMP[1].x, BUFFER[1]
STORE BUFFER[0], IMM[0].xxxx, TEMP[0]
STORE BUFFER[0].x, IMM[0].yyyy, TEMP[1]
END
"""
    found = zeros(ctx, 5)
    ctx.set_shader_images("COMPUTE", [texture(ctx, "R8_UNORM", 7, 3, 4)])
    launch(ctx, text, found, g.ShaderBuffer(zeros(ctx, 8), 4, 20), block=(1, 1, 1))  # type: ignore[arg-type]
    assert list(words(found)) == [7, 3, 4, 1, 20]


def test_atomics_of_images_meet_at_one_texel(ctx: g.Context) -> None:
    text = """COMP
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL TEMP[0]
IMM[0] UINT32 {2, 1, 3, 0}
ATOMUADD TEMP[0].x, IMAGE[0], IMM[0].xyyy, IMM[0].zzzz, 2D, PIPE_FORMAT_R32_UINT
END
"""
    image = texture(ctx, "R32_UINT", 4, 4)
    ctx.set_shader_images("COMPUTE", [image])
    launch(ctx, text, block=(20, 1, 1), grid=(50, 1, 1))
    assert image.texels()[0, 1, 2] == 3 * 1000
    assert image.texels().sum() == 3 * 1000


SAMPLE = """COMP
DCL SV[0], THREAD_ID
DCL BUFFER[0]
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL TEMP[0..1]
IMM[0] FLT32 {0.25, 0.125, 0.0, 0.0}
IMM[1] UINT32 {16, 0, 0, 0}
U2F TEMP[0].x, SV[0].xxxx
MAD TEMP[0].xy, TEMP[0].xxxx, IMM[0].xxxx, IMM[0].yyyy
TEX_LZ TEMP[1], TEMP[0], SAMP[0], 2D
UMUL TEMP[0].z, SV[0].xxxx, IMM[1].xxxx
STORE BUFFER[0], TEMP[0].zzzz, TEMP[1]
END
"""


def test_textures_are_sampled(ctx: g.Context) -> None:
    source = texture(ctx, "R8G8B8A8_UNORM", 4, 4, seed=8)
    ctx.set_sampler_views("COMPUTE", [ctx.create_sampler_view(source, swizzle="wzyx")])
    ctx.bind_sampler_states("COMPUTE", [ctx.create_sampler_state(min_img_filter="NEAREST", mag_img_filter="NEAREST")])
    found = zeros(ctx, 16)
    launch(ctx, SAMPLE, found, block=(4, 1, 1))
    expected = source.texels()[0][range(4), range(4)][:, ::-1] / np.float32(255)
    assert np.allclose(words(found).view(np.float32).reshape(4, 4), expected, atol=1e-6)


# -- order ------------------------------------------------------------------------------------------------------------

TRIANGLE = np.array([[-1, -1, 1, 0, 0, 1], [3, -1, 1, 0, 0, 1], [-1, 3, 1, 0, 0, 1]], np.float32)


def draw(ctx: g.Context, vertices: Any = TRIANGLE) -> None:
    """Draw red over the whole target."""
    ctx.set_vertex_buffers([g.VertexBuffer(vertices, 24)])
    ctx.draw_vbo(mode="TRIANGLES", count=3)


def test_a_grid_sees_what_was_drawn_before_and_draws_see_what_it_wrote(drawing: g.Context) -> None:
    target = texture(drawing, "R8G8B8A8_UNORM", 16, 16)
    drawing.set_framebuffer_state(cbufs=[target])
    drawing.clear("COLOR", color=(0, 0, 1, 1))
    draw(drawing)
    copy = texture(drawing, "R8G8B8A8_UNORM", 16, 16)
    drawing.set_shader_images("COMPUTE", [target, copy])
    launch(drawing, COPY.format(target="2D", mask="xyzw", swizzle="zxyw"), block=(16, 16, 1))
    assert (copy.texels() == (0, 255, 0, 255)).all()
    drawing.set_shader_images("COMPUTE", [copy, target])
    drawing.launch_grid(block=(8, 8, 1))
    drawing.flush()
    assert (target.texels()[0, :8, :8] == (0, 0, 255, 255)).all()
    assert (target.texels()[0, 8:] == (255, 0, 0, 255)).all()


def test_a_grid_waits_for_draws_that_read_what_it_writes(drawing: g.Context) -> None:
    target = texture(drawing, "R8G8B8A8_UNORM", 16, 16)
    drawing.set_framebuffer_state(cbufs=[target])
    vertices = buffer(drawing, TRIANGLE)
    draw(drawing, vertices)
    launch(drawing, ADD_ONE, vertices, block=(18, 1, 1))
    assert (target.texels() == (255, 0, 0, 255)).all()  # drawn before the words changed


def test_drawing_that_has_nothing_to_do_with_a_grid_goes_on_waiting(drawing: g.Context) -> None:
    target = texture(drawing, "R8G8B8A8_UNORM", 16, 16)
    drawing.set_framebuffer_state(cbufs=[target])
    draw(drawing)
    launch(drawing, ADD_ONE, zeros(drawing, 4), block=(4, 1, 1))
    assert drawing.is_resource_referenced(target)
    drawing.memory_barrier("SHADER_BUFFER")
    assert (target.texels() == (255, 0, 0, 255)).all()


def test_vertices_and_indirect_draws_may_come_from_a_grid(drawing: g.Context) -> None:
    target = texture(drawing, "R8G8B8A8_UNORM", 16, 16)
    drawing.set_framebuffer_state(cbufs=[target])
    counts = buffer(drawing, np.array([2, 0, 0xFFFFFFFF, 0xFFFFFFFF], np.uint32))
    launch(drawing, ADD_ONE, counts, block=(4, 1, 1))
    drawing.set_vertex_buffers([g.VertexBuffer(buffer(drawing, TRIANGLE), 24)])
    drawing.draw_vbo(mode="TRIANGLES", indirect=counts)
    drawing.flush()
    assert (target.texels() == (255, 0, 0, 255)).all()


def test_the_render_condition_does_not_hold_for_grids(ctx: g.Context) -> None:
    query = ctx.create_query("OCCLUSION_PREDICATE")
    ctx.begin_query(query)
    ctx.end_query(query)
    found = zeros(ctx, 4)
    ctx.render_condition(query)
    launch(ctx, ADD_ONE, found, block=(4, 1, 1))
    assert words(found).all()


def test_older_names_bind_buffers_and_images(ctx: g.Context) -> None:
    found, image = zeros(ctx, 4), texture(ctx, "R32_UINT", 4, 1)
    ctx.bind_compute_state(ctx.create_compute_state(ADD_ONE))
    ctx.set_compute_resources([found, image])
    ctx.launch_grid(block=(4, 1, 1))
    assert words(found).all()


def test_formats_can_be_images_as_the_screen_says(screen: g.Screen, ctx: g.Context) -> None:
    for format in g.Format:
        made = texture(ctx, str(format), 4, 4) if screen.is_format_supported(format) else None
        if screen.is_format_supported(format, bind="SHADER_IMAGE"):
            ctx.set_shader_images("COMPUTE", [made])
        elif made is not None:
            with pytest.raises(ValueError, match="cannot be an image"):
                ctx.set_shader_images("COMPUTE", [made])
    assert screen.is_format_supported("R8_UNORM", target="BUFFER", bind="SHADER_BUFFER|SHADER_IMAGE|GLOBAL")
