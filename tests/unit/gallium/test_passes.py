"""Passes: targets change between draws, nothing is flushed, and the bytes are those of a flush after every call."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

import numpy as np
import pytest

import tgsi
from backends.pipe.enums import DriverQuery
from backends.raster.control import pool as pool_module
from backends.software import device
from backends.software import renderer as renderer_module
from backends.software.renderer import Renderer
from tests.property.order_programs import GEOMETRY

pytestmark = pytest.mark.light

SIZES = ((40, 24), (64, 64), (200, 130), (1030, 70))
CALLS = 150
VERTEX = """VERT
DCL IN[0]
DCL CONST[0][0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
IMM[0] FLT32 {0.5, 0.5, 0.0, 1.0}
ADD OUT[0], IN[0], CONST[0][0]
MAD OUT[1], IN[0], IMM[0], IMM[0]
END
"""
TEXTURED = """FRAG
DCL IN[0], GENERIC[0], LINEAR
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL CONST[0][0]
DCL TEMP[0]
TEX TEMP[0], IN[0], SAMP[0], 2D
MAD OUT[0], TEMP[0], CONST[0][0].xxxx, CONST[0][0].yzww
END
"""
VERTEX_TEXTURED = """VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL TEMP[0]
IMM[0] FLT32 {0.0, 0.0, 0.0, 0.0}
TXL TEMP[0], IMM[0].xxxx, SAMP[0], 2D
MAD OUT[0], TEMP[0].xyxx, IN[0].wwzz, IN[0]
MOV OUT[1], IN[0]
END
"""


class Scene:
    """Targets of several sizes, each with depth, that are drawn to and sampled in any order."""

    def __init__(self, screen: tgsi.Screen, seed: int = 3) -> None:
        self.screen, self.ctx, self.rng = screen, screen.context_create(), np.random.default_rng(seed)
        ctx = self.ctx
        both = "RENDER_TARGET|SAMPLER_VIEW"
        self.textures = [screen.resource_create(width0=w, height0=h, format="R8G8B8A8_UNORM", bind=both) for w, h in SIZES]
        self.depths = [screen.resource_create(width0=w, height0=h, format="Z32_FLOAT", bind="DEPTH_STENCIL") for w, h in SIZES]
        self.surfaces = [ctx.create_surface(texture) for texture in self.textures]
        self.views = [ctx.create_sampler_view(texture) for texture in self.textures]
        for texture, (w, h) in zip(self.textures, SIZES):
            ctx.texture_subdata(texture, self.rng.integers(0, 255, (h, w, 4)).astype("u1"))
        self.vertices = screen.resource_create(target="BUFFER", width0=16 * 60, bind="VERTEX_BUFFER")
        values = np.ones((60, 4), "f4")
        values[:, :3] = self.rng.uniform(-1, 1, (60, 3))
        ctx.buffer_subdata(self.vertices, values)
        ctx.set_vertex_buffers([{"buffer": self.vertices, "stride": 16}])
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT", 0)]))
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state())
        less = {"enabled": True, "writemask": True, "func": "LEQUAL"}
        ctx.bind_depth_stencil_alpha_state(ctx.create_depth_stencil_alpha_state(depth=less))
        for stage in ("VERTEX", "GEOMETRY", "FRAGMENT"):
            ctx.bind_sampler_states(stage, [ctx.create_sampler_state()])
        ctx.bind_fs_state(ctx.create_fs_state(TEXTURED))
        self.programs = [ctx.create_vs_state(VERTEX), ctx.create_vs_state(VERTEX_TEXTURED)]
        self.geometry = ctx.create_gs_state(GEOMETRY)
        ctx.bind_vs_state(self.programs[0])
        self.at = 0
        self.bind(0)

    def pick(self) -> int:
        return int(self.rng.integers(0, len(SIZES)))

    def bind(self, number: int) -> None:
        self.at = number
        w, h = SIZES[number]
        self.ctx.set_framebuffer_state(cbufs=[self.surfaces[number]], zsbuf=self.depths[number])
        self.ctx.set_viewport_states([{"scale": (w / 2, h / 2, 0.5), "translate": (w / 2, h / 2, 0.5)}])
        for stage in ("VERTEX", "GEOMETRY", "FRAGMENT"):
            self.ctx.set_sampler_views(stage, [self.views[(number + 1 + self.pick() % 3) % 4]])  # never the target

    def draw(self) -> None:
        for stage in ("VERTEX", "FRAGMENT"):
            self.ctx.set_constant_buffer(stage, self.rng.uniform(0, 0.7, 4).astype("f4"))
        self.ctx.draw_vbo(mode="TRIANGLES", start=int(self.rng.integers(0, 30)), count=3 * int(self.rng.integers(1, 9)))

    def clear(self) -> None:
        buffers = ("COLOR0", "DEPTH", "COLOR0|DEPTH")[int(self.rng.integers(0, 3))]
        self.ctx.clear(buffers, color=tuple(self.rng.random(4)), depth=float(self.rng.random()))

    def write(self) -> None:
        self.ctx.texture_subdata(self.textures[self.pick()], self.rng.integers(0, 255, (5, 3, 4)).astype("u1"), box=(2, 1, 3, 5))

    def run(self, between: Callable[[], object], *, more: bool = False) -> bytes:
        actions = [lambda: self.bind(self.pick())] * 3 + [self.draw] * 5 + [self.clear, self.write]
        if more:
            actions += [
                lambda: self.ctx.bind_vs_state(self.programs[int(self.rng.integers(0, 2))]),
                lambda: self.ctx.bind_gs_state((None, self.geometry)[int(self.rng.integers(0, 2))]),
            ]
        for _ in range(CALLS):
            actions[int(self.rng.integers(0, len(actions)))]()
            between()
        return self.content()

    def content(self) -> bytes:
        found = []
        for texture in (*self.textures, *self.depths):
            with self.ctx.transfer_map(texture, usage="READ") as mapped:
                found.append(np.ascontiguousarray(mapped.data).tobytes())
        return b"".join(found)

    def flushes(self, work: Callable[[], object]) -> dict[str, int]:
        kinds = [kind for kind in DriverQuery if kind.name.startswith("FLUSHES")]
        queries = [self.ctx.create_query(kind) for kind in kinds]
        for query in queries:
            self.ctx.begin_query(query)
        work()
        for query in queries:
            self.ctx.end_query(query)
        counts = {kind.name: self.ctx.get_query_result(query) for kind, query in zip(kinds, queries)}
        return {name: count for name, count in counts.items() if isinstance(count, int) and count}


@pytest.fixture(scope="module")
def expected() -> dict[bool, bytes]:
    """Targets of scenes that are flushed after every call."""
    made = {}
    for more in (False, True):
        with tgsi.Screen(threads=0) as screen:
            scene = Scene(screen)
            made[more] = scene.run(scene.ctx.flush, more=more)
    return made


@pytest.mark.parametrize("threads", [0, 1, 2, 7])
@pytest.mark.parametrize("more", [False, True], ids=["plain", "staged"])
def test_targets_that_change_between_draws_get_the_bytes_of_a_flush_after_each_call(
    threads: int, more: bool, expected: dict[bool, bytes]
) -> None:
    with tgsi.Screen(threads=threads) as screen:
        found = Scene(screen).run(lambda: None, more=more)
    assert len(set(found)) > 100
    assert found == expected[more]


@pytest.mark.parametrize("options", [{"batch": 1, "window": 2}, {"batch": 7, "ahead": 4}, {"ahead": 1}, {"arena": 1}], ids=str)
def test_small_windows_and_workers_that_begin_early_change_nothing(
    options: dict[str, Any], expected: dict[bool, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "Renderer", partial(Renderer, **options))
    with tgsi.Screen(threads=1) as screen:
        assert Scene(screen).run(lambda: None) == expected[False]


def test_no_change_of_targets_flushes(screen: Any) -> None:
    scene = Scene(screen)

    def work() -> None:
        for k in range(40):
            scene.bind(k % 4)
            scene.ctx.clear("COLOR0|DEPTH", color=(0, 0, 0, 1), depth=1.0)
            scene.draw()
            scene.draw()

    work()
    scene.ctx.flush()
    assert scene.flushes(work) == {}
    assert scene.ctx.device.pending


def test_a_target_of_an_earlier_pass_is_complete_when_it_is_read(screen: Any) -> None:
    scene, made = Scene(screen), np.zeros((24, 40, 4), "u1")
    scene.ctx.clear("COLOR0", color=(1, 0, 1, 1))
    scene.bind(2)
    scene.draw()
    scene.ctx.texture_read(scene.textures[0], made)
    assert (made == (255, 0, 255, 255)).all()


def test_a_pass_without_work_leaves_no_trace(screen: Any) -> None:
    scene = Scene(screen)
    before = scene.content()
    for k in range(3000):
        scene.bind(k % 4)
    assert scene.content() == before
    scene.ctx.clear("COLOR0", color=(0, 1, 0, 1))
    assert (np.frombuffer(scene.content(), "u1") != np.frombuffer(before, "u1")).any()


def test_more_passes_than_may_wait_are_carried_out(monkeypatch: pytest.MonkeyPatch, expected: dict[bool, bytes]) -> None:
    monkeypatch.setattr(renderer_module, "MOST_PASSES", 3)
    with tgsi.Screen(threads=1) as screen:
        scene = Scene(screen)
        assert scene.run(lambda: None) == expected[False]

        def work() -> None:
            for k in range(9):
                scene.bind(k % 4)
                scene.draw()

        assert scene.flushes(work) == {"FLUSHES_TARGETS": 2}


def test_targets_of_waiting_passes_may_be_destroyed(screen: Any) -> None:
    scene = Scene(screen)
    scene.draw()
    other = screen.resource_create(width0=3000, height0=100, bind="RENDER_TARGET")
    scene.ctx.set_framebuffer_state(cbufs=[other])
    scene.ctx.clear("COLOR0")
    scene.draw()
    screen.resource_destroy(other)
    scene.bind(1)
    scene.draw()
    assert any(scene.content())


def test_an_occlusion_query_counts_the_samples_of_all_passes(screen: Any) -> None:
    scene, counts = Scene(screen), []
    for flush in (lambda: None, scene.ctx.flush):
        scene.rng = np.random.default_rng(9)
        query = scene.ctx.create_query("OCCLUSION_COUNTER")
        scene.ctx.begin_query(query)
        for k in range(12):
            scene.bind(k % 4)
            scene.ctx.clear("DEPTH", depth=1.0)
            scene.draw()
            flush()
        scene.ctx.end_query(query)
        counts.append(scene.ctx.get_query_result(query))
    assert counts[0] == counts[1] != 0


def test_resolves_follow_the_pass_whose_samples_they_read(screen: Any) -> None:
    pictures = []
    for flushes in (False, True):
        scene = Scene(screen)
        many = screen.resource_create(width0=64, height0=64, nr_samples=4, bind="RENDER_TARGET")
        for k in range(4):
            scene.bind(k)
            scene.draw()
            scene.ctx.set_framebuffer_state(cbufs=[many])
            scene.ctx.clear("COLOR0", color=(k / 4, 1, 0, 1))
            scene.draw()
            if flushes:
                scene.ctx.flush()
            scene.ctx.blit(scene.textures[1], src=many)
        pictures.append(scene.content())
    assert pictures[0] == pictures[1]


def test_a_flush_that_is_interrupted_before_it_begins_leaves_everything_for_the_next(screen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scene, made = Scene(screen), np.zeros((64, 64, 4), "u1")
    many = screen.resource_create(width0=64, height0=64, nr_samples=4, bind="RENDER_TARGET")
    one = screen.resource_create(width0=64, height0=64, bind="RENDER_TARGET")
    scene.ctx.set_framebuffer_state(cbufs=[many])
    scene.ctx.clear("COLOR0", color=(0, 1, 0, 1))
    scene.ctx.blit(one, src=many)
    with monkeypatch.context() as changed:
        changed.setattr(type(scene.ctx.device.kernels), "resolve", interrupted)  # type: ignore[attr-defined]
        with pytest.raises(KeyboardInterrupt):
            scene.ctx.flush()
    scene.ctx.texture_read(one, made)
    assert (made == (0, 255, 0, 255)).all()


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def test_layers_of_one_pass_do_not_reach_the_next(screen: Any) -> None:
    texts = """VERT
DCL IN[0]
DCL SV[0], INSTANCEID
DCL OUT[0], POSITION
DCL OUT[1], LAYER
DCL OUT[2], GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1].x, SV[0].xxxx
MOV OUT[2], IN[0]
END
"""
    pictures = []
    for flushes in (False, True):
        scene = Scene(screen)
        layered = screen.resource_create(target="TEXTURE_2D_ARRAY", width0=100, height0=80, array_size=5, bind="RENDER_TARGET")
        routed = scene.ctx.create_vs_state(texts)
        for k in range(3):
            scene.bind(k)
            scene.draw()
            scene.ctx.set_framebuffer_state(cbufs=[layered])
            scene.ctx.clear("COLOR0", color=(k / 4, 1, 0, 1))
            scene.ctx.bind_vs_state(routed)
            scene.ctx.draw_vbo(mode="TRIANGLES", count=30, instance_count=4)
            scene.ctx.bind_vs_state(scene.programs[0])
            if flushes:
                scene.ctx.flush()
        with scene.ctx.transfer_map(layered, usage="READ") as mapped:
            pictures.append((scene.content(), np.ascontiguousarray(mapped.data).tobytes()))
    assert pictures[0] == pictures[1]
    assert len(set(pictures[0][1])) > 20


def test_a_pause_carries_out_what_no_byte_depends_on(screen: Any) -> None:
    scene = Scene(screen)
    scene.draw()
    scene.ctx.order.use_pause()
    assert not scene.ctx.device.pending
    text = (
        "FRAG\nDCL BUFFER[0]\nDCL OUT[0], COLOR\nIMM[0] UINT32 {0, 1, 2, 3}\nATOMUADD OUT[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy\nEND\n"
    )
    scene.ctx.bind_fs_state(scene.ctx.create_fs_state(text))
    scene.ctx.set_shader_buffers("FRAGMENT", [screen.resource_create(target="BUFFER", width0=64)])
    scene.draw()
    scene.ctx.order.use_pause()
    assert scene.ctx.device.pending


def test_memory_that_is_refused_for_larger_targets_changes_nothing(screen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scene, made = Scene(screen), []
    large = screen.resource_create(width0=8192, height0=8192, format="R8_UNORM", bind="RENDER_TARGET")
    for refuses in (True, False):
        scene.rng = np.random.default_rng(4)
        scene.bind(1)
        scene.clear()
        scene.draw()
        scene.ctx.set_framebuffer_state(cbufs=[large])
        if refuses:
            with monkeypatch.context() as patch:
                patch.setattr(pool_module, "reserved", refuse)
                patch.setattr(pool_module, "aligned", refuse)
                with pytest.raises(MemoryError, match="no more"):
                    scene.ctx.clear("COLOR0")
        scene.ctx.clear("COLOR0", color=(1, 1, 1, 1))
        scene.draw()
        scene.bind(2)
        scene.draw()
        part = np.zeros((64, 8192), "u1")
        scene.ctx.texture_read(large, part, box=(0, 8128, 8192, 64))
        made.append((scene.content(), part.tobytes()))
    assert made[0] == made[1]
    assert min(made[0][1]) == 255


def refuse(size: int) -> NoReturn:
    raise MemoryError("no more")


def test_targets_that_stay_bound_after_refused_memory_keep_their_size(screen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scene, made = Scene(screen), []
    large = screen.resource_create(width0=8192, height0=8192, format="R8_UNORM", bind="RENDER_TARGET")
    for refuses in (False, True):
        scene.rng = np.random.default_rng(4)
        scene.bind(1)
        scene.clear()
        scene.draw()
        if refuses:
            scene.ctx.set_framebuffer_state(cbufs=[large])
            with monkeypatch.context() as patch:
                patch.setattr(pool_module, "reserved", refuse)
                patch.setattr(pool_module, "aligned", refuse)
                with pytest.raises(MemoryError, match="no more"):
                    scene.ctx.clear("COLOR0")
        scene.bind(1)
        commands = scene.ctx.device._executor.record  # type: ignore[attr-defined]
        scene.ctx.clear("DEPTH", depth=1.0)
        assert (commands.width, commands.height) == SIZES[1]
        scene.draw()
        made.append(scene.content())
    assert made[0] == made[1]
