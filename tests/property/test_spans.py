"""Many small draws give the same bytes and the same counts, however the draws are grouped into batches.

Draws of the same state share their records, so that neighbors meet in one group of the front end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backends.device.bound import DrawState
from backends.device.counters import Statistics
from backends.device.framebuffer import Framebuffer
from backends.device.region import Region
from backends.formats import Format
from backends.llvm.engine.kernel_cache import kernels_for
from backends.pipe.enums import Face, PolygonMode, Prim
from backends.pipe.state import DrawInfo, RasterizerState, ScissorState, VertexElement, ViewportState
from backends.raster.draw.packet import Packet
from backends.raster.draw.writer import DrawWriter
from backends.raster.draw_record import Call
from backends.raster.kernels import Kernels
from backends.raster.records import Batch, Span, Work
from backends.software.commands.executor import Executor
from tests.unit.raster.canvas import ADD, LESS, RGBA32F, VS_COLOR, Canvas, changed, fs_color, of_draws, with_shaders

pytestmark = pytest.mark.light

WIDTH, HEIGHT, DRAWS, VERTICES = 150, 131, 140, 120
MOVED = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL CONST[0]
ADD OUT[0], IN[0], CONST[0]
MOV OUT[1], IN[1]
END
"""
NUMBERED = """VERT
DCL IN[0]
DCL SV[0], VERTEXID
DCL SV[1], INSTANCEID
DCL SV[2], BASEVERTEX
DCL SV[3], DRAWID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL TEMP[0]
IMM[0] FLT32 {0.008, 0.1, 0.004, 0.01}
MOV OUT[0], IN[0]
U2F TEMP[0].x, SV[0].xxxx
U2F TEMP[0].y, SV[1].xxxx
I2F TEMP[0].z, SV[2].xxxx
U2F TEMP[0].w, SV[3].xxxx
MUL OUT[1], TEMP[0], IMM[0]
END
"""
CUT = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], CLIPDIST[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
MOV OUT[2], IN[1].xxxx
END
"""
SENT = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], VIEWPORT_INDEX
DCL TEMP[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
F2I TEMP[0].x, IN[1].yyyy
MOV OUT[2].x, TEMP[0].xxxx
END
"""
TINTED = "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL CONST[0]\nDCL OUT[0], COLOR\nMUL OUT[0], IN[0], CONST[0]\nEND\n"
COUNTED = """FRAG
DCL IN[0], PRIM_ID, CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 {0.02, 0.03, 0.04, 0.05}
U2F TEMP[0], IN[0].xxxx
MUL OUT[0], TEMP[0], IMM[0]
END
"""
MODES = [Prim.TRIANGLES, Prim.TRIANGLES, Prim.TRIANGLES, Prim.TRIANGLE_STRIP, Prim.QUADS, Prim.POINTS, Prim.LINE_STRIP, Prim.LINES]


class Scene:
    """A random sequence of draws: few states, each of which mostly stays for several draws."""

    def __init__(self, canvas: Canvas, seed: int, *, is_shared: bool = True) -> None:
        self.is_shared = is_shared
        self.canvas, self.rng = canvas, np.random.default_rng(seed)
        rng, self.states = self.rng, list[tuple[str, str, dict[str, Any], Prim]]()
        centers = rng.uniform(-1.2, 1.2, (VERTICES // 3, 1, 4)) * (1, 1, 0.8, 0)
        positions = (centers + rng.uniform(-0.2, 0.2, (VERTICES // 3, 3, 4)) * (1, 1, 0.1, 0) + (0, 0, 0, 1)).reshape(-1, 4)
        positions[rng.random(VERTICES) < 0.03, 3] = -0.5
        colors = rng.uniform(-0.3, 2.2, (VERTICES, 4))
        self.buffers = (canvas.vertex_buffer(positions.astype("f4")), canvas.vertex_buffer(colors.astype("f4")))
        self.indices = canvas.memory(rng.integers(0, VERTICES, 500).astype("u2"))
        plain = (VertexElement(0, RGBA32F, 0), VertexElement(0, RGBA32F, 1))
        instanced = (VertexElement(0, RGBA32F, 0), VertexElement(0, RGBA32F, 1, 1))
        half = (WIDTH / 2, HEIGHT / 2, 0.5)
        views = tuple(ViewportState((w / 2.3, h / 2.1, 0.5), (x, y, 0.5)) for w, h, x, y in ((150, 131, 71.3, 60.6), (90, 70, 50.7, 90.2)))
        rasterizers = [
            RasterizerState(),
            RasterizerState(cull_face=Face.BACK, flatshade_first=True),
            RasterizerState(scissor=True, half_pixel_center=True),
            RasterizerState(line_stipple_enable=True, line_stipple_pattern=0x0F3C, line_stipple_factor=1),
            RasterizerState(fill_front=PolygonMode.LINE, fill_back=PolygonMode.POINT, point_size=3.0),
            RasterizerState(clip_plane_enable=1),
        ]
        for _ in range(12):
            changes: dict[str, Any] = {
                "vertex_elements": instanced if rng.random() < 0.2 else plain,
                "vertex_buffers": self.buffers,
                "rasterizer": rasterizers[int(rng.integers(0, len(rasterizers)))] if rng.random() < 0.6 else rasterizers[0],
                "scissors": (ScissorState(20, 10, 120, 100),) * 2,
                "viewports": views if rng.random() < 0.6 else (ViewportState(half, half),) * 2,
                "index_buffer": self.indices if rng.random() < 0.4 else None,
            }
            if rng.random() < 0.5:
                changes["blend"] = ADD
            if rng.random() < 0.4:
                changes["depth_stencil_alpha"] = LESS
            vs = [VS_COLOR, VS_COLOR, MOVED, MOVED, NUMBERED, CUT, SENT][int(rng.integers(0, 7))]
            fs = [fs_color("PERSPECTIVE"), fs_color("CONSTANT"), TINTED, TINTED, COUNTED][int(rng.integers(0, 5))]
            self.states.append((vs, fs, changes, MODES[int(rng.integers(0, len(MODES)))]))
        self.infos: dict[tuple[Any, ...], DrawInfo] = {}
        self.bound: dict[int, DrawState] = {}

    def draw(self) -> None:
        """Draw everything."""
        rng, canvas, number, left = self.rng, self.canvas, 0, 0
        for _ in range(DRAWS):
            if left == 0:
                number, left = int(rng.integers(0, len(self.states))), int(rng.integers(1, 14))
                constants = [canvas.memory(rng.uniform(-0.2, 0.9, 4).astype("f4")) for _ in range(2)]
            left -= 1
            vs, fs, changes, mode = self.states[number]
            state = self.bound.get(number) if self.is_shared else None
            if state is None:
                state = self.bound[number] = with_shaders(changed(canvas.state, **changes), vs, fs)
            for k, stage in enumerate((state.vertex, state.fragment)):
                if rng.random() < 0.4:
                    constants[k] = canvas.memory(rng.uniform(-0.2, 0.9, 4).astype("f4"))
                stage.put_constants(0, constants[k])
            canvas.draw(state, self._info(mode, changes["index_buffer"] is not None))

    def _info(self, mode: Prim, is_indexed: bool) -> DrawInfo:
        rng = self.rng
        values: dict[str, Any] = {
            "mode": mode,
            "count": int(rng.choice([3, 3, 4, 6, 24, 90])),
            "start": int(rng.choice([0, 0, 3, 30])),
            "instance_count": int(rng.choice([1, 1, 1, 2, 5])),
            "start_instance": int(rng.choice([0, 0, 1])),
            "drawid": int(rng.choice([0, 0, 7])),
            "index_size": 2 if is_indexed else 0,
            "index_bias": int(rng.choice([0, 0, 2])) if is_indexed else 0,
        }
        return self.infos.setdefault(tuple(values.values()), DrawInfo(**values))


def drawn(seed: int, *, is_shared: bool = True, **options: Any) -> tuple[bytes, Statistics, int]:
    """Bytes of color and depth, the counts, and the number of windows."""
    with Canvas(WIDTH, HEIGHT, depth=Format.Z32_FLOAT, **options) as canvas:
        canvas.state.count_statistics = True
        canvas.wipe((0.1, 0.2, 0.3, 0.4))
        Scene(canvas, seed, is_shared=is_shared).draw()
        data = canvas.image().tobytes() + canvas.depth_bytes().tobytes()
        return data, of_draws(canvas.statistics()), int(canvas._pool.scene.totals.num_windows)


GROUPINGS: list[dict[str, Any]] = [
    {"spans": 2},
    {"spans": 7, "threads": 2},
    {"spans": 64},
    {"spans": 64, "window": 3, "threads": 1},
    {"spans": 64, "arena": 1},
    {"spans": 64, "arena": 1, "threads": 2, "setup_lanes": 8},
    {"spans": 7, "arena": 1, "lanes": 8},
    {"spans": 64, "setup_lanes": 4},
]


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(6, 12))])
def test_any_grouping_of_draws_gives_the_same_bytes_and_counts(seed: int) -> None:
    data, counts, _ = drawn(seed, spans=1, is_shared=False)
    assert len(set(data)) > 20
    for options in GROUPINGS:
        found, other, _ = drawn(seed, **options)
        assert found == data, options
        assert other == counts, options


def test_small_arenas_cut_groups() -> None:
    """The scenes of these tests need several windows where an arena is small: batches of many spans were cut."""
    assert any(drawn(seed, arena=1)[2] > 1 for seed in range(12))


def test_neighbors_share_a_batch_up_to_its_limits() -> None:
    executor = Executor(DrawWriter(Kernels(kernels_for("host")), Region(), None, None), 100, 3)
    for first, count in ((0, 40), (0, 40), (0, 40), (0, 1), (0, 1), (5, 201)):
        executor.take(Packet(64, first + count, 0, [], call=bytes(Call(prims_per_instance=1))), first, count)
    e = executor.record
    spans = (Span * e.num_spans).from_address(e.spans)
    batches = (Batch * e.num_batches).from_address(e.batches)
    assert [(b.first_span, b.num_spans, b.count) for b in batches] == [(0, 2, 80), (2, 3, 42), (5, 1, 100), (6, 1, 100), (7, 1, 1)]
    assert [(s.first, s.count) for s in spans] == [(0, 40), (0, 40), (0, 40), (0, 1), (0, 1), (5, 100), (105, 100), (205, 1)]
    executor.hand_over(Work())
    assert (e.num_spans, e.num_batches, e.queued) == (0, 0, 0)


def test_a_framebuffer_of_other_sizes_begins_with_a_batch_of_its_own() -> None:
    with Canvas(WIDTH, HEIGHT, depth=Format.Z32_FLOAT) as canvas:
        Scene(canvas, 1).draw()
        commands = canvas._executor.record
        spans, batches = commands.num_spans, commands.num_batches
        canvas.set_framebuffer(Framebuffer(8, 8, (canvas.colors[0],), None))
        assert (commands.num_spans, commands.num_batches, commands.closed) == (spans, batches, batches)
        assert spans
