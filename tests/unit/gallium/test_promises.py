"""Sentences of context.rst that stand apart from the great topics, each held by a test of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.texts import VS_POSITION
from tgsi import gallium as g

pytestmark = pytest.mark.light

TRIANGLE = np.array([[-1, -1, 1, 0, 0, 1], [3, -1, 1, 0, 0, 1], [-1, 3, 1, 0, 0, 1]], np.float32)
SIZE = 16


def target_of(ctx: g.Context) -> g.Resource:
    target = ctx.screen.resource_create(width0=SIZE, height0=SIZE, bind="RENDER_TARGET")
    ctx.set_framebuffer_state(cbufs=[target])
    return target


def is_drawn(ctx: g.Context, target: g.Resource) -> bool:
    with ctx.transfer_map(target, usage="READ") as mapped:
        return bool(mapped.data.any())


# -- queries -----------------------------------------------------------------------------------------------------------------
def test_gpu_finished_does_not_serialize(drawing: g.Context) -> None:
    target_of(drawing)
    drawing.set_vertex_buffers([TRIANGLE])
    drawing.draw_vbo(mode="TRIANGLES", count=3)
    query = drawing.create_query("GPU_FINISHED")
    drawing.end_query(query)
    assert drawing.device.pending
    assert drawing.get_query_result(query, wait=False) is False
    assert drawing.device.pending
    assert drawing.get_query_result(query) is True
    assert not drawing.device.pending
    assert drawing.get_query_result(query, wait=False) is True


def test_stream_output_queries_do_not_carry_out_draws(drawing: g.Context) -> None:
    target_of(drawing)
    drawing.set_vertex_buffers([TRIANGLE])
    query = drawing.create_query("PRIMITIVES_EMITTED")
    drawing.begin_query(query)
    drawing.draw_vbo(mode="TRIANGLES", count=3)
    drawing.end_query(query)
    assert drawing.device.pending
    assert drawing.get_query_result(query) == 0


def test_a_condition_that_does_not_wait_draws_while_its_query_is_open(drawing: g.Context) -> None:
    target = target_of(drawing)
    drawing.set_vertex_buffers([TRIANGLE])
    query = drawing.create_query("GPU_FINISHED")
    drawing.draw_vbo(mode="TRIANGLES", count=0)
    drawing.clear(color=(0, 0, 0, 0))
    drawing.end_query(query)
    drawing.render_condition(query, condition=True, mode="NO_WAIT")
    drawing.draw_vbo(mode="TRIANGLES", count=3)
    drawing.render_condition(None)
    assert is_drawn(drawing, target)


def test_a_condition_that_waits_carries_out_the_work_before_its_query(drawing: g.Context) -> None:
    target = target_of(drawing)
    drawing.set_vertex_buffers([TRIANGLE])
    query = drawing.create_query("GPU_FINISHED")
    drawing.clear(color=(0, 0, 0, 0))
    drawing.end_query(query)
    drawing.render_condition(query, condition=True, mode="WAIT")
    drawing.draw_vbo(mode="TRIANGLES", count=3)
    drawing.render_condition(None)
    assert not is_drawn(drawing, target)


# -- the render condition ----------------------------------------------------------------------------------------------------
COPIES: dict[str, Callable[[g.Context, g.Resource], object]] = {
    "clear_texture": lambda ctx, target: ctx.clear_texture(target, bytes([255] * 4)),
    "texture_subdata": lambda ctx, target: ctx.texture_subdata(target, bytes([255] * 4 * SIZE * SIZE)),
    "resource_copy_region": lambda ctx, target: ctx.resource_copy_region(target, full(ctx)),
    "blit": lambda ctx, target: ctx.blit(dst=target, src=full(ctx)),
}


def full(ctx: g.Context) -> g.Resource:
    made = ctx.screen.resource_create(width0=SIZE, height0=SIZE)
    ctx.texture_subdata(made, bytes([255] * 4 * SIZE * SIZE))
    return made


def conditional(ctx: g.Context) -> None:
    """Set a condition that lets nothing through."""
    query = ctx.create_query("OCCLUSION_PREDICATE")
    ctx.begin_query(query)
    ctx.end_query(query)
    ctx.render_condition(query)


@pytest.mark.parametrize("name", COPIES)
def test_the_render_condition_is_limited_to_draws_and_clears(ctx: g.Context, name: str) -> None:
    target = target_of(ctx)
    conditional(ctx)
    COPIES[name](ctx, target)
    assert is_drawn(ctx, target)


def test_clears_and_blits_that_ask_for_it_heed_the_render_condition(ctx: g.Context) -> None:
    target, depth = target_of(ctx), ctx.screen.resource_create(width0=SIZE, height0=SIZE, format="Z32_FLOAT")
    conditional(ctx)
    ctx.clear(color=(1, 1, 1, 1))
    ctx.clear_render_target(target, color=(1, 1, 1, 1))
    ctx.clear_depth_stencil(depth, depth=1.0)
    ctx.blit(dst=target, src=full(ctx), render_condition_enable=True)
    assert not is_drawn(ctx, target)
    assert not is_drawn(ctx, depth)


# -- index buffers -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["array", "resource"])
def test_an_index_buffer_of_a_draw_leaves_the_bound_one_alone(drawing: g.Context, kind: str) -> None:
    target = target_of(drawing)
    drawing.set_vertex_buffers([TRIANGLE])
    drawing.set_index_buffer(np.array([0, 1, 2], np.uint16))
    nothing: Any = np.zeros(3, np.uint16)
    if kind == "resource":
        nothing = drawing.screen.resource_create(target="BUFFER", width0=6)
    drawing.clear(color=(0, 0, 0, 0))
    drawing.draw_vbo(mode="TRIANGLES", index=nothing, index_size=2, count=3)
    assert not is_drawn(drawing, target)
    drawing.draw_vbo(mode="TRIANGLES", index_size=2, count=3)
    assert is_drawn(drawing, target)


def test_an_index_array_of_a_draw_binds_nothing(drawing: g.Context) -> None:
    target_of(drawing)
    drawing.set_vertex_buffers([TRIANGLE])
    drawing.draw_vbo(mode="TRIANGLES", index=np.array([0, 1, 2], np.uint32))
    with pytest.raises(ValueError, match="there is no index buffer"):
        drawing.draw_vbo(mode="TRIANGLES", index_size=4, count=3)


# -- calls with several objects ----------------------------------------------------------------------------------------------
class Objects:
    """One good object of each kind."""

    def __init__(self, ctx: g.Context) -> None:
        self.ctx = ctx
        self.texture = ctx.screen.resource_create(width0=4, height0=4)
        self.buffer = ctx.screen.resource_create(target="BUFFER", width0=64)
        self.view, self.sampler = ctx.create_sampler_view(self.texture), ctx.create_sampler_state()
        self.stream = ctx.create_stream_output_target(self.buffer)
        self.viewport, self.rectangle = g.ViewportState((1.0, 1.0, 1.0), (0.0, 0.0, 0.0)), g.ScissorState(0, 0, 1, 1)


SEVERAL: dict[str, Callable[[Any, Objects, Any], object]] = {
    "set_sampler_views": lambda ctx, good, bad: ctx.set_sampler_views("FRAGMENT", [good.view, bad]),
    "bind_sampler_states": lambda ctx, good, bad: ctx.bind_sampler_states("FRAGMENT", [good.sampler, bad]),
    "set_vertex_buffers": lambda ctx, good, bad: ctx.set_vertex_buffers([g.VertexBuffer(good.buffer, 4), bad]),
    "set_shader_buffers": lambda ctx, good, bad: ctx.set_shader_buffers("FRAGMENT", [good.buffer, bad]),
    "set_shader_images": lambda ctx, good, bad: ctx.set_shader_images("FRAGMENT", [good.texture, bad]),
    "set_hw_atomic_buffers": lambda ctx, good, bad: ctx.set_hw_atomic_buffers([good.buffer, bad]),
    "set_global_binding": lambda ctx, good, bad: ctx.set_global_binding([good.buffer, bad]),
    "set_compute_resources": lambda ctx, good, bad: ctx.set_compute_resources([good.buffer, bad]),
    "set_shader_resources": lambda ctx, good, bad: ctx.set_shader_resources([good.texture, bad]),
    "set_stream_output_targets": lambda ctx, good, bad: ctx.set_stream_output_targets([good.stream, bad]),
    "set_framebuffer_state": lambda ctx, good, bad: ctx.set_framebuffer_state(cbufs=[good.texture], zsbuf=bad),
    "set_viewport_states": lambda ctx, good, bad: ctx.set_viewport_states([good.viewport, bad]),
    "set_scissor_states": lambda ctx, good, bad: ctx.set_scissor_states([good.rectangle, bad]),
    "set_window_rectangles": lambda ctx, good, bad: ctx.set_window_rectangles(True, [good.rectangle, bad]),
}


def bound(ctx: g.Context) -> tuple[object, ...]:
    """Everything that is bound, in a form that can be compared."""
    state = ctx.state
    memory = [ctx.order.writable(of_draws=is_drawn) for is_drawn in (False, True)]
    return (bytes(state.record), state.stream_targets, ctx.targets.cbufs, ctx.targets.zsbuf, ctx.targets.framebuffer, memory)


@pytest.mark.parametrize("name", SEVERAL)
def test_a_call_with_several_objects_changes_all_or_nothing(ctx: g.Context, name: str) -> None:
    good = Objects(ctx)
    before = bound(ctx)
    with pytest.raises(TypeError, match=rf"^{name}: "):
        SEVERAL[name](ctx, good, 5)
    assert bound(ctx) == before


def test_global_memory_takes_buffers_with_their_bind_flag(ctx: g.Context) -> None:
    plain = ctx.screen.resource_create(target="BUFFER", width0=64, bind="SHADER_BUFFER")
    with pytest.raises(ValueError, match=r"set_global_binding: resources\[0\]: the buffer was not made with bind GLOBAL"):
        ctx.set_global_binding([plain])
    assert ctx.set_global_binding([ctx.screen.resource_create(target="BUFFER", width0=64, bind="GLOBAL")]) == (0,)


# -- lines and points --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("width", "rows"), [(0.0, 1), (1.49, 1), (1.5, 2), (2.5, 3), (3.5, 4), (4.49, 4)])
def test_widths_of_lines_are_rounded_half_up(drawing: g.Context, width: float, rows: int) -> None:
    target = target_of(drawing)
    drawing.bind_rasterizer_state(drawing.create_rasterizer_state(line_width=width))
    drawing.set_vertex_buffers([np.array([[-0.9, 0, 1, 1, 1, 1], [0.9, 0, 1, 1, 1, 1]], np.float32)])
    drawing.draw_vbo(mode="LINES", count=2)
    with drawing.transfer_map(target, usage="READ") as mapped:
        assert np.count_nonzero(mapped.data[:, SIZE // 2, 0]) == rows


def test_a_square_point_has_the_pixel_centers_on_its_left_and_top_sides(drawing: g.Context) -> None:
    target = target_of(drawing)
    drawing.bind_rasterizer_state(drawing.create_rasterizer_state(point_size=2.0, point_quad_rasterization=True))
    drawing.set_vertex_buffers([np.array([[1 / 16, 1 / 16, 1, 1, 1, 1]], np.float32)])  # at 8.5, 8.5
    drawing.draw_vbo(mode="POINTS", count=1)
    with drawing.transfer_map(target, usage="READ") as mapped:
        ys, xs = np.nonzero(mapped.data[..., 0])
    assert (sorted(set(xs.tolist())), sorted(set(ys.tolist()))) == ([7, 8], [7, 8])


# -- capabilities ------------------------------------------------------------------------------------------------------------
def test_shaders_serve_every_context_of_the_screen(screen: g.Screen, drawing: g.Context) -> None:
    assert screen.get_param("PIPE_CAP_SHAREABLE_SHADERS") == 1
    shader = drawing.create_fs_state("FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 0.0, 0.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n")
    vertex = drawing.create_vs_state(VS_POSITION)
    with screen.context_create() as other:
        target = target_of(other)
        other.bind_vs_state(vertex)
        other.bind_fs_state(shader)
        other.bind_vertex_elements_state(other.create_vertex_elements_state([(0, "R32G32_FLOAT")]))
        other.set_viewport_states([g.ViewportState((8.0, 8.0, 0.5), (8.0, 8.0, 0.5))])
        other.set_vertex_buffers([g.VertexBuffer(TRIANGLE)])
        other.draw_vbo(mode="TRIANGLES", count=3)
        with other.transfer_map(target, usage="READ") as mapped:
            assert (mapped.data == (255, 0, 0, 255)).all()


def test_the_reset_status_can_be_asked_for(screen: g.Screen, ctx: g.Context) -> None:
    assert screen.get_param("PIPE_CAP_DEVICE_RESET_STATUS_QUERY") == 1
    assert ctx.get_device_reset_status() == 0
