"""Writes of the CPU between draws: they wait with the draws that read the memory, and nothing is flushed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from backends.pipe.enums import DriverQuery
from backends.software import device
from backends.software.renderer import Renderer

pytestmark = pytest.mark.light

SIZE = 96
DRAWS = 40
VERTEX = """VERT
DCL IN[0]
DCL CONST[0][0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
ADD OUT[0], IN[0], CONST[0][0]
MOV OUT[1], IN[0]
END
"""
GEOMETRY = """GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
IMM[0] UINT32 {0, 0, 0, 0}
MOV OUT[0], IN[0][0]
MOV OUT[1], IN[0][1]
EMIT IMM[0].xxxx
MOV OUT[0], IN[1][0]
MOV OUT[1], IN[1][1]
EMIT IMM[0].xxxx
MOV OUT[0], IN[2][0]
MOV OUT[1], IN[2][1]
EMIT IMM[0].xxxx
END
"""
FRAGMENT = """FRAG
DCL IN[0], GENERIC[0], LINEAR
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL TEMP[0]
TEX TEMP[0], IN[0], SAMP[0], 2D
MUL OUT[0], TEMP[0], IN[0]
END
"""


class Scene:
    """Triangles whose vertices, indices, constants and texels are written between the draws.

    is_shared: the constants lie in the buffer of the vertices.
    """

    def __init__(self, screen: tgsi.Screen, *, has_geometry: bool = False, is_shared: bool = False, size: int = SIZE) -> None:
        self.ctx, self.rng = screen.context_create(), np.random.default_rng(5)
        ctx = self.ctx
        self.target = screen.resource_create(width0=size, height0=size, format="R32G32B32A32_FLOAT")
        self.vertices = screen.resource_create(target="BUFFER", width0=64 * 16, bind="VERTEX_BUFFER")
        self.indices = screen.resource_create(target="BUFFER", width0=64 * 2, bind="INDEX_BUFFER")
        self.uniforms = self.vertices if is_shared else screen.resource_create(target="BUFFER", width0=1024, bind="CONSTANT_BUFFER")
        self.texture = screen.resource_create(width0=8, height0=8, format="R8G8B8A8_UNORM", bind="SAMPLER_VIEW")
        ctx.set_framebuffer_state(cbufs=[self.target])
        ctx.set_viewport_states([{"scale": (size / 2, size / 2, 0.5), "translate": (size / 2, size / 2, 0.5)}])
        ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
        ctx.bind_gs_state(ctx.create_gs_state(GEOMETRY) if has_geometry else None)
        ctx.bind_fs_state(ctx.create_fs_state(FRAGMENT))
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state())
        add = {"blend_enable": True, "rgb_dst_factor": "ONE", "alpha_dst_factor": "ONE"}
        ctx.bind_blend_state(ctx.create_blend_state(rt=[add]))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT", 0)]))
        ctx.set_vertex_buffers([{"buffer": self.vertices, "stride": 16}])
        ctx.set_index_buffer(self.indices, index_size=2)
        ctx.set_constant_buffer("VERTEX", self.uniforms, offset=960)
        ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(self.texture)])
        ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()])
        self.write_indices()
        self.write_uniforms()
        self.write_texels()
        self.write_vertices()

    def write_vertices(self) -> None:
        values = np.ones((12, 4), "f4")
        values[:, :2] = self.rng.uniform(-1, 1, (12, 2))
        self.ctx.buffer_subdata(self.vertices, values, offset=16 * int(self.rng.integers(0, 40)))

    def write_indices(self) -> None:
        values = self.rng.integers(0, 50, 32).astype("u2")
        values[7] = 0xFFFF
        self.ctx.buffer_subdata(self.indices, values, offset=2 * int(self.rng.integers(0, 30)))

    def write_uniforms(self) -> None:
        self.ctx.buffer_subdata(self.uniforms, np.append(self.rng.uniform(-0.3, 0.3, 2), [0, 0]).astype("f4"), offset=960)

    def write_texels(self) -> None:
        self.ctx.texture_subdata(self.texture, self.rng.integers(0, 255, (5, 3, 4)).astype("u1"), box=(2, 1, 3, 5))

    def draw(self) -> None:
        self.ctx.draw_vbo(mode="TRIANGLES", start=int(self.rng.integers(0, 30)), count=12)

    def draw_indexed(self) -> None:
        self.ctx.draw_vbo(mode="TRIANGLES", start=3, count=24, index_size=2)

    def draw_strip(self) -> None:
        self.ctx.draw_vbo(mode="TRIANGLE_STRIP", start=0, count=20, index_size=2, primitive_restart=True, restart_index=0xFFFF)

    def run(self, between: Callable[[], object]) -> bytes:
        actions = [
            *(self.write_vertices, self.write_indices, self.write_uniforms, self.write_texels, self.write_vertices),
            *(self.draw, self.draw_indexed, self.draw_strip, self.draw, self.draw_indexed),
        ]
        for _ in range(4 * DRAWS):
            actions[int(self.rng.integers(0, len(actions)))]()
            between()
        return self.content()

    def content(self) -> bytes:
        with self.ctx.transfer_map(self.target, usage="READ") as mapped:
            return bytes(mapped.data)

    def flushes(self, work: Callable[[], object]) -> int:
        query = self.ctx.create_query(DriverQuery.FLUSHES_MEMORY)
        self.ctx.begin_query(query)
        work()
        self.ctx.end_query(query)
        found = self.ctx.get_query_result(query)
        assert isinstance(found, int)
        return found


KINDS: dict[str, dict[str, bool]] = {"plain": {}, "geometry": {"has_geometry": True}, "shared": {"is_shared": True}}


def renderer_of(scene: Scene) -> Renderer:
    assert isinstance(scene.ctx.device, Renderer)
    return scene.ctx.device


@pytest.fixture(scope="module")
def expected() -> dict[str, bytes]:
    """Pictures of scenes that are flushed after every call."""
    made = {}
    for kind, options in KINDS.items():
        with tgsi.Screen(threads=0) as screen:
            scene = Scene(screen, **options)
            made[kind] = scene.run(scene.ctx.flush)
    return made


@pytest.mark.parametrize("threads", [0, 1, 2, 7])
@pytest.mark.parametrize("kind", KINDS)
def test_writes_between_draws_come_in_their_turn(threads: int, kind: str, expected: dict[str, bytes]) -> None:
    with tgsi.Screen(threads=threads) as screen:
        found = Scene(screen, **KINDS[kind]).run(lambda: None)
    assert len(set(found)) > 100
    assert found == expected[kind]


@pytest.mark.parametrize("batch", [1, 3, 64])
def test_small_batches_and_arenas_change_nothing(batch: int, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "Renderer", partial(Renderer, batch=batch, window=2, arena=1 << 14))
    with tgsi.Screen(threads=1) as screen:
        assert Scene(screen).run(lambda: None) == expected["plain"]


def pictures(
    threads: int, instances: int, writes: tuple[str, ...], between: Callable[[Scene], object] = lambda _: None
) -> tuple[list[bytes], int]:
    """Pictures of frames of many known draws, with writes before each, and the number of windows of the last one."""
    made = []
    with tgsi.Screen(threads=threads) as screen:
        scene = Scene(screen)
        for _ in range(4):
            scene.rng = np.random.default_rng(3)
            scene.ctx.clear(buffers="COLOR", color=(0, 0, 0, 0))
            for _ in range(600 // instances):
                for name in writes:
                    getattr(scene, name)()
                scene.ctx.draw_vbo(mode="TRIANGLES", start=3, count=12, instance_count=instances)
                between(scene)
            made.append(scene.content())
        return made, int(renderer_of(scene)._pool.scene.totals.num_windows)


WRITES = [("write_vertices",), ("write_vertices", "write_texels"), ("write_vertices", "write_indices")]
LONG = [pytest.param(1, writes, marks=pytest.mark.nightly) for writes in WRITES[1:]]
"""Draws of one instance with two kinds of writes take ten times as long as those of a hundred."""


@pytest.mark.parametrize(("instances", "writes"), [(1, WRITES[0]), *((100, writes) for writes in WRITES), *LONG])
def test_known_draws_with_writes_between_them_draw_the_same_in_every_frame(
    instances: int, writes: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed, _ = pictures(0, instances, writes, lambda scene: scene.ctx.flush())
    assert len(set(flushed[-1])) > 100
    choices: tuple[dict[str, Any], ...] = {}, {"batch": 20, "window": 8}, {"batch": 20, "arena": 1 << 14}
    for options in choices:
        monkeypatch.setattr(device, "Renderer", partial(Renderer, **options))
        for threads in (0, 1, 2):
            assert pictures(threads, instances, writes)[0] == flushed


def many_writes(threads: int) -> set[bytes]:
    """Pictures of a frame of thousands of draws, each of vertices that are written before it, drawn again and again."""
    made = set()
    with tgsi.Screen(threads=threads) as screen:
        scene = Scene(screen, size=512)
        rows = np.ones((3000, 3, 4), "f4")
        rows[:, :, :2] = scene.rng.uniform(-1, 1, (3000, 1, 2)) + scene.rng.uniform(-0.1, 0.1, (3000, 3, 2))
        pieces = [row.tobytes() for row in rows]
        for _ in range(12):
            scene.ctx.clear(buffers="COLOR", color=(0, 0, 0, 0))
            for piece in pieces:
                scene.ctx.buffer_subdata(scene.vertices, piece)
                scene.ctx.draw_vbo(mode="TRIANGLES", count=3)
            made.add(scene.content())
    return made


def test_thousands_of_writes_and_draws_in_parts_of_a_flush_draw_the_same() -> None:
    expected = many_writes(0)
    assert len(expected) == 1
    for threads in (1, 2):
        assert many_writes(threads) == expected


def test_writes_that_only_front_ends_read_share_a_window() -> None:
    _, windows = pictures(0, 1, ("write_vertices",))
    _, others = pictures(0, 1, ("write_texels",))
    assert others == 600
    assert windows < 600 / 40


def test_no_write_between_draws_flushes() -> None:
    with tgsi.Screen(threads=0) as screen:
        scene = Scene(screen)

        def work() -> None:
            for write in (scene.write_vertices, scene.write_indices, scene.write_uniforms, scene.write_texels) * 6:
                write()
                scene.draw()
                scene.draw_indexed()

        work()
        scene.ctx.flush()
        assert scene.flushes(work) == 0


def test_a_write_comes_after_an_earlier_one_that_waits_even_if_no_draw_reads_its_bytes(screen: Any) -> None:
    scene = Scene(screen)
    scene.draw_indexed()  # reads bytes 6 to 54
    scene.ctx.buffer_subdata(scene.indices, np.full(32, 1, "u2"), offset=40)
    scene.ctx.buffer_subdata(scene.indices, np.full(4, 2, "u2"), offset=60)
    made = np.zeros(64, "u2")
    scene.ctx.buffer_read(scene.indices, made)
    assert made[20:52].tolist() == [1] * 10 + [2] * 4 + [1] * 18


def test_readers_of_the_memory_see_the_bytes_that_waited(screen: Any) -> None:
    scene, words = Scene(screen), np.arange(64, dtype="u1")
    readers: list[Callable[[], NDArray[np.uint8]]] = [
        lambda: np.array(scene.ctx.transfer_map(scene.vertices, usage="READ").data),
        lambda: read(scene, scene.vertices),
        lambda: copied(screen, scene),
    ]
    for reader in readers:
        scene.draw()
        scene.ctx.buffer_subdata(scene.vertices, words, offset=100)
        assert (reader().reshape(-1).view("u1")[100:164] == words).all()
        words = words + 1


def read(scene: Scene, buffer: Any) -> NDArray[np.uint8]:
    made = np.zeros(1024, "u1")
    scene.ctx.buffer_read(buffer, made)
    return made


def copied(screen: Any, scene: Scene) -> NDArray[np.uint8]:
    other = screen.resource_create(target="BUFFER", width0=1024)
    scene.ctx.resource_copy_region(other, src=scene.vertices)
    return read(scene, other)


def test_a_buffer_that_is_destroyed_is_written_and_let_go(screen: Any) -> None:
    scene = Scene(screen)
    scene.draw()
    scene.write_vertices()
    screen.resource_destroy(scene.vertices)
    scene.ctx.set_vertex_buffers([None])
    assert any(scene.content())


def test_a_write_of_more_than_a_megabyte_flushes(screen: Any) -> None:
    scene = Scene(screen)
    large = screen.resource_create(target="BUFFER", width0=1 << 22, bind="VERTEX_BUFFER")
    scene.ctx.set_vertex_buffers([{"buffer": large, "stride": 16}])
    data = scene.rng.uniform(-1, 1, 1 << 19).astype("f4")

    def work(count: int) -> None:
        scene.draw()
        scene.ctx.buffer_subdata(large, data[:count])

    assert scene.flushes(lambda: work(len(data))) == 1
    assert scene.flushes(lambda: work(99)) == 0


def test_endless_writes_keep_memory_bounded(screen: Any) -> None:
    scene = Scene(screen)
    for _ in range(5000):  # more than may wait
        scene.draw()
        scene.write_vertices()
    assert renderer_of(scene)._executor.record.num_uploads < 4096
    assert any(scene.content())
