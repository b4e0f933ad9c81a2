"""Textures and buffers that were bound, used and let go: nothing that a context remembers of them takes memory from later ones."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from backends.pipe.enums import ShaderType
from tests.unit.gallium.compute_cases import ADD_ONE
from tests.unit.gallium.conftest import COLOR, PASS_THROUGH
from tgsi import gallium as g

pytestmark = [pytest.mark.light, pytest.mark.usefixtures("quick_collections")]
SIZE, BYTES = 64, 1 << 14
LIMIT = 1 << 18
"""Bytes of a screen that has room for about ten textures."""
ROUNDS = 60
SAMPLING = """FRAG
DCL OUT[0], COLOR
DCL SAMP[0]
IMM[0] FLT32 {0.5, 0.5, 0.0, 0.0}
TEX OUT[0], IMM[0], SAMP[0], 2D
END
"""
STORING = """FRAG
DCL OUT[0], COLOR
DCL BUFFER[0]
DCL IMAGE[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM, WR
IMM[0] UINT32 {0, 0, 0, 0}
IMM[1] FLT32 {0.5, 0.5, 0.0, 0.0}
STORE BUFFER[0].x, IMM[0], IMM[1]
STORE IMAGE[0], IMM[0], IMM[1], 2D, PIPE_FORMAT_R8G8B8A8_UNORM
MOV OUT[0], IMM[1]
END
"""
STREAMED = g.StreamOutputInfo(stride=(4,), output=(g.StreamOutput(register_index=0, num_components=4),))
CORNERS = np.array([[-1, -1, 1, 0, 0, 1], [3, -1, 1, 0, 0, 1], [-1, 3, 1, 0, 0, 1]], np.float32)


@pytest.fixture
def ctx() -> Iterator[g.Context]:
    with g.Screen(threads=0, memory_limit=LIMIT) as screen, screen.context_create() as context:
        yield ready(context)


def ready(ctx: g.Context) -> g.Context:
    """A context that draws a triangle over a target of its own."""
    ctx.bind_vs_state(ctx.create_vs_state(PASS_THROUGH))
    ctx.bind_fs_state(ctx.create_fs_state(COLOR))
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32_FLOAT"), (8, "R32G32B32A32_FLOAT")]))
    ctx.set_viewport_states([g.ViewportState((8.0, 8.0, 0.5), (8.0, 8.0, 0.5))])
    ctx.set_vertex_buffers([CORNERS])
    ctx.set_framebuffer_state(cbufs=[ctx.create_surface(ctx.screen.resource_create(width0=16, height0=16))])
    return ctx


def texture(ctx: g.Context, **given: Any) -> g.Resource:
    return ctx.screen.resource_create(width0=SIZE, height0=SIZE, **given)


def buffer(ctx: g.Context) -> g.Resource:
    return ctx.screen.resource_create(target="BUFFER", width0=BYTES)


def draw(ctx: g.Context) -> None:
    ctx.draw_vbo(mode="TRIANGLES", count=3)


def view(stage: str, swizzle: str = "xyzw") -> Callable[[g.Context], None]:
    def bind(ctx: g.Context) -> None:
        ctx.set_sampler_views(stage, [ctx.create_sampler_view(texture(ctx), swizzle=swizzle)])
        draw(ctx)

    return bind


def sampled(ctx: g.Context) -> None:
    if not ctx.state.fragment.samplers:
        ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()])
        ctx.bind_fs_state(ctx.create_fs_state(SAMPLING))
    found = ctx.create_sampler_view(texture(ctx))
    for _ in range(2):
        ctx.set_sampler_views("FRAGMENT", [found])
        draw(ctx)


def sampled_and_unbound(ctx: g.Context) -> None:
    ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(texture(ctx))])
    ctx.set_sampler_views("FRAGMENT", [None])


def color(**given: Any) -> Callable[[g.Context], None]:
    def bind(ctx: g.Context) -> None:
        surface = ctx.create_surface(texture(ctx), **given)
        for _ in range(3):
            ctx.set_framebuffer_state(cbufs=[surface])
            ctx.clear("COLOR", color=(1, 1, 1, 1))
            draw(ctx)

    return bind


def cleared(ctx: g.Context) -> None:
    ctx.set_framebuffer_state(cbufs=[texture(ctx)])
    ctx.clear("COLOR", color=(1, 1, 1, 1))


def depth(ctx: g.Context) -> None:
    """One color buffer for all, which is remembered with each depth buffer."""
    kept = ctx.priv = ctx.priv or ctx.create_surface(texture(ctx))
    surface = ctx.create_surface(texture(ctx, format="Z32_FLOAT"))
    for _ in range(3):
        ctx.set_framebuffer_state(cbufs=[kept], zsbuf=surface)
        ctx.clear("DEPTHSTENCIL")
        draw(ctx)


def resolved(ctx: g.Context) -> None:
    source, target = (ctx.screen.resource_create(width0=16, height0=16, nr_samples=count) for count in (4, 0))
    ctx.set_framebuffer_state(cbufs=[source])
    draw(ctx)
    ctx.blit(target, src=source)


def memory_of(stage: str) -> Callable[[g.Context], None]:
    def bind(ctx: g.Context) -> None:
        ctx.set_shader_images(stage, [texture(ctx)])
        ctx.set_shader_buffers(stage, [buffer(ctx)])
        draw(ctx)

    return bind


def stored(ctx: g.Context) -> None:
    ctx.bind_fs_state(ctx.create_fs_state(STORING))
    memory_of("FRAGMENT")(ctx)


def launched(ctx: g.Context) -> None:
    ctx.bind_compute_state(ctx.create_compute_state(ADD_ONE))
    ctx.set_shader_buffers("COMPUTE", [buffer(ctx)])
    ctx.launch_grid(block=(4, 1, 1))


def launched_indirectly(ctx: g.Context) -> None:
    ctx.bind_compute_state(ctx.create_compute_state(ADD_ONE))
    ctx.set_shader_buffers("COMPUTE", [buffer(ctx)])
    ctx.launch_grid(block=(4, 1, 1), indirect=buffer(ctx))


def constants(ctx: g.Context) -> None:
    for index in (0, 1):
        ctx.set_constant_buffer("FRAGMENT", buffer(ctx), index=index)
        draw(ctx)
        ctx.set_constant_buffer("FRAGMENT", bytes(64), index=index)


def vertices(ctx: g.Context) -> None:
    made = buffer(ctx)
    ctx.buffer_subdata(made, CORNERS)
    item = g.VertexBuffer(made, 24)
    for bound in (item, item, {"buffer": made, "stride": 24}, {"buffer": made, "stride": 24}, item):
        ctx.set_vertex_buffers([bound])
        draw(ctx)


def indices(ctx: g.Context) -> None:
    made = buffer(ctx)
    for _ in range(3):
        ctx.draw_vbo(mode="TRIANGLES", count=3, index=made, index_size=2)
        ctx.set_index_buffer(made)
        ctx.draw_vbo(mode="TRIANGLES", count=3, index_size=2)


def streamed(ctx: g.Context) -> None:
    ctx.bind_vs_state(ctx.create_vs_state(PASS_THROUGH, stream_output=STREAMED))
    target = ctx.create_stream_output_target(buffer(ctx))
    for _ in range(3):
        ctx.set_stream_output_targets([target])
        draw(ctx)
        ctx.set_stream_output_targets()
    ctx.draw_vbo(mode="TRIANGLES", count_from_stream_output=target)


def blitted(ctx: g.Context) -> None:
    ctx.blit(texture(ctx), src=texture(ctx))
    ctx.resource_copy_region(texture(ctx), texture(ctx))
    ctx.generate_mipmap(texture(ctx, last_level=2))


def mapped(ctx: g.Context) -> None:
    found = ctx.transfer_map(texture(ctx), usage="WRITE|FLUSH_EXPLICIT")
    found.data[0, 0] = 1
    ctx.transfer_map(texture(ctx))


def written(ctx: g.Context) -> None:
    made = texture(ctx)
    for _ in range(2):
        ctx.texture_subdata(made, np.zeros((SIZE, SIZE, 4), np.uint8))
        ctx.texture_read(made, np.zeros((SIZE, SIZE, 4), np.uint8))


def counted(ctx: g.Context) -> None:
    query = ctx.create_query("OCCLUSION_COUNTER")
    ctx.begin_query(query)
    draw(ctx)
    ctx.end_query(query)
    ctx.render_condition(query)
    ctx.get_query_result_resource(query, buffer(ctx))


def bundled(ctx: g.Context) -> None:
    found = ctx.create_sampler_view(texture(ctx))
    with ctx.record() as bundle:
        bundle.set_sampler_views("FRAGMENT", [found])
        bundle.set_framebuffer_state(cbufs=[ctx.create_surface(texture(ctx))])
        bundle.set_vertex_buffers([{"buffer": buffer(ctx), "stride": 24}])
        bundle.draw_vbo(mode="TRIANGLES", count=3)
    ctx.replay(bundle, 3)


def resident(ctx: g.Context) -> None:
    handle = ctx.create_texture_handle(ctx.create_sampler_view(texture(ctx)))
    ctx.make_texture_handle_resident(handle)
    draw(ctx)
    ctx.delete_texture_handle(handle)


WAYS: dict[str, Callable[[g.Context], None]] = {
    **{f"view of {stage.name}": view(stage.name) for stage in ShaderType if stage.name not in ("TASK", "MESH")},
    "sampled view": sampled,
    "unbound view": sampled_and_unbound,
    "color buffer": color(),
    "color buffer with samples of its own": color(nr_samples=2),
    "cleared color buffer": cleared,
    "depth buffer": depth,
    "resolve": resolved,
    "memory of vertex shaders": memory_of("VERTEX"),
    "memory of fragment shaders": memory_of("FRAGMENT"),
    "stores of fragment shaders": stored,
    "memory of grids": launched,
    "indirect grids": launched_indirectly,
    "constant buffer": constants,
    "vertex buffer": vertices,
    "index buffer": indices,
    "stream output": streamed,
    "blits and copies": blitted,
    "mappings": mapped,
    "writes and reads": written,
    "result of a query": counted,
    "bundle": bundled,
    "resident handle": resident,
}


@pytest.mark.parametrize("way", WAYS)
def test_a_loop_that_binds_uses_and_drops_never_runs_out_of_memory(ctx: g.Context, way: str) -> None:
    for _ in range(ROUNDS):
        WAYS[way](ctx)


BY_DAY = ("sampled view", "cleared color buffer", "depth buffer", "resolve", "vertex buffer")
"""Ways that take 10,000 rounds by day; each takes some seconds, and all of them run by night."""


@pytest.mark.slow
@pytest.mark.parametrize("way", [pytest.param(way, marks=[pytest.mark.nightly] * (way not in BY_DAY)) for way in WAYS])
def test_ten_thousand_textures_are_bound_and_dropped_within_64_mebibytes(way: str) -> None:
    with g.Screen(threads=0, memory_limit=64 << 20) as screen, screen.context_create() as ctx:
        ready(ctx)
        for _ in range(10_000):
            WAYS[way](ctx)


def test_a_screen_without_a_limit_lets_go_before_much_is_pinned() -> None:
    most = 0
    with g.Screen(threads=0) as screen, screen.context_create() as ctx:
        ready(ctx)
        for _ in range(80):
            cleared_at(ctx, 2048)
            most = max(most, screen.memory.used)
    assert most < 400 << 20  # 80 targets of 16 MiB


def cleared_at(ctx: g.Context, size: int) -> None:
    ctx.set_framebuffer_state(cbufs=[ctx.screen.resource_create(width0=size, height0=size)])
    ctx.clear("STENCIL")


def test_memory_in_use_is_refused_to_others(ctx: g.Context) -> None:
    kept: list[object] = []

    def keep_all() -> None:
        for _ in range(ROUNDS):
            view = ctx.create_sampler_view(texture(ctx))
            kept.append(view)
            ctx.set_sampler_views("FRAGMENT", [view])

    with pytest.raises(MemoryError, match="of the screen's memory_limit of 262144"):
        keep_all()
    kept.clear()
    for _ in range(3):
        sampled(ctx)


def test_another_context_of_the_screen_lets_go_of_memory_too(ctx: g.Context) -> None:
    screen = ctx.screen
    assert isinstance(screen, g.Screen)
    with screen.context_create() as other:
        ready(other)
        for _ in range(ROUNDS):
            cleared(ctx)
            sampled(other)


def test_what_is_drawn_before_memory_is_wanted_is_as_without_a_limit() -> None:
    def frames(limit: int | None) -> bytes:
        with g.Screen(threads=0, memory_limit=limit) as screen, screen.context_create() as ctx:
            ready(ctx)
            target = ctx.create_surface(texture(ctx))
            ctx.bind_blend_state(ctx.create_blend_state(blend_enable=True, rgb_src_factor="SRC_ALPHA", rgb_dst_factor="INV_SRC_ALPHA"))
            for k in range(ROUNDS):
                source = texture(ctx)
                ctx.texture_subdata(source, np.full((SIZE, SIZE, 4), 4 * k, np.uint8))
                ctx.bind_fs_state(ctx.create_fs_state(SAMPLING))
                ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()])
                ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(source)])
                ctx.set_framebuffer_state(cbufs=[target])
                draw(ctx)
                cleared(ctx)
            return target.texture.tobytes()

    assert frames(LIMIT) == frames(None)


HANDLES: dict[str, tuple[Callable[[g.Context], Any], Callable[[g.Context, Any], object]]] = {
    "sampler view": (lambda ctx: ctx.create_sampler_view(texture(ctx)), lambda ctx, handle: ctx.sampler_view_destroy(handle)),
    "surface": (lambda ctx: ctx.create_surface(texture(ctx)), lambda ctx, handle: ctx.surface_destroy(handle)),
    "surface with samples": (lambda ctx: ctx.create_surface(texture(ctx), nr_samples=2), lambda ctx, handle: ctx.surface_destroy(handle)),
    "target": (
        lambda ctx: ctx.create_stream_output_target(buffer(ctx)),
        lambda ctx, handle: ctx.stream_output_target_destroy(handle),
    ),
    "mapping": (lambda ctx: ctx.transfer_map(texture(ctx)), lambda ctx, handle: ctx.transfer_unmap(handle)),
}


@pytest.mark.parametrize("kind", HANDLES)
def test_a_handle_that_outlives_its_object_keeps_no_memory(ctx: g.Context, kind: str) -> None:
    make, destroy = HANDLES[kind]
    before = ctx.screen.memory.used
    handle = make(ctx)
    assert ctx.screen.memory.used > before
    destroy(ctx, handle)
    assert ctx.screen.memory.used == before
    assert "gone" in repr(handle) or "written" in repr(handle)


def bind_all(ctx: g.Context) -> None:
    for stage in ShaderType:
        ctx.set_sampler_views(stage, [ctx.create_sampler_view(buffer(ctx))])
        ctx.set_shader_buffers(stage, [buffer(ctx)])
        ctx.set_constant_buffer(stage, buffer(ctx))
    ctx.set_shader_images("FRAGMENT", [texture(ctx)])
    ctx.set_framebuffer_state(cbufs=[texture(ctx)], zsbuf=texture(ctx, format="Z32_FLOAT"))
    ctx.set_vertex_buffers([g.VertexBuffer(buffer(ctx), 24)])
    ctx.set_index_buffer(buffer(ctx))
    ctx.set_hw_atomic_buffers([buffer(ctx)])
    ctx.set_global_binding([buffer(ctx)])
    ctx.make_texture_handle_resident(ctx.create_texture_handle(ctx.create_sampler_view(texture(ctx))))
    ctx.make_image_handle_resident(ctx.create_image_handle(texture(ctx)))
    ctx.transfer_map(ctx.screen.resource_create(target="BUFFER", width0=64, flags="MAP_PERSISTENT"), usage="READ_WRITE|PERSISTENT")
    ctx.set_stream_output_targets([ctx.create_stream_output_target(buffer(ctx))])
    ctx.clear("DEPTH")


def test_the_end_of_a_context_lets_go_of_everything_bound() -> None:
    with g.Screen(threads=0) as screen:
        ctx = screen.context_create()
        bind_all(ctx)
        ctx.destroy()
        gc.collect()
        assert screen.memory.used == 0
        assert ctx.is_destroyed
