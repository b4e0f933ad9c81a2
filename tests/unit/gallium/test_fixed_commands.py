"""Calls that set state, query, or write small pieces of buffers have fixed commands with the same effects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tgsi
import tgsi.gallium as g
from backends.device.calls.table import COMMANDS, DETAILS, FIELDS, REPEATED, ROWS
from backends.device.commands.layout import Command
from backends.gallium.context.recording.decoder import items
from tests.calls import calls_in
from tests.unit.gallium.test_bundles import TRIANGLE, VIEWPORT, Stage, f4

pytestmark = pytest.mark.light


class Wide(Stage):
    """The stage with objects of more kinds."""

    def __init__(self, screen: tgsi.Screen) -> None:
        super().__init__(screen)
        self.depth = screen.resource_create(width0=48, height0=48, format="Z24_UNORM_S8_UINT", bind="DEPTH_STENCIL")
        self.view = self.ctx.create_sampler_view(screen.resource_create(width0=8, height0=8))
        self.sampler, self.query = self.ctx.create_sampler_state(), self.ctx.create_query("OCCLUSION_COUNTER")
        self.tests = self.ctx.create_depth_stencil_alpha_state(depth={"enabled": True})
        self.surface = self.ctx.create_surface(self.target)
        self.ctx.begin_query(self.query)  # a query has a result, so that it can be a condition
        self.ctx.end_query(self.query)


Act = Callable[[Wide, Any], object]


@pytest.fixture
def stage() -> Iterator[Wide]:
    with tgsi.Screen(threads=0) as screen:
        yield Wide(screen)


STATES: list[tuple[Command, Act]] = [
    (Command.BIND, lambda s, to: to.bind_blend_state(s.blend)),
    (Command.BIND, lambda s, to: to.bind_depth_stencil_alpha_state(handle=s.tests)),
    (Command.BIND, lambda s, to: to.bind_rasterizer_state(s.rasterizer)),
    (Command.BIND, lambda s, to: to.bind_vertex_elements_state(s.elements)),
    (Command.BIND, lambda s, to: to.bind_vs_state(s.vs)),
    (Command.BIND, lambda s, to: to.bind_fs_state(s.fs)),
    (Command.VIEWPORTS, lambda s, to: to.set_viewport_states([VIEWPORT])),
    (Command.VIEWPORTS, lambda s, to: to.set_viewport_states([g.ViewportState((0.1, -2, 3), (1e-300, -0.0, 7)), {}])),
    (Command.SCISSORS, lambda s, to: to.set_scissor_states([{"minx": 3, "maxx": 9}, g.ScissorState(1, 2, 3, 65535)])),
    (Command.BLEND_COLOR, lambda s, to: to.set_blend_color((0.1, -0.0, 1, 7.5))),
    (Command.BLEND_COLOR, lambda s, to: to.set_blend_color(g.BlendColor((0.1, 0, 1, 7.5)))),
    (Command.STENCIL_REF, lambda s, to: to.set_stencil_ref(7)),
    (Command.STENCIL_REF, lambda s, to: to.set_stencil_ref([7, 255])),
    (Command.SAMPLER_VIEWS, lambda s, to: to.set_sampler_views("GEOMETRY", [None, s.view], start=2)),
    (Command.SAMPLERS, lambda s, to: to.bind_sampler_states("FRAGMENT", (s.sampler, None, s.sampler), start=1)),
]
TWO = 7
"""Two viewports: a list that sets fewer than are set leaves the rest, so lists of one length are repeated."""
OTHERS: list[tuple[Command, Act]] = [
    (Command.FRAMEBUFFER, lambda s, to: to.set_framebuffer_state(cbufs=[s.target, None], zsbuf=s.depth)),
    (Command.FRAMEBUFFER, lambda s, to: to.set_framebuffer_state(g.FramebufferState(cbufs=(s.surface,), width=40, height=30))),
    (Command.FRAMEBUFFER, lambda s, to: to.set_framebuffer_state(width=20, height=30, layers=2)),
    (Command.QUERY, lambda s, to: to.begin_query(s.query)),
    (Command.CONDITION, lambda s, to: to.render_condition(s.query, condition=True, mode="NO_WAIT")),
    (Command.CONDITION, lambda s, to: to.render_condition(None)),
    (Command.BARRIER, lambda s, to: to.texture_barrier()),
    (Command.BARRIER, lambda s, to: to.memory_barrier("SHADER_BUFFER|MAPPED_BUFFER")),
    (Command.SUBDATA, lambda s, to: to.buffer_subdata(s.buffer, b"12345", offset=3)),
    (Command.SUBDATA, lambda s, to: to.buffer_subdata(s.buffer, f4([1, 2, 3]))),
    (Command.SUBDATA, lambda s, to: to.buffer_subdata(s.buffer, b"")),
]


def words_of(stage: Wide, act: Act) -> memoryview:
    with stage.ctx.record() as bundle:
        act(stage, bundle)
    return bundle.content(bundle._owner)[0]


def seen(stage: Wide) -> list[object]:
    """Everything that the calls change."""
    ctx: Any = stage.ctx
    state = ctx.state
    found = [bytes(state.record.words), state.viewports, state.scissors, state.blend_color, state.stencil_ref, ctx.targets.framebuffer]
    textures = [None if item is None else item.texture for item in ctx.targets.surfaces]
    return [*found, textures, ctx.counting.allows_rendering(), state.record.hindrances, bytes(stage.buffer.blocks())]


def reset(stage: Wide) -> None:
    ctx = stage.ctx
    for name in ("blend", "depth_stencil_alpha", "rasterizer", "vertex_elements", "vs", "fs"):
        getattr(ctx, f"bind_{name}_state")(None)
    ctx.set_viewport_states([{"scale": (9, 9, 9)}] * 3)
    ctx.set_scissor_states([{"minx": 1}] * 3)
    ctx.set_blend_color((0, 0, 0, 0))
    ctx.set_stencil_ref(0)
    ctx.set_sampler_views("GEOMETRY", [None] * 4)
    ctx.bind_sampler_states("FRAGMENT", [None] * 4)
    ctx.set_framebuffer_state(cbufs=[stage.target])
    ctx.buffer_subdata(stage.buffer, TRIANGLE)


@pytest.mark.parametrize(("command", "act"), [*STATES, *OTHERS])
def test_a_fixed_command_does_what_its_call_does(stage: Wide, command: Command, act: Act) -> None:
    assert [item.command for item in items(words_of(stage, act))] == [command]
    reset(stage)
    act(stage, stage.ctx)
    wanted = seen(stage)
    if command is Command.QUERY:
        stage.ctx.end_query(stage.query)
    with stage.ctx.record() as bundle:
        act(stage, bundle)
    for _ in range(3):
        reset(stage)
        stage.ctx.replay(bundle)
        assert seen(stage) == wanted
        if command is Command.QUERY:
            stage.ctx.end_query(stage.query)


NOT_PLAIN: list[Act] = [
    lambda s, to: to.set_viewport_states([{"scale": f4([1, 2, 3])}]),
    lambda s, to: to.set_viewport_states({"scale": (1, 2, 3)}),
    lambda s, to: to.set_blend_color(f4([1, 2, 3, 4])),
    lambda s, to: to.set_stencil_ref(np.int32(4)),
    lambda s, to: to.buffer_subdata(s.buffer, b"1234", usage="UNSYNCHRONIZED"),
    lambda s, to: to.set_sample_mask(3),
]


@pytest.mark.parametrize("act", NOT_PLAIN)
def test_other_arguments_are_recorded_as_values(stage: Wide, act: Act) -> None:
    assert all(item.command in (Command.CALL, Command.STATE, Command.DATA) for item in items(words_of(stage, act)))


def test_a_large_write_is_recorded_as_a_call_with_its_data(stage: Wide) -> None:
    large = stage.screen.resource_create(target="BUFFER", width0=1 << 20)
    commands = [item.command for item in items(words_of(stage, lambda s, to: to.buffer_subdata(large, bytes(1 << 20))))]
    assert commands == [Command.DATA] * 5 + [Command.CALL]


def test_states_and_small_writes_that_were_replayed_before_run_no_python(stage: Wide) -> None:
    stage.state(stage.ctx)
    acts = [act for number, (_, act) in enumerate(STATES) if number != TWO]
    with stage.ctx.record() as bundle:
        for k in range(100):
            for act in acts:
                act(stage, bundle)
            bundle.buffer_subdata(stage.buffer, TRIANGLE * f4(k / 100))
    stage.ctx.replay(bundle, 2)
    calls = calls_in(lambda: stage.ctx.replay(bundle, 2))
    assert len(calls) < 100
    assert bytes(stage.buffer.blocks()) == (TRIANGLE * f4(0.99)).tobytes()


def test_every_fixed_command_is_in_every_table() -> None:
    written = {Command.BIND, *(command for command, _ in (*STATES, *OTHERS))}
    of_calls = {Command.DRAW, Command.CLEAR, Command.CONSTANTS, Command.UNIFORMS, Command.VERTEX_BUFFERS, Command.INDEX_BUFFER}
    assert set(COMMANDS) == written | of_calls
    assert written <= set(FIELDS)
    assert set(DETAILS) <= set(FIELDS)
    assert {int(command) for command in REPEATED} <= {number for number, _ in ROWS}
    binds = [COMMANDS[Command.BIND][number][0].name for number in range(13)]
    assert binds[:5] == [f"bind_{kind}_state" for kind in ("blend", "rasterizer", "depth_stencil_alpha", "vertex_elements", "link")]
