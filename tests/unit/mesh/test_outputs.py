"""MESH programs in `tgsi.run`: rows of vertices and primitives, numbers, faults. Every result is that of both engines, for all lanes."""

from __future__ import annotations

import tracemalloc
from math import prod

import numpy as np
import pytest

import tgsi
from tests.unit.mesh.support import BLOCKS, mesh, run, task

pytestmark = pytest.mark.usefixtures("light_code")

COUNTS = "SET_MESH_OUTPUTS IMM[1].yxxx\n"  # 8 vertices, 4 primitives
OWN = "UARL ADDR[0].x, SV[4].xxxx\n"


def test_a_mesh_that_sets_no_numbers_outputs_nothing() -> None:
    (found,) = run(mesh("MOV OUT[0][0], IMM[1]\nMOV OUT[0][3].xyz, IMM[0]")).meshes
    assert found.vertices.shape == (0, 3, 4)
    assert found.indices.shape == (0, 3)
    assert found.primitives.shape == (0, 3, 4)
    assert found.faults == ()


def test_rows_are_0_until_they_are_written() -> None:
    (found,) = run(mesh(COUNTS)).meshes
    assert found.vertices.shape == (8, 3, 4)
    assert found.primitives.shape == (4, 3, 4)
    assert not found.vertices.any()
    assert not found.primitives.any()


@pytest.mark.parametrize("block", BLOCKS)
def test_each_thread_writes_its_vertex_and_its_primitive(block: tuple[int, int, int]) -> None:
    threads = min(prod(block), 256)
    body = f"""SET_MESH_OUTPUTS IMM[2].zzzz
{OWN}UADD TEMP[0], SV[4].xxxx, IMM[0]
MOV OUT[ADDR[0].x][0], TEMP[0]
MOV OUT[ADDR[0].x][1], SV[0]
MOV OUT[2], SV[1]
MOV OUT[ADDR[0].x][3].xyz, TEMP[0].yzxx
MOV OUT[ADDR[0].x][4], SV[4].xxxx
MOV OUT[5].xz, TEMP[0].wwww"""
    result = run(mesh(body, block, vertices=threads, primitives=threads), grid=(2, 1, 2))
    assert len(result.meshes) == 4
    numbers = np.arange(threads, dtype=np.uint32)
    for place, found in enumerate(result.meshes):
        assert found.vertices.shape == (threads, 3, 4)
        assert np.array_equal(found.vertices[:, 0], numbers[:, None] + np.arange(4))
        assert found.vertices[:, 1, 0].max() == min(block[0], threads) - 1
        assert found.vertices[:, 2].tolist() == [[place % 2, 0, place // 2, 0]] * threads
        assert np.array_equal(found.indices, numbers[:, None] + [1, 2, 0])
        assert np.array_equal(found.primitives[:, 0, :3], found.indices)
        assert np.array_equal(found.primitives[:, 1], numbers[:, None] + np.zeros(4, np.uint32))
        assert np.array_equal(found.primitives[:, 2], (numbers[:, None] + 3) * [1, 0, 1, 0])


@pytest.mark.parametrize(("kind", "corners"), [("POINTS", 1), ("LINES", 2), ("TRIANGLES", 3)])
def test_a_primitive_has_as_many_indices_as_its_kind_says(kind: str, corners: int) -> None:
    (found,) = run(mesh(f"{COUNTS}MOV OUT[3].xyz, IMM[0]", kind=kind)).meshes
    assert found.indices.tolist() == [[0, 1, 2][:corners]] * 4


@pytest.mark.parametrize("mask", ["x", "y", "w", "xy", "yz", "zw", "xz", "yw", "xw", "xyz", "yzw", "xyw", "xzw", "xyzw"])
def test_a_write_mask_leaves_the_other_channels(mask: str) -> None:
    body = f"{COUNTS}MOV OUT[1], IMM[1].wwww\nMOV OUT[1].{mask}, IMM[0]\nMOV OUT[4].{mask}, IMM[1]"
    (found,) = run(mesh(body, (8, 1, 1))).meshes
    wanted = [k if "xyzw"[k] in mask else 64 for k in range(4)]
    assert found.vertices[:, 1].tolist() == [wanted] * 8
    assert found.primitives[:, 1].tolist() == [[(4, 8, 16, 64)[k] if "xyzw"[k] in mask else 0 for k in range(4)]] * 4


def test_writes_saturate() -> None:
    (found,) = run(mesh(f"{COUNTS}U2F TEMP[0], IMM[1]\nMOV_SAT OUT[0], TEMP[0]\nMOV_SAT OUT[1].xy, -TEMP[0]")).meshes
    assert found.vertices[0, 0].view(np.float32).tolist() == [1, 1, 1, 1]
    assert found.vertices[0, 1].tolist() == [0, 0, 0, 0]


def test_of_threads_that_write_one_row_the_highest_has_the_last_word() -> None:
    (found,) = run(mesh(f"{COUNTS}MOV OUT[3][0].xyw, SV[4].xxxx\nMOV OUT[2][4], SV[4].xxxx", (32, 1, 1))).meshes
    assert found.vertices[3, 0].tolist() == [31, 31, 0, 31]
    assert found.primitives[2, 1].tolist() == [31] * 4


def test_rows_beyond_the_maxima_vanish() -> None:
    body = f"{COUNTS}{OWN}MOV OUT[ADDR[0].x][0], IMM[0].yyyy\nMOV OUT[ADDR[0].x+6][1], IMM[0].yyyy\nMOV OUT[ADDR[0].x-2][4], IMM[0].zzzz"
    (found,) = run(mesh(body, (64, 1, 1))).meshes
    assert found.vertices[:, 0, 0].tolist() == [1] * 8
    assert found.vertices[:, 1, 0].tolist() == [0] * 6 + [1] * 2
    assert found.primitives[:, 1, 0].tolist() == [2] * 4
    assert not found.vertices[:, 2].any()


@pytest.mark.parametrize("row", ["IMM[2].wwww", "IMM[1].yyyy", "IMM[2].xxxx"])
def test_no_row_has_such_a_number(row: str) -> None:
    body = f"{COUNTS}UARL ADDR[0].x, {row}\nMOV OUT[ADDR[0].x][0], IMM[1]\nMOV OUT[ADDR[0].x][4], IMM[1]\nMOV OUT[0][1], OUT[ADDR[0].x][0]"
    (found,) = run(mesh(body)).meshes
    assert not found.vertices.any()
    assert not found.primitives.any()


def test_arrays_stay_in_their_rows() -> None:
    """Registers 1 and 2 are array 1, of vertices; 4 and 5 are array 2, of primitives."""
    body = f"""{COUNTS}UARL ADDR[0].x, SV[4].xxxx
UADD TEMP[0].x, SV[4].xxxx, IMM[0].yyyy
MOV OUT[0][ADDR[0].x](1), TEMP[0].xxxx
MOV OUT[1][ADDR[0].x](2).xy, TEMP[0].xxxx
MOV OUT[2][ADDR[0].x-1](1), TEMP[0].xxxx
MOV OUT[3][ADDR[0].x+2](2), TEMP[0].xxxx"""
    (found,) = run(mesh(body, (8, 1, 1))).meshes
    assert found.vertices[:4, :, 0].tolist() == [[0, 2, 3], [0, 0, 0], [0, 3, 4], [0, 0, 0]]
    assert found.primitives[:4, :, 1].tolist() == [[0, 0, 0], [0, 5, 6], [0, 0, 0], [0, 3, 4]]


def test_a_thread_reads_what_another_one_wrote_after_a_barrier() -> None:
    body = f"""{COUNTS}{OWN}UADD TEMP[0].x, SV[4].xxxx, SV[1].xxxx
MOV OUT[ADDR[0].x][0], TEMP[0].xxxx
MOV OUT[4], TEMP[0].xxxx
BARRIER
AND TEMP[1].x, SV[4].xxxx, IMM[0].wwww
UARL ADDR[1].x, TEMP[1].xxxx
MOV TEMP[2], OUT[ADDR[1].x][0]
MOV OUT[ADDR[0].x][1], TEMP[2]
MOV OUT[ADDR[0].x][5].zw, OUT[ADDR[1].x][4]
MOV OUT[2], OUT[4]"""
    for place, found in enumerate(run(mesh(body, (33, 1, 1)), grid=(3, 1, 1)).meshes):
        assert found.vertices[:, 1, 0].tolist() == [place + k % 4 for k in range(8)]
        assert found.primitives[:, 2, 3].tolist() == [place + k for k in range(4)]
        assert found.vertices[:, 2, 0].tolist() == [*range(place, place + 6), 0, 0]


@pytest.mark.parametrize("block", BLOCKS)
def test_shared_memory_sums_over_a_workgroup(block: tuple[int, int, int]) -> None:
    body = """ATOMUADD TEMP[0].x, MEMORY[0], IMM[0].xxxx, IMM[0].yyyy
ATOMUMAX TEMP[0].x, MEMORY[0], IMM[1].xxxx, SV[4].xxxx
BARRIER
LOAD TEMP[1], MEMORY[0], IMM[0].xxxx
SET_MESH_OUTPUTS IMM[0].yyyy
MOV OUT[0][0], TEMP[1]"""
    threads = prod(block)
    result = run(mesh(body, block), grid=(3, 1, 1))
    assert [found.vertices[0, 0].tolist() for found in result.meshes] == [[threads, threads - 1, 0, 0]] * 3


def test_the_payload_is_read_by_every_workgroup() -> None:
    body = f"{COUNTS}LOAD TEMP[0], MEMORY[1], IMM[1].xxxx\nRESQ TEMP[1].x, MEMORY[1]\nMOV TEMP[0].w, TEMP[1].xxxx\nMOV OUT[0], TEMP[0]"
    result = run(mesh(body), grid=(2, 1, 1), payload=np.array([5, 6, 7], np.uint32))
    assert [found.vertices[0, 0].tolist() for found in result.meshes] == [[6, 7, 0, 12]] * 2


@pytest.mark.parametrize(
    ("given", "seen"), [(None, [0, 0, 0, 0]), (b"", [0, 0, 0, 0]), (b"\1\0\0\0\2", [1, 2, 0, 0]), (b"\3", [3, 0, 0, 0])]
)
def test_a_payload_may_have_any_length(given: bytes | None, seen: list[int]) -> None:
    (found,) = run(mesh(f"{COUNTS}LOAD TEMP[0], MEMORY[1], IMM[0].xxxx\nMOV OUT[0], TEMP[0]"), payload=given).meshes
    assert found.vertices[0, 0].tolist() == seen


def test_a_task_feeds_a_mesh() -> None:
    launched = run(task("STORE MEMORY[1], IMM[0].xxxx, SV[1]\nEMIT_MESH_TASKS IMM[0].yzyy", payload=16), grid=(2, 1, 1))
    body = f"{COUNTS}LOAD TEMP[0], MEMORY[1], IMM[0].xxxx\nMOV OUT[0], TEMP[0]\nMOV OUT[1], SV[2]"
    for place, (size, payload) in enumerate(zip(launched.tasks.tolist(), launched.payload)):
        result = run(mesh(body), grid=tuple(size), payload=payload.tobytes())
        assert [found.vertices[7, :2].tolist() for found in result.meshes] == [[[0, 0, 0, 0], [0, 0, 0, 0]]] * 2
        assert [found.vertices[3, :2].tolist() for found in result.meshes] == [[[place, 0, 0, 0], [1, 2, 1, 0]]] * 2


# -- numbers of vertices and primitives ---------------------------------------------------------------------------------
@pytest.mark.parametrize("block", BLOCKS)
def test_only_thread_0_sets_the_numbers(block: tuple[int, int, int]) -> None:
    body = "UADD TEMP[0].xy, SV[4].xxxx, IMM[0].zwww\nSET_MESH_OUTPUTS TEMP[0]"
    (found,) = run(mesh(body, block)).meshes
    assert (len(found.vertices), len(found.primitives)) == (2, 3)


@pytest.mark.parametrize("block", BLOCKS)
def test_numbers_set_in_divergent_control_flow_count_where_thread_0_is(block: tuple[int, int, int]) -> None:
    body = "SET_MESH_OUTPUTS IMM[0].yyyy\nUIF SV[4].xxxx\nSET_MESH_OUTPUTS IMM[0].wwww\nELSE\n{}ENDIF"
    (found,) = run(mesh(body.format(""), block)).meshes
    assert (len(found.vertices), len(found.primitives)) == (1, 1)
    (found,) = run(mesh(body.format("SET_MESH_OUTPUTS IMM[0].zwww\n"), block)).meshes
    assert (len(found.vertices), len(found.primitives)) == (2, 3)


def test_the_last_numbers_count_in_a_loop_that_threads_leave_one_by_one() -> None:
    body = """MOV TEMP[0].x, IMM[0].xxxx
BGNLOOP
UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
SET_MESH_OUTPUTS TEMP[0].xxxx
UADD TEMP[1].x, TEMP[0].xxxx, SV[4].xxxx
USGE TEMP[1].x, TEMP[1].xxxx, IMM[1].xxxx
UIF TEMP[1].xxxx
BRK
ENDIF
ENDLOOP"""
    for found in run(mesh(body, (33, 1, 1)), grid=(2, 1, 1)).meshes:
        assert (len(found.vertices), len(found.primitives)) == (4, 4)


def test_numbers_do_not_end_the_program_and_may_follow_the_writes() -> None:
    (found,) = run(mesh(f"MOV OUT[0], IMM[1]\n{COUNTS}MOV OUT[1], IMM[1]")).meshes
    assert found.vertices[3].tolist() == [[4, 8, 16, 64], [4, 8, 16, 64], [0, 0, 0, 0]]


def test_numbers_differ_from_workgroup_to_workgroup() -> None:
    result = run(mesh("SET_MESH_OUTPUTS SV[1].xyxx", (3, 1, 1)), grid=(5, 4, 1))
    assert [(len(found.vertices), len(found.primitives)) for found in result.meshes] == [(x, y) for y in range(4) for x in range(5)]


def test_numbers_above_their_maxima_are_cut_and_named() -> None:
    result = run(mesh("SET_MESH_OUTPUTS IMM[2].zwww"), grid=(1, 2, 1))
    for found in result.meshes:
        assert (len(found.vertices), len(found.primitives)) == (8, 6)
        assert found.faults == (
            "SET_MESH_OUTPUTS: 300 vertices, at most 8: cut",
            "SET_MESH_OUTPUTS: 4294967295 primitives, at most 6: cut",
        )
    assert result.faults == [f"workgroup (0, {y}, 0): {text}" for y in range(2) for text in result.meshes[0].faults]


def test_an_index_that_is_no_vertex_stays_and_is_named() -> None:
    body = f"SET_MESH_OUTPUTS IMM[0].zwww\n{OWN}UADD TEMP[0].xyz, SV[4].xxxx, IMM[0].xxxx\nMOV OUT[ADDR[0].x][3].xyz, TEMP[0]"
    (found,) = run(mesh(body)).meshes
    assert found.indices.tolist() == [[0, 0, 0], [1, 1, 1], [2, 2, 2]]
    assert found.faults == ("primitive 2: its indices are 2, 2, 2, the vertices are 0 to 1: not drawn",)


def test_without_vertices_every_primitive_is_at_fault() -> None:
    (found,) = run(mesh("SET_MESH_OUTPUTS IMM[0].xyxx", kind="LINES")).meshes
    assert found.faults == ("primitive 0: its indices are 0, 0, the vertices are none: not drawn",)


def test_indices_of_lines_and_points_ignore_the_other_channels() -> None:
    (found,) = run(mesh("SET_MESH_OUTPUTS IMM[0].yyyy\nMOV OUT[3].yzw, IMM[2].wwww", kind="POINTS")).meshes
    assert (found.indices.tolist(), found.faults) == ([[0]], ())


# -- other values -------------------------------------------------------------------------------------------------------
def test_loops_without_end_run_out_of_fuel() -> None:
    result = run(mesh(f"BGNLOOP\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nENDLOOP\n{COUNTS}MOV OUT[0], TEMP[0].xxxx"), fuel=9)
    assert result.exhausted.tolist() == [True] * 4
    assert result.meshes[0].vertices[:4, 0, 0].tolist() == [9] * 4


def test_the_result_has_no_registers_of_invocations() -> None:
    result = run(mesh(COUNTS), grid=(2, 1, 1), payload=bytes(8))
    assert result.outputs.shape == (8, 0, 4)
    assert result.tasks.shape == (0, 3)
    assert result.payload.shape == (0, 0)


def test_a_payload_larger_than_any_task_has_is_refused() -> None:
    with pytest.raises(ValueError, match="payload has 16388 bytes, more than 16384"):
        tgsi.run(tgsi.parse(mesh(COUNTS)), payload=bytes(16385))


def test_results_of_many_workgroups_come_in_order() -> None:
    """More workgroups than one call of the kernel runs."""
    body = f"{COUNTS}MOV OUT[0], SV[1]"
    result = tgsi.run(tgsi.parse(mesh(body, vertices=256, primitives=256)), grid=(40, 20, 1), lanes=16)
    assert [found.vertices[0, 0, :2].tolist() for found in result.meshes] == [[x, y] for y in range(20) for x in range(40)]


@pytest.mark.parametrize("file", ["OUT[][0..4000000000], GENERIC[0], PRIMITIVE", "MEMORY[0..4000000000], PAYLOAD"])
def test_ranges_beyond_every_limit_are_refused_without_being_written_out(file: str) -> None:
    tracemalloc.start()
    found = tgsi.check(tgsi.parse(f"MESH\nPROPERTY MS_MAX_OUTPUT_VERTICES 3\nDCL {file}\nEND\n"))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert any(item.severity is tgsi.Severity.ERROR for item in found)
    assert most < 50 << 20
