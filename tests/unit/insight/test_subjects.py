"""Explanations of vertices, primitives and invocations, and traces of lanes that equal the computed outputs to the bit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tgsi
from tests.unit.insight.mistakes.stages import GS
from tests.unit.insight.programs import FS, FS_CONSTANT, SIZE, VS, Stage

pytestmark = pytest.mark.light
MIDDLE = SIZE // 2
COMPUTE = """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 4
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL BUFFER[0]
DCL TEMP[0..1]
IMM[0] UINT32 {4, 16, 7, 0}
UMUL TEMP[0].x, SV[1].xxxx, IMM[0].yyyy
UMAD TEMP[0].x, SV[0].xxxx, IMM[0].xxxx, TEMP[0].xxxx
UADD TEMP[1].x, TEMP[0].xxxx, IMM[0].zzzz
ATOMUADD TEMP[1].x, BUFFER[0], TEMP[0].xxxx, TEMP[1].xxxx
END
"""
LOOP = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], POSITION, LINEAR
DCL OUT[0], COLOR
DCL TEMP[0..2]
IMM[0] FLT32 {0.0, 1.0, 0.37, 3.0}
MOV TEMP[0], IN[0]
MOV TEMP[1].x, IMM[0].xxxx
BGNLOOP
  FSGE TEMP[2].x, TEMP[1].xxxx, IMM[0].wwww
  UIF TEMP[2].xxxx
    BRK
  ENDIF
  MAD TEMP[0], TEMP[0], IMM[0].zzzz, IN[1].xyxy
  ADD TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy
ENDLOOP
MUL OUT[0].xyz, TEMP[0], IMM[0].zzzz
DDX OUT[0].w, TEMP[0].xxxx
END
"""


@pytest.fixture
def stage() -> Iterator[Stage]:
    with tgsi.Screen(threads=0, history=True) as screen, screen.context_create() as ctx:
        yield Stage(ctx)


def test_a_vertex_has_its_inputs_outputs_and_place(stage: Stage) -> None:
    stage.triangle([[-1, -1], [3, -1], [-1, 3]], z=0.5)
    found = stage.ctx.explain_vertex(1)
    assert found.verdict == "it was shaded"
    assert "(3, -1, 0.5, 1)" in found.sentence
    assert "to the right of the view" in found.sentence
    assert any("IN[0] = (3, -1, 0.5, 1)" in line for line in found.lines)
    assert any("OUT[0] = (3, -1, 0.5, 1)" in line for line in found.lines)
    assert stage.ctx.explain_vertex(7).verdict == "it is not in the draw"


def test_a_vertex_is_named_by_its_index(stage: Stage) -> None:
    data = np.array([[x, y, 0, 1, 1, 0, 1] for x, y in ((9, 9), (-1, -1), (3, -1), (-1, 3))], np.float32)
    stage.ctx.set_vertex_buffers([data])
    stage.ctx.draw_vbo(mode="TRIANGLES", index=np.array([3, 1, 2], np.uint16))
    assert "(-1, 3, 0, 1)" in stage.ctx.explain_vertex(3).sentence
    assert stage.ctx.explain_vertex(0).verdict == "it is not in the draw"


def test_a_vertex_without_a_buffer_says_so(stage: Stage) -> None:
    stage.ctx.draw_vbo(mode="TRIANGLES", count=3)
    assert "vertex buffer 0, which is not bound" in stage.ctx.explain_vertex(0).sentence


@pytest.mark.parametrize(
    ("corners", "state", "verdict", "word"),
    [
        ([[-0.5, -0.5], [0.5, -0.5], [0, 0.5]], {}, "it is in view", "columns 8.00 to 24.00"),
        ([[-0.5, -0.5], [0.5, -0.5], [0, 0.5]], {"cull_face": "BACK"}, "it is culled", "faces back"),
        ([[-0.5, -0.5], [0.5, -0.5], [0, 0.5]], {"cull_face": "BACK", "front_ccw": True}, "it is in view", ""),
        ([[-3, 0], [-2, 0], [-2, 1]], {}, "it is not seen", "left of the view"),
        ([[-3, 0], [1, 0], [1, 1]], {}, "it is clipped", "left of the view"),
        ([[0, 0], [0.5, 0.5], [1, 1]], {}, "it is not seen", "no area"),
        ([[float("nan"), 0], [1, 0], [0, 1]], {}, "it is not seen", "NaN"),
    ],
)
def test_a_primitive_has_its_place(stage: Stage, corners: Any, state: dict[str, Any], verdict: str, word: str) -> None:
    stage.rasterizer(**state)
    stage.triangle(corners)
    found = stage.ctx.explain_primitive(0)
    assert (found.verdict, word in found.sentence) == (verdict, True), str(found)


def test_primitives_of_instances_and_draws_are_told_apart(stage: Stage) -> None:
    moved = "MOV OUT[0], IN[0]\nI2F TEMP[0].x, SV[0].xxxx\nADD OUT[0].x, IN[0].xxxx, TEMP[0].xxxx"
    vs = VS.replace("DCL OUT[0]", "DCL SV[0], INSTANCEID\nDCL TEMP[0]\nDCL OUT[0]").replace("MOV OUT[0], IN[0]", moved)
    stage.programs(vs, FS)
    stage.triangle([[-0.5, -0.5], [0.5, -0.5], [0, 0.5]], instance_count=2)
    stage.triangle([[-1, -1], [0, -1], [-1, 0]])
    assert "columns 24.00 to 40.00" in stage.ctx.explain_primitive(0, instance=1, draw=0).sentence
    assert "columns 0.00 to 16.00" in stage.ctx.explain_primitive(0).sentence
    with pytest.raises(ValueError, match="no primitive 1 of instance 0, but 1"):
        stage.ctx.explain_primitive(1)
    with pytest.raises(ValueError, match="draw: 5 does not exist; 2 are recorded"):
        stage.ctx.explain_primitive(0, draw=5)


def test_a_geometry_program_that_names_no_primitive_makes_triangles(stage: Stage) -> None:
    lines = GS % "".join(f"MOV OUT[0], IN[{k}][0]\nMOV OUT[1], IN[{k}][1]\nEMIT IMM[0].xxxx\n" for k in range(3))
    stage.ctx.bind_gs_state(stage.ctx.create_gs_state(lines.replace("PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n", "")))
    stage.triangle([[-0.5, -0.5], [0.5, -0.5], [0, 0.5]])
    assert "columns 8.00 to 24.00" in stage.ctx.explain_primitive(0).sentence


def test_an_invocation_has_its_steps_and_memory_stays(stage: Stage) -> None:
    ctx = stage.ctx
    buffer = stage.screen.resource_create(target="BUFFER", width0=64)
    ctx.bind_compute_state(ctx.create_compute_state(COMPUTE))
    ctx.set_shader_buffers("COMPUTE", [buffer])
    ctx.launch_grid(grid=(2, 1, 1), block=(4, 1, 1))
    before = buffer.tobytes()
    found = ctx.explain_invocation((2, 0, 0), (1, 0, 0))
    assert any("TEMP[1] = (31, 0, 0, 0)" in line for line in found.lines)
    assert buffer.tobytes() == before
    with pytest.raises(ValueError, match=r"no thread \(9, 0, 0\) in block \(0, 0, 0\)"):
        ctx.explain_invocation((9, 0, 0))
    with pytest.raises(ValueError, match="draw: none is recorded"):
        ctx.explain_vertex(0)


@pytest.mark.parametrize("fs", [FS, FS_CONSTANT, LOOP, FS.replace("MOV", "KILL_IF IN[0].xxxx\nMOV")])
def test_a_trace_ends_with_the_logged_outputs_to_the_bit(stage: Stage, fs: str) -> None:
    stage.programs(VS, fs)
    stage.triangle([[-1, -1], [3, -0.7], [-1, 2.7]], color=(-1, 0.3, 0.7, 0.9))
    stage.triangle([[-0.9, -1], [3, -1], [-1, 3]], color=(0.123, 0.3, 0.7, 0.9))
    for event in stage.ctx.explain(MIDDLE + 1, MIDDLE).events:
        for fragment in event.fragments:
            trace = fragment.trace()
            assert trace.has_run
            logged = {f"OUT[{k}]": tuple(words.tolist()) for k, words in enumerate(fragment.words["outputs"])}
            if fragment.discarded_at is None:
                assert trace.outputs() == logged
            assert any("create_fs_state:" in line for line in trace.lines())


def test_a_loop_has_its_steps_once_a_round(stage: Stage) -> None:
    stage.programs(VS, LOOP)
    stage.triangle()
    fragment = stage.ctx.explain(MIDDLE, MIDDLE).events[-1].fragments[0]
    text = str(fragment.trace())
    assert text.count("MAD TEMP[0]") == 3


def test_a_discarded_fragment_names_its_instruction_and_line(stage: Stage) -> None:
    stage.programs(VS, FS.replace("MOV", "KILL_IF -IN[0].xxxx\nMOV"))
    stage.triangle()
    found = stage.ctx.explain(MIDDLE, MIDDLE)
    assert "by instruction 0: KILL_IF -IN[0].xxxx, create_fs_state:4:1" in found.sentence


def test_a_program_that_reads_its_target_is_computed_fragment_by_fragment(stage: Stage) -> None:
    fs = FS.replace("MOV OUT[0], IN[0]", "FBFETCH TEMP[0], OUT[0]\nADD OUT[0], TEMP[0], IN[0]").replace("DCL OUT", "DCL TEMP[0]\nDCL OUT")
    stage.programs(VS, fs)
    stage.ctx.clear("COLOR", color=(0.1, 0.1, 0.1, 0.1))
    data = np.array([[x, y, 0, 0.1, 0.2, 0.05, 0.1] for _ in range(3) for x, y in ((-1, -1), (3, -1), (-1, 3))], np.float32)
    stage.ctx.set_vertex_buffers([data])
    stage.ctx.draw_vbo(mode="TRIANGLES", count=9)
    found = stage.ctx.explain(MIDDLE, MIDDLE)
    assert [event.proof for event in found.events if event.proof] == []
    assert len(found.events[-1].fragments) == 3
    assert found.events[-1].after == pytest.approx([0.4, 0.7, 0.25, 0.4], abs=0.01)
