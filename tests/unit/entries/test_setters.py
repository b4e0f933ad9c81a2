"""Entries of setters: the bound state after a call is that after the Python method, and seen objects need no Python."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.device.commands.bound_record import BoundRecord
from backends.entries import install as installing
from backends.gallium.context.buffers import BufferBindings
from backends.gallium.context.parameters import Parameters
from backends.gallium.context.sampler_states import SamplerStates
from backends.gallium.context.sampler_views import SamplerViews
from tests.calls import calls_in
from tests.unit.entries.test_entries import Picture
from tgsi import gallium as g

pytestmark = [pytest.mark.light, pytest.mark.skipif(not installing.fits(), reason="native entries need a plain CPython 3.11 to 3.14")]

PARTS = {
    "set_sampler_views": SamplerViews,
    "bind_sampler_states": SamplerStates,
    "set_vertex_buffers": BufferBindings,
    "set_index_buffer": BufferBindings,
    "set_viewport_states": Parameters,
    "set_scissor_states": Parameters,
    "set_blend_color": Parameters,
    "set_stencil_ref": Parameters,
}
"""The part of the context that defines each method."""


class Things(Picture):
    """A picture with objects to bind."""

    def __init__(self, screen: tgsi.Screen) -> None:
        super().__init__(screen)
        self.screen = screen
        self.buffers = [screen.resource_create(target="BUFFER", format="R8_UNORM", width0=n, bind="VERTEX_BUFFER") for n in (256, 64)]
        self.views = [self.ctx.create_sampler_view(screen.resource_create(width0=4, height0=4, bind="SAMPLER_VIEW")) for _ in range(3)]
        self.samplers = [self.ctx.create_sampler_state(), self.ctx.create_sampler_state(lod_bias=0.5)]
        self.vertices = [g.VertexBuffer(self.buffers[0], 32, 16), g.VertexBuffer(self.buffers[1], 0, 500), g.VertexBuffer(self.buffers[0])]
        self.viewports = [g.ViewportState((k + 1.0, 4.0, 0.5), (4.0, 4.0, 0.5)) for k in range(2)]
        self.scissors = [g.ScissorState(0, k, 7, 8) for k in range(2)]

    def unbind(self) -> None:
        """Bind others in place of all objects."""
        ctx = self.ctx
        for stage in ("VERTEX", "FRAGMENT"):
            ctx.set_sampler_views(stage, [None] * 8)
            ctx.bind_sampler_states(stage, [None] * 8)
        ctx.set_vertex_buffers([None] * 8)
        ctx.set_index_buffer(None)
        ctx.set_viewport_states([g.ViewportState()])
        ctx.set_scissor_states([{}])
        ctx.set_blend_color([0.5] * 4)
        ctx.set_stencil_ref([3, 4])

    def bound(self) -> tuple[object, ...]:
        """Everything that is bound, but revisions and owners."""
        r: BoundRecord = self.ctx.state.record
        buffers = [(v.address, v.size, v.stride) for v in r.vertex_buffers]
        state = self.ctx.state
        values = state.viewports, state.scissors, state.blend_color, state.stencil_ref, state.fragment.views, state.vertex.samplers
        return tuple(r.words), buffers, r.num_vertex_buffers, r.index_address, r.index_bytes, r.num_viewports, r.num_scissors, values


@pytest.fixture
def things() -> Iterator[Things]:
    with tgsi.Screen(threads=0) as screen:
        made = Things(screen)
        yield made
        made.ctx.destroy()


Case = tuple[str, Callable[[Things], tuple[Any, ...]], Callable[[Things], dict[str, Any]]]


def case(name: str, given: Callable[[Things], tuple[Any, ...]], named: Callable[[Things], dict[str, Any]] = lambda t: {}) -> Case:
    return name, given, named


PLAIN: list[Case] = [
    case("set_sampler_views", lambda t: ("FRAGMENT", [t.views[0]])),
    case("set_sampler_views", lambda t: ("FRAGMENT", [t.views[0], None, t.views[2]])),
    case("set_sampler_views", lambda t: (g.ShaderType.VERTEX, (t.views[1], t.views[1]))),
    case("set_sampler_views", lambda t: ("FRAGMENT", [])),
    case("bind_sampler_states", lambda t: ("FRAGMENT", [t.samplers[1], None, t.samplers[0]])),
    case("bind_sampler_states", lambda t: ("VERTEX", (t.samplers[0],))),
    case("set_vertex_buffers", lambda t: ([t.vertices[0]],)),
    case("set_vertex_buffers", lambda t: (tuple(t.vertices),)),
    case("set_vertex_buffers", lambda t: ([{"buffer": t.buffers[0]}],)),
    case("set_vertex_buffers", lambda t: ([{"buffer_offset": 32, "stride": 48, "buffer": t.buffers[1]}, t.vertices[0]],)),
    case("set_vertex_buffers", lambda t: ([{"buffer": t.buffers[1], "buffer_offset": 1 << 20}],)),
    case("set_index_buffer", lambda t: (t.buffers[1],)),
    case("set_index_buffer", lambda t: (t.buffers[0],), lambda t: {"index_offset": 12}),
    case("set_index_buffer", lambda t: (t.buffers[0],), lambda t: {"index_offset": 1 << 20}),
    case("set_viewport_states", lambda t: ([t.viewports[1]],)),
    case("set_scissor_states", lambda t: ((t.scissors[1],),)),
    case("set_blend_color", lambda t: ((0.25, 1, 0.5, 1.0),)),
    case("set_blend_color", lambda t: (g.BlendColor((0.0, 0.0, 1.0, 0.0)),)),
    case("set_stencil_ref", lambda t: (7,)),
    case("set_stencil_ref", lambda t: ((7, 9),)),
    case("set_stencil_ref", lambda t: (g.StencilRef((1, 200)),)),
]


@pytest.mark.parametrize("number", range(len(PLAIN)), ids=[f"{name}{k}" for k, (name, _, _) in enumerate(PLAIN)])
def test_a_seen_call_needs_no_python_and_binds_what_the_method_binds(things: Things, number: int) -> None:
    name, make, make_named = PLAIN[number]
    given, named = make(things), make_named(things)
    entry, method = getattr(things.ctx, name), getattr(PARTS[name], name)
    things.unbind()
    method(things.ctx, *given, **named)
    wanted = things.bound()
    for _ in range(2):
        entry(*given, **named)
    things.unbind()
    assert things.bound() != wanted or not given[-1]
    assert calls_in(lambda: entry(*given, **named)) == []
    assert things.bound() == wanted


WRONG: list[Case] = [
    case("set_sampler_views", lambda t: ("FRAGMENT", [t.views[0], 3])),
    case("set_sampler_views", lambda t: ("FRAGMENT", t.views[0])),
    case("set_sampler_views", lambda t: ("NOWHERE", [t.views[0]])),
    case("set_sampler_views", lambda t: ("FRAGMENT", [t.views[0]] * 200)),
    case("bind_sampler_states", lambda t: ("FRAGMENT", [t.views[0]])),
    case("bind_sampler_states", lambda t: ("FRAGMENT", [t.samplers[0]] * 200)),
    case("set_vertex_buffers", lambda t: (t.vertices[0],)),
    case("set_vertex_buffers", lambda t: ([t.vertices[0]] * 40,)),
    case("set_vertex_buffers", lambda t: ([{"buffer": t.buffers[0], "stride": -1}],)),
    case("set_vertex_buffers", lambda t: ([{"buffer": t.buffers[0], "stride": 1.5}],)),
    case("set_vertex_buffers", lambda t: ([{"buffer": t.buffers[0], "step": 1}],)),
    case("set_vertex_buffers", lambda t: ([{"buffer": t.buffers[0], Unlike(): 1}],)),
    case("set_vertex_buffers", lambda t: ([{"stride": 1}],)),
    case("set_index_buffer", lambda t: (t.buffers[0],), lambda t: {"index_offset": -1}),
    case("set_index_buffer", lambda t: (t.buffers[0],), lambda t: {"offset": 1}),
    case("set_viewport_states", lambda t: ([t.scissors[0]],)),
    case("set_scissor_states", lambda t: ([{"minx": -1}],)),
    case("set_scissor_states", lambda t: ([g.ScissorState(1, 2, 3, 1 << 20)],)),
    case("set_blend_color", lambda t: ((1.0, 2.0),)),
    case("set_stencil_ref", lambda t: (256,)),
]


class Unlike:
    """A key that hashes like `stride` and cannot be compared."""

    def __hash__(self) -> int:
        return hash("stride")

    def __eq__(self, other: object) -> bool:
        raise TypeError("compared")

    def __str__(self) -> str:
        return "unlike"


@pytest.mark.parametrize("number", range(len(WRONG)), ids=[f"{name}{k}" for k, (name, _, _) in enumerate(WRONG)])
def test_a_wrong_call_raises_what_the_method_raises(things: Things, number: int) -> None:
    name, make, make_named = WRONG[number]
    for seen, given, named in PLAIN:
        getattr(things.ctx, seen)(*given(things), **named(things))
    errors = []
    for call in (getattr(things.ctx, name), lambda *a, **k: getattr(PARTS[name], name)(things.ctx, *a, **k)):
        with pytest.raises((TypeError, ValueError)) as caught:
            call(*make(things), **make_named(things))
        errors.append((type(caught.value), str(caught.value)))
    assert errors[0] == errors[1]


def test_destroyed_objects_are_refused(things: Things) -> None:
    ctx = things.ctx
    for _ in range(3):
        ctx.set_sampler_views("FRAGMENT", things.views)
        ctx.bind_sampler_states("FRAGMENT", things.samplers)
        ctx.set_vertex_buffers([things.vertices[0]])
        ctx.set_index_buffer(things.buffers[1])
    ctx.sampler_view_destroy(things.views[0])
    things.views[1].texture.destroy()  # the view keeps it
    ctx.destroy_sampler_state(things.samplers[0])
    things.buffers[0].destroy()
    things.buffers[1].destroy()
    calls: list[Callable[[], object]] = [
        lambda: ctx.set_sampler_views("FRAGMENT", [things.views[0]]),
        lambda: ctx.bind_sampler_states("FRAGMENT", [things.samplers[0]]),
        lambda: ctx.set_vertex_buffers([things.vertices[0]]),
        lambda: ctx.set_vertex_buffers([{"buffer": things.buffers[0]}]),
        lambda: ctx.set_index_buffer(things.buffers[1]),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="destroyed"):
            call()
    ctx.set_sampler_views("FRAGMENT", things.views[1:])


def test_a_second_viewport_stays_bound_under_a_known_first_one(things: Things) -> None:
    ctx = things.ctx
    for _ in range(3):
        ctx.set_viewport_states([things.viewports[0]])
    ctx.set_viewport_states([things.viewports[1]] * 2)
    ctx.set_viewport_states([things.viewports[0]])
    assert ctx.state.viewports == (things.viewports[0], things.viewports[1])


def test_no_viewport_and_no_scissor_in_a_call_change_nothing(things: Things) -> None:
    things.ctx.set_viewport_states([things.viewports[0]])
    things.ctx.set_scissor_states([things.scissors[0]])
    for _ in range(3):
        things.ctx.set_viewport_states([])
        things.ctx.set_scissor_states(())
    assert (things.ctx.state.viewports, things.ctx.state.scissors) == ((things.viewports[0],), (things.scissors[0],))


def test_another_vertex_buffer_stays_bound_under_a_known_first_one(things: Things) -> None:
    ctx = things.ctx
    for _ in range(3):
        ctx.set_vertex_buffers([things.vertices[0]])
    ctx.set_vertex_buffers([np.zeros((3, 4), "f4")], start=1)
    ctx.set_vertex_buffers([things.vertices[0]])
    assert [b.stride for b in ctx.state.vertex_buffers] == [32, 16]


def test_memory_over_the_caller_s_own_is_left_to_python(things: Things) -> None:
    memory = np.arange(64, dtype="u1")
    buffer = things.screen.resource_from_user_memory(memory, target="BUFFER", format="R8_UNORM", width0=64, bind="VERTEX_BUFFER")
    for _ in range(3):
        things.ctx.set_vertex_buffers([{"buffer": buffer}])
    assert calls_in(lambda: things.ctx.set_vertex_buffers([{"buffer": buffer}])) != []


def test_a_value_that_can_change_is_left_to_python(things: Things) -> None:
    color = [0.25, 0.5, 0.75, 1.0]
    for _ in range(3):
        things.ctx.set_blend_color(color)
    color[0] = 1.0
    things.ctx.set_blend_color(color)
    assert things.ctx.state.blend_color[0] == 1.0


def test_memory_of_a_known_buffer_goes_when_nothing_is_bound_and_nothing_known(things: Things) -> None:
    ctx = things.ctx
    buffer = things.screen.resource_create(target="BUFFER", format="R8_UNORM", width0=4096, bind="VERTEX_BUFFER")
    for _ in range(3):
        ctx.set_vertex_buffers([{"buffer": buffer, "stride": 16}])
    storage = weakref.ref(buffer.storage.base)
    address = buffer.address
    del buffer
    ctx.state.sweep(set())
    gc.collect()
    assert storage() is not None
    assert ctx.state.vertex_buffers[0].address == address
    ctx.set_vertex_buffers([None])
    ctx.state.carried_out()
    gc.collect()
    assert storage() is None
