"""Textures of more than 1 and 4 GiB, up to the largest sizes that the screen offers. Only pages that are touched take memory."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tgsi import gallium as g

pytestmark = pytest.mark.light

EDGE = 16384
LAST = EDGE - 1
GREEN = (0.0, 1.0, 0.0, 1.0)
VS = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n"
READS = {
    "2D": "TXF OUT[0], CONST[0][0], SAMP[0], 2D",
    "2D_ARRAY": "TXF OUT[0], CONST[0][0], SAMP[0], 2D_ARRAY",
    "CUBE": "TXL OUT[0], CONST[0][0], SAMP[0], CUBE",
}


def texel(ctx: g.Context, view: g.SamplerView, name: str, where: Any, **sampler: Any) -> NDArray[np.float32]:
    """Channels that a fragment program reads at `where`: texel, layer and level as integers, or a direction and a level."""
    target = ctx.screen.resource_create(width0=8, height0=8, format="R32G32B32A32_FLOAT", bind="RENDER_TARGET")
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.set_viewport_states([{"scale": (4, 4, 0.5), "translate": (4, 4, 0.5)}])
    ctx.bind_vs_state(ctx.create_vs_state(VS))
    fs = f"FRAG\nDCL OUT[0], COLOR\nDCL CONST[0][0]\nDCL SAMP[0]\nDCL SVIEW[0], {name}, FLOAT\n{READS[name]}\nEND\n"
    ctx.bind_fs_state(ctx.create_fs_state(fs))
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
    ctx.set_vertex_buffers([np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], "f4")])
    ctx.set_constant_buffer("FRAGMENT", np.array(where, "i4" if name != "CUBE" else "f4"))
    ctx.set_sampler_views("FRAGMENT", [view])
    ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state(**{"min_mip_filter": "NEAREST", "max_lod": 15, **sampler})])
    ctx.draw_vbo(mode="TRIANGLES", count=3)
    ctx.flush()
    pixels = np.array(target.texels()[0]).reshape(64, 4)
    assert (pixels == pixels[0]).all()
    return np.asarray(pixels[0])


@pytest.mark.parametrize("filter", ["NEAREST", "LINEAR"])
@pytest.mark.parametrize(("format", "bytes_"), [("R8_UNORM", 1), ("R8G8B8A8_UNORM", 4), ("R32G32B32A32_FLOAT", 16)])
def test_a_cube_of_the_largest_size_is_read_in_the_corner_of_each_face_and_on_all_fifteen_levels(
    screen: g.Screen, ctx: g.Context, format: str, bytes_: int, filter: str
) -> None:
    levels = screen.get_param("MAX_TEXTURE_CUBE_LEVELS")
    assert 1 << levels - 1 == EDGE
    if bytes_ == 16:  # all levels would be more than some machines let a process reserve
        levels = 1
    size: dict[str, Any] = {"width0": EDGE, "height0": EDGE, "array_size": 6, "last_level": levels - 1}
    try:
        cube = screen.resource_create(target="TEXTURE_CUBE", format=format, bind="SAMPLER_VIEW", **size)
    except MemoryError:
        pytest.skip("this machine does not reserve the memory of such a cube")
    assert cube.size > bytes_ * 6 * EDGE * EDGE - 1
    kind = "f4" if bytes_ == 16 else "u1"
    full = 1 if kind == "f4" else 255
    colors = np.array([[k == face % 3 for k in range(4)] for face in range(6)], kind) * full
    for level in range(levels):
        edge = EDGE >> level
        for face in range(6):
            patch = np.broadcast_to(colors[(face + level) % 6], (min(edge, 2), min(edge, 2), 4))[..., : 4 if bytes_ > 1 else 1]
            corner = edge - patch.shape[0]
            ctx.texture_subdata(cube, np.ascontiguousarray(patch), level=level, box=(corner, corner, face, *patch.shape[:2], 1))
    view = ctx.create_sampler_view(cube)
    # directions of the last texel of the faces +x, -x, +y, -y, +z, -z (OpenGL 4.6 core, table 8.19), near the corner
    c = 1 - 1 / EDGE
    corners = [(1, -c, -c), (-1, -c, c), (c, 1, c), (c, -1, -c), (c, -c, 1), (-c, -c, -1)]
    for level in (0, 1, 13, 14)[: None if levels > 1 else 1]:
        for face, direction in enumerate(corners):
            clamped = {"wrap_s": "CLAMP_TO_EDGE", "wrap_t": "CLAMP_TO_EDGE"}
            found = texel(ctx, view, "CUBE", (*direction, level), min_img_filter=filter, mag_img_filter=filter, **clamped)
            expected = colors[(face + level) % 6].astype("f4") / full
            np.testing.assert_array_equal(found[: 1 if bytes_ == 1 else 3], expected[: 1 if bytes_ == 1 else 3], str((face, level)))


@pytest.mark.parametrize("format", ["R32G32B32A32_FLOAT", "R16G16B16A16_FLOAT"])
def test_a_target_of_more_than_a_gib_is_drawn_to_and_read_in_its_last_corner(screen: g.Screen, ctx: g.Context, format: str) -> None:
    try:
        target = screen.resource_create(width0=EDGE, height0=EDGE, format=format, bind="RENDER_TARGET|SAMPLER_VIEW")
    except MemoryError:
        pytest.skip("this machine does not reserve the memory of such a target")
    assert target.size > 1 << 31
    half = 8
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.set_viewport_states([{"scale": (half, half, 0.5), "translate": (EDGE - half, EDGE - half, 0.5)}])
    ctx.bind_vs_state(ctx.create_vs_state(VS))
    ctx.bind_fs_state(ctx.create_fs_state("FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0, 1, 0, 1}\nMOV OUT[0], IMM[0]\nEND\n"))
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
    ctx.set_vertex_buffers([np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], "f4")])
    ctx.draw_vbo(mode="TRIANGLES", count=3)
    view = ctx.create_sampler_view(target)
    for x, y, color in ((LAST, LAST, GREEN), (LAST, LAST - 20, (0, 0, 0, 0)), (LAST - 16, LAST, (0, 0, 0, 0)), (0, 0, (0, 0, 0, 0))):
        np.testing.assert_array_equal(texel(ctx, view, "2D", (x, y, 0, 0)), np.array(color, "f4"))
    small = screen.resource_create(width0=4, height0=4, format=format, bind="SAMPLER_VIEW")
    ctx.resource_copy_region(small, src=target, src_box=(LAST - 3, LAST - 3, 0, 4, 4, 1))
    np.testing.assert_array_equal(texel(ctx, ctx.create_sampler_view(small), "2D", (3, 3, 0, 0)), np.array(GREEN, "f4"))
    with ctx.transfer_map(target, usage="READ", box=(LAST, LAST, 0, 1, 1, 1)) as mapped:
        np.testing.assert_array_equal(np.array(mapped.data, "f4").ravel(), GREEN)


@pytest.mark.parametrize("threads", [0, 2])
def test_images_of_more_than_four_gib_are_stored_loaded_and_counted_in_their_last_texel(threads: int) -> None:
    with g.Screen(threads=threads) as screen, screen.context_create() as ctx:
        try:
            image = screen.resource_create(
                target="TEXTURE_2D_ARRAY", width0=EDGE, height0=EDGE, array_size=5, format="R32_UINT", bind="SHADER_IMAGE|SAMPLER_VIEW"
            )
        except MemoryError:
            pytest.skip("this machine does not reserve the memory of such an image")
        assert image.size > 1 << 32
        program = (
            "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 8\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n"
            "DCL SV[0], THREAD_ID\nDCL IMAGE[0], 2D_ARRAY, PIPE_FORMAT_R32_UINT, WR\nDCL BUFFER[0]\nDCL TEMP[0..2]\n"
            f"IMM[0] UINT32 {{{LAST}, 4, {LAST - 7}, 1}}\nIMM[1] UINT32 {{7, 2, 0, 0}}\n"
            "MOV TEMP[0], IMM[0].xxyy\nATOMUADD TEMP[1].x, IMAGE[0], TEMP[0], IMM[0].wwww, 2D_ARRAY, PIPE_FORMAT_R32_UINT\n"
            "UADD TEMP[0].x, SV[0].xxxx, IMM[0].zzzz\nMOV TEMP[0].y, IMM[1].xxxx\n"
            "STORE IMAGE[0], TEMP[0], SV[0].xxxx, 2D_ARRAY, PIPE_FORMAT_R32_UINT\n"
            "LOAD TEMP[2], IMAGE[0], TEMP[0], 2D_ARRAY, PIPE_FORMAT_R32_UINT\n"
            "SHL TEMP[0].x, SV[0].xxxx, IMM[1].yyyy\nSTORE BUFFER[0].x, TEMP[0].xxxx, TEMP[2].xxxx\nEND\n"
        )
        buffer = screen.resource_create(target="BUFFER", width0=32, format="R8_UNORM", bind="SHADER_BUFFER")
        ctx.bind_compute_state(ctx.create_compute_state(program))
        ctx.set_shader_images("COMPUTE", [image])
        ctx.set_shader_buffers("COMPUTE", [buffer])
        ctx.launch_grid(block=(8, 1, 1), grid=(9, 1, 1))
        ctx.flush()
        with ctx.transfer_map(image, usage="READ", box=(LAST, LAST, 4, 1, 1, 1)) as mapped:
            assert np.array(mapped.data).ravel().tolist() == [72]
        with ctx.transfer_map(image, usage="READ", box=(LAST - 7, 7, 4, 8, 1, 1)) as mapped:
            assert np.array(mapped.data).ravel().tolist() == [*range(8)]
        assert np.array(buffer.texels()).view("u4").ravel()[:8].tolist() == [*range(8)]


@pytest.mark.parametrize(
    ("given", "size"),
    [
        ({"target": "TEXTURE_CUBE", "array_size": 6, "format": "R32G32B32A32_FLOAT"}, 24 << 30),
        ({"target": "TEXTURE_CUBE", "array_size": 6, "format": "R8_UNORM"}, 3 << 29),
        ({"format": "R32G32B32A32_FLOAT"}, 4 << 30),
        ({"target": "TEXTURE_2D_ARRAY", "array_size": 9, "format": "R8G8B8A8_UNORM"}, 9 << 30),
        ({"nr_samples": 16, "format": "R8G8B8A8_UNORM", "bind": "RENDER_TARGET"}, 16 << 30),
    ],
)
def test_a_screen_with_a_limit_refuses_what_exceeds_it_and_goes_on(given: dict[str, Any], size: int) -> None:
    with g.Screen(threads=0, memory_limit=1 << 30) as screen:
        wanted = {"width0": EDGE, "height0": EDGE, **given}
        with pytest.raises(MemoryError, match="memory_limit of 1073741824") as caught:
            screen.resource_create(**wanted)
        needed = re.search(r"(\d+) bytes are needed", str(caught.value))
        assert needed is not None
        assert int(needed[1]) >= size
        assert screen.query_memory_info()["used_bytes"] == 0
        screen.resource_create(width0=64, height0=64)
