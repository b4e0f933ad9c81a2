"""Repeated draws: only changed parts are prepared anew, and the picture equals that of draws that are carried out one by one."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from backends.device.commands.bound_record import BoundRecord
from backends.device.commands.constant_memory import MAX_BYTES, ConstantMemory, KeptMemory
from backends.gallium.resource.layout import LINE
from backends.software.commands import executor as executor_module
from tgsi import gallium as g

pytestmark = pytest.mark.light

VERTEX = """VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL CONST[0][0..1]
DCL CONST[1][0]
MAD OUT[0], IN[0], CONST[0][1], CONST[0][0]
ADD OUT[0].xy, OUT[0], CONST[1][0]
END
"""
FRAGMENT = """FRAG
DCL OUT[0], COLOR
DCL CONST[0][0..2]
DCL SAMP[0]
DCL TEMP[0]
TEX TEMP[0], CONST[0][1], SAMP[0], 2D
MAD OUT[0], TEMP[0], CONST[0][0], CONST[0][2]
END
"""
PLAIN = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0][0]\nMOV OUT[0], CONST[0][0]\nEND\n"
SIZE = 24
Floats = NDArray[np.float32]


class Scene:
    """Context with all objects from which the steps of a random sequence choose."""

    def __init__(self, screen: Any) -> None:
        self.ctx = ctx = screen.context_create()
        self.target = screen.resource_create(width0=SIZE, height0=SIZE, format="R32G32B32A32_FLOAT")
        ctx.set_framebuffer_state(cbufs=[self.target])
        ctx.clear(color=(0, 0, 0, 0))
        self.viewports = [g.ViewportState((s / 2, s / 2, 0.5), (SIZE / 2, SIZE / 2, 0.5)) for s in (SIZE, SIZE - 6)]
        ctx.set_viewport_states([self.viewports[0]])
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state())
        ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
        self.fragments = [ctx.create_fs_state(t) for t in (PLAIN, FRAGMENT)]
        ctx.bind_fs_state(self.fragments[0])
        factors = {f"{part}_{k}": "ONE" for part in ("rgb", "alpha") for k in ("src_factor", "dst_factor")}
        self.blends = [ctx.create_blend_state(), ctx.create_blend_state(blend_enable=True, **factors)]
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
        corners = np.array([[0, 0, 0, 1], [0.6, 0, 0, 1], [0, 0.6, 0, 1]], "f4")
        self.points = np.concatenate([corners * s for s in ([1, 1, 1, 1], [-1, 1, 1, 1], [0.5, -1, 1, 1])]).astype("f4")
        self.vertex_buffer = screen.resource_create(target="BUFFER", format="R8_UNORM", width0=160, bind="VERTEX_BUFFER")
        ctx.buffer_subdata(self.vertex_buffer, -self.points.reshape(-1)[:40])
        ctx.set_vertex_buffers([self.points])
        ctx.set_index_buffer(np.array([0, 4, 8, 3, 2, 1], "u2"))
        ctx.set_constant_buffer("VERTEX", np.array([0, 0, 0, 0, 1, 1, 1, 1], "f4"))
        ctx.set_constant_buffer("FRAGMENT", np.ones(12, "f4"))
        self.views = []
        for k in range(2):
            texture = screen.resource_create(width0=4, height0=4, format="R8G8B8A8_UNORM", bind="SAMPLER_VIEW")
            ctx.texture_subdata(texture, np.full((4, 4, 4), 100 + 50 * k, np.uint8))
            self.views.append(ctx.create_sampler_view(texture))
        ctx.set_sampler_views("FRAGMENT", [self.views[0]])
        ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()])
        self.buffer = screen.resource_create(target="BUFFER", format="R8_UNORM", width0=256, bind="CONSTANT_BUFFER")
        triangles = g.Prim.TRIANGLES
        self.info = [g.DrawInfo(mode=triangles, count=3)] * 6 + [g.DrawInfo(mode=triangles, count=n, start=s) for n, s in ((3, 3), (6, 1))]
        self.info += [
            g.DrawInfo(mode=triangles, count=n, start=s, index_size=2, index_bias=b) for n, s, b in ((3, 0, 0), (3, 3, 1), (6, 2, 0))
        ]
        self.info += [
            g.DrawInfo(mode=triangles, count=150),
            g.DrawInfo(mode=g.Prim.LINE_LOOP, count=3),
            g.DrawInfo(mode=g.Prim.POINTS, count=9),
        ]

    def vertex_array(self, x: float, y: float, size: int) -> None:
        self.ctx.set_constant_buffer("VERTEX", np.array([x, y, 0, 0, 1, 0.5 + x, 1, 1], "f4")[:size])

    def fragment_array(self, x: float, y: float, size: int) -> None:
        self.ctx.set_constant_buffer("FRAGMENT", np.array([x, y, 0.5, 1, 0.3, 0.3, 0, 0, y, x, 0, 1], "f4")[:size])

    def second(self, x: float, y: float, size: int) -> None:
        self.ctx.set_constant_buffer("VERTEX", np.array([y / 2, x / 2, 0, 0], "f4").tobytes()[: 4 * size - 3] if x > 0 else None, index=1)

    def resource(self, x: float, y: float, size: int) -> None:
        self.ctx.set_constant_buffer("FRAGMENT", self.buffer, offset=16 * (size % 2))

    def written(self, x: float, y: float, size: int) -> None:
        self.ctx.buffer_subdata(self.buffer, np.array([x, y, x, y] * 4, "f4"))

    def vertices(self, x: float, y: float, size: int) -> None:
        offset = {"buffer": self.vertex_buffer, "stride": 16, "buffer_offset": 4 * size}
        self.ctx.set_vertex_buffers([self.points if x > 0 else offset if y > -0.6 else None])

    def indices(self, x: float, y: float, size: int) -> None:
        self.ctx.set_index_buffer(np.array([8, 7, 6, 1, 0, 2], "u2")[: 6 if x > 0 else size])

    def view(self, x: float, y: float, size: int) -> None:
        self.ctx.set_sampler_views("FRAGMENT", [self.views[x > 0]])

    def program(self, x: float, y: float, size: int) -> None:
        self.ctx.bind_fs_state(self.fragments[x > 0])

    def viewport(self, x: float, y: float, size: int) -> None:
        self.ctx.set_viewport_states([self.viewports[x > 0]])

    def scissor(self, x: float, y: float, size: int) -> None:
        self.ctx.set_scissor_states([{"minx": int(x * 8), "miny": size, "maxx": 20, "maxy": 22}])

    def color(self, x: float, y: float, size: int) -> None:
        self.ctx.set_blend_color((x, y, 0.5, 1.0))
        self.ctx.set_stencil_ref(size)

    def target_of_same_kind(self, x: float, y: float, size: int) -> None:
        self.ctx.set_framebuffer_state(cbufs=[self.target], width=SIZE - 1, height=SIZE - 2)

    def blend(self, x: float, y: float, size: int) -> None:
        self.ctx.bind_blend_state(self.blends[x > 0])

    def pixels(self) -> Floats:
        with self.ctx.transfer_map(self.target, usage="READ") as mapped:
            return np.array(mapped.data)


STEPS: list[Callable[[Scene, float, float, int], None]] = [
    *[Scene.vertex_array] * 4,
    *[Scene.fragment_array] * 3,
    Scene.vertices,
    Scene.vertices,
    Scene.indices,
    Scene.second,
    Scene.resource,
    Scene.written,
    Scene.view,
    Scene.program,
    Scene.viewport,
    Scene.blend,
]


def picture(screen: Any, seed: int, *, one_by_one: bool) -> Floats:
    """Picture after sixty draws with up to three changes before each. `one_by_one`: finish each draw before the next change."""
    chance, scene = random.Random(seed), Scene(screen)
    for _ in range(60):
        for step in chance.choices(STEPS, k=chance.choice([0, 1, 1, 1, 3])):
            step(scene, chance.uniform(-0.8, 0.8), chance.uniform(-0.8, 0.8), chance.choice([3, 4, 8, 12]))
        scene.ctx.draw_vbo(chance.choice(scene.info))
        if chance.random() < 0.03 or one_by_one:
            scene.ctx.flush()
    found = scene.pixels()
    scene.ctx.destroy()
    return found


@pytest.mark.parametrize("seed", range(12))
def test_repeated_draws_give_the_picture_of_draws_made_one_by_one(seed: int) -> None:
    with tgsi.Screen(threads=0) as screen:
        together, alone = (picture(screen, seed, one_by_one=v) for v in (False, True))
    assert together.any()
    assert np.array_equal(together, alone)


def test_repeated_draws_are_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with tgsi.Screen(threads=0) as screen:
        scene = Scene(screen)
        executor, made = scene.ctx.device._executor, list[Any]()

        def learn(*given: Any, learn: Callable[..., Any] = executor.learn) -> Any:
            made.append(given)
            return learn(*given)

        monkeypatch.setattr(executor, "learn", learn)
        for k in range(100):
            scene.vertex_array(k / 100, 0.0, 8)
            scene.ctx.draw_vbo(scene.info[0])
        assert len(made) == 1
        for change in (scene.viewport, scene.view, scene.scissor, scene.color, scene.target_of_same_kind):
            change(1.0, 0.0, 0)
            scene.ctx.draw_vbo(scene.info[0])
        assert len(made) == 1
        scene.blend(1.0, 0.0, 0)
        scene.ctx.draw_vbo(scene.info[0])
        assert len(made) == 2
        scene.ctx.destroy()


def test_draws_of_other_vertices_are_not_made_from_the_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    with tgsi.Screen(threads=0) as screen:
        scene = Scene(screen)
        executor, made = scene.ctx.device._executor, list[Any]()

        def learn(*given: Any, learn: Callable[..., Any] = executor.learn) -> Any:
            made.append(given)
            return learn(*given)

        monkeypatch.setattr(executor, "learn", learn)
        for k in range(20):
            scene.ctx.set_vertex_buffers([{"buffer": scene.vertex_buffer, "stride": 16, "buffer_offset": 4 * (k % 4)}])
            scene.ctx.draw_vbo(g.DrawInfo(mode=g.Prim.TRIANGLES, count=3, start=k % 3))
        assert len(made) == 1
        scene.ctx.draw_vbo(g.DrawInfo(mode=g.Prim.TRIANGLES, count=300))  # this many are shaded by another kernel
        scene.ctx.draw_vbo(g.DrawInfo(mode=g.Prim.POINTS, count=3))
        assert len(made) == 3
        scene.ctx.destroy()


def test_many_repeated_draws_are_carried_out_in_between() -> None:
    pictures = []
    for name, limit in (("most_spans", 50), ("most_queued", 70), ("most_held", 1 << 13)):
        with tgsi.Screen(threads=0) as screen:
            scene = Scene(screen)
            setattr(scene.ctx.device._executor.record, name, limit)
            scene.blend(1.0, 0.0, 0)
            for k in range(3000):
                scene.fragment_array(k / 3000, 0.25, 12)
                scene.ctx.draw_vbo(scene.info[0])
            assert scene.ctx.device.runs > 10
            pictures.append(scene.pixels())
            scene.ctx.destroy()
    assert np.array_equal(pictures[0], pictures[1])
    assert np.array_equal(pictures[0], pictures[2])
    assert pictures[0][..., 1].max() == 750.0


def test_draws_from_many_places_of_a_large_buffer_wait_for_one_flush() -> None:
    with tgsi.Screen(threads=0) as screen:
        scene, size = Scene(screen), 1 << 20
        large = screen.resource_create(target="BUFFER", format="R8_UNORM", width0=size, bind="VERTEX_BUFFER")
        scene.ctx.buffer_subdata(large, np.tile(scene.points, (90, 1)))
        for k in range(600):
            scene.ctx.set_vertex_buffers([{"buffer": large, "stride": 16, "buffer_offset": 16 * (600 - k)}])
            scene.ctx.draw_vbo(scene.info[0])
        assert scene.ctx.device.runs == 0
        executor = scene.ctx.device._executor
        assert not executor.reads(large.address, 16)
        assert executor.reads(large.address, 17)
        assert executor.reads(large.address + size - 1, 1)
        assert executor.record.held < 8 * size
        scene.ctx.destroy()


@pytest.mark.parametrize("size", [0, 1, 4, 15, 16, 64, 65, 4096, MAX_BYTES, MAX_BYTES + 4])
def test_constants_lie_aligned_with_zeros_behind_them(size: int) -> None:
    memory, data = ConstantMemory(BoundRecord()), bytes(k % 251 + 1 for k in range(size))
    for _ in range(40):
        found = memory.put(data)
        assert found is not None
        kept = min(size, MAX_BYTES)
        assert (found.address % LINE, found.size) == (0, kept)
        assert found.room == (0 if kept % 4 else -(-kept // LINE) * LINE)
        assert ctypes.string_at(found.address, max(found.room, kept)) == data[:kept] + bytes(max(found.room - kept, 0))
        assert found.keepalive is not None
        begin = found.keepalive.ctypes.data
        assert begin <= found.address
        assert found.address + found.room <= begin + len(found.keepalive)


def test_memory_that_is_released_again_and_again_while_it_is_bound_is_kept_once() -> None:
    record = BoundRecord()
    memory, owner = KeptMemory(record), np.zeros(32, np.uint8)
    record.constants[3].address = owner.ctypes.data
    for _ in range(100):
        memory.keep(owner.ctypes.data, 32, owner)
    assert len(memory) == 1
    record.constants[3].address = 0
    memory.release()
    assert len(memory) == 0


def test_only_plain_memory_is_taken_as_it_lies() -> None:
    memory = ConstantMemory(BoundRecord())
    assert memory.put(np.arange(8, dtype="f4")[::2]) is None
    assert memory.put([1, 2, 3]) is None
    found = memory.put(np.arange(6, dtype="f4").reshape(2, 3))
    assert found is not None
    assert found.size == 24


def test_what_is_declared_behind_a_buffer_reads_zero_also_where_another_follows() -> None:
    with tgsi.Screen(threads=0) as screen:
        scene = Scene(screen)
        text = PLAIN.replace("CONST[0][0]\nMOV OUT[0], CONST[0][0]", "CONST[0][0..7]\nADD OUT[0], CONST[0][0], CONST[0][6]")
        scene.ctx.bind_fs_state(scene.ctx.create_fs_state(text))
        for _ in range(3):
            scene.fragment_array(0.5, 0.25, 4)
            scene.ctx.set_constant_buffer("VERTEX", np.full(64, 7, "f4"), index=5)
            scene.ctx.draw_vbo(scene.info[0])
        assert scene.pixels().max(axis=(0, 1)).tolist() == [0.5, 0.25, 0.5, 1.0]
        scene.ctx.destroy()


def test_targets_that_are_bound_in_turns_are_the_same_framebuffers(screen: Any) -> None:
    with screen.context_create() as ctx:
        size = {"width0": SIZE, "height0": SIZE}
        first, second = (ctx.create_surface(screen.resource_create(**size)) for _ in range(2))
        depth = ctx.create_surface(screen.resource_create(**size, format="Z32_FLOAT"))
        seen = []
        for target in (first, second) * 2:
            ctx.set_framebuffer_state(cbufs=[target], zsbuf=depth)
            seen.append(ctx.targets.framebuffer)
        assert seen[0] is seen[2]
        assert seen[1] is seen[3]
        assert seen[0] is not seen[1]
        ctx.set_framebuffer_state(cbufs=[first])
        assert ctx.targets.framebuffer.zsbuf is None
        ctx.set_framebuffer_state(cbufs=[first, second], zsbuf=depth, width=SIZE - 1)
        assert ctx.targets.framebuffer.cbufs == (first.packet, second.packet)
        assert ctx.targets.framebuffer.width == SIZE - 1


def test_templates_are_not_kept_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor_module, "MOST_TEMPLATES", 20)
    pictures = []
    for limit in (20, 1000):
        monkeypatch.setattr(executor_module, "MOST_TEMPLATES", limit)
        with tgsi.Screen(threads=0) as screen:
            scene, most = Scene(screen), 0
            scene.blend(1.0, 0.0, 0)
            for k in range(100):
                scene.ctx.bind_rasterizer_state(scene.ctx.create_rasterizer_state(line_width=1 + k / 100))
                scene.ctx.draw_vbo(scene.info[0])
                most = max(most, len(scene.ctx.device._executor._table))
            assert most == min(limit, 100)
            pictures.append(scene.pixels())
            scene.ctx.destroy()
    assert np.array_equal(pictures[0], pictures[1])


def test_a_known_draw_is_not_made_again_while_others_store(monkeypatch: pytest.MonkeyPatch) -> None:
    with tgsi.Screen(threads=0) as screen:
        scene = Scene(screen)
        ctx, made = scene.ctx, list[Any]()
        storing = ctx.create_fs_state(
            "FRAG\nDCL BUFFER[0]\nDCL OUT[0], COLOR\nIMM[0] UINT32 {0, 1, 2, 3}\nSTORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy\n"
            "MOV OUT[0], IMM[0]\nEND\n"
        )
        buffer = screen.resource_create(target="BUFFER", format="R8_UNORM", width0=64, bind="SHADER_BUFFER")
        ctx.draw_vbo(scene.info[0])
        ctx.set_shader_buffers("FRAGMENT", [buffer])
        ctx.bind_fs_state(storing)
        ctx.draw_vbo(scene.info[0])
        ctx.bind_fs_state(scene.fragments[0])
        maker = ctx.device._maker

        def make(*given: Any, make: Callable[..., Any] = maker.make) -> Any:
            made.append(given)
            return make(*given)

        monkeypatch.setattr(maker, "make", make)
        for k in range(20):
            scene.fragment_array(k / 20, 0.5, 12)
            ctx.draw_vbo(scene.info[0])
        assert made == []
        assert scene.pixels().max() > 0
        ctx.destroy()
