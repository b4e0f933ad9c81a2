"""Masks of lanes in cases that the measured vectors do not cover."""

from __future__ import annotations

import numpy as np

from tests.unit.interp.support import column, run_vertices


def test_conditional_break_in_a_switch_stops_only_its_own_lanes() -> None:
    body = """SWITCH IN[0].xxxx
CASE IMM[0].yyyy
UADD OUT[0].x, OUT[0], IMM[0].yyyy
UIF IN[1].xxxx
BRK
ENDIF
UADD OUT[0].y, OUT[0], IMM[0].yyyy
DEFAULT
UADD OUT[0].z, OUT[0], IMM[0].yyyy
ENDSWITCH
UADD OUT[0].w, OUT[0], IMM[0].yyyy"""
    inputs = np.stack([column([1, 1, 2, 3]), column([0, 1, 0, 1])], axis=1)
    out = run_vertices(body, inputs).outputs[:, 0]
    assert out.tolist() == [[1, 1, 1, 1], [1, 0, 0, 1], [0, 0, 1, 1], [0, 0, 1, 1]]


def test_default_before_cases_takes_every_lane_not_matched_yet() -> None:
    body = """SWITCH IN[0].xxxx
DEFAULT
UADD OUT[0].x, OUT[0], IMM[0].yyyy
CASE IMM[0].zzzz
UADD OUT[0].y, OUT[0], IMM[0].yyyy
ENDSWITCH"""
    assert run_vertices(body, column([2, 5])).outputs[:, 0, :2].tolist() == [[1, 1], [1, 1]]


def test_continue_inside_a_switch_goes_to_the_end_of_the_loop() -> None:
    body = """BGNLOOP
UADD TEMP[0], TEMP[0], IMM[0].yyyy
USGE TEMP[1], TEMP[0], IMM[0].wwww
UIF TEMP[1].xxxx
BRK
ENDIF
SWITCH IN[0].xxxx
CASE IMM[0].yyyy
CONT
DEFAULT
UADD OUT[0].x, OUT[0], IMM[0].yyyy
ENDSWITCH
UADD OUT[0].y, OUT[0], IMM[0].yyyy
ENDLOOP
MOV OUT[0].w, TEMP[0]"""
    assert run_vertices(body, column([1, 0])).outputs[:, 0].tolist() == [[0, 0, 0, 3], [2, 2, 0, 3]]


def test_return_in_main_stops_the_lane() -> None:
    body = "MOV OUT[0], IMM[0].yyyy\nUIF IN[0].xxxx\nRET\nENDIF\nMOV OUT[0], IMM[0].zzzz"
    assert run_vertices(body, column([0, 1])).outputs[:, 0, 0].tolist() == [2, 1]


def test_return_inside_a_loop_leaves_the_subroutine() -> None:
    body = """CAL :4
UADD OUT[0].y, OUT[0], IMM[0].yyyy
RET
END
BGNSUB
BGNLOOP
UADD OUT[0].x, OUT[0], IMM[0].yyyy
USGE TEMP[0], OUT[0], IN[0]
UIF TEMP[0].xxxx
RET
ENDIF
ENDLOOP
ENDSUB"""
    assert run_vertices(body, column([1, 3, 2])).outputs[:, 0, :2].tolist() == [[1, 1], [3, 1], [2, 1]]


def test_an_endless_loop_ends_when_the_fuel_is_spent() -> None:
    out = run_vertices("BGNLOOP\nUADD OUT[0], OUT[0], IMM[0].yyyy\nENDLOOP\nMOV OUT[1], IMM[0].yyyy", column([0]), fuel=17).outputs
    assert out[0, :, 0].tolist() == [17, 1]


def test_fuel_is_counted_for_each_lane_over_nested_loops() -> None:
    body = """BGNLOOP
USGE TEMP[0], OUT[0], IN[0]
UIF TEMP[0].xxxx
BRK
ENDIF
UADD OUT[0], OUT[0], IMM[0].yyyy
BGNLOOP
UADD OUT[1], OUT[1], IMM[0].yyyy
UADD TEMP[1], TEMP[1], IMM[0].yyyy
USGE TEMP[0], TEMP[1], IN[0]
UIF TEMP[0].xxxx
BRK
ENDIF
ENDLOOP
ENDLOOP"""
    out = run_vertices(body, column([0, 2, 9]), fuel=6).outputs
    assert out[:, 0, 0].tolist() == [0, 2, 1]
    assert out[:, 1, 0].tolist() == [0, 3, 6]


def test_each_outermost_loop_has_its_own_fuel() -> None:
    loop = "BGNLOOP\nUADD OUT[0], OUT[0], IMM[0].yyyy\nENDLOOP\n"
    assert run_vertices(loop + loop, column([0]), fuel=17).outputs[0, 0, 0] == 34


def test_calls_nest_and_masks_survive_them() -> None:
    body = """UIF IN[0].xxxx
CAL :6
ENDIF
UADD OUT[0].y, OUT[0], IMM[0].yyyy
END
NOP
BGNSUB
CAL :11
UADD OUT[0].x, OUT[0], IMM[0].yyyy
RET
ENDSUB
BGNSUB
UADD OUT[0].z, OUT[0], IMM[0].zzzz
ENDSUB"""
    assert run_vertices(body, column([0, 1])).outputs[:, 0].tolist() == [[0, 1, 0, 0], [1, 1, 2, 0]]
