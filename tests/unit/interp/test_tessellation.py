"""TESS_CTRL and TESS_EVAL: registers by vertex, registers of the patch."""

from __future__ import annotations

from typing import Any

import numpy as np

from backends.interp.run import run
from backends.run.result import RunResult
from tgsi.language.facts.enums import File
from tgsi.language.text.parser import parse

CONTROL = """TESS_CTRL
PROPERTY TCS_VERTICES_OUT {count}
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL SV[0], INVOCATIONID
DCL SV[1], PRIM_ID
DCL SV[2], VERTICESIN
DCL OUT[][0], POSITION
DCL OUT[][1], GENERIC[0]
DCL OUT[2], TESSOUTER
DCL OUT[3], PATCH
DCL TEMP[0..7]
DCL ADDR[0..1]
IMM[0] UINT32 {{0, 1, 2, 3}}
IMM[1] UINT32 {{4, 5, 4294967295, 10}}
UARL ADDR[0].x, SV[0].xxxx
"""


def _inputs(patches: int, vertices: int, registers: int) -> Any:
    """Inputs of patches. Register r of vertex v of patch p holds 100 p + 10 v + r."""
    p, v, r, _ = np.indices((patches, vertices, registers, 4))
    return (100 * p + 10 * v + r).astype(np.uint32)


def _control(body: str, patches: int = 1, *, vertices: int = 4, count: int = 3, **options: Any) -> RunResult:
    return run(parse(CONTROL.format(count=count) + body + "\nEND\n"), _inputs(patches, vertices, 2), **options)


def _register(result: RunResult, register: int) -> Any:
    return result.outputs[:, register, 0].tolist()


def test_an_output_without_a_vertex_is_the_invocations_own() -> None:
    assert _register(_control("MOV OUT[1], IN[ADDR[0].x][1]", 2), 1) == [1, 11, 21, 101, 111, 121]


def test_an_input_without_a_vertex_is_the_invocations_own() -> None:
    assert _register(_control("MOV OUT[0], IN[1]", 2), 0) == [1, 11, 21, 101, 111, 121]


def test_outputs_are_shared_by_the_patch() -> None:
    body = """UADD OUT[ADDR[0].x][0], IN[0][0], SV[0]
BARRIER
UADD TEMP[0].x, IMM[0].zzzz, -SV[0].xxxx
UARL ADDR[1].x, TEMP[0].xxxx
MOV OUT[1], OUT[ADDR[1].x][0]"""
    result = _control(body, 2)
    assert _register(result, 0) == [0, 1, 2, 100, 101, 102]
    assert _register(result, 1) == [2, 1, 0, 102, 101, 100]


def test_of_invocations_that_write_one_output_the_last_stays() -> None:
    result = _control("MOV OUT[1][0], SV[0]\nUIF SV[0].xxxx\nMOV OUT[3].y, SV[0]\nENDIF\nMOV OUT[3].x, IN[3][1]", 2)
    assert _register(result, 0) == [0, 2, 0] * 2
    assert result.outputs[:, 3].tolist() == [[31, 2, 0, 0]] * 3 + [[131, 2, 0, 0]] * 3


def test_patch_registers_have_no_vertex() -> None:
    body = "MOV OUT[2][3].x, IMM[0].yyyy\nMOV OUT[9][2].x, IMM[0].zzzz\nMOV OUT[ADDR[0].x][3].y, IMM[0].wwww\nMOV OUT[0], OUT[7][3]"
    result = _control(body)
    assert result.outputs[:, 3].tolist() == [[1, 3, 0, 0]] * 3
    assert _register(result, 2) == [2, 2, 2]
    assert _register(result, 0) == [1, 1, 1]


def test_a_register_chosen_by_lane_is_by_vertex_or_of_the_patch() -> None:
    body = "UADD TEMP[0].x, SV[0].xxxx, IMM[0].yyyy\nUARL ADDR[1].x, TEMP[0].xxxx\nMOV OUT[0][ADDR[1].x], IMM[1].wwww"
    result = _control(body)  # registers 1, 2 and 3 of vertex 0
    assert _register(result, 1) == [10, 0, 0]
    assert _register(result, 2) == [10] * 3
    assert _register(result, 3) == [10] * 3


def test_vertices_outside_read_0_and_keep_nothing() -> None:
    body = """UADD TEMP[0].x, SV[0].xxxx, IMM[0].wwww
UARL ADDR[1].x, TEMP[0].xxxx
MOV OUT[0], IN[ADDR[1].x][1]
MOV OUT[ADDR[1].x][1], IMM[1].xxxx
MOV OUT[ADDR[1].x-4][1], IMM[1].yyyy"""
    result = _control(body, vertices=5, count=4)
    assert _register(result, 0) == [31, 41, 0, 0]
    assert _register(result, 1) == [5, 5, 5, 4]


def test_patches_are_padded_to_quads_without_mixing() -> None:
    body = "MOV OUT[0], SV[0]\nMOV OUT[1], SV[1]\nBALLOT OUT[3].x, IMM[0].yyyy\nMOV OUT[2], SV[2]"
    result = _control(body, 2, count=5)
    assert _register(result, 0) == [0, 1, 2, 3, 4] * 2
    assert _register(result, 1) == [0] * 5 + [1] * 5
    assert _register(result, 3) == [1] * 10  # the quad of vertex 4 stands alone, and writes last
    assert _register(result, 2) == [4] * 10


def test_other_files_ignore_a_second_index() -> None:
    assert _register(_control("MOV TEMP[ADDR[0].x][5], IN[1]\nMOV OUT[1], TEMP[5]"), 1) == [1, 11, 21]


def test_trace_shows_outputs_as_each_invocation_sees_them() -> None:
    steps = _control("MOV OUT[1][0], SV[0]\nMOV OUT[3], SV[0]", trace=True).trace
    assert [(file, register, words[:, 0].tolist()) for step in steps[1:] for file, register, words in step.writes] == [
        (File.OUT, 0, [0, 2, 0]),
        (File.OUT, 3, [2, 2, 2]),
    ]


EVALUATION = """TESS_EVAL
DCL IN[][0], GENERIC[0]
DCL IN[1], PATCH
DCL IN[2], TESSOUTER
DCL SV[0], TESSCOORD
DCL SV[1], PRIM_ID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL TEMP[0]
DCL ADDR[0]
IMM[0] UINT32 {0, 1, 2, 3}
"""


def _evaluate(body: str, points: list[list[float]], patches: int = 2) -> RunResult:
    coordinates = np.zeros((len(points), 4), np.float32)
    coordinates[:, :2] = points
    return run(parse(EVALUATION + body + "\nEND\n"), _inputs(patches, 3, 3), system_values={"TESSCOORD": coordinates})


POINTS = [[0.0, 0.25], [1.0, 0.5], [0.5, 0.75], [0.5, 2.0]]


def test_points_belong_to_patches_in_order() -> None:
    result = _evaluate("MOV OUT[0], IN[1][0]\nMOV OUT[1], SV[0].yyyy", POINTS)
    assert _register(result, 0) == [10, 10, 110, 110]
    assert result.floats[:, 1, 0].tolist() == [0.25, 0.5, 0.75, 2.0]


def test_patch_inputs_are_those_of_the_first_vertex() -> None:
    result = _evaluate("MOV OUT[0], IN[1]\nMOV OUT[1], IN[2][2]", POINTS)
    assert _register(result, 0) == [1, 1, 101, 101]
    assert _register(result, 1) == [2, 2, 102, 102]


def test_an_input_without_a_vertex_is_that_of_the_first() -> None:
    assert _register(_evaluate("MOV OUT[0], IN[0]", POINTS), 0) == [0, 0, 100, 100]


def test_vertices_may_be_chosen_per_point() -> None:
    body = (
        "ADD TEMP[0].x, SV[0].xxxx, SV[0].xxxx\nF2U TEMP[0].x, TEMP[0].xxxx\nUARL ADDR[0].x, TEMP[0].xxxx\nMOV OUT[0], IN[ADDR[0].x+1][0]"
    )
    assert _register(_evaluate(body, POINTS), 0) == [10, 0, 120, 120]


def test_outputs_of_one_stage_are_inputs_of_the_next() -> None:
    control = _control("UADD OUT[0], IN[1], IMM[0].yyyy\nMOV OUT[3], SV[1]", 2, count=3).outputs
    text = "TESS_EVAL\nDCL IN[][0], POSITION\nDCL IN[3], PATCH\nDCL OUT[0], POSITION\nUADD OUT[0], IN[2][0], IN[3]\nEND\n"
    result = run(parse(text), control.reshape(2, 3, 4, 4))
    assert _register(result, 0) == [22, 123]
