"""Random sequences of small draws, some through geometry shaders: known ones in generated code, carried out in Python, and one by one.

All three give the same bytes and the same counts.
"""

from __future__ import annotations

import gc
import random
import weakref
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.geometry.pipeline import Pipeline
from backends.software.commands.executor import Executor
from tests.unit.geometry.programs import passthrough
from tests.unit.raster.canvas import of_draws
from tgsi import gallium as g

pytestmark = pytest.mark.light

SIZE, STEPS = 40, 120
VERTEX = """VERT
DCL IN[0]
DCL IN[1]
DCL SV[0], INSTANCEID
DCL SV[1], VERTEXID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL CONST[0]
DCL TEMP[0]
IMM[0] FLT32 {0.03, 0.0, 0.01, 0.0}
U2F TEMP[0].x, SV[0].xxxx
U2F TEMP[0].y, SV[1].xxxx
MAD TEMP[0], TEMP[0].xyxy, IMM[0].xyyz, IN[1]
ADD OUT[0], IN[0], CONST[0]
MOV OUT[1], TEMP[0]
END
"""
FANS = """GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE {strip}
PROPERTY GS_MAX_OUTPUT_VERTICES 6
PROPERTY GS_INVOCATIONS {invocations}
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL SV[0], INVOCATIONID
DCL IN[][2], PRIM_ID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL CONST[0]
DCL TEMP[0..3]
IMM[0] UINT32 {{0, 1, 3, 2}}
IMM[1] FLT32 {{0.1, 0.07, 0.0, 0.013}}
AND TEMP[0].x, IN[0][2].xxxx, IMM[0].zzzz
UADD TEMP[0].x, TEMP[0].xxxx, SV[0].xxxx
MOV TEMP[1].x, IMM[0].xxxx
BGNLOOP
  USGE TEMP[2].x, TEMP[1].xxxx, TEMP[0].xxxx
  UIF TEMP[2].xxxx
    BRK
  ENDIF
  U2F TEMP[3].x, TEMP[1].xxxx
  MUL TEMP[3].y, TEMP[3].xxxx, TEMP[3].xxxx
  MAD OUT[0], TEMP[3].xyyy, IMM[1].xyzz, IN[0][0]
  ADD OUT[1], IN[0][1], CONST[0]
  EMIT IMM[0].xxxx
  UADD TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy
ENDLOOP
END
"""
FRAGMENT = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL CONST[0]\nMAD OUT[0], IN[0], CONST[0], CONST[0]\nEND\n"
POINTS = FANS.format(strip="TRIANGLE_STRIP", invocations=3)
PROGRAMS = (
    None,
    POINTS,
    FANS.format(strip="LINE_STRIP", invocations=1),
    passthrough("TRIANGLES"),
    passthrough("TRIANGLES", invocations=2),
)
MODES = {"POINTS": PROGRAMS[:3], "TRIANGLES": (None, *PROGRAMS[3:]), "TRIANGLE_STRIP": (None, *PROGRAMS[3:])}


class Scene:
    """Context with all objects from which the steps of a random sequence choose."""

    def __init__(self, screen: Any) -> None:
        self.screen, self.ctx = screen, screen.context_create()
        ctx = self.ctx
        self.target = screen.resource_create(width0=SIZE, height0=SIZE, format="R32G32B32A32_FLOAT")
        ctx.set_framebuffer_state(cbufs=[self.target])
        ctx.clear(color=(0, 0, 0, 0))
        ctx.set_viewport_states([g.ViewportState((SIZE / 2, SIZE / 2, 0.5), (SIZE / 2, SIZE / 2, 0.5))])
        ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
        ctx.bind_fs_state(ctx.create_fs_state(FRAGMENT))
        self.programs = {text: None if text is None else ctx.create_gs_state(text) for text in PROGRAMS}
        self.rasterizers = [ctx.create_rasterizer_state(flatshade_first=first) for first in (False, True)]
        factors = {f"{part}_{k}": "ONE" for part in ("rgb", "alpha") for k in ("src_factor", "dst_factor")}
        self.blends = [ctx.create_blend_state(), ctx.create_blend_state(blend_enable=True, **factors)]
        ctx.bind_rasterizer_state(self.rasterizers[0])
        ctx.bind_blend_state(self.blends[1])
        elements = [(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state(elements))
        self.buffer = screen.resource_create(target="BUFFER", format="R8_UNORM", width0=32 * 128, bind="VERTEX_BUFFER")
        self.upload(random.Random(1))
        ctx.set_vertex_buffers([g.VertexBuffer(self.buffer, stride=32)])
        ctx.set_index_buffer(np.random.default_rng(2).integers(0, 128, 300).astype("u2"))
        self.constants("VERTEX", random.Random(3))
        self.constants("GEOMETRY", random.Random(4))
        self.constants("FRAGMENT", random.Random(5))

    def constants(self, stage: str, rng: random.Random) -> None:
        self.ctx.set_constant_buffer(stage, np.array([rng.uniform(-0.4, 0.4) for _ in range(4)], "f4"))

    def upload(self, rng: random.Random) -> None:
        data = np.random.default_rng(rng.randrange(100)).uniform(-0.9, 0.9, (128, 8)).astype("f4")
        data[:, 2], data[:, 3] = 0, 1
        self.ctx.buffer_subdata(self.buffer, data)

    def step(self, rng: random.Random) -> None:
        """Change something now and then, and draw."""
        change = rng.randrange(9)
        if change < 3:
            self.constants(("VERTEX", "GEOMETRY", "FRAGMENT")[change], rng)
        elif change == 3:
            self.ctx.bind_rasterizer_state(rng.choice(self.rasterizers))
        elif change == 4:
            self.ctx.bind_blend_state(rng.choice(self.blends))
        elif change == 5:
            self.upload(rng)
        mode = rng.choice(list(MODES))
        self.ctx.bind_gs_state(self.programs[rng.choice(MODES[mode])])
        info: dict[str, Any] = {"count": rng.choice((1, 3, 4, 7, 30, 100)), "start": rng.choice((0, 0, 3, 20))}
        if rng.random() < 0.3:
            info |= {"instance_count": rng.choice((2, 5)), "start_instance": rng.choice((0, 2))}
        if rng.random() < 0.4:
            info |= {"index_size": 2, "index_bias": rng.choice((0, 0, 1))}
        self.ctx.draw_vbo(mode=mode, **info)


def result(seed: int, threads: int, after: Callable[[Any], object]) -> tuple[bytes, dict[str, Any]]:
    """Bytes of the target and all counts after a random sequence of draws. `after` is called after each draw."""
    screen = tgsi.Screen(threads=threads)
    scene, rng = Scene(screen), random.Random(seed)
    for _ in range(STEPS):
        scene.step(rng)
        after(scene.ctx)
    with scene.ctx.transfer_map(scene.target, usage="READ") as mapped:
        pixels = np.array(mapped.data).tobytes()
    return pixels, asdict(of_draws(scene.ctx.device.statistics()))


@pytest.mark.parametrize("seed", range(6))
def test_random_small_draws_give_the_same_together_one_by_one_and_in_python(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    together = result(seed, 0, lambda ctx: None)
    assert any(together[0])
    assert together[1]["gs_primitives"] > 0
    assert result(seed, 2, lambda ctx: ctx.flush()) == together
    monkeypatch.setattr(Executor, "learn_staged", lambda *_: None)
    assert result(seed, 1, lambda ctx: None) == together


LAYERS = POINTS.replace("DCL OUT[1], GENERIC[0]\n", "DCL OUT[1], GENERIC[0]\nDCL OUT[2], LAYER\n").replace(
    "  EMIT", "  AND OUT[2].x, SV[0].xxxx, IMM[0].yyyy\n  EMIT"
)
QUERIES = ("PIPELINE_STATISTICS", "OCCLUSION_COUNTER", "PRIMITIVES_GENERATED")


def counted(*, samples: int, layers: int) -> tuple[bytes, list[Any]]:
    """Bytes of a target with samples or layers, and results of queries over many draws."""
    scene, rng = Scene(tgsi.Screen(threads=1)), random.Random(9)
    ctx, shape = scene.ctx, {"width0": SIZE, "height0": SIZE, "format": "R8G8B8A8_UNORM", "bind": "RENDER_TARGET"}
    if layers > 1:
        target = scene.screen.resource_create(target="TEXTURE_2D_ARRAY", array_size=layers, **shape)
    else:
        target = scene.screen.resource_create(nr_samples=samples, **shape)
    ctx.set_framebuffer_state(cbufs=[ctx.create_surface(target, first_layer=0, last_layer=layers - 1)])
    ctx.clear(color=(0, 0, 0, 0))
    ctx.bind_gs_state(ctx.create_gs_state(LAYERS if layers > 1 else POINTS))
    queries = [ctx.create_query(kind) for kind in QUERIES]
    for query in queries:
        ctx.begin_query(query)
    for _ in range(40):
        scene.constants("VERTEX", rng)
        ctx.draw_vbo(mode="POINTS", count=rng.choice((3, 5)))
    for query in queries:
        ctx.end_query(query)
    results = [ctx.get_query_result(query) for query in queries]
    return np.array(target.storage).tobytes(), results


@pytest.mark.parametrize(("samples", "layers"), [(1, 1), (4, 1), (1, 2)])
def test_samples_layers_and_queries_of_known_draws_are_those_of_python(samples: int, layers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    known = counted(samples=samples, layers=layers)
    assert any(known[0])
    monkeypatch.setattr(Executor, "learn_staged", lambda *_: None)
    assert counted(samples=samples, layers=layers) == known


def test_a_known_small_draw_through_a_geometry_shader_does_not_run_the_pipeline_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    scene, calls = Scene(tgsi.Screen(threads=0)), []
    original = Pipeline.draw

    def noted(*given: Any) -> Any:
        calls.append(given)
        return original(*given)

    monkeypatch.setattr(Pipeline, "draw", noted)
    scene.ctx.bind_gs_state(scene.programs[POINTS])
    rng = random.Random(0)
    for _ in range(50):
        for stage in ("VERTEX", "GEOMETRY", "FRAGMENT"):
            scene.constants(stage, rng)
        scene.ctx.draw_vbo(mode="POINTS", count=3)
    assert len(calls) == 1


def test_stream_output_of_a_known_draw_is_written() -> None:
    scene = Scene(tgsi.Screen(threads=0))
    ctx, info = scene.ctx, g.StreamOutputInfo((4,), (g.StreamOutput(0),))
    ctx.bind_gs_state(ctx.create_gs_state(POINTS, stream_output=info))
    buffer = scene.screen.resource_create(target="BUFFER", width0=4096, bind="STREAM_OUTPUT")
    for _ in range(3):
        ctx.draw_vbo(mode="POINTS", count=3)
    assert not np.array(buffer.storage[: buffer.size]).any()
    ctx.set_stream_output_targets([ctx.create_stream_output_target(buffer)])
    ctx.draw_vbo(mode="POINTS", count=3)
    assert np.array(buffer.storage[: buffer.size]).any()


def test_a_template_that_gives_way_to_a_larger_one_lives_until_its_draws_are_carried_out() -> None:
    scene = Scene(tgsi.Screen(threads=0))
    ctx, table = scene.ctx, scene.ctx.device._executor._table
    ctx.bind_gs_state(scene.programs[POINTS])
    ctx.draw_vbo(mode="POINTS", count=1)
    first = weakref.ref(next(iter(table.staged().values())))
    ctx.draw_vbo(mode="POINTS", count=1)
    ctx.draw_vbo(mode="POINTS", count=4)
    assert first() not in table.staged().values()
    gc.collect()
    assert first() is not None
    ctx.flush()
    gc.collect()
    assert first() is None
