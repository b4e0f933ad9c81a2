"""Bundles: replayed calls have the same results as the recorded ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from backends.device.calls.row import Does
from backends.device.calls.table import ALIASES, CALLS, UNRECORDED
from backends.gallium.context.context import Context
from tests.calls import calls_in
from tgsi import gallium as g

pytestmark = pytest.mark.light

SIZE = 48


def f4(values: object) -> NDArray[np.float32]:
    return np.array(values, "f4")


VERTEX = "VERT\nDCL IN[0]\nDCL CONST[0][0]\nDCL OUT[0], POSITION\nADD OUT[0], IN[0], CONST[0][0]\nEND\n"
FRAGMENT = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0][0]\nMOV OUT[0], CONST[0][0]\nEND\n"
TRIANGLE = f4([[-0.5, -0.5, 0, 1], [0, -0.5, 0, 1], [0, 0, 0, 1]])
VIEWPORT = {"scale": (SIZE / 2, SIZE / 2, 0.5), "translate": (SIZE / 2, SIZE / 2, 0.5)}


class Stage:
    """A context with a target, two shaders and a buffer of a triangle."""

    def __init__(self, screen: tgsi.Screen) -> None:
        self.screen, self.ctx = screen, screen.context_create()
        self.target = screen.resource_create(width0=SIZE, height0=SIZE)
        self.ctx.set_framebuffer_state(cbufs=[self.target])
        self.vs, self.fs = self.ctx.create_vs_state(VERTEX), self.ctx.create_fs_state(FRAGMENT)
        self.elements = self.ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT", 0)])
        self.blend, self.rasterizer = self.ctx.create_blend_state(), self.ctx.create_rasterizer_state()
        self.buffer = screen.resource_create(target="BUFFER", width0=TRIANGLE.nbytes)
        self.ctx.buffer_subdata(self.buffer, TRIANGLE)
        self.uniforms = screen.resource_create(target="BUFFER", width0=64)
        self.ctx.buffer_subdata(self.uniforms, f4([0.25, 0.5, 1, 1]))

    def state(self, to: Any) -> None:
        """The calls that a draw needs."""
        to.set_viewport_states([VIEWPORT])
        to.bind_vs_state(self.vs)
        to.bind_fs_state(self.fs)
        to.bind_rasterizer_state(self.rasterizer)
        to.bind_blend_state(self.blend)
        to.bind_vertex_elements_state(self.elements)
        to.set_vertex_buffers([{"buffer": self.buffer, "stride": 16}])
        to.set_constant_buffer("VERTEX", np.zeros(4, "f4"))
        to.set_constant_buffer("FRAGMENT", f4([1, 0, 0, 1]))

    def calls(self, to: Any) -> None:
        """Draws with everything that a fixed command has, and more."""
        to.clear(color=(0, 0, 0.5, 1))
        self.state(to)
        for k in range(12):
            to.set_constant_buffer("VERTEX", f4([k / 12 - 0.25, (k * 5 % 12) / 12 - 0.5, 0, 0]))
            to.set_constant_buffer("FRAGMENT", self.uniforms if k % 4 == 0 else f4([k / 12, 1 - k / 12, 0.5, 1]))
            to.set_vertex_buffers([TRIANGLE] if k % 5 == 0 else [{"buffer": self.buffer, "stride": 16}])
            if k % 3 == 0:
                to.draw_vbo(mode="TRIANGLES", index=np.array([2, 1, 0, 0, 1, 2], "u2"), start=k % 2 * 3)
            elif k % 3 == 1:
                to.draw_vbo(g.DrawInfo(mode=g.Prim.TRIANGLE_STRIP, count=3))
            else:
                to.draw_vbo(mode="TRIANGLES", count=3, instance_count=2)
        to.clear_render_target(self.target, color=(1, 1, 1, 1), x=1, y=2, width=3, height=4)

    def end_fragment_shader(self, to: Any) -> None:
        """Use the fragment shader for the last time."""
        to.bind_fs_state(self.fs)
        self.ctx.destroy_fs_state(self.fs)

    def end_buffer(self, to: Any) -> None:
        """Use the buffer for the last time."""
        to.set_index_buffer(self.buffer)
        self.screen.resource_destroy(self.buffer)

    def pixels(self) -> bytes:
        found = np.zeros((SIZE, SIZE, 4), np.uint8)
        self.ctx.texture_read(self.target, found)
        return found.tobytes()


@pytest.fixture
def stage() -> Iterator[Stage]:
    with tgsi.Screen(threads=0) as screen:
        yield Stage(screen)


def test_every_public_method_of_a_context_is_in_the_table() -> None:
    public = {name for name in dir(Context) if not name.startswith("_") and callable(getattr(Context, name))}
    named = {name for name, row in CALLS.items() if row.does is not Does.OWN} | set(UNRECORDED) | set(ALIASES)
    assert public - {"record", "replay"} == named


@pytest.mark.parametrize("threads", [0, 3])
def test_a_replayed_bundle_gives_the_bytes_of_the_calls(threads: int) -> None:
    with tgsi.Screen(threads=threads) as screen:
        stage = Stage(screen)
        stage.calls(stage.ctx)
        wanted = stage.pixels()
        assert len(set(wanted)) > 10
        stage.ctx.clear(color=(0, 0, 0, 0))
        with stage.ctx.record() as bundle:
            stage.calls(bundle)
        assert stage.pixels() == bytes(SIZE * SIZE * 4), "recording draws nothing"
        for n in (1, 1, 3):
            stage.ctx.clear(color=(0, 0, 0, 0))
            stage.ctx.replay(bundle, n)
            assert stage.pixels() == wanted


def test_known_draws_of_a_bundle_run_no_python(stage: Stage) -> None:
    stage.state(stage.ctx)
    with stage.ctx.record() as bundle:
        stage.state(bundle)
        for k in range(200):
            bundle.set_constant_buffer("FRAGMENT", f4([k / 200, 0, 0, 1]))
            bundle.draw_vbo(mode="TRIANGLES", count=3)
            if k % 20 == 0:
                bundle.clear(color=(k / 200, 0, 0, 1), stencil=k)
    stage.ctx.replay(bundle)
    calls = calls_in(lambda: stage.ctx.replay(bundle, 2))
    assert len(calls) < 100
    assert {"draw_vbo", "set_constant_buffer", "clear"}.isdisjoint(calls)


def test_barriers_of_a_bundle_carry_out_its_draws_without_python(stage: Stage) -> None:
    stage.state(stage.ctx)
    with stage.ctx.record() as bundle:
        stage.state(bundle)
        for k in range(20):
            bundle.draw_vbo(mode="TRIANGLES", count=3)
            bundle.texture_barrier("FRAMEBUFFER" if k % 2 else "SAMPLER")
            bundle.memory_barrier("SHADER_BUFFER|TEXTURE")
    stage.ctx.replay(bundle)
    before = stage.ctx.device.statistics(flushes=False).flushes_asked
    calls = calls_in(lambda: stage.ctx.replay(bundle, 2))
    assert {"memory_barrier", "texture_barrier", "draw_vbo"}.isdisjoint(calls)
    assert stage.ctx.device.statistics(flushes=False).flushes_asked - before == 40


def test_a_barrier_of_a_bundle_signals_fences_and_shows_memory_of_the_caller(stage: Stage) -> None:
    mine = np.zeros(4, "u4")
    counter = stage.screen.resource_from_user_memory(mine)
    with stage.ctx.record() as bundle:
        bundle.draw_vbo(mode="TRIANGLES", count=3)
        bundle.memory_barrier()
    stage.state(stage.ctx)
    stage.ctx.replay(bundle)
    stage.ctx.draw_vbo(mode="TRIANGLES", count=3)
    fence = stage.ctx.flush("DEFERRED")
    assert not fence.is_signaled
    stage.ctx.replay(bundle)
    assert fence.is_signaled
    count = "ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy\nMOV OUT[0], IMM[0].xxxx\nEND\n"
    text = "FRAG\nDCL OUT[0], COLOR\nDCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {0, 1, 0, 0}\n" + count
    stage.ctx.bind_fs_state(stage.ctx.create_fs_state(text))
    stage.ctx.set_shader_buffers("FRAGMENT", [counter])
    seen = []
    for _ in range(3):
        stage.ctx.replay(bundle)
        seen.append(int(mine[0]))
    assert seen == [seen[0], 2 * seen[0], 3 * seen[0]]
    assert seen[0] > 0


@pytest.mark.parametrize("flags", [4, 4096])
def test_a_barrier_with_a_wrong_flag_is_refused(stage: Stage, flags: int) -> None:
    name = "texture_barrier" if flags == 4 else "memory_barrier"
    with stage.ctx.record() as bundle:
        getattr(bundle, name)(1)
    bundle._words[4:8] = flags.to_bytes(4, "little")
    with pytest.raises(ValueError, match=rf"command 0 .{name}.*flags"):
        stage.ctx.replay(bundle)


def test_state_is_inherited_and_stays(stage: Stage) -> None:
    stage.state(stage.ctx)
    with stage.ctx.record() as bundle:
        bundle.set_constant_buffer("FRAGMENT", f4([0, 1, 0, 1]))
        bundle.draw_vbo(mode="TRIANGLES", count=3)
    stage.ctx.clear(color=(0, 0, 0, 1))
    stage.ctx.set_constant_buffer("VERTEX", f4([0.5, 0.5, 0, 0]))
    stage.ctx.replay(bundle)
    moved = stage.pixels()
    stage.ctx.clear(color=(0, 0, 0, 1))
    stage.ctx.draw_vbo(mode="TRIANGLES", count=3)  # with the constants that the bundle left
    assert stage.pixels() == moved
    stage.ctx.clear(color=(0, 0, 0, 1))
    stage.ctx.set_constant_buffer("VERTEX", np.zeros(4, "f4"))
    stage.ctx.replay(bundle)
    assert stage.pixels() != moved


def test_viewports_that_a_bundle_does_not_name_stay_bound(stage: Stage) -> None:
    with stage.ctx.record() as bundle:
        bundle.set_viewport_states([VIEWPORT])
    stage.ctx.replay(bundle, 3)
    other = g.ViewportState((1, 2, 3), (4, 5, 6))
    stage.ctx.set_viewport_states([VIEWPORT, other, other])
    stage.ctx.set_viewport_states([other])
    stage.ctx.replay(bundle)
    assert stage.ctx.state.viewports == (g.ViewportState(VIEWPORT["scale"], VIEWPORT["translate"]), other, other)


def test_vertex_buffers_of_other_slots_stay_bound(stage: Stage) -> None:
    with stage.ctx.record() as bundle:
        bundle.set_vertex_buffers([{"buffer": stage.buffer, "stride": 16}], start=1)
    array = TRIANGLE.copy()
    stage.ctx.set_vertex_buffers([array, array, array])
    stage.ctx.replay(bundle, 2)
    first, second, third = stage.ctx.state.vertex_buffers
    assert second is not None
    assert second.address == stage.buffer.address
    for kept in (first, third):
        assert kept is not None
        assert kept.keepalive is not None


def test_queries_and_uploads_are_replayed_in_order(stage: Stage) -> None:
    stage.state(stage.ctx)
    query = stage.ctx.create_query("OCCLUSION_COUNTER")
    with stage.ctx.record() as bundle:
        bundle.buffer_subdata(stage.buffer, TRIANGLE * f4([2, 2, 1, 1]))
        bundle.begin_query(query)
        bundle.draw_vbo(mode="TRIANGLES", count=3)
        bundle.end_query(query)
        bundle.buffer_subdata(stage.buffer, TRIANGLE)
        bundle.draw_vbo(mode="TRIANGLES", count=3)
    for _ in range(2):
        stage.ctx.replay(bundle)
        passed = stage.ctx.get_query_result(query)
        assert isinstance(passed, int)
        assert passed > 200
        assert bytes(stage.buffer.blocks()) == TRIANGLE.tobytes()


def test_a_bundle_copies_arrays_when_it_is_recorded(stage: Stage) -> None:
    stage.state(stage.ctx)
    array, color = TRIANGLE.copy(), f4([0, 1, 1, 1])
    with stage.ctx.record() as bundle:
        bundle.set_vertex_buffers([array])
        bundle.set_constant_buffer("FRAGMENT", color)
        bundle.draw_vbo(mode="TRIANGLES", count=3)
    stage.ctx.replay(bundle)
    before = stage.pixels()
    array[:], color[:] = 0, 0
    stage.ctx.clear(color=(0, 0, 0, 0))
    stage.ctx.replay(bundle)
    assert stage.pixels() == before


def test_a_bundle_keeps_its_objects_alive(stage: Stage) -> None:
    stage.state(stage.ctx)
    with stage.ctx.record() as bundle:
        bundle.bind_fs_state(stage.ctx.create_fs_state(FRAGMENT))
        bundle.set_vertex_buffers([{"buffer": stage.screen.resource_create(target="BUFFER", width0=64), "stride": 16}])
        bundle.draw_vbo(mode="TRIANGLES", count=3)
    stage.ctx.replay(bundle, 2)
    del bundle
    stage.ctx.flush()
    with stage.ctx.record() as other:
        other.draw_vbo(mode="TRIANGLES", count=3)
    stage.ctx.replay(other)
    stage.ctx.flush()


REFUSED: list[tuple[str, Callable[[Stage, Any], object], str]] = [
    ("object", lambda s, b: s.end_fragment_shader(b), "which it uses, was destroyed"),
    ("resource", lambda s, b: s.end_buffer(b), "which it uses, was destroyed"),
    ("mode", lambda s, b: b.draw_vbo(mode="TRIANGELS", count=3), "draw_vbo: mode"),
    ("field", lambda s, b: b.draw_vbo(mode="TRIANGLES", number=3), "DrawInfo has no field number"),
    ("keyword", lambda s, b: b.set_stencil_ref(reference=3), "set_stencil_ref: missing"),
    ("creation", lambda s, b: b.create_fs_state(FRAGMENT), "a bundle does not record create_fs_state"),
    ("reading", lambda s, b: b.texture_read(s.target, bytearray(4)), "a bundle does not record texture_read"),
    ("no method", lambda s, b: b.draw(), "a bundle does not record draw: it is not a method"),
    ("stage", lambda s, b: b.set_constant_buffer("FRAGMENTS", b"1234"), r"command 0 \(set_constant_buffer\) at byte 0: .*stage"),
    ("stage of a shader", lambda s, b: b.bind_vs_state(s.fs), r"command 0 \(bind_vs_state\) at byte 0"),
    ("value", lambda s, b: b.set_debug_callback(print), "does not record set_debug_callback"),
    ("generator", lambda s, b: b.set_polygon_stipple(x for x in range(32)), "set_polygon_stipple: an object of type generator cannot"),
]


@pytest.mark.parametrize(("act", "message"), [(act, message) for _, act, message in REFUSED], ids=[name for name, _, _ in REFUSED])
def test_what_cannot_be_recorded_or_replayed_is_refused(stage: Stage, act: Callable[[Stage, Any], object], message: str) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError), match=message):  # noqa: PT012 - either step refuses
        with stage.ctx.record() as bundle:
            act(stage, bundle)
        stage.ctx.replay(bundle)


def test_a_bundle_of_another_context_and_an_unfinished_one_are_refused(stage: Stage) -> None:
    other = stage.screen.context_create()
    bundle = other.record()
    with pytest.raises(ValueError, match="recorded by another context"):
        stage.ctx.replay(bundle)
    with pytest.raises(ValueError, match="still recording"):
        other.replay(bundle)
    bundle.finish()
    with pytest.raises(ValueError, match="the bundle is finished"):
        bundle.set_sample_mask(1)
    with pytest.raises(TypeError, match="expected an object from record"):
        other.replay(b"")  # type: ignore[arg-type]
    other.replay(bundle, 0)


def test_a_draw_that_is_refused_names_its_command(stage: Stage) -> None:
    with stage.ctx.record() as bundle:
        bundle.set_sample_mask(1)
        bundle.draw_vbo(mode="TRIANGLES", count=3)
    with pytest.raises(ValueError, match=r"command 1 \(draw_vbo\) at byte \d+: draw_vbo: no vertex shader is bound"):
        stage.ctx.replay(bundle)
