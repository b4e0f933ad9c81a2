"""Translation of statements: registers, masks, addresses, loops, derivatives."""

from __future__ import annotations

import time

import numpy as np
import pytest

from backends.llvm.builder.lanes import LaneMap
from backends.llvm.kernels.run import run
from backends.llvm.kernels.stages import build_run_kernel
from passes.analysis.regions import FUEL
from tests.unit.llvm.support import VERT_HEADER, run_body
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.text.parser import parse

COUNT = np.arange(32, dtype=np.uint32).reshape(8, 4)


def _first(body: str, inputs: object = COUNT, **options: object) -> list[int]:
    return [int(x) for x in run_body(body, np.asarray(inputs), **options).outputs[:, 0, 0]]


def test_sources_are_read_before_the_first_channel_is_stored() -> None:
    result = run_body("MOV TEMP[0], IN[0]\nMOV TEMP[0], TEMP[0].wwwx\nMOV OUT[0], TEMP[0]", COUNT)
    assert result.outputs[0, 0].tolist() == [3, 3, 3, 0]


def test_unwritten_registers_are_zero() -> None:
    assert not run_body("MOV OUT[0], TEMP[3]", COUNT).outputs.any()


def test_a_masked_write_keeps_the_other_lanes() -> None:
    body = """MOV TEMP[0].x, IMM[0].wwww
AND TEMP[1].x, IN[0].yyyy, IMM[0].zzzz
UIF TEMP[1].xxxx
MOV TEMP[0].x, IN[0].xxxx
ENDIF
MOV OUT[0], TEMP[0]"""
    inputs = COUNT.copy()
    inputs[:, 1] = [0, 2, 0, 2, 2, 0, 0, 2]
    assert _first(body, inputs) == [3, 4, 3, 12, 16, 3, 3, 28]


def test_indirect_constants_are_bounds_checked_per_lane() -> None:
    constants = {0: np.arange(100, 116, dtype=np.uint32).reshape(4, 4)}
    index = np.array([0, 1, 3, 4, 0xFFFFFFFF, 0x7FFFFFFF, 0x10000000, 2], np.uint32)
    inputs = np.stack([index] * 4, axis=1)
    assert _first("UARL ADDR[0].x, IN[0].xxxx\nMOV OUT[0], CONST[ADDR[0].x]", inputs, constants=constants) == [
        100,
        104,
        112,
        0,
        0,
        0,
        0,
        108,
    ]


def test_constants_beyond_what_is_bound_are_zero() -> None:
    constants = {0: np.full((1, 4), 7, np.uint32)}
    assert _first("MOV OUT[0], CONST[3]", constants=constants) == [0] * 8
    assert _first("MOV OUT[0], CONST[30000]", constants=constants) == [0] * 8
    assert _first("MOV OUT[0], CONST[9][2]", constants=constants) == [0] * 8
    assert _first("UARL ADDR[0].x, IMM[0].yyyy\nMOV OUT[0], CONST[ADDR[0].x+16][0]", constants=constants) == [0] * 8


def test_buffers_are_chosen_per_lane() -> None:
    constants = {i: np.full((2, 4), 10 + i, np.uint32) for i in range(3)}
    index = np.array([0, 1, 2, 3, 15, 16, 0xFFFFFFFF, 1], np.uint32)
    body = "UARL ADDR[0].x, IN[0].xxxx\nMOV OUT[0], CONST[ADDR[0].x][1]"
    assert _first(body, np.stack([index] * 4, axis=1), constants=constants) == [10, 11, 12, 0, 0, 0, 0, 11]


@pytest.mark.parametrize("extra", ["", "\nMOV TEMP[ADDR[0].y+8](1).y, IMM[0].zzzz"])
def test_writes_outside_of_an_array_vanish(extra: str) -> None:
    index = np.array([0, 1, 3, 4, 0xFFFFFFFF, 0x7FFFFFFF, 100000, 2], np.uint32)
    body = "UARL ADDR[0].xy, IN[0].xxxx\nMOV TEMP[ADDR[0].x+8](1).x, IMM[0].wwww" + extra + "\nMOV OUT[0].x, TEMP[ADDR[0].x+8](1)"
    assert _first(body, np.stack([index] * 4, axis=1)) == [3, 3, 3, 0, 0, 0, 0, 3]


def test_an_array_id_bounds_the_access_inside_a_larger_file() -> None:
    index = np.array([0, 3, 4, 0xFFFFFFFF] * 2, np.uint32)
    body = "UARL ADDR[0].xy, IN[0].xxxx\nMOV TEMP[7].x, IMM[0].zzzz\nMOV OUT[1].x, TEMP[ADDR[0].y]\nMOV OUT[0].x, TEMP[ADDR[0].x+8](1)"
    result = run_body(body, np.stack([index] * 4, axis=1))
    assert not result.outputs[:, 0].any()


def test_outputs_and_inputs_can_be_indexed() -> None:
    index = np.array([0, 1, 2, 0xFFFFFFFF] * 2, np.uint32)
    body = "UARL ADDR[0].x, IN[0].xxxx\nMOV OUT[ADDR[0].x].y, IMM[0].wwww\nMOV OUT[1].x, IN[ADDR[0].x]"
    result = run_body(body, np.stack([np.stack([index] * 4, axis=1), np.full((8, 4), 9, np.uint32)], axis=1))
    assert result.outputs[:4, :, 1].tolist() == [[3, 0], [0, 3], [0, 0], [0, 0]]
    assert result.outputs[:4, 1, 0].tolist() == [0, 9, 0, 0]


def test_immediates_can_be_indexed() -> None:
    index = np.array([0, 1, 2, 0xFFFFFFFF] * 2, np.uint32)
    assert _first("UARL ADDR[0].x, IN[0].xxxx\nMOV OUT[0], IMM[ADDR[0].x].yyyy", np.stack([index] * 4, axis=1))[:4] == [1, 0x3F800000, 0, 0]


# -- loops and fuel -----------------------------------------------------------------------------------------------------
COUNTING = """MOV TEMP[0].x, IMM[0].xxxx
BGNLOOP
USGE TEMP[1].x, TEMP[0].xxxx, {bound}
UIF TEMP[1].xxxx
BRK
ENDIF
UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
ENDLOOP
MOV OUT[0], TEMP[0].xxxx"""


def test_a_uniform_loop_needs_no_masks() -> None:
    body = COUNTING.format(bound="CONST[0].xxxx")
    text = build_run_kernel(parse(f"{VERT_HEADER}{body}\nEND\n"), 8).text()
    assert not [use for use in ("select", "and", "or", "xor", "bitcast", "store") if f"{use} <8 x i1>" in text]
    assert _first(body, constants={0: np.full((1, 4), 37, np.uint32)}) == [37] * 8


def test_lanes_leave_a_divergent_loop_one_by_one() -> None:
    inputs = np.stack([np.array([0, 3, 1, 7, 100, 2, 5, 1], np.uint32)] * 4, axis=1)
    assert _first(COUNTING.format(bound="IN[0].xxxx"), inputs) == [0, 3, 1, 7, 100, 2, 5, 1]


@pytest.mark.parametrize("condition", ["", "UIF IN[0].xxxx\nBRK\nENDIF\n"])
def test_endless_loops_end(condition: str) -> None:
    body = f"MOV TEMP[0].x, IMM[0].xxxx\nBGNLOOP\n{condition}UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nENDLOOP\nMOV OUT[0], TEMP[0].xxxx"
    assert _first(body, np.zeros((8, 4), np.uint32)) == [FUEL] * 8


def test_nested_endless_loops_end_soon() -> None:
    loops = 6
    body = "BGNLOOP\n" * loops + "UADD TEMP[0].x, TEMP[0].xxxx, IN[0].xxxx\n" + "ENDLOOP\n" * loops + "MOV OUT[0], TEMP[0]"
    start = time.process_time()
    run_body(body, COUNT)
    divergent = (
        "BGNLOOP\nUIF IN[0].yyyy\n" * loops
        + "UADD TEMP[0].x, TEMP[0].xxxx, IN[0].xxxx\n"
        + "ENDIF\nENDLOOP\n" * loops
        + "MOV OUT[0], TEMP[0]"
    )
    run_body(divergent, COUNT)
    assert time.process_time() - start < 5


def test_fuel_does_not_depend_on_other_lanes() -> None:
    inputs = np.zeros((8, 4), np.uint32)
    inputs[:, 0] = [1, 0, 1, 1, 0, 1, 1, 1]
    body = "BGNLOOP\nUIF IN[0].xxxx\nBRK\nENDIF\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nENDLOOP\nMOV OUT[0], TEMP[0].xxxx"
    assert _first(body, inputs) == [0, FUEL, 0, 0, FUEL, 0, 0, 0]


def test_continue_skips_the_rest_of_the_body() -> None:
    body = """MOV TEMP[0].xy, IMM[0].xxxx
BGNLOOP
UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
USLT TEMP[1].x, IMM[0].wwww, TEMP[0].xxxx
UIF TEMP[1].xxxx
BRK
ENDIF
USEQ TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx
UIF TEMP[1].xxxx
CONT
ENDIF
UADD TEMP[0].y, TEMP[0].yyyy, IMM[0].yyyy
ENDLOOP
MOV OUT[0], TEMP[0].yyyy"""
    inputs = np.stack([np.array([0, 1, 2, 3, 4, 5, 1, 9], np.uint32)] * 4, axis=1)
    assert _first(body, inputs) == [3, 2, 2, 2, 3, 3, 2, 3]


def test_a_returned_lane_writes_no_more() -> None:
    body = "MOV OUT[0], IMM[0].yyyy\nUIF IN[0].xxxx\nRET\nENDIF\nMOV OUT[0], IMM[0].zzzz"
    inputs = np.zeros((8, 4), np.uint32)
    inputs[::2] = 1
    assert _first(body, inputs) == [1, 2] * 4


def test_killed_fragments_go_on_computing() -> None:
    text = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\n{}\nMOV OUT[0], IN[0]\nEND\n"
    inputs = np.array([[[-1, 0, 0, 0]], [[1, 1, 1, 1]], [[-0.0, 0, 0, 0]], [[np.nan, 0, 0, 0]]], np.float32)
    result = run(parse(text.format("KILL_IF IN[0]")), inputs)
    assert result.alive.tolist() == [False, True, True, True]
    assert np.array_equal(result.outputs[:, 0], inputs[:, 0].view(np.uint32))
    assert not run(parse(text.format("KILL")), inputs).alive.any()


# -- derivatives --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "want"), [("DDX", [2, 2, 2, 2]), ("DDY", [3, 3, 3, 3]), ("DDX_FINE", [1, 1, 2, 2]), ("DDY_FINE", [3, 4, 3, 4])]
)
def test_derivatives_look_at_the_quad(name: str, want: list[int]) -> None:
    program = parse(f"FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\n{name} OUT[0], IN[0]\nEND\n")
    inputs = np.repeat(np.array([1, 2, 4, 6], np.float32), 4).reshape(4, 1, 4)
    assert run(program, inputs).floats[:, 0, 0].tolist() == want


def test_runs_and_quads_name_the_same_neighbors() -> None:
    run_map, quads = LaneMap(16, "run"), LaneMap(16, "quad")
    assert [run_map.corner(5, x, y) for y in (0, 1) for x in (0, 1)] == [4, 5, 12, 13]
    square = LaneMap(16, "run", 4)
    assert [square.corner(9, x, y) for y in (0, 1) for x in (0, 1)] == [8, 9, 12, 13]
    assert [quads.corner(6, x, y) for y in (0, 1) for x in (0, 1)] == [4, 5, 6, 7]
    with pytest.raises(ValueError, match="power of two"):
        LaneMap(12)


# -- unsupported programs -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("LOAD TEMP[0], MEMORY[0], IMM[0]", "LOAD on MEMORY registers in VERT"),
        ("STORE CONSTBUF[0], IMM[0], IMM[0]", "STORE on CONSTBUF"),
        ("EMIT IMM[0].xxxx", "EMIT in this kind of kernel"),
        ("FBFETCH TEMP[0], OUT[0]", "FBFETCH"),
    ],
)
def test_what_is_not_built_is_named_with_its_line(body: str, what: str) -> None:
    text = f"{VERT_HEADER}DCL SAMP[0]\nDCL SV[0], VERTEXID\nDCL SVIEW[0], 2D, FLOAT\n{body}\nEND\n"
    program = parse(text, name="shader.tgsi")
    with pytest.raises(UnsupportedError, match=what) as caught:
        build_run_kernel(program, 8)
    assert f"shader.tgsi:{text[: text.index(body)].count(chr(10)) + 1}:1" in str(caught.value)


def test_a_destination_is_found_before_its_address_is_overwritten() -> None:
    body = "MOV TEMP[9], IMM[0].xxxx\nUADD TEMP[TEMP[9].x+9](1).xyz, IMM[0].yyyy, IMM[0].yzww\nMOV OUT[0].x, TEMP[9].zzzz"
    assert _first(body) == [4] * 8


def test_unread_results_vanish() -> None:
    assert _first("DDIV NULL[0].xy, IN[0], IN[0]\nMOV NULL[0], IN[0]\nMOV OUT[0], IMM[0].yyyy") == [1] * 8


def test_arrays_are_bounded() -> None:
    program = parse(
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0..2000], ARRAY(1)\nDCL ADDR[0]\nMOV OUT[0], TEMP[ADDR[0].x](1)\nEND\n"
    )
    with pytest.raises(UnsupportedError, match="1048576 bytes at 64 lanes"):
        build_run_kernel(program, 64)


def test_arrays_too_large_for_the_lanes_run_with_fewer() -> None:
    body = "UARL ADDR[0].x, IN[0].xxxx\nMOV TEMP[ADDR[0].x], IN[0]\nMOV OUT[0], TEMP[900]"
    program = parse(f"VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0..1000]\nDCL ADDR[0]\n{body}\nEND\n")
    inputs = np.repeat(np.arange(890, 910, dtype=np.uint32)[:, None, None], 4, axis=2)
    assert run(program, inputs, lanes=64).outputs[:, 0, 0].tolist() == [900 if k == 10 else 0 for k in range(20)]


def test_calls_that_expand_too_far_are_refused() -> None:
    subs, body = 16, "".join(f"BGNSUB\nCAL :{3 + 4 * (i + 1)}\nCAL :{3 + 4 * (i + 1)}\nENDSUB\n" for i in range(16))
    text = f"VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nCAL :3\nEND\n{body}BGNSUB\nMOV OUT[0], IN[0]\nENDSUB\n"
    assert text.count("BGNSUB") == subs + 1
    with pytest.raises(UnsupportedError, match="expand to more than"):
        build_run_kernel(parse(text), 8)
