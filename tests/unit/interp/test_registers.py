"""Addressing per lane, and never outside of the declared registers."""

from __future__ import annotations

import numpy as np

from backends.interp.run import run
from tests.unit.interp.support import column, run_vertices
from tgsi.language.text.parser import parse

CONSTANTS = {0: np.arange(16, dtype=np.uint32).reshape(4, 4) + 100}


def test_indirect_destination_scatters_per_lane() -> None:
    body = "UARL ADDR[0].x, IN[0].xxxx\nMOV TEMP[ADDR[0].x+1], IMM[0].wwww\nMOV OUT[0].x, TEMP[1]\nMOV OUT[0].y, TEMP[2].xxxx"
    assert run_vertices(body, column([0, 1, 5])).outputs[:, 0, :2].tolist() == [[3, 0], [0, 3], [0, 0]]


def test_reads_outside_give_0_and_writes_vanish() -> None:
    body = """UARL ADDR[0].x, IN[0].xxxx
MOV TEMP[ADDR[0].x], IMM[0].wwww
MOV TEMP[0], TEMP[ADDR[0].x]
MOV OUT[0], CONST[ADDR[0].x]
MOV OUT[1], IMM[ADDR[0].x]"""
    out = run_vertices(body, column([8, -1, 2**31, 100000]), constants=CONSTANTS).outputs
    assert not out.any()


def test_direct_constant_outside_of_the_data_reads_0() -> None:
    assert run_vertices("MOV OUT[0], CONST[3]", column([0]), constants={0: CONSTANTS[0][:3]}).outputs[0, 0].tolist() == [0] * 4


def test_index_sum_wraps_at_32_bits() -> None:
    body = "UARL ADDR[0].x, IN[0].xxxx\nMOV OUT[0], CONST[ADDR[0].x+3]"
    assert run_vertices(body, column([-2]), constants=CONSTANTS).outputs[0, 0].tolist() == [104, 105, 106, 107]


def test_array_bounds_an_indirect_access() -> None:
    text = """VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL TEMP[0..1], ARRAY(1)
DCL TEMP[2..3], ARRAY(2)
DCL ADDR[0]
IMM[0] UINT32 {1, 2, 3, 4}
UARL ADDR[0].x, IN[0].xxxx
MOV TEMP[2], IMM[0]
MOV OUT[0], TEMP[ADDR[0].x](1)
END
"""
    out = run(parse(text), column([0, 2]).astype(np.uint32)[:, None]).outputs
    assert not out.any()


def test_buffer_number_may_differ_between_lanes() -> None:
    text = """VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL CONST[0][0..1]
DCL CONST[1][0..1]
DCL ADDR[0]
UARL ADDR[0].x, IN[0].xxxx
MOV OUT[0], CONST[ADDR[0].x][1]
END
"""
    constants = {0: CONSTANTS[0], 1: CONSTANTS[0] + 100}
    out = run(parse(text), column([0, 1, 7]).astype(np.uint32)[:, None], constants=constants).outputs
    assert out[:, 0, 0].tolist() == [104, 204, 0]


def test_sources_are_fetched_before_the_first_channel_is_stored() -> None:
    body = "MOV TEMP[0], IN[0]\nMOV TEMP[0], TEMP[0].wwwx\nMOV OUT[0], TEMP[0]"
    assert run_vertices(body, np.array([[1, 2, 3, 4]], np.uint32)).outputs[0, 0].tolist() == [4, 4, 4, 1]


def test_outputs_can_be_read_back() -> None:
    assert run_vertices("MOV OUT[0], IN[0]\nUADD OUT[1], OUT[0], OUT[0]", column([3])).outputs[0, 1, 0] == 6
