"""COMP: groups of threads, memory of every kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backends.interp.run import run
from backends.run.result import RunResult
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.text.parser import parse

# Programs, buffers and results of the scenes compute_* of ../shared/golden/render, measured on Mesa 18.1's softpipe.
SCENE_HEADER = """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 4
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL SV[2], GRID_SIZE
DCL SV[3], BLOCK_SIZE
DCL BUFFER[0]
DCL BUFFER[1]
DCL MEMORY[0], SHARED
DCL TEMP[0..7]
IMM[0] UINT32 {0, 1, 4, 16}
IMM[1] UINT32 {2, 3, 8, 64}
UMAD TEMP[0], SV[1], SV[3], SV[0]
"""
ATOMIC_SCENE = """UMUL TEMP[1].x, TEMP[0].xxxx, IMM[0].zzzz
UMAD TEMP[4].x, TEMP[0].xxxx, IMM[1].yyyy, IMM[0].yyyy
AND TEMP[5].x, TEMP[0].xxxx, IMM[0].yyyy
UMUL TEMP[5].x, TEMP[5].xxxx, IMM[0].zzzz
{atomic}
STORE BUFFER[0].x, TEMP[1].xxxx, TEMP[2].xxxx
END
"""
OUTSIDE_SCENE = """UMUL TEMP[1].x, TEMP[0].xxxx, IMM[0].wwww
LOAD TEMP[2], BUFFER[1], TEMP[1].xxxx
UADD TEMP[2], TEMP[2], IMM[1]
STORE BUFFER[0].xyz, TEMP[1].xxxx, TEMP[2]
RESQ TEMP[3].x, BUFFER[1]
STORE BUFFER[0].x, TEMP[1].xxxx, TEMP[3]
END
"""
BIG = 0xFFFFFFF0


def _scene(body: str, buffers: dict[int, Any]) -> RunResult:
    return run(parse(SCENE_HEADER + body), grid=(2, 1, 1), buffers={k: np.array(v, np.uint32) for k, v in buffers.items()})


def _words(result: RunResult, number: int) -> Any:
    return result.buffers[number].view(np.uint32).tolist()


@pytest.mark.parametrize(
    ("atomic", "seen", "left"),
    [
        ("ATOMCAS", [8, BIG, 1, BIG, 1, BIG, 1, BIG], [1, BIG, 7, 9]),
        ("ATOMIMIN", [8, BIG, 1, BIG, 1, BIG, 1, BIG], [1, BIG, 7, 9]),
        ("ATOMUADD", [8, BIG, 9, 0xFFFFFFF4, 16, 0xFFFFFFFE, 29, 14], [48, 36, 7, 9]),
        ("ATOMUMAX", [8, BIG, 8, BIG, 8, BIG, 13, BIG], [19, BIG, 7, 9]),
        ("ATOMXCHG", [8, BIG, 1, 4, 7, 10, 13, 16], [19, 22, 7, 9]),
        ("ATOMXOR", [8, BIG, 9, 0xFFFFFFF4, 14, 0xFFFFFFFE, 3, 0xFFFFFFEE], [16, 0xFFFFFFF8, 7, 9]),
    ],
)
def test_atomics_of_a_grid_equal_the_measured_scenes(atomic: str, seen: list[int], left: list[int]) -> None:
    compared = ", IMM[1].zzzz" if atomic == "ATOMCAS" else ""
    text = ATOMIC_SCENE.format(atomic=f"{atomic} TEMP[2].x, BUFFER[1], TEMP[5].xxxx{compared}, TEMP[4].xxxx")
    result = _scene(text, {0: [0] * 8, 1: [8, BIG, 7, 9]})
    assert _words(result, 0) == seen
    assert _words(result, 1) == left


def test_loads_and_stores_outside_equal_the_measured_scene() -> None:
    result = _scene(OUTSIDE_SCENE, {0: [0xEEEEEEEE] * 24, 1: list(range(1, 60, 3))})
    rows = ((7, 15), (19, 27), (31, 39), (43, 51), (55, 63), (3, 8))
    assert np.reshape(_words(result, 0), (6, 4)).tolist() == [[80, low, high, 0xEEEEEEEE] for low, high in rows]
    assert _words(result, 1) == list(range(1, 60, 3))


HEADER = """COMP
DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL SV[2], GRID_SIZE
DCL SV[3], BLOCK_SIZE
DCL BUFFER[0]
DCL CONST[1][0..1]
DCL MEMORY[0], SHARED
DCL MEMORY[1], PRIVATE
DCL MEMORY[2], GLOBAL
DCL MEMORY[3], INPUT
DCL HWATOMIC[0][0]
DCL HWATOMIC[1][0..3]
DCL TEMP[0..7]
DCL ADDR[0]
IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] UINT32 {4, 8, 5, 4294967295}
UMAD TEMP[0].x, SV[1].xxxx, SV[3].xxxx, SV[0].xxxx
SHL TEMP[0].y, TEMP[0].xxxx, IMM[0].zzzz
SHL TEMP[0].z, SV[0].xxxx, IMM[0].zzzz
"""
# TEMP[0]: number of the thread in the grid, 4 * that, 4 * the number in the block


def _compute(body: str, grid: int, block: int, **options: Any) -> RunResult:
    options.setdefault("buffers", {0: [0] * (grid * block)})
    return run(parse(f"{HEADER}{body}\nEND\n"), grid=(grid, 1, 1), block=(block, 1, 1), **options)


def test_threads_and_blocks_count_x_first() -> None:
    body = """UMAD TEMP[1].x, SV[0].zzzz, SV[3].yyyy, SV[0].yyyy
UMAD TEMP[1].x, TEMP[1].xxxx, SV[3].xxxx, SV[0].xxxx
UMUL TEMP[2].x, SV[3].xxxx, SV[3].yyyy
UMUL TEMP[2].x, TEMP[2].xxxx, SV[3].zzzz
UMAD TEMP[3].x, SV[1].zzzz, SV[2].yyyy, SV[1].yyyy
UMAD TEMP[3].x, TEMP[3].xxxx, SV[2].xxxx, SV[1].xxxx
UMAD TEMP[1].x, TEMP[3].xxxx, TEMP[2].xxxx, TEMP[1].xxxx
SHL TEMP[2].x, TEMP[1].xxxx, IMM[0].zzzz
STORE BUFFER[0].x, TEMP[2].xxxx, TEMP[1].xxxx
END
"""
    count = 2 * 3 * 2 * 3 * 1 * 2
    result = run(parse(HEADER + body), grid=(2, 3, 2), block=(3, 1, 2), buffers={0: [7] * count})
    assert _words(result, 0) == list(range(count))
    assert result.outputs.shape == (count, 0, 4)
    assert result.alive.tolist() == [True] * count


def test_shared_memory_belongs_to_the_block_and_a_barrier_orders_it() -> None:
    body = """UADD TEMP[1].x, TEMP[0].xxxx, IMM[1].xxxx
STORE MEMORY[0].x, TEMP[0].zzzz, TEMP[1].xxxx
BARRIER
UADD TEMP[2].x, SV[3].xxxx, -SV[0].xxxx
UADD TEMP[2].x, TEMP[2].xxxx, IMM[1].wwww
SHL TEMP[2].x, TEMP[2].xxxx, IMM[0].zzzz
LOAD TEMP[3].x, MEMORY[0], TEMP[2].xxxx
STORE BUFFER[0].x, TEMP[0].yyyy, TEMP[3].xxxx"""
    assert _words(_compute(body, 2, 6), 0) == [9, 8, 7, 6, 5, 4, 15, 14, 13, 12, 11, 10]


def test_memory_without_a_declaration_is_shared() -> None:
    body = "ATOMUADD TEMP[1].x, MEMORY[7], IMM[0].xxxx, IMM[0].yyyy\nSTORE BUFFER[0].x, TEMP[0].yyyy, TEMP[1].xxxx"
    assert _words(_compute(body, 2, 3), 0) == [0, 1, 2, 0, 1, 2]


def test_private_memory_belongs_to_the_invocation_and_starts_at_0() -> None:
    body = """ATOMUADD TEMP[1].x, MEMORY[1], IMM[0].xxxx, TEMP[0].xxxx
ATOMUADD TEMP[2].x, MEMORY[1], IMM[0].xxxx, IMM[0].yyyy
UADD TEMP[1].x, TEMP[1].xxxx, TEMP[2].xxxx
STORE BUFFER[0].x, TEMP[0].yyyy, TEMP[1].xxxx"""
    assert _words(_compute(body, 2, 3), 0) == [0, 1, 2, 3, 4, 5]


def test_global_and_input_memory_are_of_the_grid_and_come_back() -> None:
    body = """LOAD TEMP[1].x, MEMORY[3], TEMP[0].zzzz
ATOMUADD TEMP[2].x, MEMORY[2], IMM[1].xxxx, TEMP[1].xxxx
STORE BUFFER[0].x, TEMP[0].yyyy, TEMP[2].xxxx"""
    given = np.array([5, 6], np.uint32)
    result = _compute(body, 2, 2, memory={"INPUT": given, "GLOBAL": [1, 2, 3]})
    assert _words(result, 0) == [2, 7, 13, 18]
    assert result.memory["GLOBAL"].view(np.uint32).tolist() == [1, 24, 3]
    assert result.memory["INPUT"].view(np.uint32).tolist() == given.tolist() == [5, 6]


@pytest.mark.parametrize("memory", [0, 1, 2, 3])
def test_memory_outside_of_its_words_reads_0_and_keeps_nothing(memory: int) -> None:
    body = f"""STORE MEMORY[{memory}], IMM[1].xxxx, IMM[1]
STORE MEMORY[{memory}], IMM[1].wwww, IMM[1]
LOAD TEMP[1], MEMORY[{memory}], IMM[0].xxxx
STORE BUFFER[0], IMM[0].xxxx, TEMP[1]
LOAD TEMP[1], MEMORY[{memory}], IMM[1].wwww
ATOMUADD TEMP[2].x, MEMORY[{memory}], IMM[1].wwww, IMM[0].yyyy
UADD TEMP[1].x, TEMP[1].xxxx, TEMP[2].xxxx
STORE BUFFER[0].x, IMM[0].xxxx, TEMP[1].xxxx
RESQ TEMP[3], MEMORY[{memory}]
UMUL TEMP[3].y, TEMP[3].xxxx, TEMP[0].xxxx"""
    sizes = {"shared_memory": 12, "memory": {"GLOBAL": [0, 0, 0], "INPUT": [0, 0, 0]}}
    result = _compute(body, 1, 1, buffers={0: [9] * 4}, **sizes)
    assert _words(result, 0) == [0, 4, 8, 0]


def test_size_of_memory_is_in_bytes() -> None:
    body = """RESQ TEMP[1], MEMORY[0]
STORE BUFFER[0], IMM[0].xxxx, TEMP[1]
RESQ TEMP[1], HWATOMIC[1][2]
UADD TEMP[1], TEMP[1], IMM[0].xxxx
STORE BUFFER[0].x, IMM[1].xxxx, TEMP[1]"""
    assert _words(_compute(body, 1, 1, buffers={0: [9] * 4}, shared_memory=400, counters={1: [0] * 6}), 0) == [400, 24, 0, 0]


def test_memory_that_was_not_given_has_no_words() -> None:
    body = "STORE MEMORY[2].x, IMM[0].xxxx, IMM[0].yyyy\nLOAD TEMP[1].x, MEMORY[2], IMM[0].xxxx\nSTORE BUFFER[0].x, IMM[0].xxxx, TEMP[1]"
    assert _words(_compute(body, 1, 1, buffers={0: [9]}), 0) == [0]


def test_counters_are_words_of_numbered_buffers_whatever_the_address_is() -> None:
    body = """ATOMUADD TEMP[1].x, HWATOMIC[0][0], IMM[0].xxxx, IMM[0].yyyy
UARL ADDR[0].x, SV[0].xxxx
ATOMUADD TEMP[2].x, HWATOMIC[1][ADDR[0].x+1], IMM[1].xxxx, IMM[0].zzzz
UMAD TEMP[1].x, TEMP[2].xxxx, IMM[1].yyyy, TEMP[1].xxxx
STORE BUFFER[0].x, TEMP[0].yyyy, TEMP[1].xxxx"""
    result = _compute(body, 1, 4, counters={0: [10], 1: [0, 1, 2, 3, 4]})
    assert result.counters[0].tolist() == [14]
    assert result.counters[1].tolist() == [0, 3, 4, 5, 6]
    assert _words(result, 0) == [10 + 8 * 1, 11 + 8 * 2, 12 + 8 * 3, 13 + 8 * 4]


def test_a_counter_before_the_first_can_be_reached_by_an_address_behind_it() -> None:
    body = """UADD TEMP[1].x, SV[0].xxxx, IMM[1].wwww
UARL ADDR[0].x, TEMP[1].xxxx
LOAD TEMP[2], HWATOMIC[1][ADDR[0].x], IMM[0].xxxx
STORE BUFFER[0].x, TEMP[0].yyyy, TEMP[2].yyyy"""
    assert _words(_compute(body, 1, 3, counters={1: [7, 8]}), 0) == [7, 8, 0]


def test_buffer_and_memory_numbers_may_differ_between_lanes() -> None:
    body = """STORE MEMORY[0].x, IMM[0].xxxx, IMM[1].xxxx
STORE MEMORY[1].x, IMM[0].xxxx, IMM[1].yyyy
UARL ADDR[0].x, SV[0].xxxx
LOAD TEMP[1].x, MEMORY[ADDR[0].x], IMM[0].xxxx
LOAD TEMP[2].x, BUFFER[ADDR[0].x], IMM[1].xxxx
UMAD TEMP[1].x, TEMP[2].xxxx, IMM[1].zzzz, TEMP[1].xxxx
STORE BUFFER[0].x, TEMP[0].yyyy, TEMP[1].xxxx"""
    result = _compute(body, 1, 4, memory={"GLOBAL": [6]}, buffers={0: [0, 2, 0, 0], 1: [0, 3]})
    assert _words(result, 0) == [4 + 10, 8 + 15, 6, 0]


def test_constant_buffers_are_read_as_bytes_and_never_change() -> None:
    given = np.arange(8, dtype=np.uint32).reshape(2, 4)
    body = "LOAD TEMP[1].x, CONSTBUF[1], IMM[1].yyyy\nSTORE BUFFER[0].x, IMM[0].xxxx, TEMP[1]"
    assert _words(_compute(body, 1, 1, buffers={0: [9]}, constants={1: given}), 0) == [2]
    with pytest.raises(UnsupportedError, match="ATOMUADD on CONSTBUF"):
        _compute("ATOMUADD TEMP[1].x, CONSTBUF[1], IMM[0].xxxx, IMM[0].yyyy", 1, 1, constants={1: given})


def test_shared_memory_belongs_to_compute_programs() -> None:
    text = "VERT\nDCL OUT[0], POSITION\nDCL MEMORY[0], SHARED\nIMM[0] UINT32 {0, 0, 0, 0}\nLOAD OUT[0], MEMORY[0], IMM[0].xxxx\nEND\n"
    with pytest.raises(UnsupportedError, match="MEMORY registers in VERT"):
        run(parse(text))


def test_an_empty_grid_does_nothing() -> None:
    assert _words(_compute("STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy", 0, 3, buffers={0: [9]}), 0) == [9]


def test_derivatives_and_subgroups_take_four_threads_and_ignore_the_filling() -> None:
    body = """BALLOT TEMP[1].x, IMM[0].yyyy
STORE BUFFER[0].x, TEMP[0].yyyy, TEMP[1].xxxx"""
    assert _words(_compute(body, 2, 6), 0) == [15, 15, 15, 15, 3, 3] * 2


def test_a_barrier_that_some_threads_never_reach_does_not_hang() -> None:
    body = "UIF SV[0].xxxx\nBARRIER\nENDIF\nSTORE BUFFER[0].x, TEMP[0].yyyy, IMM[0].yyyy"
    assert _words(_compute(body, 1, 3), 0) == [1, 1, 1]
