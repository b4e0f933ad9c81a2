"""Workers that begin before a flush leave the bytes of one thread: uploads, clears, resolves, atomics and other calls between draws."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.device.interface import Settings
from backends.software.device import make_dispatcher, make_kernel_lister
from backends.software.renderer import Renderer
from tgsi import gallium as g

pytestmark = pytest.mark.light

SIZE = 200
VS = "VERT\nDCL IN[0]\nDCL CONST[0]\nDCL OUT[0], POSITION\nADD OUT[0], IN[0], CONST[0]\nEND\n"
FS = "FRAG\nDCL CONST[0]\nDCL OUT[0], COLOR\nMOV OUT[0], CONST[0]\nEND\n"
LINE = """FRAG
DCL IN[0], POSITION, LINEAR
DCL BUFFER[0..1]
DCL TEMP[0..1]
IMM[0] UINT32 {0, 1, 4, 65535}
ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy
UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz
AND TEMP[0].x, TEMP[0].xxxx, IMM[0].wwww
F2U TEMP[1].xy, IN[0].xyyy
UMAD TEMP[1].x, TEMP[1].yyyy, IMM[0].wwww, TEMP[1].xxxx
STORE BUFFER[1].x, TEMP[0].xxxx, TEMP[1]
END
"""
"""Fragment program that writes the positions of fragments in the order of their execution."""


class Devices:
    """Factory of renderers with options of their own."""

    def __init__(self, **options: Any) -> None:
        self._options = options

    def make_device(self, settings: Settings) -> Renderer:
        return Renderer(settings.threads, **self._options)

    make_dispatcher = staticmethod(make_dispatcher)
    make_kernel_lister = staticmethod(make_kernel_lister)


class Program:
    """A random program of known draws and of what may come between them."""

    def __init__(self, ctx: g.Context, seed: int) -> None:
        self.ctx, self.rng = ctx, random.Random(seed)
        numbers, create = np.random.default_rng(seed), ctx.screen.resource_create
        self.samples = 4 if seed % 2 else 0
        self.target = create(
            target="TEXTURE_2D", format="R8G8B8A8_UNORM", width0=SIZE, height0=SIZE, bind="RENDER_TARGET", nr_samples=self.samples
        )
        self.shown = create(target="TEXTURE_2D", format="R8G8B8A8_UNORM", width0=SIZE, height0=SIZE, bind="RENDER_TARGET")
        self.depth = create(
            target="TEXTURE_2D", format="Z32_FLOAT", width0=SIZE, height0=SIZE, bind="DEPTH_STENCIL", nr_samples=self.samples
        )
        corners = numbers.uniform(-1, 1, (200, 1, 4)) + numbers.uniform(-0.2, 0.2, (200, 3, 4))
        corners[..., 2] = numbers.uniform(0.2, 0.8, (200, 3))
        corners[..., 3] = 1
        self.vertices = corners.astype("f4").reshape(-1, 4)
        self.buffer = create(target="BUFFER", format="R8_UNORM", width0=self.vertices.nbytes, bind="VERTEX_BUFFER")
        ctx.buffer_subdata(self.buffer, self.vertices)
        self.words = [create(target="BUFFER", format="R8_UNORM", width0=size, bind="SHADER_BUFFER") for size in (4, 65536 + 4)]
        half = SIZE / 2
        ctx.set_viewport_states([g.ViewportState((half, half, 0.5), (half, half, 0.5))])
        ctx.set_framebuffer_state(cbufs=[self.target], zsbuf=self.depth)
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
        ctx.bind_vs_state(ctx.create_vs_state(VS))
        self.paint, self.line = ctx.create_fs_state(FS), ctx.create_fs_state(LINE)
        self.tests = [
            ctx.create_depth_stencil_alpha_state(depth={"enabled": True, "writemask": True, "func": "LESS"}),
            ctx.create_depth_stencil_alpha_state(),
        ]
        ctx.set_shader_buffers("FRAGMENT", self.words)
        ctx.set_vertex_buffers([g.VertexBuffer(self.buffer, 16)])
        ctx.bind_fs_state(self.paint)
        ctx.bind_depth_stencil_alpha_state(self.tests[0])

    def draw(self) -> None:
        rng, ctx = self.rng, self.ctx
        for _ in range(rng.choice([1, 5, 40])):
            ctx.set_constant_buffer("VERTEX", np.array([rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3), 0, 0], "f4"))
            ctx.set_constant_buffer("FRAGMENT", np.array([rng.random() for _ in range(4)], "f4"))
            ctx.draw_vbo(mode="TRIANGLES", start=3 * rng.randrange(150), count=3 * rng.randrange(1, 50))

    def upload(self) -> None:
        part = np.roll(self.vertices, self.rng.randrange(600), 0)[: self.rng.randrange(3, 600)]
        self.ctx.buffer_subdata(self.buffer, part, offset=16 * self.rng.randrange(600 - len(part) + 1))

    def clear(self) -> None:
        self.ctx.clear(self.rng.choice(["COLOR", "DEPTH", ["COLOR", "DEPTH"]]), color=(0.1, self.rng.random(), 0.3, 0.4), depth=0.7)

    def resolve(self) -> None:
        self.ctx.blit(self.shown, src=self.target)

    def store(self) -> None:
        self.ctx.bind_fs_state(self.line)
        self.draw()
        self.ctx.bind_fs_state(self.paint)

    def wait(self) -> None:
        time.sleep(self.rng.choice([0, 1e-4, 1e-3]))

    def test(self) -> None:
        self.ctx.bind_depth_stencil_alpha_state(self.rng.choice(self.tests))

    def flush(self) -> None:
        self.ctx.flush()

    def run(self, steps: int) -> list[bytes]:
        calls: list[Callable[[], None]] = [self.draw] * 6 + [self.upload, self.clear, self.resolve, self.store, self.test, self.flush]
        query = self.ctx.create_query("PIPELINE_STATISTICS")
        self.ctx.begin_query(query)
        for _ in range(steps):
            self.rng.choice(calls)()
            self.wait()
        for _ in range(5):
            self.draw()
        self.resolve()
        self.ctx.end_query(query)
        return [*map(self.bytes, (self.shown, self.buffer, *self.words)), repr(self.ctx.get_query_result(query)).encode()]

    def bytes(self, resource: g.Resource) -> bytes:
        with self.ctx.transfer_map(resource, usage="READ") as mapped:
            found: NDArray[Any] = np.array(mapped.data)
        return found.tobytes()


def ran(seed: int, **options: Any) -> list[bytes]:
    with (
        g.Screen(threads=options.pop("threads"), device=Devices(helps=True, batch=100, **options)) as screen,
        screen.context_create() as ctx,
    ):
        return Program(ctx, seed).run(60)


WAYS: list[dict[str, Any]] = [{"threads": 1}, {"threads": 2, "window": 3}, {"threads": 7, "window": 8, "arena": 1}]


@pytest.mark.parametrize("seed", range(6))
def test_random_programs_leave_the_bytes_of_one_thread(seed: int) -> None:
    for options in WAYS:
        wanted = ran(seed, **options | {"threads": 0})
        assert len({*wanted[0]}) > 10
        assert ran(seed, ahead=1, **options) == wanted, options


def test_the_order_of_atomics_does_not_depend_on_what_workers_began() -> None:
    found = []
    for threads in (0, 1, 3, 3, 3):
        with g.Screen(threads=threads, device=Devices(helps=True, ahead=1, batch=30)) as screen, screen.context_create() as ctx:
            ctx.device._pool.scene.crew.window_bytes = 1 << 15  # type: ignore[attr-defined]
            program = Program(ctx, 4)
            for k in range(8):
                program.draw()
                program.draw()
                if threads and k % 2:
                    time.sleep(1e-3)
                program.store()
                program.store()
            found.append(program.bytes(program.words[1]))
    assert len({*found}) == 1
    assert any(found[0])
