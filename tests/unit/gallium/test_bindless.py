"""Handles of textures and images that are not bound to units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.software.renderer import Renderer
from tests.unit.gallium.test_draw_memory import SIZE, Stage
from tgsi import gallium as g

pytestmark = pytest.mark.light

PICK = """FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL BUFFER[0]
DCL TEMP[0..2]
IMM[0] UINT32 {4, 3, 0, 0}
IMM[1] FLT32 {0.5, 0.5, 0.0, 0.0}
F2U TEMP[0].x, IN[0].xxxx
USHR TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx
LOAD TEMP[1].x, BUFFER[0], TEMP[0].xxxx
MOV TEMP[1].y, IMM[0].zzzz
TEX OUT[0], IMM[1], TEMP[1].xyxx, 2D
END
"""
"""Program in which eight columns of pixels sample textures by handle; each column takes its handle from a word of a buffer."""
FORMATS = ("R8G8B8A8_UNORM", "R32G32B32A32_FLOAT", "R8_UNORM", "R16G16_FLOAT")


@pytest.fixture
def stage(screen: g.Screen, ctx: g.Context) -> Stage:
    return Stage(screen, ctx)


def plain_view(stage: Stage, format: str, value: float, **given: Any) -> g.SamplerView:
    """View of a texture with one texel."""
    texture = stage.screen.resource_create(format=format, width0=1, height0=1)
    stage.ctx.clear_render_target(texture, color=(value,) * 4)
    return stage.ctx.create_sampler_view(texture, swizzle="xxxx", **given)


def draw(stage: Stage, handles: Any, text: str | None = PICK) -> NDArray[Any]:
    """First row of pixels drawn by the picking shader."""
    target = stage.screen.resource_create(format="R32G32B32A32_FLOAT", width0=SIZE, height0=SIZE)
    stage.ctx.set_framebuffer_state(cbufs=[target])
    stage.ctx.set_shader_buffers("FRAGMENT", [stage.buffer(np.array(handles, np.uint32))])
    if text is not None:
        stage.fragment(text)
    stage.cover()
    found: NDArray[Any] = stage.pixels(target)[0, :, 0]
    return found


def test_handles_reach_every_resident_texture_of_every_kind(stage: Stage) -> None:
    ctx = stage.ctx
    values = np.arange(18) / 16
    handles = []
    for k, value in enumerate(values):
        handle = ctx.create_texture_handle(
            plain_view(stage, FORMATS[k % 4], value), g.SamplerState() if k % 3 else ctx.create_sampler_state()
        )
        ctx.make_texture_handle_resident(handle)
        handles.append(handle)
    assert len(set(handles)) == 18
    order = np.random.default_rng(1).permutation(18)
    found = draw(stage, np.array(handles)[order])
    assert np.allclose(found, np.repeat(np.minimum(values, [1.0, 9.0, 1.0, 9.0] * 4 + [1.0, 9.0])[order], 8), atol=1 / 255)


def test_more_textures_of_known_kinds_need_no_new_code(stage: Stage) -> None:
    ctx = stage.ctx
    handles = [ctx.create_texture_handle(plain_view(stage, "R32G32B32A32_FLOAT", k), g.SamplerState()) for k in range(300)]
    for handle in handles[:18]:
        ctx.make_texture_handle_resident(handle)
    draw(stage, handles[:18])
    assert isinstance(ctx.device, Renderer)
    before = len(ctx.device.kernels.cache)
    for handle in handles:
        ctx.make_texture_handle_resident(handle)
    wanted = np.array([299, 0, 150, 17, 18, 31, 32, 33, 64, 127, 128, 129, 200, 255, 256, 257, 298, 1])
    assert (draw(stage, np.array(handles)[wanted], None) == np.repeat(wanted, 8)).all()
    assert len(ctx.device.kernels.cache) == before


def test_what_is_not_resident_reads_zero(stage: Stage) -> None:
    """Handles that were never created also read 0 and never index outside of the table. Units have their number plus 1 as handle."""
    ctx = stage.ctx
    first, second = (ctx.create_texture_handle(plain_view(stage, "R32G32B32A32_FLOAT", value), g.SamplerState()) for value in (3, 5))
    ctx.make_texture_handle_resident(first)
    ctx.make_texture_handle_resident(second)
    ctx.set_sampler_views("FRAGMENT", [plain_view(stage, "R32G32B32A32_FLOAT", 7)], start=2)
    ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()], start=2)
    wrong = [0, 1, 2, 32, second + 1, 129, 161, 1000, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1]
    found = draw(stage, [first, second, 3, *wrong, 0, 0, 0])[::8]
    assert found.tolist() == [3, 5, 7] + [0] * 15
    ctx.make_texture_handle_resident(first, resident=False)
    ctx.delete_texture_handle(second)
    assert draw(stage, [first, second, 3] + [0] * 15)[:24:8].tolist() == [0, 0, 7]


def test_a_draw_keeps_what_was_resident_when_it_was_made(stage: Stage) -> None:
    ctx = stage.ctx
    view = plain_view(stage, "R32G32B32A32_FLOAT", 3)
    handle = ctx.create_texture_handle(view, g.SamplerState())
    ctx.make_texture_handle_resident(handle)
    target = stage.screen.resource_create(format="R32G32B32A32_FLOAT", width0=SIZE, height0=SIZE)
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.set_shader_buffers("FRAGMENT", [stage.buffer(np.full(18, handle, np.uint32))])
    stage.fragment(PICK)
    stage.cover()
    ctx.delete_texture_handle(handle)
    ctx.sampler_view_destroy(view)
    stage.screen.resource_destroy(view.texture)
    assert (stage.pixels(target)[..., 0] == 3).all()


def test_a_texture_changed_between_two_draws_is_seen_by_the_second_only(stage: Stage) -> None:
    ctx = stage.ctx
    view = plain_view(stage, "R32G32B32A32_FLOAT", 3)
    handle = ctx.create_texture_handle(view, g.SamplerState())
    ctx.make_texture_handle_resident(handle)
    target = stage.screen.resource_create(format="R32G32B32A32_FLOAT", width0=SIZE, height0=SIZE)
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.set_shader_buffers("FRAGMENT", [stage.buffer(np.full(18, handle, np.uint32))])
    stage.fragment(PICK)
    stage.cover(right=0.0)
    ctx.texture_subdata(view.texture, np.full(4, 4, "f4"))
    stage.cover(left=0.0)
    assert stage.pixels(target)[0, :, 0].tolist() == [3] * (SIZE // 2) + [4] * (SIZE // 2)


STORE = """{stage}
{declarations}
DCL CONST[0]
DCL TEMP[0]
IMM[0] UINT32 {{0, 0, 0, 0}}
IMM[1] FLT32 {{5.0, 6.0, 7.0, 8.0}}
MOV TEMP[0], CONST[0]
STORE TEMP[0], IMM[0], IMM[1], 2D, PIPE_FORMAT_R32G32B32A32_FLOAT
{end}
END
"""


@pytest.mark.parametrize("kind", ["VERTEX", "FRAGMENT", "COMPUTE"])
def test_images_are_written_by_handles_in_every_stage(stage: Stage, kind: str) -> None:
    ctx = stage.ctx
    image, other = (stage.screen.resource_create(format="R32G32B32A32_FLOAT", width0=2, height0=2) for _ in range(2))
    handles = [ctx.create_image_handle(i) for i in (other, image)]
    for handle in handles:
        ctx.make_image_handle_resident(handle)
    ctx.set_constant_buffer(kind, np.array([handles[1], 0, 0, 0], np.uint32))
    declarations, end = {
        "VERTEX": ("DCL IN[0]\nDCL OUT[0], POSITION", "MOV OUT[0], IN[0]"),
        "FRAGMENT": ("", ""),
        "COMPUTE": ("", ""),
    }[kind]
    text = STORE.format(stage={"VERTEX": "VERT", "FRAGMENT": "FRAG", "COMPUTE": "COMP"}[kind], declarations=declarations, end=end)
    stage.fragment("FRAG\nEND\n")
    if kind == "VERTEX":
        ctx.bind_vs_state(ctx.create_vs_state(text))
    elif kind == "FRAGMENT":
        stage.fragment(text)
    if kind == "COMPUTE":
        ctx.bind_compute_state(ctx.create_compute_state(text))
        ctx.launch_grid(block=(1, 1, 1), grid=(1, 1, 1))
    else:
        stage.cover()
    assert stage.pixels(image)[0, 0].tolist() == [5, 6, 7, 8]
    assert not stage.pixels(other).any()
    ctx.make_image_handle_resident(handles[1], resident=False)
    ctx.clear_texture(image, bytes(16))
    if kind == "COMPUTE":
        ctx.launch_grid(block=(1, 1, 1), grid=(1, 1, 1))
    else:
        stage.cover()
    assert not stage.pixels(image).any()


def test_grids_sample_by_handles(stage: Stage) -> None:
    ctx = stage.ctx
    handles = [ctx.create_texture_handle(plain_view(stage, FORMATS[k % 4], k / 4), g.SamplerState()) for k in range(4)]
    for handle in handles:
        ctx.make_texture_handle_resident(handle)
    numbers, found = stage.buffer(np.array(handles, np.uint32)), stage.buffer(np.zeros(4, "f4"))
    ctx.set_shader_buffers("COMPUTE", [numbers, found])
    ctx.bind_compute_state(
        ctx.create_compute_state(
            "COMP\nDCL SV[0], THREAD_ID\nDCL BUFFER[0..1]\nDCL TEMP[0..2]\nIMM[0] UINT32 {4, 0, 0, 0}\nIMM[1] FLT32 {0.5, 0.5, 0.0, 0.0}\n"
            "UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\nLOAD TEMP[1].x, BUFFER[0], TEMP[0].xxxx\nTEX_LZ TEMP[2], IMM[1], TEMP[1].xyxx, 2D\n"
            "STORE BUFFER[1].x, TEMP[0].xxxx, TEMP[2]\nEND\n"
        )
    )
    ctx.launch_grid(block=(4, 1, 1), grid=(1, 1, 1))
    assert np.allclose(stage.words(found).view("f4"), [0, 0.25, 0.5, 0.75], atol=1 / 255)


def test_wrong_handles_are_refused(stage: Stage) -> None:
    ctx = stage.ctx
    assert stage.screen.get_param("BINDLESS_TEXTURE") == 1
    handle = ctx.create_texture_handle(plain_view(stage, "R8_UNORM", 1))
    image = ctx.create_image_handle(stage.color)
    ctx.delete_texture_handle(handle)
    for wrong in (0, 1, 33, handle, -5, 1 << 70):
        with pytest.raises(ValueError, match="handle"):
            ctx.make_texture_handle_resident(wrong)
    with pytest.raises(ValueError, match="not a handle of an image"):
        ctx.delete_image_handle(image + 1)
    with pytest.raises(TypeError, match="create_texture_handle: view"):
        ctx.create_texture_handle(stage.color)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="create_image_handle: image"):
        ctx.create_image_handle("IMAGE")
    ctx.delete_image_handle(image)
