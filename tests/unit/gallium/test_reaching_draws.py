"""Draws whose programs reach buffers, counters and images: generated code takes them, with the bytes of draws that Python makes."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.pipe.enums import DriverQuery
from backends.software.commands.executor import Executor
from backends.software.commands.reached import ReachedMemory
from backends.software.commands.records import Code
from tests.calls import calls_in

pytestmark = pytest.mark.light

SIZE = 16
_VS = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL CONST[0][0]\n{dcl}IMM[0] UINT32 {{0, 4, 8, 1}}\n{code}END\n"
_FS = "FRAG\nDCL IN[0], COLOR, COLOR\nDCL OUT[0], COLOR\n{dcl}DCL TEMP[0]\nIMM[0] UINT32 {{0, 4, 8, 1}}\n{code}END\n"
VERTICES = {
    "plain": _VS.format(dcl="", code="ADD OUT[0], IN[0], CONST[0][0]\nMOV OUT[1], IN[0]\n"),
    "reads": _VS.format(
        dcl="DCL BUFFER[0]\nDCL TEMP[0]\n",
        code="LOAD TEMP[0], BUFFER[0], IMM[0].xxxx\nADD OUT[0], IN[0], CONST[0][0]\nMOV OUT[1], TEMP[0]\n",
    ),
    "stores": _VS.format(
        dcl="DCL SV[0], VERTEXID\nDCL BUFFER[0]\nDCL TEMP[0..1]\n",
        code="UMUL TEMP[0].x, SV[0].xxxx, IMM[0].yyyy\nU2F TEMP[1].x, TEMP[0].xxxx\nADD TEMP[1].x, TEMP[1].xxxx, CONST[0][0].xxxx\n"
        "STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[1].xxxx\nADD OUT[0], IN[0], CONST[0][0]\nMOV OUT[1], IN[0]\n",
    ),
    "paints": _VS.format(
        dcl="DCL SV[0], VERTEXID\nDCL IMAGE[0], 2D, PIPE_FORMAT_R32G32B32A32_FLOAT, WR\nDCL TEMP[0..1]\n",
        code="AND TEMP[0].x, SV[0].xxxx, IMM[0].wwww\nMOV TEMP[0].y, SV[0].xxxx\nU2F TEMP[1], SV[0].xxxx\nADD TEMP[1].x, TEMP[1].xxxx, "
        "CONST[0][0].xxxx\nSTORE IMAGE[0], TEMP[0].xyyy, TEMP[1], 2D\nADD OUT[0], IN[0], CONST[0][0]\nMOV OUT[1], IN[0]\n",
    ),
    "counts": _VS.format(
        dcl="DCL HWATOMIC[0]\nDCL TEMP[0]\n",
        code="ATOMUADD TEMP[0].x, HWATOMIC[0], IMM[0].xxxx, IMM[0].wwww\nADD OUT[0], IN[0], CONST[0][0]\nMOV OUT[1], IN[0]\n",
    ),
    "orders": _VS.format(
        dcl="DCL BUFFER[0]\nDCL TEMP[0]\n",
        code="ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].zzzz, IMM[0].wwww\nAND TEMP[0].x, TEMP[0].xxxx, IMM[0].wwww\n"
        "U2F TEMP[0].x, TEMP[0].xxxx\nADD OUT[0], IN[0], CONST[0][0]\nMOV OUT[1], TEMP[0].xxxx\n",
    ),
}
WRITERS = ("stores", "paints", "counts", "orders")
"""Vertex programs that write memory."""
FRAGMENTS = {
    "plain": _FS.format(dcl="", code="MOV OUT[0], IN[0]\n"),
    "reads": _FS.format(dcl="DCL BUFFER[1]\n", code="LOAD TEMP[0], BUFFER[1], IMM[0].xxxx\nADD OUT[0], TEMP[0], IN[0]\n"),
    "counts": _FS.format(dcl="DCL HWATOMIC[0]\n", code="ATOMUADD TEMP[0].x, HWATOMIC[0], IMM[0].xxxx, IMM[0].wwww\nMOV OUT[0], IN[0]\n"),
    "adds": _FS.format(
        dcl="DCL BUFFER[0]\nDCL BUFFER[1]\n",
        code="LOAD TEMP[0], BUFFER[1], IMM[0].xxxx\nATOMUADD TEMP[0].x, BUFFER[0], IMM[0].yyyy, IMM[0].wwww\nMOV OUT[0], TEMP[0].yzwy\n",
    ),
    "loads": _FS.format(
        dcl="DCL IMAGE[0], 2D, PIPE_FORMAT_R32G32B32A32_FLOAT\n",
        code="LOAD TEMP[0], IMAGE[0], IMM[0].wwww, 2D\nADD OUT[0], TEMP[0], IN[0]\n",
    ),
    "stores": _FS.format(
        dcl="DCL IMAGE[0], 2D, PIPE_FORMAT_R32G32B32A32_FLOAT\nDCL IMAGE[1], 2D, PIPE_FORMAT_R32G32B32A32_FLOAT, WR\n",
        code="LOAD TEMP[0], IMAGE[0], IMM[0].wwww, 2D\nSTORE IMAGE[1], IMM[0].xxxx, IN[0], 2D\nMOV OUT[0], TEMP[0]\n",
    ),
    "samples": _FS.format(dcl="DCL SAMP[0]\nDCL SAMP[1]\n", code="TEX TEMP[0], IN[0], SAMP[0], 2D\nTEX OUT[0], TEMP[0], SAMP[1], 2D\n"),
    "orders": _FS.format(
        dcl="DCL BUFFER[0]\n",
        code="ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].zzzz, IMM[0].wwww\nU2F TEMP[0], TEMP[0].xxxx\nMOV OUT[0], TEMP[0]\n",
    ),
}


class Scene:
    """A context, its programs, and buffers that these reach."""

    def __init__(self, screen: tgsi.Screen) -> None:
        self.ctx: Any = screen.context_create()
        self.sources = {"indices": 0}  # numbers of the buffers that vertices and indices come from
        ctx = self.ctx
        self.target = screen.resource_create(width0=SIZE, height0=SIZE, format="R32G32B32A32_FLOAT")
        other = screen.resource_create(width0=SIZE, height0=SIZE, format="R32G32B32A32_FLOAT")
        ctx.set_framebuffer_state(cbufs=[other])
        ctx.clear(color=(0, 0, 0, 0))
        self.targets = [self.target, other]
        ctx.set_framebuffer_state(cbufs=[self.target])
        ctx.clear(color=(0, 0, 0, 0))
        ctx.set_viewport_states([{"scale": (8, 8, 0.5), "translate": (8, 8, 0.5)}])
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
        corners = np.array([[-1, -1, 0, 1], [0.5, -1, 0, 1], [-1, 0.5, 0, 1], [1, 1, 0, 1], [0, 1, 0, 1], [1, 0, 0, 1]], "f4")
        self.corners = screen.resource_create(target="BUFFER", width0=corners.nbytes)
        ctx.buffer_subdata(self.corners, corners)
        ctx.set_vertex_buffers([{"buffer": self.corners, "stride": 16}])
        factors: dict[str, Any] = {f"{part}_{k}_factor": "ONE" for part in ("rgb", "alpha") for k in ("src", "dst")}
        self.blends = [ctx.create_blend_state(), ctx.create_blend_state(blend_enable=True, **factors)]
        self.vertex = {name: ctx.create_vs_state(text) for name, text in VERTICES.items()}
        self.fragment = {name: ctx.create_fs_state(text) for name, text in FRAGMENTS.items()}
        self.buffers = [screen.resource_create(target="BUFFER", width0=64) for _ in range(4)]
        for k, buffer in enumerate(self.buffers):
            ctx.buffer_subdata(buffer, np.arange(16, dtype="f4") / (k + 1))
        self.images = [screen.resource_create(width0=4, height0=4, format="R32G32B32A32_FLOAT") for _ in range(3)]
        for k, image in enumerate(self.images):
            ctx.texture_subdata(image, np.arange(64, dtype="f4").reshape(4, 4, 4) / (50 * (k + 1)))
        for unit in range(3):
            ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(self.images[unit])], start=unit)
        ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()] * 3)
        ctx.set_index_buffer(self.buffers[0])
        self.bind("plain", "plain")
        self.reach()
        self.see()
        self.paint(0)

    def see(self, read: int = 0, written: int = 1) -> None:
        """Bind images: the one that fragments read, and the one that they write."""
        self.ctx.set_shader_images("FRAGMENT", [self.images[read], self.images[written]])

    def paint(self, image: int) -> None:
        """Bind the image that vertices write: the last ones are targets."""
        self.ctx.set_shader_images("VERTEX", [[*self.images, *self.targets][image]])

    def bind(self, vertex: str, fragment: str) -> None:
        self.program = vertex
        self.ctx.bind_vs_state(self.vertex[vertex])
        self.ctx.bind_fs_state(self.fragment[fragment])

    def reach(self, vertex: int = 0, fragment: int = 1, read: int = 2, counter: int = 3) -> None:
        """Bind buffers: of the vertex stage, the one that fragments write, the one that they read, and the counter."""
        self.written = {vertex, counter}
        self.ctx.set_shader_buffers("VERTEX", [self.buffers[vertex]])
        self.ctx.set_shader_buffers("FRAGMENT", [self.buffers[fragment], self.buffers[read]])
        self.ctx.set_hw_atomic_buffers([self.buffers[counter]])

    def read(self, kind: str, buffer: int) -> None:
        """Let draws read a buffer in another way, image 0 through a sampler, or the first sources again."""
        ctx, memory = self.ctx, self.buffers[buffer]
        self.sources[kind] = buffer
        if kind == "constants":
            ctx.set_constant_buffer("VERTEX", memory)
        elif kind == "vertices":
            ctx.set_vertex_buffers([{"buffer": memory, "stride": 16}])
        elif kind == "indices":
            ctx.set_index_buffer(memory)
        else:
            ctx.set_vertex_buffers([{"buffer": self.corners, "stride": 16}])
            self.sources.pop("vertices", None)
            self.move(0)

    def move(self, x: float) -> None:
        self.ctx.set_constant_buffer("VERTEX", np.array([x, 0, 0, 0], "f4"))

    @property
    def is_racing(self) -> bool:
        """True if vertices write memory from which the same draw reads vertices or indices, whose bytes nothing determines."""
        read = {self.sources[kind] for kind in ("vertices", "indices") if kind in self.sources}
        return self.program in WRITERS and bool(self.written & read)

    def draw(self, **call: Any) -> None:
        self.ctx.draw_vbo(**{"mode": "TRIANGLES", "count": 6} | call)

    def play(self, seed: int) -> bytes:
        """The bytes that random calls leave."""
        random = Random(seed)
        actions = (
            lambda: self.bind(random.choice([*VERTICES]), random.choice([*FRAGMENTS])),
            lambda: self.reach(*random.sample(range(4), 4)),
            lambda: self.see(*random.sample(range(3), 2)),
            lambda: self.paint(random.randrange(5)),
            lambda: self.move(random.choice((0, 0.25, -0.5))),
            lambda: self.ctx.bind_blend_state(random.choice(self.blends)),
            lambda: self.ctx.buffer_subdata(
                random.choice(self.buffers), np.array([random.random()], "f4"), offset=4 * random.randrange(16)
            ),
            lambda: self.read(random.choice(("constants", "vertices", "indices", "nothing", "nothing")), random.randrange(4)),
            lambda: self.ctx.set_framebuffer_state(cbufs=[random.choice(self.targets)]),
            self.ctx.flush,
            lambda: self.ctx.clear(color=(0.5, 0, 0, 1)),
        )
        self.move(0)
        for _ in range(120):
            random.choices(actions, (4, 2, 1, 1, 3, 1, 2, 1, 0.3, 0.3, 0.2))[0]()
            for _ in range(random.randrange(4)):
                mode, size = random.choice(("TRIANGLES", "TRIANGLES", "LINE_LOOP")), random.choice((0, 0, 1))
                call = {"mode": mode, "count": random.choice((3, 6)), "instance_count": random.choice((1, 1, 3)), "index_size": size}
                if not self.is_racing:
                    self.draw(**call)
        return self.content()

    def content(self) -> bytes:
        data = b""
        for resource in (*self.targets, *self.buffers, *self.images):
            with self.ctx.transfer_map(resource, usage="READ") as mapped:
                data += bytes(mapped.data)
        return data


def _hinder_always(memory: ReachedMemory, *, is_resolving: bool) -> None:
    memory._record.is_hindered, memory._record.is_reached = 1, bool(memory.waiting.touched)


@pytest.mark.parametrize("seed", range(12))
def test_bytes_are_those_of_draws_that_python_makes_for_any_threads_and_lanes(seed: int) -> None:
    found = []
    for threads, lanes in ((0, None), (1, None), (3, 8)):
        with tgsi.Screen(threads=threads, lanes=lanes) as screen:
            found.append(Scene(screen).play(seed))
    with pytest.MonkeyPatch.context() as patch, tgsi.Screen(threads=0) as screen:
        patch.setattr(Executor, "draw_reaching", lambda *_: Code.UNKNOWN)
        patch.setattr(Executor, "learn_staged", lambda *_: None)
        patch.setattr(ReachedMemory, "hinder", _hinder_always)
        found.append(Scene(screen).play(seed))
    assert found[0] == found[1] == found[2] == found[3]
    assert any(found[0])


@pytest.mark.parametrize(
    ("vertex", "fragment"),
    [
        *[("reads", "plain"), ("plain", "reads"), ("reads", "counts"), ("plain", "orders")],
        *[("plain", "adds"), ("plain", "loads"), ("plain", "stores"), ("reads", "stores")],
    ],
)
def test_no_python_runs_for_a_draw_that_reaches_memory_after_the_first_of_its_kind(vertex: str, fragment: str) -> None:
    with tgsi.Screen(threads=0) as screen:
        scene = Scene(screen)
        scene.draw()
        scene.bind(vertex, fragment)
        query = scene.ctx.create_query(DriverQuery.KNOWN_DRAWS)
        scene.ctx.begin_query(query)
        for k in range(10):
            scene.move(k / 10)
            scene.draw()
        scene.ctx.end_query(query)
        assert scene.ctx.get_query_result(query) == 10
        assert calls_in(lambda: scene.ctx.draw_vbo(mode="TRIANGLES", count=6)) == []
        scene.bind("plain", "plain")
        assert calls_in(lambda: scene.ctx.draw_vbo(mode="TRIANGLES", count=6)) == []
        scene.bind(vertex, fragment)
        assert calls_in(lambda: scene.ctx.draw_vbo(mode="TRIANGLES", count=6)) == []
        scene.ctx.flush()
        scene.draw()
        assert calls_in(lambda: scene.ctx.draw_vbo(mode="TRIANGLES", count=6)) == []


def test_each_draw_reaches_what_is_bound_to_it() -> None:
    with tgsi.Screen(threads=0) as screen:
        scene = Scene(screen)
        scene.ctx.bind_blend_state(scene.blends[1])
        scene.bind("plain", "reads")
        texels = []
        for first, second in ((0, 1), (1, 0), (2, 2)):
            scene.ctx.clear(color=(0, 0, 0, 0))
            for read in (first, second):
                scene.reach(read=read, fragment=3)
                scene.draw()
            texels.append(np.frombuffer(scene.content()[: SIZE * SIZE * 16], "f4").reshape(SIZE, SIZE, 4)[4, 4])
        base = texels[2] - 2 * np.arange(4, dtype="f4") / 3
        assert np.allclose(texels[0], texels[1])
        assert np.allclose(texels[0], base + np.arange(4, dtype="f4") * 1.5)


def test_counters_count_every_fragment_of_every_draw() -> None:
    with tgsi.Screen(threads=1) as screen:
        scene = Scene(screen)
        scene.ctx.buffer_subdata(scene.buffers[3], np.zeros(16, "u4"))
        scene.bind("plain", "counts")
        query = scene.ctx.create_query("OCCLUSION_COUNTER")
        scene.ctx.begin_query(query)
        for _ in range(50):
            scene.draw()
        scene.ctx.end_query(query)
        fragments = scene.ctx.get_query_result(query)
        with scene.ctx.transfer_map(scene.buffers[3], usage="READ") as mapped:
            assert mapped.data[:4].view("u4")[0] == fragments > 1000


def test_memory_that_is_unbound_lives_until_the_draws_that_reach_it_are_carried_out() -> None:
    with tgsi.Screen(threads=0) as screen:
        scene = Scene(screen)
        scene.bind("plain", "reads")
        scene.draw()
        scene.ctx.set_shader_buffers("FRAGMENT", [None, None])
        scene.buffers[2].destroy()
        for _ in range(20):
            screen.resource_create(target="BUFFER", width0=64)  # would take its place in memory
        with scene.ctx.transfer_map(scene.target, usage="READ") as mapped:
            red = mapped.data[4, 4]
        plain = Scene(screen)
        plain.draw()
        with plain.ctx.transfer_map(plain.target, usage="READ") as mapped:
            assert np.allclose(red - mapped.data[4, 4], np.arange(4) / 3, atol=1e-6)
