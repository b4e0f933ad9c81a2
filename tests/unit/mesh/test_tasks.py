"""TASK programs in `tgsi.run`: what workgroups launch, and their payload. Every result is that of both engines, for all lanes."""

from __future__ import annotations

import numpy as np
import pytest

import tgsi
from tests.unit.mesh.support import BLOCKS, run, task

pytestmark = pytest.mark.usefixtures("light_code")

EMIT = "EMIT_MESH_TASKS IMM[0].yzwx"


def test_a_task_launches_what_it_emitted() -> None:
    assert run(task(EMIT), grid=(2, 1, 1)).tasks.tolist() == [[1, 2, 3], [1, 2, 3]]


def test_a_task_that_emits_nothing_launches_nothing() -> None:
    result = run(task("MOV TEMP[0], SV[0]"), grid=(3, 1, 1))
    assert result.tasks.tolist() == [[0, 0, 0]] * 3
    assert result.faults == []


def test_without_a_grid_there_is_one_workgroup() -> None:
    assert run(task(EMIT)).tasks.tolist() == [[1, 2, 3]]


def test_an_empty_grid_has_no_results() -> None:
    result = run(task(EMIT), grid=(2, 0, 1))
    assert result.tasks.shape == (0, 3)
    assert result.payload.shape == (0, 64)


@pytest.mark.parametrize("block", BLOCKS)
def test_only_thread_0_emits(block: tuple[int, int, int]) -> None:
    result = run(task("UADD TEMP[0].xyz, SV[4].xxxx, SV[1].xyzx\nEMIT_MESH_TASKS TEMP[0].xyzx", block), grid=(3, 2, 1))
    assert result.tasks.tolist() == [[x, y, 0] for y in range(2) for x in range(3)]


@pytest.mark.parametrize("block", BLOCKS)
def test_an_emission_in_a_branch_that_thread_0_does_not_take_has_no_effect(block: tuple[int, int, int]) -> None:
    others = f"UIF SV[4].xxxx\n{EMIT}\nENDIF"
    assert run(task(others, block), grid=(2, 1, 1)).tasks.tolist() == [[0, 0, 0]] * 2
    own = f"UIF SV[4].xxxx\nELSE\n{EMIT}\nENDIF"
    assert run(task(own, block), grid=(2, 1, 1)).tasks.tolist() == [[1, 2, 3]] * 2


def test_the_last_emission_of_thread_0_counts() -> None:
    loop = """MOV TEMP[0].x, IMM[0].xxxx
BGNLOOP
USGE TEMP[1].x, TEMP[0].xxxx, IMM[1].xxxx
UIF TEMP[1].xxxx
BRK
ENDIF
UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
EMIT_MESH_TASKS TEMP[0].xxxx
ENDLOOP"""
    assert run(task(loop)).tasks.tolist() == [[4, 4, 4]]


def test_an_emission_does_not_end_the_program() -> None:
    result = run(task(f"{EMIT}\nSTORE MEMORY[1], IMM[0].xxxx, IMM[1]"))
    assert result.payload[0, :16].view(np.uint32).tolist() == [4, 8, 16, 64]


def test_an_emission_after_a_return_of_thread_0_has_no_effect() -> None:
    assert run(task(f"UIF SV[4].xxxx\nELSE\nRET\nENDIF\n{EMIT}")).tasks.tolist() == [[0, 0, 0]]


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("IMM[2].xyyy", "65535 x 65536 x 65536, an axis has at most 65535"),
        ("IMM[2].wwww", "4294967295 x 4294967295 x 4294967295, an axis has at most 65535"),
        ("IMM[2].xzyy", "65535 x 300 x 65536, an axis has at most 65535"),
        ("IMM[2].zzzz", "300 x 300 x 300, 27000000 workgroups are more than 4194304"),
    ],
)
def test_too_many_workgroups_are_named_and_none_is_launched(source: str, fault: str) -> None:
    result = run(task(f"EMIT_MESH_TASKS {source}"), grid=(1, 2, 1))
    assert result.tasks.tolist() == [[0, 0, 0]] * 2
    assert result.faults == [f"workgroup (0, {y}, 0): EMIT_MESH_TASKS: {fault}: nothing is launched" for y in range(2)]


def test_the_largest_launches_are_allowed() -> None:
    most = run(
        task(
            "UMUL TEMP[0], IMM[1].wwww, IMM[1].wwww\nMOV TEMP[0].z, IMM[0].yyyy\nUDIV TEMP[0].y, TEMP[0].xxxx, IMM[1].xxxx\n"
            "EMIT_MESH_TASKS TEMP[0].xyzz"
        )
    )
    assert most.tasks.tolist() == [[4096, 1024, 1]]
    assert run(task("MOV TEMP[0], IMM[0].yyyy\nMOV TEMP[0].x, IMM[2].xxxx\nEMIT_MESH_TASKS TEMP[0]")).tasks.tolist() == [[65535, 1, 1]]


def test_no_workgroup_is_launched_along_an_empty_axis_however_long_the_others_are() -> None:
    result = run(task("MOV TEMP[0], IMM[2].xxxx\nMOV TEMP[0].y, IMM[0].xxxx\nEMIT_MESH_TASKS TEMP[0]"))
    assert result.tasks.tolist() == [[65535, 0, 65535]]
    assert result.faults == []


@pytest.mark.parametrize("block", BLOCKS)
def test_each_workgroup_has_a_payload_of_its_own_that_is_0_at_the_start(block: tuple[int, int, int]) -> None:
    body = "ATOMUADD TEMP[0].x, MEMORY[1], IMM[0].xxxx, IMM[0].yyyy\nATOMUADD TEMP[0].x, MEMORY[1], IMM[1].xxxx, SV[1].xxxx"
    threads = int(np.prod(block))
    found = run(task(body, block), grid=(5, 1, 1)).payload.view(np.uint32)
    assert found.shape == (5, 16)
    assert found[:, 0].tolist() == [threads] * 5
    assert found[:, 1].tolist() == [threads * number for number in range(5)]
    assert not found[:, 2:].any()


def test_words_outside_of_the_payload_read_0_and_are_not_written() -> None:
    body = "STORE MEMORY[1], IMM[1].yyyy, IMM[1]\nLOAD TEMP[0], MEMORY[1], IMM[1].xxxx\nSTORE MEMORY[1].x, IMM[0].xxxx, TEMP[0].zzzz"
    body += "\nRESQ TEMP[1].x, MEMORY[1]\nSTORE MEMORY[1].x, IMM[1].xxxx, TEMP[1].xxxx"
    assert run(task(body, payload=12), grid=(2, 1, 1)).payload.view(np.uint32).tolist() == [[0, 12, 4]] * 2


def test_a_payload_of_part_of_a_word_is_cut() -> None:
    result = run(task("STORE MEMORY[1], IMM[0].xxxx, IMM[2].wwww", payload=6))
    assert result.payload.tolist() == [[255] * 6]


def test_the_atomics_of_a_payload_give_each_thread_the_word_before() -> None:
    body = """ATOMUADD TEMP[0].x, MEMORY[1], IMM[0].xxxx, IMM[0].yyyy
UMUL TEMP[1].x, TEMP[0].xxxx, IMM[1].xxxx
UADD TEMP[1].x, TEMP[1].xxxx, IMM[1].xxxx
STORE MEMORY[1].x, TEMP[1].xxxx, SV[4].xxxx"""
    assert run(task(body, (8, 1, 1)), grid=(2, 1, 1)).payload.view(np.uint32)[:, :9].tolist() == [[8, *range(8)]] * 2


@pytest.mark.parametrize("block", BLOCKS)
def test_a_barrier_orders_shared_memory_and_payload(block: tuple[int, int, int]) -> None:
    threads = int(np.prod(block))
    body = """UMUL TEMP[0].x, SV[4].xxxx, IMM[1].xxxx
UADD TEMP[1].x, SV[4].xxxx, SV[1].xxxx
STORE MEMORY[0].x, TEMP[0].xxxx, TEMP[1].xxxx
BARRIER
UMUL TEMP[2].x, SV[3].xxxx, SV[3].yyyy
UMUL TEMP[2].x, TEMP[2].xxxx, SV[3].zzzz
UADD TEMP[2].x, TEMP[2].xxxx, IMM[2].wwww
UADD TEMP[2].x, TEMP[2].xxxx, -SV[4].xxxx
UMUL TEMP[2].x, TEMP[2].xxxx, IMM[1].xxxx
LOAD TEMP[3].x, MEMORY[0], TEMP[2].xxxx
STORE MEMORY[1].x, TEMP[0].xxxx, TEMP[3].xxxx
BARRIER
LOAD TEMP[4].x, MEMORY[1], IMM[0].xxxx
MOV TEMP[4].yz, IMM[0].yyyy
EMIT_MESH_TASKS TEMP[4]"""
    result = run(task(body, block, payload=4 * threads, shared=4 * threads), grid=(3, 1, 1))
    assert result.payload.view(np.uint32).tolist() == [[threads - 1 - k + group for k in range(threads)] for group in range(3)]
    assert result.tasks[:, 0].tolist() == [threads - 1 + group for group in range(3)]


def test_shared_memory_has_the_bytes_of_the_property() -> None:
    body = "RESQ TEMP[0].x, MEMORY[0]\nRESQ TEMP[0].y, MEMORY[1]\nMOV TEMP[0].y, TEMP[0].xxxx\nEMIT_MESH_TASKS TEMP[0].xyyy"
    assert run(task(body, shared=100)).tasks.tolist() == [[100, 100, 100]]


def test_the_number_of_the_draw_is_given() -> None:
    draws = np.full((4, 1), 7, np.uint32)
    assert run(task("EMIT_MESH_TASKS SV[5].xxxx"), system_values={"DRAWID": draws}).tasks.tolist() == [[7, 7, 7]]


def test_a_task_writes_buffers() -> None:
    text = task("UMUL TEMP[0].x, SV[4].xxxx, IMM[1].xxxx\nSTORE BUFFER[0].x, TEMP[0].xxxx, SV[4].xxxx").replace(
        "DCL ADDR", "DCL BUFFER[0]\nDCL ADDR", 1
    )
    assert run(text, buffers={0: [9] * 5}).buffers[0].view(np.uint32).tolist() == [0, 1, 2, 3, 9]


def test_arguments_of_other_stages_are_refused() -> None:
    program = tgsi.parse(task(EMIT))
    for given in ({"payload": b""}, {"block": (4, 1, 1)}, {"memory": {"GLOBAL": [0]}}):
        with pytest.raises(ValueError, match=f"{next(iter(given))} belongs to"):
            tgsi.run(program, **given)


def test_payloads_that_would_fill_the_memory_are_refused() -> None:
    with pytest.raises(ValueError, match="100000 blocks with 16384 bytes of payload each"):
        tgsi.run(tgsi.parse(task(EMIT, payload=16384)), grid=(100000, 1, 1))
