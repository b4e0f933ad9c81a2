"""Signal handlers run while native code draws. Their exceptions, and time limits, end a call; the context stays usable."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.abi.records import PERIOD
from tests.alarms import Interruption, alarms, interrupted
from tests.nights import sampled
from tests.texts import VS_POSITION

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # finalizers may take an exception

SIZE = 256
TRIANGLE = np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], np.float32)
FRAGMENT = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0.25, 0.5, 0.75, 1.0}\nMOV OUT[0], IMM[0]\nEND\n"
ROUNDS = """DCL TEMP[0]
IMM[0] FLT32 {0.999, 0.6, 0.0, 0.0}
MOV TEMP[0], IN[0]
BGNLOOP
MAD TEMP[0], TEMP[0].yxwz, IMM[0].xxxx, IMM[0].yyyy
RSQ TEMP[0].x, TEMP[0].xxxx
ENDLOOP
"""
NUMBERED = ROUNDS.replace("MOV TEMP[0], IN[0]", "IMM[1] UINT32 {0, 0, 3, 1}\nU2F TEMP[0], SV[0].xxxx")
SLOW_FRAGMENT = f"FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\n{ROUNDS}MOV OUT[0], TEMP[0]\nEND\n"
SLOW_VERTEX = f"VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL SV[0], INSTANCEID\n{ROUNDS}MAD OUT[0], IN[0], TEMP[0], SV[0]\nEND\n"


SLOW_GEOMETRY = f"""GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
PROPERTY GS_INVOCATIONS 32
DCL IN[][0], POSITION
DCL SV[0], INVOCATIONID
DCL CONST[0]
DCL OUT[0], POSITION
{NUMBERED}MOV OUT[0], TEMP[0]
EMIT IMM[1].xxxx
EMIT IMM[1].xxxx
EMIT IMM[1].xxxx
END
"""
SLOW_EVALUATION = f"""TESS_EVAL
PROPERTY TES_PRIM_MODE 7
DCL IN[][0], POSITION
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
{ROUNDS.replace("IN[0]", "SV[0]")}MOV OUT[0], TEMP[0]
END
"""
SLOW_MESH = f"""MESH
PROPERTY MS_OUTPUT_PRIMITIVE TRIANGLES
PROPERTY MS_MAX_OUTPUT_VERTICES 3
PROPERTY MS_MAX_OUTPUT_PRIMITIVES 1
PROPERTY CS_FIXED_BLOCK_WIDTH 4
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL OUT[][0], POSITION
DCL OUT[][1], PRIMITIVE_INDICES, PRIMITIVE
{NUMBERED}SET_MESH_OUTPUTS IMM[1].zwww
MOV OUT[0], TEMP[0]
MOV OUT[1], IMM[1].xxxx
END
"""
SLOW_GRID = f"""COMP
DCL SV[0], THREAD_ID
DCL BUFFER[0]
{NUMBERED}STORE BUFFER[0], IMM[1].xxxx, TEMP[0]
END
"""


class Scene:
    """A context with a target and a triangle that covers it."""

    def __init__(self, **options: Any) -> None:
        self.screen = tgsi.Screen(**options)
        self.context = c = self.screen.context_create()
        self.target = self.screen.resource_create(format="R8G8B8A8_UNORM", width0=SIZE, height0=SIZE)
        c.set_framebuffer_state(cbufs=[self.target])
        c.set_viewport_states([{"scale": (SIZE / 2, SIZE / 2, 0.5), "translate": (SIZE / 2, SIZE / 2, 0.5)}])
        c.bind_vertex_elements_state(c.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
        c.set_vertex_buffers([TRIANGLE])
        self.vertex = {text: c.create_vs_state(text) for text in (VS_POSITION, SLOW_VERTEX)}
        self.fragment = {text: c.create_fs_state(text) for text in (FRAGMENT, SLOW_FRAGMENT)}
        self.buffer = self.screen.resource_create(target="BUFFER", width0=1 << 16, bind="STREAM_OUTPUT|SHADER_BUFFER")

    def draw(self, vertex: str = VS_POSITION, fragment: str = FRAGMENT, **info: Any) -> None:
        self.context.bind_vs_state(self.vertex[vertex])
        self.context.bind_fs_state(self.fragment[fragment])
        self.context.draw_vbo(**{"mode": "TRIANGLES", "count": 3, **info})

    def read(self) -> bytes:
        with self.context.transfer_map(self.target, usage="READ") as mapped:
            return np.array(mapped).tobytes()

    def picture(self) -> bytes:
        """The bytes of a clear and a draw with two stages."""
        for unbind in (self.context.bind_gs_state, self.context.bind_tes_state, self.context.bind_ms_state):
            unbind(None)
        self.context.set_stream_output_targets([])
        self.context.clear("COLOR", color=(0, 0, 0, 1))
        self.draw()
        return self.read()


def _fragments(scene: Scene) -> None:
    scene.draw(fragment=SLOW_FRAGMENT)
    scene.read()


def _vertices(scene: Scene) -> None:
    scene.draw(SLOW_VERTEX, instance_count=1 << 18)
    scene.read()


def _instances(scene: Scene) -> None:
    scene.draw(instance_count=600_000_000)


def _indices(scene: Scene) -> None:
    scene.draw(SLOW_VERTEX, index=np.arange(3, dtype=np.uint16), instance_count=1 << 18)
    scene.read()


def _geometry(scene: Scene) -> None:
    scene.context.bind_gs_state(scene.context.create_gs_state(SLOW_GEOMETRY))
    scene.draw(instance_count=1 << 14)


def _evaluation(scene: Scene) -> None:
    scene.context.bind_tes_state(scene.context.create_tes_state(SLOW_EVALUATION))
    scene.context.set_tess_state((40.0,) * 4, (40.0,) * 2)
    scene.draw(mode="PATCHES", count=3, vertices_per_patch=3, instance_count=1 << 12)


def _streams(scene: Scene) -> None:
    outputs = tgsi.gallium.StreamOutputInfo((4,), (tgsi.gallium.StreamOutput(0),))
    scene.context.set_stream_output_targets([scene.context.create_stream_output_target(scene.buffer)], offsets=[0])
    scene.context.bind_vs_state(scene.context.create_vs_state(SLOW_VERTEX, stream_output=outputs))
    scene.context.draw_vbo(mode="TRIANGLES", count=3, instance_count=1 << 18)


def _meshes(scene: Scene) -> None:
    scene.context.bind_ms_state(scene.context.create_ms_state(SLOW_MESH))
    scene.context.draw_mesh_tasks(grid=(1 << 15, 1, 1))


def _grid(scene: Scene) -> None:
    scene.context.bind_compute_state(scene.context.create_compute_state(SLOW_GRID))
    scene.context.set_shader_buffers("COMPUTE", [scene.buffer])
    scene.context.launch_grid(block=(64, 1, 1), grid=(1 << 15, 1, 1))


WORKS: dict[str, Callable[[Scene], None]] = {
    "fragments": _fragments,
    "vertices": _vertices,
    "instances": _instances,
    "indices": _indices,
    "geometry": _geometry,
    "evaluation": _evaluation,
    "streams": _streams,
    "meshes": _meshes,
    "grid": _grid,
}
PICTURE = bytes((64, 128, 191, 255)) * SIZE * SIZE


@pytest.fixture(params=[0, 1, 3])
def scene(request: pytest.FixtureRequest) -> Any:
    made = Scene(threads=request.param)
    assert made.picture() == PICTURE
    yield made
    made.context.destroy()


@pytest.mark.parametrize("work", WORKS)
def test_what_a_handler_raises_ends_a_draw(scene: Scene, work: str) -> None:
    with interrupted(within=60):  # LLVM is not interrupted
        WORKS[work](scene)
    assert scene.picture() == PICTURE
    with interrupted(after=0.1):
        WORKS[work](scene)
    assert scene.picture() == PICTURE


@pytest.mark.parametrize("threads", [0, 1])
@pytest.mark.parametrize("work", sampled([*WORKS], 3))
def test_a_draw_ends_at_the_time_limit(work: str, threads: int) -> None:
    scene = Scene(threads=threads, time_limit=60.0)
    scene.context.time_limit = 0.3
    calls = "draw_vbo|transfer_map|draw_mesh_tasks|launch_grid"
    wanted = rf"^error\[B064\]: ({calls}): it took longer than the limit of 0.3 seconds\n.*Screen\(time_limit"
    begin = time.perf_counter()
    with pytest.raises(tgsi.TimeLimitError, match=wanted):
        WORKS[work](scene)
    assert 0.29 < time.perf_counter() - begin < 10  # LLVM may have been at work
    scene.context.time_limit = 60.0
    assert scene.picture() == PICTURE
    scene.context.destroy()


def test_handlers_run_during_a_draw_and_cannot_use_its_context(scene: Scene) -> None:
    found: list[str] = []

    def handle() -> None:
        try:
            scene.context.get_sample_position(1, 0)
        except RuntimeError as error:
            found.append(str(error))
        if len(found) == 6:
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise Interruption

    with pytest.raises(Interruption), alarms(0.02, handle):
        _fragments(scene)
    assert set(found) == {"get_sample_position: the context is at work; a signal handler that interrupts it cannot use it"}
    assert scene.picture() == PICTURE


def test_a_handler_that_returns_changes_nothing(scene: Scene) -> None:
    called: list[int] = []
    device: Any = scene.context.device
    device._pool.watch.record.period = 0  # handlers run whenever native code looks
    with alarms(0.001, lambda: called.append(1)):
        for _ in range(50):
            assert scene.picture() == PICTURE
    assert called
    device._pool.watch.record.period = PERIOD


def test_a_small_draw_through_a_geometry_shader_is_ended(scene: Scene) -> None:
    context = scene.context
    early = "IF CONST[0].xxxx\nBRK\nENDIF\n"
    rounds = NUMBERED[NUMBERED.index("BGNLOOP") :].replace("RSQ", "SIN TEMP[0].y, TEMP[0].xxxx\nRSQ").replace("ENDLOOP", f"{early}ENDLOOP")
    text = SLOW_GEOMETRY.replace(NUMBERED[NUMBERED.index("BGNLOOP") :], rounds * 8)
    context.bind_gs_state(context.create_gs_state(text))
    context.set_constant_buffer("GEOMETRY", np.array([1, 0, 0, 0], np.float32))
    for _ in range(3):  # generated code knows the draw then
        scene.draw(instance_count=20)
        scene.read()
    device: Any = context.device
    known = device._executor.record.known_draws
    scene.draw(instance_count=20)
    assert device._executor.record.known_draws == known + 1
    context.set_constant_buffer("GEOMETRY", np.zeros(4, np.float32))
    with interrupted(after=0.1, within=10):
        scene.draw(instance_count=20)
        scene.read()
    assert scene.picture() == PICTURE


@pytest.mark.parametrize("limit", [0, -1, float("nan"), float("inf")])
def test_wrong_limits_are_refused(limit: float) -> None:
    with pytest.raises(ValueError, match="Screen: time_limit: expected a number of seconds above 0"):
        tgsi.Screen(time_limit=limit)
