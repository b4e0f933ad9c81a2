"""Render targets that were bound before are bound again without Python, and give the bytes of other ways to bind them."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import tgsi
from backends.device.commands.known_objects import MOST_ALIKE
from tests.calls import calls_in
from tests.unit.gallium.test_replayed_targets import KINDS, SIZES, Targets
from tgsi import gallium as g

pytestmark = pytest.mark.light


@pytest.fixture
def stage() -> Any:
    with tgsi.Screen(threads=0) as screen:
        yield Targets(screen)


def bind(ctx: Any, colors: list[Any], depth: Any = None) -> None:
    """Bind targets often enough that they are known."""
    for _ in range(3):
        ctx.set_framebuffer_state(cbufs=colors, zsbuf=depth)


def bound(ctx: Any) -> tuple[Any, Any]:
    return ctx.targets.cbufs, ctx.targets.zsbuf


@pytest.mark.parametrize("threads", [0, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_known_targets_give_the_bytes_of_targets_that_are_always_new(threads: int, kind: str) -> None:
    pictures = []
    for is_known in (False, True):
        with tgsi.Screen(threads=threads) as screen:
            stage = Targets(screen, KINDS[kind])
            depth = stage.ctx.create_surface(stage.depth)
            stage.clear()
            stage.ctx.bind_sampler_states("FRAGMENT", [stage.sampler])
            stage.ctx.bind_fs_state(stage.sampled)
            for k in range(300):
                stage.ctx.set_sampler_views("FRAGMENT", [stage.views[k % 4]])
                chosen = stage.surfaces[(k + 1) % 4] if is_known else stage.ctx.create_surface(stage.targets[(k + 1) % 4])
                stage.ctx.set_framebuffer_state(cbufs=[chosen], zsbuf=depth if k % 4 == 2 else None)
                stage.draw(stage.ctx, k)
            pictures.append(stage.read())
    assert pictures[0] == pictures[1]


def test_a_known_change_of_targets_and_the_draw_after_it_run_no_python(stage: Targets) -> None:
    ctx, info = stage.ctx, g.DrawInfo(count=3)

    def passes() -> None:
        for k in range(8):
            ctx.set_framebuffer_state(cbufs=[stage.surfaces[k % 4]])
            ctx.set_framebuffer_state(cbufs=(stage.surfaces[0], stage.surfaces[k % 4]), zsbuf=depth)
            ctx.draw_vbo(info)

    depth = ctx.create_surface(stage.depth)
    for _ in range(3):
        passes()
    assert calls_in(passes) == []


def test_known_targets_are_told_apart_by_number_order_and_depth(stage: Targets) -> None:
    ctx, (a, b, c, _), depth = stage.ctx, stage.surfaces, stage.ctx.create_surface(stage.depth)
    lists: list[tuple[list[Any], Any]]
    lists = [([a], None), ([a, b], None), ([b, a], None), ([a, b], depth), ([a, None, b], None), ([], depth), ([a, a], None)]
    lists.append(([a, b, c], None))
    for colors, zsbuf in lists:
        bind(ctx, colors, zsbuf)
    for colors, zsbuf in (*lists, *reversed(lists)):
        ctx.set_framebuffer_state(cbufs=colors, zsbuf=zsbuf)
        assert bound(ctx) == (tuple(colors), zsbuf)
    ctx.set_framebuffer_state(zsbuf=depth)
    assert bound(ctx) == ((), depth)
    ctx.set_framebuffer_state(cbufs=[a, b], width=8)
    assert ctx.targets.framebuffer.width == 8
    ctx.set_framebuffer_state(cbufs=[a, b])
    assert ctx.targets.framebuffer.width == min(SIZES[:2])
    ctx.set_framebuffer_state()
    assert bound(ctx) == ((), None)


def test_more_framebuffers_with_one_first_surface_than_are_remembered_are_all_bound_right(stage: Targets) -> None:
    ctx, first = stage.ctx, stage.surfaces[0]
    others = [ctx.create_surface(stage.targets[k % 4]) for k in range(2 * MOST_ALIKE)]
    for _ in range(2):
        for other in others:
            bind(ctx, [first, other])
            assert bound(ctx) == ((first, other), None)
    assert len(ctx.targets.prepared) <= MOST_ALIKE


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_destroyed_surface_is_refused_as_before(stage: Targets, number: int) -> None:
    ctx, other = stage.ctx, stage.screen.context_create()
    colors, depth = [stage.surfaces[0], stage.surfaces[1]], ctx.create_surface(stage.depth)
    bind(ctx, colors, depth)
    bind(ctx, [stage.surfaces[3]])
    (other if number else ctx).surface_destroy([*colors, depth][number])
    with pytest.raises(ValueError, match=r"set_framebuffer_state: (cbufs\[\d\]|zsbuf): it was destroyed"):
        ctx.set_framebuffer_state(cbufs=colors, zsbuf=depth)
    assert bound(ctx) == ((stage.surfaces[3],), None)
    stage.draw(ctx, 1)
    assert any(stage.read()[3])


def test_wrong_arguments_beside_known_targets_are_refused_as_before(stage: Targets) -> None:
    ctx: Any = stage.ctx
    surface = stage.surfaces[0]
    bind(ctx, [surface])
    with pytest.raises(TypeError, match=r"set_framebuffer_state: cbufs: expected a sequence"):
        ctx.set_framebuffer_state(cbufs=surface)
    with pytest.raises(ValueError, match=r"cbufs: 9 are too many"):
        ctx.set_framebuffer_state(cbufs=[surface] * 9)
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'depth'"):
        ctx.set_framebuffer_state(cbufs=[surface], depth=None)
    with pytest.raises(ValueError, match=r"zsbuf: \S+ is not a depth or stencil format"):
        ctx.set_framebuffer_state(cbufs=[surface], zsbuf=surface)
    with pytest.raises(ValueError, match=r"cbufs\[0\]: it belongs to another screen"), tgsi.Screen(threads=0) as screen:
        Targets(screen).ctx.set_framebuffer_state(cbufs=[surface])


def test_the_memory_of_known_targets_ends_with_their_surfaces(stage: Targets) -> None:
    ctx = stage.ctx
    texture = stage.screen.resource_create(width0=48, height0=48)
    surface = ctx.create_surface(texture)
    memory = weakref.ref(texture.storage.base if texture.storage.base is not None else texture.storage)
    bind(ctx, [surface])
    stage.draw(ctx, 1)
    bind(ctx, [stage.surfaces[0]])
    stage.draw(ctx, 1)
    ctx.surface_destroy(surface)
    stage.screen.resource_destroy(texture)
    del surface, texture
    stage.read()
    gc.collect()
    assert memory() is None


def test_a_context_with_known_targets_ends_without_a_collector_of_cycles(stage: Targets) -> None:
    ctx = stage.screen.context_create()
    bind(ctx, [stage.surfaces[0]])
    gc.disable()
    try:
        known = weakref.ref(ctx)
        ctx.destroy()
        del ctx
        assert known() is None
    finally:
        gc.enable()
