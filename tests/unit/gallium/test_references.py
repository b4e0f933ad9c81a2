"""References: a resource lives while its creator or an object over it holds one, and memory is counted while anything holds it."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from tests.unit.gallium.compute_cases import ADD_ONE
from tgsi import gallium as g

pytestmark = [pytest.mark.light, pytest.mark.usefixtures("quick_collections")]
SAMPLING = """FRAG
DCL OUT[0], COLOR
DCL SAMP[0]
IMM[0] FLT32 {0.5, 0.5, 0.0, 0.0}
TEX OUT[0], IMM[0], SAMP[0], 2D
END
"""
KIB = 1 << 10
SIZE = 16


@pytest.fixture
def screen() -> Iterator[g.Screen]:
    with g.Screen(threads=0) as made:
        yield made


@pytest.fixture
def ctx(screen: g.Screen) -> Iterator[g.Context]:
    with screen.context_create() as context:
        yield context


def texture(ctx: g.Context, **given: Any) -> g.Resource:
    return ctx.screen.resource_create(width0=SIZE, height0=SIZE, **given)


def buffer(ctx: g.Context) -> g.Resource:
    return ctx.screen.resource_create(target="BUFFER", width0=KIB)


class Case:
    """A resource, an object over it, a use of the object, and its end."""

    def __init__(
        self, make: Callable[[Any, g.Resource], Any], use: Callable[[Any, Any], object], end: Callable[[Any, Any], object]
    ) -> None:
        self.make, self.use, self.end = make, use, end
        self.is_buffer = False

    def resource(self, ctx: g.Context) -> g.Resource:
        return buffer(ctx) if self.is_buffer else texture(ctx)


CASES = {
    "sampler view": Case(
        lambda ctx, resource: ctx.create_sampler_view(resource),
        lambda ctx, view: ctx.set_sampler_views("FRAGMENT", [view]),
        lambda ctx, view: (ctx.set_sampler_views("FRAGMENT", [None]), ctx.sampler_view_destroy(view)),
    ),
    "surface": Case(
        lambda ctx, resource: ctx.create_surface(resource),
        lambda ctx, surface: (ctx.set_framebuffer_state(cbufs=[surface]), ctx.clear(color=(1, 1, 1, 1)), ctx.flush()),
        lambda ctx, surface: (ctx.set_framebuffer_state(), ctx.clear(), ctx.flush(), ctx.surface_destroy(surface)),
    ),
    "stream output target": Case(
        lambda ctx, resource: ctx.create_stream_output_target(resource),
        lambda ctx, target: ctx.set_stream_output_targets([target]),
        lambda ctx, target: (ctx.set_stream_output_targets(), ctx.stream_output_target_destroy(target)),
    ),
    "bound stream output target": Case(
        lambda ctx, resource: ctx.create_stream_output_target(resource),
        lambda ctx, target: ctx.set_stream_output_targets([target]),
        lambda ctx, target: (ctx.stream_output_target_destroy(target), ctx.set_stream_output_targets()),
    ),
    "mapping": Case(
        lambda ctx, resource: ctx.transfer_map(resource),
        lambda ctx, mapped: mapped.data.fill(7),
        lambda ctx, mapped: ctx.transfer_unmap(mapped),
    ),
    "texture handle": Case(
        lambda ctx, resource: ctx.create_texture_handle(ctx.create_sampler_view(resource)),
        lambda ctx, handle: ctx.make_texture_handle_resident(handle),
        lambda ctx, handle: ctx.delete_texture_handle(handle),
    ),
    "image handle": Case(
        lambda ctx, resource: ctx.create_image_handle(resource),
        lambda ctx, handle: ctx.make_image_handle_resident(handle),
        lambda ctx, handle: ctx.delete_image_handle(handle),
    ),
}
for name in ("stream output target", "bound stream output target"):
    CASES[name].is_buffer = True


@pytest.mark.parametrize("name", CASES)
def test_an_object_keeps_its_resource_alive_until_it_is_destroyed(ctx: g.Context, name: str) -> None:
    case = CASES[name]
    resource = case.resource(ctx)
    size = ctx.screen.memory.used
    made = case.make(ctx, resource)
    ctx.screen.resource_destroy(resource)
    assert not resource.is_destroyed
    case.use(ctx, made)
    assert ctx.screen.memory.used == size > 0
    case.end(ctx, made)
    gc.collect()
    assert resource.is_destroyed
    assert ctx.screen.memory.used == 0
    with pytest.raises(ValueError, match="resource: it was destroyed"):
        ctx.transfer_map(resource)


def test_an_object_without_references_releases_its_resource(ctx: g.Context) -> None:
    resource = texture(ctx)
    views: list[object] = [ctx.create_sampler_view(resource), ctx.create_surface(resource)]
    ctx.screen.resource_destroy(resource)
    assert not resource.is_destroyed
    views.clear()
    assert resource.is_destroyed
    assert ctx.screen.memory.used == 0


def test_a_bound_view_samples_after_its_end_and_that_of_its_texture(drawing: g.Context) -> None:
    ctx = drawing
    ctx.bind_fs_state(
        ctx.create_fs_state(
            "FRAG\nDCL OUT[0], COLOR\nDCL SAMP[0]\nIMM[0] FLT32 {0.5, 0.5, 0.0, 0.0}\nTEX OUT[0], IMM[0], SAMP[0], 2D\nEND\n"
        )
    )
    source, target = texture(ctx), texture(ctx)
    ctx.texture_subdata(source, bytes([255] * 4 * SIZE * SIZE))
    view, surface = ctx.create_sampler_view(source), ctx.create_surface(target)
    ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()])
    ctx.set_sampler_views("FRAGMENT", [view])
    ctx.set_framebuffer_state(cbufs=[surface])
    ctx.sampler_view_destroy(view)
    ctx.screen.resource_destroy(source)
    reading = ctx.create_sampler_view(target)
    ctx.surface_destroy(surface)
    ctx.screen.resource_destroy(target)
    del source, view, surface
    gc.collect()
    noise = [texture(ctx) for _ in range(32)]  # would take freed memory
    ctx.set_vertex_buffers([np.array([[-1, -1, 1, 0, 0, 1], [3, -1, 1, 0, 0, 1], [-1, 3, 1, 0, 0, 1]], np.float32)])
    ctx.draw_vbo(mode="TRIANGLES", count=3)
    with ctx.transfer_map(reading.texture, usage="READ") as mapped:
        assert (mapped.data == 255).all()
    assert len(noise) == 32


def test_mapped_global_memory_outlives_its_resource(ctx: g.Context) -> None:
    resources = [buffer(ctx), buffer(ctx)]
    ctx.set_global_binding(resources)
    for resource in resources:
        ctx.screen.resource_destroy(resource)
    found = ctx.screen.resource_create(target="BUFFER", width0=16)
    ctx.bind_compute_state(ctx.create_compute_state(ADD_ONE))
    ctx.set_shader_buffers("COMPUTE", [found])
    ctx.launch_grid(block=(4, 1, 1))
    ctx.set_global_binding([None, None])
    gc.collect()
    assert ctx.screen.memory.used == 16


def test_destroying_twice_drops_one_reference(ctx: g.Context) -> None:
    resource = texture(ctx)
    view = ctx.create_sampler_view(resource)
    for _ in range(3):
        ctx.screen.resource_destroy(resource)
    assert not resource.is_destroyed
    ctx.set_sampler_views("FRAGMENT", [view])


def test_a_resource_with_a_view_may_be_used_after_its_creator_let_go(ctx: g.Context) -> None:
    resource = texture(ctx)
    view = ctx.create_sampler_view(resource)
    ctx.screen.resource_destroy(resource)
    ctx.texture_subdata(view.texture, bytes([1] * 4 * SIZE * SIZE))
    second = ctx.create_surface(view.texture)
    ctx.sampler_view_destroy(view)
    assert not resource.is_destroyed
    ctx.surface_destroy(second)
    assert resource.is_destroyed


@pytest.mark.parametrize("kind", ["sampler_view", "surface", "stream_output_target"])
def test_an_object_is_destroyed_once(ctx: g.Context, kind: str) -> None:
    made = getattr(ctx, f"create_{kind}")(buffer(ctx) if kind == "stream_output_target" else texture(ctx))
    destroy = getattr(ctx, f"{kind}_destroy")
    destroy(made)
    with pytest.raises(ValueError, match="it was destroyed"):
        destroy(made)


def test_a_sampler_object_that_was_bound_and_dropped_leaves_nothing(ctx: g.Context) -> None:
    def use(count: int) -> None:
        for _ in range(count):
            ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()])
        ctx.state.known.clear()  # a cache of objects that were bound lately
        gc.collect()

    use(2000)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    use(5000)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 200 * KIB  # 40 bytes each


@pytest.mark.parametrize("kind", [g.Resource, g.Surface])
def test_the_end_of_an_object_that_was_not_finished_raises_nothing(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    raised: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", raised.append)
    unfinished: object = object.__new__(kind)  # the state of an object whose constructor ran out of memory
    del unfinished
    gc.collect()
    assert raised == []
