"""Clears, flushes and reads of known objects run no Python, and have the same bytes as those in Python."""

from __future__ import annotations

import gc
import itertools
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tgsi
from tests.alarms import interrupted
from tests.calls import calls_in
from tests.unit.gallium.test_interruption import SLOW_FRAGMENT
from tests.unit.gallium.test_replayed_targets import SIZES, Targets
from tgsi import gallium as g

pytestmark = pytest.mark.light

COLORS = [(0, 0, 0, 0), (0.25, 0.5, 1.0, 1), (1, 2.5, -3, 1e-40), (0.1, -0.0, 1e38, 255), [0.5, 0.25, 0.125, 1]]
ODD = [(float("nan"), 0, 0, 1), (float("inf"), -float("inf"), 1e300, 3.4028235677973366e38), (1 << 40, 2, 3, 4), np.full(4, 0.25, "f4")]
FORMATS = ("R8G8B8A8_UNORM", "R32G32B32A32_FLOAT", "R8G8B8A8_UINT", "R16G16B16A16_SINT", "R10G10B10A2_UNORM", "R11G11B10_FLOAT")


@pytest.fixture
def stage() -> Iterator[Targets]:
    with tgsi.Screen(threads=1) as screen:
        yield Targets(screen)


def read(ctx: Any, texture: Any) -> bytes:
    into = np.zeros(texture.blocks()[0].shape, "u1")
    ctx.texture_read(texture, into)
    return into.tobytes()


def known_frames(stage: Targets) -> Any:
    """Clear and read the first target until both are known. Returns memory for its texels."""
    host = np.zeros((SIZES[0], SIZES[0], 4), "u1")
    stage.ctx.set_framebuffer_state(cbufs=[stage.surfaces[0]])
    for _ in range(3):
        stage.ctx.clear(4)
        stage.ctx.texture_read(stage.targets[0], host)
    return host


@pytest.mark.parametrize("format", FORMATS)
def test_a_repeated_clear_gives_the_bytes_of_the_first(stage: Targets, format: str) -> None:
    ctx, texture = stage.ctx, stage.screen.resource_create(width0=70, height0=33, format=format)
    ctx.set_framebuffer_state(cbufs=[texture])
    colors: list[Any] = [*COLORS, *ODD]
    for color in colors:
        seen = []
        for _ in range(4):
            ctx.clear("COLOR0", color=color)
            seen.append(read(ctx, texture))
            ctx.clear(color=(0.75, 0.5, 0.25, 0.125))
            ctx.flush()
        assert len(set(seen)) == 1, color


def test_every_argument_of_a_clear_counts(stage: Targets) -> None:
    ctx, target = stage.ctx, stage.targets[0]
    depth = stage.screen.resource_create(width0=48, height0=48, format="Z24_UNORM_S8_UINT", bind="DEPTH_STENCIL")
    ctx.set_framebuffer_state(cbufs=[target], zsbuf=depth)
    cases: list[dict[str, Any]] = [
        {"buffers": buffers, "color": color, "depth": z, "stencil": s}
        for buffers, color, z, s in itertools.product(
            (4, "COLOR", g.Clear.DEPTH, 3, "COLOR0|STENCIL"), ((1, 0, 0, 0), (0, 1.0, 0, 0)), (0.25, 1, -2.5, 7.0, 0), (1, 0x1FF, 77)
        )
    ]
    wanted: dict[int, tuple[bytes, bytes]] = {}
    for turn in range(3):
        for number, case in enumerate(cases):
            ctx.clear_render_target(target, color=(0, 0, 1, 0))
            ctx.clear_depth_stencil(depth, depth=0.5, stencil=3)
            ctx.clear(**case)
            assert wanted.setdefault(number, (read(ctx, target), read(ctx, depth))) == (read(ctx, target), read(ctx, depth)), (turn, case)
    assert len(set(wanted.values())) == 20


def test_a_frame_of_known_objects_runs_no_python(stage: Targets) -> None:
    ctx, target, surface, info = stage.ctx, stage.targets[0], stage.surfaces[0], g.DrawInfo(count=3)
    host, color = np.zeros((SIZES[0], SIZES[0], 4), "u1"), (0.25, 0.5, 0, 1)

    def frames() -> None:
        for k in range(10):
            ctx.set_framebuffer_state(cbufs=[surface])
            ctx.clear("COLOR0", color=color, depth=1.0)
            ctx.draw_vbo(info)
            ctx.clear(buffers=4, color=[0, 0, 0.5, k / 16])
            ctx.draw_vbo(info)
            ctx.texture_read(target, host)

    for _ in range(2):
        frames()
    before = ctx.device.runs
    wanted = host.tobytes()
    host[:] = 0
    assert min(len(calls_in(frames)) for _ in range(3)) == 0, "a look at what is out of use comes every 64 frames"
    assert host.tobytes() == wanted
    assert ctx.device.runs == before + 30


def test_clears_between_draws_keep_their_place(stage: Targets) -> None:
    ctx, pictures = stage.ctx, []
    for turn in range(4):
        for k in range(90 * 35 if turn == 3 else 90):
            ctx.set_framebuffer_state(cbufs=[stage.surfaces[k % 2]])
            if k % 3 != 1:
                ctx.clear("COLOR0", color=(k % 3 / 4, 0.5, 0, 1))
            stage.draw(ctx, k % 90)
        pictures.append(stage.read())
    assert all(picture == pictures[0] for picture in pictures)


def test_a_clear_of_targets_that_draws_of_the_pass_sample_comes_after_them(stage: Targets) -> None:
    ctx, pictures = stage.ctx, []
    ctx.bind_sampler_states("FRAGMENT", [stage.sampler])
    for _ in range(4):
        ctx.bind_fs_state(stage.sampled)
        for k in range(8):
            ctx.set_framebuffer_state(cbufs=[stage.surfaces[0]])
            ctx.clear("COLOR0", color=(k / 8, 0.5, 0, 1))
            ctx.set_sampler_views("FRAGMENT", [stage.views[0]])
            stage.draw(ctx, k)
            ctx.clear("COLOR0", color=(0, k / 8, 0, 1))
            ctx.set_framebuffer_state(cbufs=[stage.surfaces[3]])
            stage.draw(ctx, k)
        pictures.append(stage.read())
    assert pictures[1:] == pictures[:-1]


def test_a_clear_under_a_render_condition_is_skipped_as_before(stage: Targets) -> None:
    ctx, target = stage.ctx, stage.targets[0]
    ctx.set_framebuffer_state(cbufs=[stage.surfaces[0]])
    for _ in range(3):
        ctx.clear("COLOR0", color=(1, 1, 1, 1))
    query = ctx.create_query("OCCLUSION_COUNTER")
    ctx.begin_query(query)
    ctx.end_query(query)
    ctx.render_condition(query, condition=False, mode="WAIT")
    ctx.clear("COLOR0", color=(0, 0, 0, 0))
    ctx.clear("COLOR0", color=(0, 0, 0, 0))
    ctx.render_condition(None)
    assert set(read(ctx, target)) == {255}


def test_wrong_arguments_of_known_clears_and_reads_are_refused_as_before(stage: Targets) -> None:
    ctx: Any = stage.ctx
    target = stage.targets[0]
    host = np.zeros((SIZES[0], SIZES[0], 4), "u1")
    for _ in range(3):
        ctx.clear("COLOR0")
        ctx.texture_read(target, host)
    for given, words in (({"color": (1, 2, 3)}, "four numbers"), ({"depth": "near"}, "clear: depth"), ({"stencil": 1.5}, "clear: stencil")):
        with pytest.raises((TypeError, ValueError), match=words):
            ctx.clear("COLOR0", **given)
    with pytest.raises((TypeError, ValueError), match="clear: buffers"):
        ctx.clear(1 << 20)
    with pytest.raises(TypeError, match="multiple values for argument 'buffers'"):
        ctx.clear(4, buffers=4)
    frozen = host.copy()
    frozen.flags.writeable = False
    for into in (b"12", frozen, host[:, ::2], host[:4], 7):
        with pytest.raises((TypeError, ValueError), match="texture_read: into"):
            ctx.texture_read(target, into)
    ctx.surface_destroy(stage.surfaces[0])
    ctx.sampler_view_destroy(stage.views[0])
    ctx.set_framebuffer_state()
    stage.screen.resource_destroy(target)
    with pytest.raises(ValueError, match="texture_read: resource: it was destroyed"):
        ctx.texture_read(target, host)


def test_a_read_finishes_the_work_of_earlier_passes_and_no_other(stage: Targets) -> None:
    ctx, (a, b, *_) = stage.ctx, stage.targets
    for _ in range(3):
        ctx.set_framebuffer_state(cbufs=[stage.surfaces[0]])
        ctx.clear(4, color=(1, 0, 0, 1))
        ctx.set_framebuffer_state(cbufs=[stage.surfaces[1]])
        ctx.clear(4, color=(0, 1, 0, 1))
        runs = ctx.device.runs
        other = stage.screen.resource_create(width0=4, height0=4)
        assert read(ctx, other) == bytes(64)
        assert read(ctx, other) == bytes(64)
        assert ctx.device.runs == runs
        assert set(zip(*[iter(read(ctx, a))] * 4)) == {(255, 0, 0, 255)}
        assert set(zip(*[iter(read(ctx, b))] * 4)) == {(0, 255, 0, 255)}


def test_other_threads_run_while_a_read_waits_and_cannot_enter_the_context(stage: Targets) -> None:
    ctx, host = stage.ctx, np.zeros((SIZES[2], SIZES[2], 4), "u1")
    ctx.set_framebuffer_state(cbufs=[stage.surfaces[2]])
    ctx.bind_fs_state(ctx.create_fs_state(SLOW_FRAGMENT))
    for _ in range(3):
        ctx.clear(4)
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        ctx.texture_read(stage.targets[2], host)
    refused: list[str] = []
    done = threading.Event()

    def other() -> None:
        while not done.wait(0.001):
            try:
                ctx.is_resource_referenced(stage.targets[0])
            except RuntimeError as error:
                refused.append(str(error))

    thread = threading.Thread(target=other)
    thread.start()
    try:
        for _ in range(20):
            ctx.draw_vbo(mode="TRIANGLES", count=3)
            ctx.texture_read(stage.targets[2], host)
    finally:
        done.set()
        thread.join()
    assert refused
    assert "in use by another thread" in refused[0]


def test_an_exception_of_a_signal_handler_ends_a_read_that_waits(stage: Targets) -> None:
    ctx, host = stage.ctx, np.zeros((SIZES[2], SIZES[2], 4), "u1")
    ctx.set_framebuffer_state(cbufs=[stage.surfaces[2]])
    for _ in range(3):
        ctx.clear(4, color=(1, 1, 1, 1))
        ctx.texture_read(stage.targets[2], host)
    ctx.bind_fs_state(ctx.create_fs_state(SLOW_FRAGMENT))
    for _ in range(2):
        ctx.draw_vbo(mode="TRIANGLES", count=3, instance_count=1 << 12)
        with interrupted():
            ctx.texture_read(stage.targets[2], host)
    ctx.bind_fs_state(stage.fs)
    ctx.clear(4, color=(0, 1, 0, 1))
    ctx.texture_read(stage.targets[2], host)
    assert np.array_equal(host, np.broadcast_to(np.array([0, 255, 0, 255], "u1"), host.shape))


def test_a_read_that_carries_pending_work_out_signals_the_fences_before_it(stage: Targets) -> None:
    ctx, host = stage.ctx, known_frames(stage)
    ctx.clear(4)
    fence = ctx.flush("DEFERRED")
    assert not fence.is_signaled
    ctx.texture_read(stage.targets[0], host)
    assert fence.is_signaled


def test_native_flushes_let_go_of_memory_as_soon_as_python_is_asked(stage: Targets) -> None:
    ctx, texture = stage.ctx, stage.screen.resource_create(width0=48, height0=48)
    surface = ctx.create_surface(texture)
    memory = weakref.ref(texture.storage.base if texture.storage.base is not None else texture.storage)
    for _ in range(4):
        for item in (surface, stage.surfaces[3]):
            ctx.set_framebuffer_state(cbufs=[item])
            stage.draw(ctx, 1)
        ctx.flush()
    ctx.surface_destroy(surface)
    stage.screen.resource_destroy(texture)
    del surface, texture, item
    stage.read()
    stage.draw(ctx, 2)
    stage.read()
    gc.collect()
    assert memory() is None


def test_targets_that_are_new_in_each_frame_are_freed_with_it(stage: Targets) -> None:
    ctx, host, living = stage.ctx, np.zeros((48, 48, 4), "u1"), []
    for k in range(20):
        texture = stage.screen.resource_create(width0=48, height0=48)
        living.append(weakref.ref(texture))
        surface = ctx.create_surface(texture)
        ctx.set_framebuffer_state(cbufs=[surface])
        ctx.clear(4, color=(k / 20, 0, 0, 1))
        stage.draw(ctx, k)
        ctx.texture_read(texture, host)
        del surface, texture
    gc.collect()
    assert sum(item() is not None for item in living) <= 2


def test_memory_of_replaced_bindings_ends_with_the_next_flush(stage: Targets) -> None:
    ctx, host = stage.ctx, known_frames(stage)
    living = []
    for k in range(6):
        vertices = np.full((3, 4), k / 8, "f4")
        living.append(weakref.ref(vertices))
        ctx.set_vertex_buffers([vertices])
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        del vertices
        if k % 2:
            ctx.texture_read(stage.targets[0], host)
    ctx.set_vertex_buffers([np.zeros((3, 4), "f4")])
    ctx.draw_vbo(mode="TRIANGLES", count=3)
    ctx.texture_read(stage.targets[0], host)
    ctx.state.known.clear()
    gc.collect()
    assert sum(item() is not None for item in living) <= 1
    assert len(ctx.state._retired) <= 1
