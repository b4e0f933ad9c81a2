"""Sentences of context.rst about state, clears, draws and copies, each held by a test of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.unit.picture import GENERIC, PASS, STRIP, TRIANGLE, WHITE, Picture, screen
from tgsi import gallium as g

pytestmark = pytest.mark.light

FLAT = GENERIC.replace("PERSPECTIVE", "CONSTANT")


# -- contexts ------------------------------------------------------------------------------------------------------------------
def test_contexts_of_one_screen_bind_for_themselves() -> None:
    first, second = Picture(4, 4), Picture(4, 4)
    first.ctx.set_blend_color((1, 1, 1, 1))
    first.ctx.set_scissor_states([g.ScissorState(0, 0, 1, 1)])
    first.draw(rasterizer={"scissor": True})
    second.draw()
    assert (first.covered().sum(), second.covered().sum()) == (1, 16)


def test_a_resource_serves_every_context_of_its_screen(ctx: g.Context) -> None:
    with ctx.screen.context_create() as other:  # type: ignore[attr-defined]
        texture = ctx.screen.resource_create(width0=2, height0=2)
        ctx.clear_render_target(texture, color=(1, 0, 0, 1))
        ctx.flush()
        with other.transfer_map(texture, usage="READ") as mapped:
            assert (mapped.data == (255, 0, 0, 255)).all()


def test_an_object_may_be_bound_again_and_again() -> None:
    picture = Picture(4, 4)
    ctx = picture.ctx
    half = ctx.create_blend_state(blend_enable=True, rgb_src_factor="CONST_COLOR", rgb_dst_factor="ZERO")
    ctx.set_blend_color((0.5, 0.5, 0.5, 0.5))
    found = []
    for handle in (half, None, half, None):
        ctx.bind_blend_state(handle)
        found.append(float(picture.draw().pixels()[0, 0, 0]))
    assert found == [0.5, 1, 0.5, 1]


def test_samplers_of_other_stages_and_units_stay_bound() -> None:
    picture = Picture(1, 1)
    ctx = picture.ctx
    texture = screen().resource_create(width0=1, height0=1, format="R32_FLOAT")
    ctx.clear_render_target(texture, color=(0.25, 0, 0, 0))
    border = ctx.create_sampler_state(wrap_s="CLAMP_TO_BORDER", wrap_t="CLAMP_TO_BORDER", border_color=(0.75, 0, 0, 0))
    plain = ctx.create_sampler_state()
    ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(texture)] * 3)
    ctx.bind_sampler_states("FRAGMENT", [border, border, border])
    ctx.bind_sampler_states("FRAGMENT", [plain], start=1)
    ctx.bind_sampler_states("VERTEX", [plain, plain, plain])
    sums = "".join(f"TEX TEMP[0], IMM[0], SAMP[{unit}], 2D\nMOV OUT[0].{'xyz'[unit]}, TEMP[0].xxxx\n" for unit in range(3))
    declared = "".join(f"DCL SAMP[{unit}]\nDCL SVIEW[{unit}], 2D, FLOAT\n" for unit in range(3))
    picture.draw(f"FRAG\n{declared}DCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] FLT32 {{5.5, 5.5, 0.0, 0.0}}\n{sums}END\n")
    assert picture.pixels()[0, 0, :3].tolist() == [0.75, 0.25, 0.75]


# -- scissors ------------------------------------------------------------------------------------------------------------------
def test_the_scissor_counts_only_where_the_rasterizer_asks_for_it() -> None:
    picture = Picture(8, 8)
    picture.ctx.set_scissor_states([g.ScissorState(2, 3, 5, 4)])
    assert np.argwhere(picture.draw(rasterizer={"scissor": True}).covered()).tolist() == [[3, 2], [3, 3], [3, 4]]
    assert picture.draw().covered().all()


def test_the_last_scissor_belongs_to_the_last_viewport() -> None:
    last = screen().get_param("MAX_VIEWPORTS") - 1
    picture = Picture(8, 8)
    picture.ctx.set_scissor_states([g.ScissorState(0, 0, 0, 0)] * last + [g.ScissorState(1, 2, 2, 3)])
    vertex = PASS.replace("GENERIC[0]", "VIEWPORT_INDEX")
    picture.draw(vertex=vertex, values=np.full((4, 4), last, np.int32).view(np.float32), rasterizer={"scissor": True})
    assert np.argwhere(picture.covered()).tolist() == [[2, 1]]


# -- clears --------------------------------------------------------------------------------------------------------------------
def test_a_clear_heeds_no_mask_and_no_scissor() -> None:
    picture = Picture(4, 4)
    ctx = picture.ctx
    zs = screen().resource_create(width0=4, height0=4, format="Z24_UNORM_S8_UINT", bind="DEPTH_STENCIL")
    ctx.set_framebuffer_state(cbufs=picture.targets, zsbuf=zs)
    ctx.bind_blend_state(ctx.create_blend_state(colormask=0))
    stencil = g.StencilState(enabled=True, func=g.CompareFunc.NEVER, writemask=0)
    ctx.bind_depth_stencil_alpha_state(ctx.create_depth_stencil_alpha_state(stencil=(stencil, stencil)))
    ctx.bind_rasterizer_state(ctx.create_rasterizer_state(scissor=True, rasterizer_discard=True))
    ctx.set_scissor_states([g.ScissorState(0, 0, 0, 0)])
    ctx.set_sample_mask(0)
    ctx.set_window_rectangles(True, [])
    ctx.clear(color=(0.5, 0.5, 0.5, 0.5), depth=1.0, stencil=200)
    assert (picture.pixels() == 0.5).all()
    assert (np.asarray(zs.texels()).view(np.uint32) == 0xC8FFFFFF).all()


def test_clear_depth_stencil_fills_all_layers(ctx: g.Context) -> None:
    array = screen().resource_create(target="TEXTURE_2D_ARRAY", width0=4, height0=4, array_size=4, format="Z32_FLOAT")
    ctx.clear_depth_stencil(ctx.create_surface(array, first_layer=1, last_layer=3), depth=0.5)
    ctx.flush()
    assert [float(array.texels()[k].ravel()[0]) for k in range(4)] == [0, 0.5, 0.5, 0.5]


# -- draws ---------------------------------------------------------------------------------------------------------------------
def test_an_index_is_compared_before_the_bias_is_added() -> None:
    points = np.concatenate([np.full((4, 4), 9, np.float32), STRIP])
    index = np.array([0, 1, 2, 4, 1, 2, 3], np.uint16)
    with_bias = Picture(8, 8).draw(points=points, index=index, count=7, index_bias=4, primitive_restart=True, restart_index=4)
    assert with_bias.covered().all()  # vertex 4 is drawn as index 0, and index 4 cuts the strip
    shifted = Picture(8, 8).draw(points=points, index=index, count=7, index_bias=4, primitive_restart=True, restart_index=5)
    assert shifted.covered().any()


def test_two_targets_share_a_buffer() -> None:
    picture = Picture(4, 4)
    ctx = picture.ctx
    memory = screen().resource_create(target="BUFFER", width0=64, bind="STREAM_OUTPUT")
    ctx.set_stream_output_targets([ctx.create_stream_output_target(memory, buffer_offset=32 * k, buffer_size=32) for k in range(2)])
    rows = tuple(g.StreamOutput(register_index=k, num_components=4, output_buffer=k) for k in range(2))
    picture.draw(points=STRIP[:2], values=np.full((2, 4), 7, np.float32), mode="POINTS", stream_output=g.StreamOutputInfo((4, 4), rows))
    words = np.zeros(16, np.float32)
    ctx.buffer_read(memory, words)
    assert words.reshape(4, 4).tolist() == [*STRIP[:2].tolist(), [7] * 4, [7] * 4]


def test_a_draw_finds_as_much_in_a_target_as_its_offset_says() -> None:
    picture = Picture(4, 4)
    ctx = picture.ctx
    memory = screen().resource_create(target="BUFFER", width0=160, bind="STREAM_OUTPUT|VERTEX_BUFFER")
    target = ctx.create_stream_output_target(memory)
    for vertices in (0, 2, 5):
        ctx.set_stream_output_targets([target], offsets=[32 * vertices])
        ctx.set_stream_output_targets([])
        ctx.bind_vs_state(ctx.create_vs_state(PASS))
        ctx.bind_fs_state(ctx.create_fs_state(WHITE))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]))
        ctx.set_vertex_buffers([g.VertexBuffer(memory, 32)])
        found = picture.counted("PIPELINE_STATISTICS", lambda: ctx.draw_vbo(mode="POINTS", count_from_stream_output=target))
        assert found[0] == vertices


@pytest.mark.parametrize("flatshade", [False, True])
def test_interpolation_color_of_a_generic_input_is_that_of_colors(flatshade: bool) -> None:
    points = np.array([[-1, -1, 0, 1], [6, -2, 0, 2], [-2, 6, 0, 2]], np.float32)
    values = np.array([[0] * 4, [1] * 4, [2] * 4], np.float32)
    pictures = {
        kind: Picture(8, 8).draw(
            GENERIC.replace("PERSPECTIVE", kind), points=points, values=values, mode="TRIANGLES", rasterizer={"flatshade": flatshade}
        )
        for kind in ("COLOR", "PERSPECTIVE", "CONSTANT")
    }
    expected = pictures["CONSTANT" if flatshade else "PERSPECTIVE"].pixels()
    assert pictures["COLOR"].pixels().tobytes() == expected.tobytes()


@pytest.mark.parametrize(("half", "low", "high"), [(False, -0.25, 0.75), (True, 0.25, 0.75)])
def test_depth_is_clamped_to_the_range_of_the_viewport_as_clip_halfz_says(half: bool, low: float, high: float) -> None:
    for z, expected in ((-9.0, low), (9.0, high)):
        picture = Picture(4, 4, depth=True)
        picture.ctx.set_viewport_states([g.ViewportState((2, 2, 0.5), (2, 2, 0.25))])
        points = TRIANGLE.copy()
        points[:, 2] = z
        always = g.DepthStencilAlphaState(depth=g.DepthState(True, True, g.CompareFunc.ALWAYS))
        picture.draw(points=points, mode="TRIANGLES", dsa=always, rasterizer={"depth_clip": False, "clip_halfz": half})
        picture.ctx.flush()
        assert picture.zs is not None
        assert float(np.asarray(picture.zs.texels()).ravel()[0]) == expected


def test_points_move_with_the_pixel_centers() -> None:
    for half, place in ((True, [8, 8]), (False, [9, 9])):
        picture = Picture(16, 16)
        picture.draw(points=np.array([[1 / 16, 1 / 16, 0, 1]], np.float32), mode="POINTS", rasterizer={"half_pixel_center": half})
        assert np.argwhere(picture.covered()).tolist() == [place]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FRAG\nDCL OUT[0], COLOR\nEND\n", [0, 0, 0, 0]),
        ("FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}\nMOV OUT[0].x, IMM[0]\nEND\n", [1, 0, 0, 0]),
        ("FRAG\nDCL OUT[0], COLOR[1]\nEND\n", [9, 9, 9, 9]),
        ("FRAG\nEND\n", [9, 9, 9, 9]),
    ],
)
def test_outputs_that_are_not_written_are_0_and_those_that_are_not_there_write_nothing(text: str, expected: list[float]) -> None:
    picture = Picture(2, 2)
    picture.ctx.clear(color=(9, 9, 9, 9))
    assert picture.draw(text).pixels()[0, 0].tolist() == expected


# -- copies --------------------------------------------------------------------------------------------------------------------
def test_a_blit_and_a_copy_heed_no_bound_state(ctx: g.Context) -> None:
    source, target = (screen().resource_create(width0=4, height0=4, format="R32_FLOAT") for _ in range(2))
    ctx.clear_render_target(source, color=(3, 0, 0, 0))
    ctx.bind_rasterizer_state(ctx.create_rasterizer_state(scissor=True, rasterizer_discard=True))
    ctx.set_scissor_states([g.ScissorState(0, 0, 0, 0)])
    ctx.bind_blend_state(ctx.create_blend_state(colormask=0))
    ctx.set_window_rectangles(True, [])
    copies: list[Any] = [lambda: ctx.blit(dst=target, src=source), lambda: ctx.resource_copy_region(target, source)]
    for copy in copies:
        ctx.clear_render_target(target, color=(0, 0, 0, 0))
        copy()
        ctx.flush()
        assert (target.texels() == 3).all()


def test_a_region_is_copied_within_one_resource(ctx: g.Context) -> None:
    texture = screen().resource_create(width0=4, height0=1, format="R32_FLOAT")
    ctx.texture_subdata(texture, np.arange(4, dtype=np.float32))
    ctx.resource_copy_region(texture, texture, dstx=2, src_box=(0, 0, 0, 2, 1, 1))
    ctx.flush()
    assert texture.texels()[0, 0, :, 0].tolist() == [0, 1, 0, 1]


def test_a_blit_counts_in_no_query() -> None:
    picture = Picture(4, 4)
    source = screen().resource_create(width0=8, height0=8, format="R32G32B32A32_FLOAT")
    for kind, nothing in (("OCCLUSION_COUNTER", 0), ("PRIMITIVES_GENERATED", 0)):
        assert picture.counted(kind, lambda: picture.ctx.blit(dst=picture.targets[0], src=source, filter="LINEAR")) == nothing


def test_a_flushed_resource_is_complete() -> None:
    picture = Picture(4, 4).draw()
    assert picture.ctx.is_resource_referenced(picture.targets[0])
    picture.ctx.flush_resource(picture.targets[0])
    assert not picture.ctx.is_resource_referenced(picture.targets[0])
    assert (picture.targets[0].texels() == 1).all()


# -- debugging -----------------------------------------------------------------------------------------------------------------
class Log:
    """A log that keeps its text."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text += text


def test_callbacks_and_logs_are_kept_or_refused(ctx: g.Context) -> None:
    log = Log()
    ctx.set_log_context(log)
    text = ctx.dump_debug_state()
    assert log.text == text + "\n"
    ctx.set_device_reset_callback(lambda status: None)
    ctx.set_device_reset_callback(None)
    wrong: Any = 3
    with pytest.raises(TypeError, match="set_debug_callback: callback"):
        ctx.set_debug_callback(wrong)
    with pytest.raises(TypeError, match="dump_debug_state: stream"):
        ctx.dump_debug_state(wrong)


def test_a_compute_program_has_limits_of_its_own(ctx: g.Context) -> None:
    info = ctx.get_compute_state_info(ctx.create_compute_state("COMP\nEND\n", req_private_mem=64))
    assert info.max_threads == screen().get_compute_param("MAX_THREADS_PER_BLOCK")
    assert info.private_memory == 64
    assert info.preferred_simd_size in (8, 16, 32, 64)
