"""Arguments and results of a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backends.interp.run import run
from tests.unit.interp.support import column, run_vertices, vertex_program
from tgsi.language.facts.enums import File
from tgsi.language.text.parser import parse

FRAG = """FRAG
DCL IN[0], POSITION, LINEAR
DCL IN[1], FACE, CONSTANT
DCL IN[2], COLOR, COLOR
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
DCL OUT[2], COLOR[2]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
MOV OUT[2], IN[2]
END
"""
QUAD = np.array([[4, 5, 4, 5], [6, 6, 7, 7], [0, 0, 0, 0], [2, 2, 4, 4]], np.float32)
PLANES = np.array([[[0] * 4, [0] * 4, [0] * 4]] * 2 + [[[1, 2, 3, 4], [1] * 4, [0] * 4]], np.float32)


def test_result_is_an_array_of_words_and_viewable_as_floats() -> None:
    result = run_vertices("MOV OUT[0], IN[0]", np.array([[1.5, 2, 3, 4]], np.float32))
    assert np.asarray(result).dtype == np.uint32
    assert result.floats[0, 0].tolist() == [1.5, 2, 3, 4]
    assert np.asarray(result, dtype=np.int64).dtype == np.int64


def test_invocations_need_not_fill_a_quad() -> None:
    result = run_vertices("MOV OUT[0], IN[0]", column([1, 2, 3, 4, 5]))
    assert result.outputs.shape == (5, 2, 4)
    assert result.alive.tolist() == [True] * 5


def test_position_face_and_flat_color_reach_a_fragment() -> None:
    out = run(parse(FRAG), coefs=PLANES, quad_pos=QUAD, face=-1.0, flatshade_color=True).floats
    assert out[3].tolist() == [[5, 7, 0, 4], [-1, 0, 0, 1], [1, 2, 3, 4]]


def test_smooth_color_is_divided_by_w() -> None:
    out = run(parse(FRAG), coefs=PLANES, quad_pos=QUAD).floats
    assert out[:, 2, 0].tolist() == [2.5, 3.0, 1.25, 1.5]


def test_vertex_ids_count_where_none_are_given() -> None:
    text = "VERT\nDCL OUT[0], POSITION\nDCL SV[0], VERTEXID\nDCL SV[1], INSTANCEID\nMOV OUT[0].x, SV[0]\nMOV OUT[0].y, SV[1]\nEND\n"
    assert run(parse(text)).outputs[:, 0, :2].tolist() == [[0, 0]]
    ids = run(parse(text), system_values={"INSTANCEID": [7, 7, 8]}).outputs
    assert ids[:, 0, 0].tolist() == [0, 1, 2]
    assert ids[:, 0, 1].tolist() == [7, 7, 8]


def test_killed_fragments_go_on_computing() -> None:
    text = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nKILL_IF IN[0]\nMOV OUT[0], IN[0]\nEND\n"
    values = np.repeat(np.array([-1, 0, -0.0, np.nan], np.float32)[:, None, None], 4, axis=2)
    result = run(parse(text), values)
    assert result.alive.tolist() == [False, True, True, True]
    assert result.floats[0, 0, 0] == -1


def test_trace_lists_instructions_with_active_lanes_and_written_registers() -> None:
    steps = run_vertices("UIF IN[0].xxxx\nMOV TEMP[1], IN[0]\nENDIF\nMOV OUT[0], TEMP[1]", column([0, 9]), trace=True).trace
    assert [(step.number, step.instruction.opcode.name, step.active.tolist()) for step in steps] == [
        (0, "UIF", [True, True]),
        (1, "MOV", [False, True]),
        (3, "MOV", [True, True]),
    ]
    file, register, words = steps[1].writes[0]
    assert (file, register, words[:, 0].tolist()) == (File.TEMP, 1, [0, 9])


@pytest.mark.parametrize(
    ("options", "error", "name"),
    [
        ({}, ValueError, "inputs"),
        ({"inputs": np.zeros((3, 2, 3), np.float32)}, ValueError, "inputs"),
        ({"inputs": np.zeros((3, 1, 4), np.float32)}, ValueError, "inputs"),
        ({"inputs": np.zeros((3, 2, 4), np.complex64)}, TypeError, "inputs"),
        ({"inputs": np.full((3, 2, 4), 2**40)}, ValueError, "inputs"),
        ({"inputs": np.zeros((3, 2, 4)), "constants": {0: [1.0, 2.0]}}, ValueError, r"constants\[0\]"),
        ({"inputs": np.zeros((3, 2, 4)), "system_values": {"NOPE": [1]}}, ValueError, "NOPE"),
        ({"inputs": np.zeros((3, 2, 4)), "system_values": {"VERTEXID": [1]}}, ValueError, "VERTEXID"),
        ({"inputs": np.zeros((3, 2, 4)), "fuel": 0}, ValueError, "fuel"),
        ({"coefs": np.zeros((2, 3, 4)), "quad_pos": np.zeros((4, 4))}, ValueError, "coefs"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, Any], error: type[Exception], name: str) -> None:
    with pytest.raises(error, match=name):
        run(vertex_program("MOV OUT[0], IN[0]"), **options)
