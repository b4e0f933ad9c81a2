"""GEOM: input vertices of a primitive, output vertices of other primitives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backends.interp.run import run
from backends.run.result import RunResult
from tgsi.language.text.parser import parse

HEADER = """GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
{properties}
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL IN[2], PRIM_ID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL SV[0], INVOCATIONID
DCL TEMP[0..3]
DCL ADDR[0..1]
IMM[0] UINT32 {{0, 1, 2, 3}}
IMM[1] UINT32 {{4, 5, 4294967295, 10}}
"""


def _run(body: str, primitives: int = 1, *, limit: int = 8, invocations: int = 1, **options: Any) -> RunResult:
    """Run a GEOM body. Register r of vertex v of primitive p holds 100 p + 10 v + r."""
    properties = f"PROPERTY GS_MAX_OUTPUT_VERTICES {limit}\nPROPERTY GS_INVOCATIONS {invocations}"
    p, v, r, _ = np.indices((primitives, 3, 3, 4))
    inputs = (100 * p + 10 * v + r).astype(np.uint32)
    return run(parse(HEADER.format(properties=properties) + body + "\nEND\n"), inputs, **options)


def _vertices(result: RunResult, stream: int = 0, register: int = 0) -> Any:
    return result.emitted[stream][:, register, 0].tolist()


def _strips(result: RunResult, stream: int = 0) -> Any:
    return result.strips[stream].tolist()


COPY = "MOV OUT[0], IN[0][0]\nEMIT IMM[0].xxxx\nMOV OUT[0], IN[1][0]\nEMIT IMM[0].xxxx\nMOV OUT[0], IN[2][0]\nEMIT IMM[0].xxxx"


def test_each_emit_copies_all_outputs() -> None:
    result = _run("MOV OUT[1], IN[2][1]\n" + COPY)
    assert _vertices(result) == [0, 10, 20]
    assert _vertices(result, register=1) == [21, 21, 21]
    assert result.emitted[0].shape == (3, 2, 4)


def test_primitives_follow_each_other_and_begin_anew() -> None:
    result = _run(COPY, 3)
    assert _vertices(result) == [0, 10, 20, 100, 110, 120, 200, 210, 220]
    assert _strips(result) == [3, 3, 3]


def test_endprim_cuts_strips_and_empty_ones_vanish() -> None:
    body = f"ENDPRIM IMM[0].xxxx\n{COPY}\nENDPRIM IMM[0].xxxx\nENDPRIM IMM[0].xxxx\nMOV OUT[0], IN[1][1]\nEMIT IMM[0].xxxx"
    result = _run(body, 2)
    assert _strips(result) == [3, 1, 3, 1]
    assert _vertices(result) == [0, 10, 20, 11, 100, 110, 120, 111]


def test_vertices_beyond_the_limit_are_dropped() -> None:
    result = _run(f"{COPY}\nENDPRIM IMM[0].xxxx\n{COPY}", 2, limit=4)
    assert _vertices(result) == [0, 10, 20, 0, 100, 110, 120, 100]
    assert _strips(result) == [3, 1, 3, 1]


def test_without_a_limit_32_vertices_are_kept() -> None:
    result = _run("BGNLOOP\nEMIT IMM[0].xxxx\nENDLOOP", limit=0, fuel=100)
    assert _strips(result) == [32]


def test_the_limit_counts_all_streams_together() -> None:
    body = "EMIT IMM[0].yyyy\nMOV OUT[0], IN[1][0]\nEMIT IMM[0].xxxx\nMOV OUT[0], IN[2][0]\nEMIT IMM[0].yyyy\nEMIT IMM[0].wwww"
    result = _run(body, limit=3)
    assert [_vertices(result, stream) for stream in range(4)] == [[10], [0, 20], [], []]
    assert [_strips(result, stream) for stream in range(4)] == [[1], [2], [], []]


def test_a_primitive_ends_on_its_own_stream_only() -> None:
    body = "EMIT IMM[0].xxxx\nEMIT IMM[0].zzzz\nENDPRIM IMM[0].zzzz\nEMIT IMM[0].xxxx\nEMIT IMM[0].zzzz"
    result = _run(body)
    assert _strips(result, 0) == [2]
    assert _strips(result, 2) == [1, 1]


def test_streams_that_do_not_exist_take_nothing_and_do_not_count() -> None:
    result = _run(f"EMIT IMM[1].xxxx\nEMIT IMM[1].zzzz\nENDPRIM IMM[1].xxxx\n{COPY}", limit=3)
    assert _vertices(result) == [0, 10, 20]
    assert _strips(result) == [3]


def test_invocations_run_for_each_primitive_and_their_vertices_come_in_order() -> None:
    body = "MOV OUT[0], IN[0][0]\nUADD OUT[0].x, OUT[0], SV[0]\nEMIT IMM[0].xxxx"
    result = _run(body, 2, invocations=3)
    assert _vertices(result) == [0, 1, 2, 100, 101, 102]
    assert _strips(result) == [1] * 6
    assert result.outputs.shape == (6, 2, 4)


def test_lanes_may_emit_different_numbers_of_vertices() -> None:
    body = """MOV TEMP[0].x, IMM[0].xxxx
BGNLOOP
USGE TEMP[1].x, TEMP[0].xxxx, IN[2].xxxx
UIF TEMP[1].xxxx
BRK
ENDIF
UMAD OUT[0].x, IN[2].xxxx, IMM[1].wwww, TEMP[0].xxxx
EMIT IMM[0].xxxx
UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
ENDLOOP"""
    result = _run(body, 5)
    assert _vertices(result) == [10, 20, 21, 30, 31, 32, 40, 41, 42, 43]
    assert _strips(result) == [1, 2, 3, 4]


def test_the_stream_may_differ_between_lanes() -> None:
    result = _run("MOV OUT[0], IN[0][0]\nEMIT IN[2].xxxx", 6)
    assert [_vertices(result, stream) for stream in range(4)] == [[0], [100], [200], [300]]


def test_primitive_number_is_that_of_the_run_whatever_the_inputs_hold() -> None:
    assert _vertices(_run("MOV OUT[0], IN[2]\nEMIT IMM[0].xxxx", 3)) == [0, 1, 2]


def test_vertex_and_register_may_be_indirect_and_outside_reads_0() -> None:
    body = """UADD TEMP[0].x, IN[2].xxxx, IMM[1].zzzz
UARL ADDR[0].x, TEMP[0].xxxx
UARL ADDR[1].x, IN[2].xxxx
MOV OUT[0], IN[ADDR[0].x][1]
EMIT IMM[0].xxxx
MOV OUT[0], IN[1][ADDR[1].x]
EMIT IMM[0].xxxx
MOV OUT[0], IN[ADDR[0].x+1][ADDR[1].x+4294967295]
EMIT IMM[0].xxxx""".replace("+4294967295", "-1")
    result = _run(body, 5)
    first, second, third = (_vertices(result)[k::3] for k in range(3))
    assert first == [0, 101, 211, 321, 0]
    assert second == [10, 111, 2, 0, 0]  # register 2 is the number of the primitive
    assert third == [0, 110, 221, 0, 0]


def test_an_input_array_bounds_the_register_and_not_the_vertex() -> None:
    text = """GEOM
PROPERTY GS_INPUT_PRIMITIVE LINES
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 1
DCL IN[][0..1], ARRAY(1), GENERIC[0]
DCL IN[][2], GENERIC[5]
DCL IN[3], PRIM_ID
DCL OUT[0], POSITION
DCL ADDR[0]
IMM[0] UINT32 {0, 1, 2, 3}
UARL ADDR[0].x, IN[3].xxxx
MOV OUT[0], IN[1][ADDR[0].x](1)
EMIT IMM[0].xxxx
END
"""
    inputs = np.arange(3 * 2 * 4, dtype=np.uint32).reshape(3, 2, 4)[..., None].repeat(4, axis=3)
    assert _vertices(run(parse(text), inputs)) == [4, 13, 0]


def test_a_program_that_emits_nothing_gives_nothing() -> None:
    result = _run("NOP", 2)
    assert [len(vertices) for vertices in result.emitted] == [0] * 4
    assert [_strips(result, stream) for stream in range(4)] == [[]] * 4


def test_no_primitives_give_nothing() -> None:
    result = _run(COPY, 0)
    assert _vertices(result) == []
    assert result.outputs.shape == (0, 2, 4)


@pytest.mark.parametrize("name", ["points", "triangles_adjacency"])
def test_primitives_have_as_many_vertices_as_their_type_says(name: str) -> None:
    count = {"points": 1, "triangles_adjacency": 6}[name]
    last = count - 1
    text = f"""GEOM
PROPERTY GS_INPUT_PRIMITIVE {name.upper()}
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 1
DCL IN[][0], POSITION
DCL OUT[0], POSITION
IMM[0] UINT32 {{0, 1, 2, 3}}
MOV OUT[0], IN[{last}][0]
EMIT IMM[0].xxxx
END
"""
    inputs = np.arange(count, dtype=np.uint32).reshape(1, count, 1, 1).repeat(4, axis=3)
    assert _vertices(run(parse(text), inputs)) == [last]


def test_a_program_may_read_nothing() -> None:
    text = """GEOM
PROPERTY GS_INPUT_PRIMITIVE LINES
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
DCL OUT[0], POSITION
IMM[0] UINT32 {0, 1, 2, 3}
EMIT IMM[0].xxxx
END
"""
    assert _strips(run(parse(text))) == [1]
