"""Drawing through the context."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from tests.texts import VS_POSITION
from tgsi import gallium as g

pytestmark = pytest.mark.light

QUAD = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float32)


def colored(points: NDArray[np.float32], color: tuple[float, ...]) -> NDArray[np.float32]:
    return np.hstack([points, np.tile(np.array(color, np.float32), (len(points), 1))]).astype(np.float32)


def target_of(screen: g.Screen, ctx: g.Context, **given: object) -> g.Resource:
    target = screen.resource_create(**({"width0": 16, "height0": 16} | given))  # type: ignore[arg-type]
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.clear("COLOR")
    return target


def pixels(ctx: g.Context, target: g.Resource) -> NDArray[np.generic]:
    with ctx.transfer_map(target, usage="READ") as mapped:
        return np.array(mapped.data)


def test_hello_triangle() -> None:
    screen = tgsi.Screen()
    ctx = screen.context_create()
    target = screen.resource_create(width0=64, height0=64)
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.set_viewport_states([g.ViewportState(scale=(32, -32, 0.5), translate=(32, 32, 0.5))])
    ctx.bind_vs_state(ctx.create_vs_state(VS_POSITION))
    ctx.bind_fs_state(ctx.create_fs_state("FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 0.5, 0.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n"))
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32_FLOAT")]))
    ctx.set_vertex_buffers([np.array([[0, 0.9], [-0.9, -0.9], [0.9, -0.9]], np.float32)])
    ctx.clear(color=(0, 0, 0, 1))
    ctx.draw_vbo(mode="TRIANGLES", count=3)
    with ctx.transfer_map(target) as picture:
        assert picture.data[40, 32].tolist() == [255, 128, 0, 255]
        assert picture.data[5, 5].tolist() == [0, 0, 0, 255]
        assert 0.35 < (picture.data[..., 0] == 255).mean() < 0.45
    ctx.destroy()


def test_draws_keep_their_order_and_their_own_state(screen: g.Screen, drawing: g.Context) -> None:
    target = target_of(screen, drawing)
    for value in (0.2, 0.6, 1.0):
        drawing.set_vertex_buffers([colored(QUAD, (value, 0, 0, 1))])
        drawing.draw_vbo(mode="TRIANGLE_STRIP", count=4)
    assert (pixels(drawing, target) == (255, 0, 0, 255)).all()


def test_constants_are_read_when_the_draw_is_made(screen: g.Screen, drawing: g.Context) -> None:
    target = target_of(screen, drawing, width0=32)
    drawing.bind_fs_state(drawing.create_fs_state("FRAG\nDCL CONST[0]\nDCL OUT[0], COLOR\nMOV OUT[0], CONST[0]\nEND\n"))
    drawing.set_viewport_states([g.ViewportState((16, 8, 0.5), (16, 8, 0.5))])
    buffer = screen.resource_create(target="BUFFER", width0=16)
    drawing.set_constant_buffer("FRAGMENT", buffer)
    for value, left in ((1.0, -1.0), (0.2, 0.0)):
        drawing.buffer_subdata(buffer, np.full(4, value, np.float32))
        points = (QUAD * (0.5, 1) + (left + 0.5, 0)).astype(np.float32)
        drawing.set_vertex_buffers([colored(points, (0, 0, 0, 0))])
        drawing.draw_vbo(mode="TRIANGLE_STRIP", count=4)
    found = pixels(drawing, target)
    assert (found[:, :16] == 255).all()
    assert (found[:, 16:] == 51).all()


def test_vertex_data_may_change_between_draws(screen: g.Screen, drawing: g.Context) -> None:
    target = target_of(screen, drawing)
    data = colored(QUAD, (1, 0, 0, 1))
    buffer = screen.resource_create(target="BUFFER", width0=data.nbytes)
    drawing.set_vertex_buffers([g.VertexBuffer(buffer, 24)])
    drawing.buffer_subdata(buffer, data)
    drawing.draw_vbo(mode="TRIANGLE_STRIP", count=4)
    drawing.buffer_subdata(buffer, colored(QUAD * 0.5, (0, 1, 0, 1)))
    drawing.draw_vbo(mode="TRIANGLE_STRIP", count=4)
    found = pixels(drawing, target)
    assert found[0, 0].tolist() == [255, 0, 0, 255]
    assert found[8, 8].tolist() == [0, 255, 0, 255]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_index_arrays_say_size_and_count(screen: g.Screen, drawing: g.Context, dtype: type[np.unsignedinteger]) -> None:
    target = target_of(screen, drawing)
    drawing.set_vertex_buffers([colored(QUAD, (0, 0, 1, 1))])
    drawing.draw_vbo(mode="TRIANGLES", index=np.array([0, 1, 2, 2, 1, 3], dtype))
    assert (pixels(drawing, target) == (0, 0, 255, 255)).all()


def test_index_resource_with_offset_and_bias(screen: g.Screen, drawing: g.Context) -> None:
    target = target_of(screen, drawing)
    drawing.set_vertex_buffers([colored(QUAD, (0, 0, 1, 1))])
    buffer = screen.resource_create(target="BUFFER", width0=64)
    drawing.buffer_subdata(buffer, np.array([9, 9, 1, 2, 3, 3, 2, 4], np.uint16))
    drawing.draw_vbo(mode="TRIANGLES", index=buffer, index_size=2, index_offset=4, count=6, index_bias=-1)
    assert (pixels(drawing, target) == (0, 0, 255, 255)).all()


def test_indirect_draws_read_their_records(screen: g.Screen, drawing: g.Context) -> None:
    target = target_of(screen, drawing)
    drawing.set_vertex_buffers([colored(QUAD[[0, 1, 2, 2, 1, 3]], (0, 1, 1, 1))])
    records = screen.resource_create(target="BUFFER", width0=64)
    drawing.buffer_subdata(records, np.array([3, 1, 0, 0, 3, 1, 3, 0], np.uint32), offset=8)
    drawing.draw_vbo(indirect=records, indirect_offset=8, draw_count=2)
    assert (pixels(drawing, target) == (0, 255, 255, 255)).all()
    with pytest.raises(ValueError, match="indirect: 5 records"):
        drawing.draw_vbo(indirect=records, draw_count=5)


def test_rendering_can_be_sampled(screen: g.Screen, drawing: g.Context) -> None:
    first = target_of(screen, drawing)
    drawing.set_vertex_buffers([colored(QUAD, (0.2, 0.4, 0.6, 1))])
    drawing.draw_vbo(mode="TRIANGLE_STRIP", count=4)
    second = target_of(screen, drawing)
    drawing.bind_fs_state(
        drawing.create_fs_state(
            "FRAG\nDCL IN[0], COLOR, COLOR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nTEX OUT[0], IN[0], SAMP[0], 2D\nEND\n"
        )
    )
    drawing.set_sampler_views("FRAGMENT", [drawing.create_sampler_view(first, swizzle="zyx1")])
    drawing.bind_sampler_states("FRAGMENT", [drawing.create_sampler_state()])
    drawing.draw_vbo(mode="TRIANGLE_STRIP", count=4)
    assert (pixels(drawing, second) == (153, 102, 51, 255)).all()


def test_one_level_can_be_rendered_while_it_is_larger_than_the_framebuffer(screen: g.Screen, drawing: g.Context) -> None:
    texture = screen.resource_create(width0=32, height0=32, last_level=2)
    surface = drawing.create_surface(texture, level=1)
    drawing.set_framebuffer_state(cbufs=[surface])
    drawing.clear("COLOR", color=(1, 1, 1, 1))
    drawing.flush()
    assert [bool(texture.texels(i).all()) for i in range(3)] == [False, True, False]
    assert not texture.texels(0).any()


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"mode": "TRIANGLE"}, ValueError, "did you mean TRIANGLES"),
        ({"counts": 3}, TypeError, "DrawInfo has no field counts"),
        ({"count": -1}, ValueError, "count: -1 is not in"),
        ({"count": 1.5}, TypeError, "count: expected an integer, not float"),
        ({"index_size": 2.0}, TypeError, "index_size: expected an integer, not float"),
        ({"count": []}, TypeError, "count: expected an integer, not list"),
        ({"index_size": 3}, ValueError, "index_size: 0, 1, 2 or 4"),
        ({"index_size": 2, "count": 3}, ValueError, "there is no index buffer"),
        ({"index": b"abc"}, ValueError, "index_size: it must be given"),
        ({"index": np.zeros(3)}, TypeError, "not float64"),
        ({"info": 3}, TypeError, "expected a DrawInfo, not int"),
    ],
)
def test_wrong_draws_are_refused(drawing: g.Context, given: dict[str, object], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        drawing.draw_vbo(**given)  # type: ignore[arg-type]


def test_draw_without_vertex_shader_is_refused(ctx: g.Context) -> None:
    with pytest.raises(ValueError, match="no vertex shader is bound"):
        ctx.draw_vbo(count=3)


def test_render_condition_skips_draws_and_clears(screen: g.Screen, drawing: g.Context) -> None:
    target = target_of(screen, drawing)
    drawing.set_vertex_buffers([colored(QUAD, (1, 1, 1, 1))])
    query = drawing.create_query("OCCLUSION_COUNTER")
    drawing.begin_query(query)
    drawing.end_query(query)
    assert drawing.get_query_result(query) == 0
    drawing.render_condition(query, condition=False)
    drawing.draw_vbo(mode="TRIANGLE_STRIP", count=4)
    drawing.clear("COLOR", color=(1, 1, 1, 1))
    assert not pixels(drawing, target).any()
    drawing.render_condition(query, condition=True)
    drawing.draw_vbo(mode="TRIANGLE_STRIP", count=4)
    drawing.render_condition(None)
    assert pixels(drawing, target).all()


def test_queries_count_samples_and_primitives(screen: g.Screen, drawing: g.Context) -> None:
    target_of(screen, drawing)
    drawing.set_vertex_buffers([colored(QUAD, (1, 1, 1, 1))])
    kinds = ("OCCLUSION_COUNTER", "OCCLUSION_PREDICATE", "PRIMITIVES_GENERATED", "PIPELINE_STATISTICS", "TIME_ELAPSED", "SO_STATISTICS")
    queries = [drawing.create_query(kind) for kind in kinds]
    for query in queries:
        drawing.begin_query(query)
    drawing.draw_vbo(mode="TRIANGLE_STRIP", count=4)
    drawing.set_active_query_state(False)
    drawing.draw_vbo(mode="TRIANGLE_STRIP", count=4)
    drawing.set_active_query_state(True)
    for query in queries:
        drawing.end_query(query)
    results = [drawing.get_query_result(query) for query in queries]
    assert results[:3] == [256, True, 2]
    statistics = results[3]
    assert isinstance(statistics, tuple)
    assert len(statistics) == 13
    assert statistics[:2] == (4, 2)
    assert isinstance(results[4], int)
    assert results[4] > 0
    assert results[5] == (0, 0)
    buffer = screen.resource_create(target="BUFFER", width0=16)
    drawing.get_query_result_resource(queries[0], buffer, result_type="U64", offset=8)
    assert buffer.storage.view(np.uint64).tolist() == [0, 256]


def test_queries_without_a_beginning(ctx: g.Context) -> None:
    stamp, done = ctx.create_query("TIMESTAMP"), ctx.create_query(g.QueryType.GPU_FINISHED)
    before = ctx.get_timestamp()
    ctx.end_query(stamp)
    ctx.end_query(done)
    result = ctx.get_query_result(stamp)
    assert isinstance(result, int)
    assert before <= result <= ctx.get_timestamp()
    assert ctx.get_query_result(done) is True
    with pytest.raises(ValueError, match="has no beginning"):
        ctx.begin_query(stamp)
    with pytest.raises(ValueError, match="was not begun"):
        ctx.end_query(ctx.create_query("TIME_ELAPSED"))


def test_deferred_flush_is_carried_out_by_its_fence(screen: g.Screen, ctx: g.Context) -> None:
    target = screen.resource_create(width0=16, height0=16)
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.clear("COLOR", color=(1, 1, 1, 1))
    fence = ctx.flush("DEFERRED")
    assert not screen.fence_finish(fence, timeout=0)
    assert not target.texels().any()
    assert screen.fence_finish(fence)
    assert target.texels().all()
    assert ctx.flush().is_signaled


def test_destroyed_context_refuses_everything(screen: g.Screen) -> None:
    ctx = screen.context_create()
    ctx.destroy()
    ctx.destroy()
    for call in (ctx.clear, ctx.flush, ctx.create_blend_state, ctx.set_framebuffer_state):
        with pytest.raises(ValueError, match="destroyed"):
            call()


def test_persistent_mapping_sees_each_draw(screen: g.Screen, drawing: g.Context) -> None:
    target = screen.resource_create(width0=16, height0=16, flags="MAP_PERSISTENT")
    drawing.set_framebuffer_state(cbufs=[target])
    drawing.set_vertex_buffers([colored(QUAD, (1, 1, 1, 1))])
    with drawing.transfer_map(target, usage="READ|PERSISTENT") as mapped:
        drawing.draw_vbo(mode="TRIANGLE_STRIP", count=4)
        assert mapped.data.all()


def test_context_adds_little_to_a_draw(screen: g.Screen, drawing: g.Context) -> None:
    import time

    target_of(screen, drawing)
    drawing.set_vertex_buffers([colored(QUAD, (1, 1, 1, 1))])
    info = g.DrawInfo(mode=g.Prim.TRIANGLE_STRIP, count=4)
    renderer, state = drawing.device, drawing.state

    def cost(call: object) -> float:
        best = 1.0
        for _ in range(5):
            start = time.process_time()
            for _ in range(100):
                call()  # type: ignore[operator]
            best = min(best, (time.process_time() - start) / 100)
            drawing.flush()
        return best

    assert cost(lambda: drawing.draw_vbo(info)) - cost(lambda: renderer.draw(state, info)) < 15e-6


def test_templates_are_checked_however_they_were_made(screen: g.Screen, drawing: g.Context) -> None:
    for info in (g.DrawInfo(count=-3), g.DrawInfo(mode=99), g.DrawInfo(count=3, index_bias=1 << 40)):  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="draw_vbo"):
            drawing.draw_vbo(info)
    target = target_of(screen, drawing)
    drawing.set_vertex_buffers([colored(QUAD, (1, 1, 1, 1))])
    drawing.draw_vbo(g.DrawInfo(mode="TRIANGLE_STRIP", count=4))  # type: ignore[arg-type]
    assert pixels(drawing, target).all()


@pytest.mark.parametrize("how", ["draw", "grid", "bind", "transfer"])
def test_what_a_query_made_the_renderer_draw_into_user_memory_is_not_read_over(drawing: g.Context, how: str) -> None:
    memory = np.zeros((16, 16, 4), np.uint8)
    target = drawing.screen.resource_from_user_memory(
        memory, target="TEXTURE_2D", format="R8G8B8A8_UNORM", width0=16, height0=16, bind="RENDER_TARGET"
    )
    drawing.set_framebuffer_state(cbufs=[target])
    corners = np.array([[-1, -1, 1, 0, 0, 1], [3, -1, 1, 0, 0, 1], [-1, 3, 1, 0, 0, 1]], np.float32)
    drawing.set_vertex_buffers([g.VertexBuffer(corners, 24)])
    drawing.draw_vbo(mode="TRIANGLES", count=3)
    drawing.begin_query(drawing.create_query("OCCLUSION_COUNTER"))
    match how:
        case "draw":
            drawing.set_vertex_buffers([g.VertexBuffer(corners + np.float32(100), 24)])
            drawing.draw_vbo(mode="TRIANGLES", count=3)
        case "grid":
            drawing.bind_compute_state(drawing.create_compute_state("COMP\nRET\nEND\n"))
            drawing.launch_grid(block=(1, 1, 1))
        case "bind":
            drawing.set_shader_images("COMPUTE", [target])
        case _:
            drawing.texture_subdata(target, np.zeros((1, 1, 4), np.uint8), box=(0, 0, 1, 1))
    drawing.flush()
    assert (memory[1:] == (255, 0, 0, 255)).all()
    assert (target.texels()[0, 1:] == (255, 0, 0, 255)).all()


@pytest.mark.parametrize("lanes", [8, 16, 32, 64])
def test_vectors_of_any_width_count_their_samples(lanes: int) -> None:
    with g.Screen(threads=0, lanes=lanes).context_create() as ctx:
        ctx.bind_vs_state(ctx.create_vs_state(VS_POSITION))
        ctx.bind_fs_state(ctx.create_fs_state("FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\nMOV OUT[0], IMM[0]\nEND\n"))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32_FLOAT")]))
        ctx.set_viewport_states([g.ViewportState((35.0, 35.0, 0.5), (35.0, 35.0, 0.5))])
        target = ctx.screen.resource_create(format="R8G8B8A8_UNORM", width0=70, height0=70, bind="RENDER_TARGET")
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.set_vertex_buffers([g.VertexBuffer(np.array([[-1, -1], [3, -1], [-1, 3]], np.float32), 8)])
        queries = [ctx.create_query(kind) for kind in ("OCCLUSION_COUNTER", "PIPELINE_STATISTICS")]
        for query in queries:
            ctx.begin_query(query)
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        for query in queries:
            ctx.end_query(query)
        samples, statistics = (ctx.get_query_result(query) for query in queries)
        assert samples == 4900
        assert isinstance(statistics, tuple)
        assert statistics[7] == 4900
