"""Geometry, tessellation and memory in compiled code agree with the interpreter for every number of lanes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tgsi
from backends.run.result import RunResult
from tgsi.language.program import Program

pytestmark = pytest.mark.light

LANES = (4, 8, 16, 32, 64)


def _both(program: Program, *inputs: Any, lanes: int, **options: Any) -> RunResult:
    result = tgsi.run(program, *inputs, engine="jit", lanes=lanes, **options)
    want = tgsi.run(program, *inputs, engine="interp", **options)
    assert np.array_equal(result.outputs, want.outputs)
    assert [stream.tolist() for stream in result.emitted] == [stream.tolist() for stream in want.emitted]
    assert [lengths.tolist() for lengths in result.strips] == [lengths.tolist() for lengths in want.strips]
    for name in ("buffers", "counters", "memory"):
        mine, other = getattr(result, name), getattr(want, name)
        assert mine.keys() == other.keys()
        assert all(np.array_equal(mine[k], other[k]) for k in mine)
    return result


# -- geometry -----------------------------------------------------------------------------------------------------------
GEOMETRY = """GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE LINE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES {limit}
PROPERTY GS_INVOCATIONS 2
DCL IN[][0..1], GENERIC[0]
DCL SV[0], INVOCATIONID
DCL SV[1], PRIM_ID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL TEMP[0..3]
DCL ADDR[0..1]
IMM[0] UINT32 {{0, 1, 2, 3}}
IMM[1] INT32 {{-1, 5, 7, 4}}
{body}
END
"""


def _geometry(body: str, primitives: int, lanes: int, limit: int = 8) -> RunResult:
    inputs = np.arange(primitives * 24, dtype=np.uint32).reshape(primitives, 3, 2, 4)
    return _both(tgsi.parse(GEOMETRY.format(limit=limit, body=body)), inputs, lanes=lanes)


COUNTING = """USNE TEMP[1].x, SV[1].xxxx, SV[1].xxxx
BGNLOOP
USGE TEMP[2].x, TEMP[1].xxxx, SV[1].xxxx
UIF TEMP[2].xxxx
BRK
ENDIF
UARL ADDR[0].x, TEMP[1].xxxx
MOV OUT[0], IN[ADDR[0].x][1]
MOV OUT[1], TEMP[1].xxxx
AND TEMP[3].x, TEMP[1].xxxx, IMM[0].yyyy
UMUL TEMP[3].x, TEMP[3].xxxx, SV[0].xxxx
EMIT TEMP[3].xxxx
AND TEMP[3].y, TEMP[1].xxxx, IMM[0].zzzz
UIF TEMP[3].yyyy
ENDPRIM TEMP[3].xxxx
ENDIF
UADD TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy
ENDLOOP"""


@pytest.mark.parametrize("lanes", LANES)
def test_lanes_emit_as_many_vertices_as_they_like(lanes: int) -> None:
    result = _geometry(COUNTING, 13, lanes)
    even, odd = (list(range(0, 8, 2)), list(range(1, 8, 2)))
    want = [value for primitive in range(13) for value in (*range(min(primitive, 8)), *(v for v in even if v < primitive))]
    assert result.emitted[0][:, 1, 0].tolist() == want
    assert result.emitted[1][:, 1, 0].tolist() == [v for primitive in range(13) for v in odd if v < primitive]


@pytest.mark.parametrize("lanes", LANES)
def test_what_passes_the_limit_or_has_no_stream_vanishes(lanes: int) -> None:
    body = "MOV OUT[0], IN[2][0]\nEMIT IMM[1].xxxx\nEMIT IMM[1].wwww\n" + "EMIT IMM[0].wwww\n" * 2 + "EMIT IMM[0].xxxx\n" * 3
    result = _geometry(body, 5, lanes, limit=3)
    assert [len(stream) for stream in result.emitted] == [10, 0, 0, 20]
    assert [list(lengths) for lengths in result.strips] == [[1] * 10, [], [], [2] * 10]


@pytest.mark.parametrize("lanes", LANES)
def test_both_indices_are_checked_lane_by_lane(lanes: int) -> None:
    body = """UADD TEMP[0].x, SV[1].xxxx, IMM[1].xxxx
UARL ADDR[0].x, TEMP[0].xxxx
UADD TEMP[0].y, SV[0].xxxx, SV[1].xxxx
UARL ADDR[1].x, TEMP[0].yyyy
MOV OUT[0], IN[ADDR[0].x][ADDR[1].x-1]
EMIT IMM[0].xxxx"""
    result = _geometry(body, 6, lanes)
    want = [8 * (3 * p + p - 1) + 4 * (p + k - 1) if 0 <= p - 1 < 3 and 0 <= p + k - 1 < 2 else 0 for p in range(6) for k in range(2)]
    assert result.emitted[0][:, 0, 0].tolist() == want


# -- tessellation -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("lanes", LANES)
def test_evaluation_reads_patches_and_vertices(lanes: int) -> None:
    text = """TESS_EVAL
DCL IN[][0], GENERIC[0]
DCL IN[1], PATCH[0]
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL ADDR[0]
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[0], IN[ADDR[0].x][0]
MOV OUT[1], IN[1]
END
"""
    inputs = np.arange(3 * 5 * 2 * 4, dtype=np.uint32).reshape(3, 5, 2, 4)
    coordinates = np.arange(21, dtype=np.uint32) % 7
    result = _both(tgsi.parse(text), inputs, lanes=lanes, system_values={"TESSCOORD": coordinates})
    patch = np.arange(21) // 7
    vertex = np.minimum(coordinates, 4)
    assert np.array_equal(result.outputs[:, 0], np.where((coordinates < 5)[:, None], inputs[patch, vertex, 0], 0))
    assert np.array_equal(result.outputs[:, 1], inputs[patch, 0, 1])


@pytest.mark.parametrize("lanes", LANES)
def test_writes_outside_of_a_patch_vanish(lanes: int) -> None:
    text = """TESS_CTRL
PROPERTY TCS_VERTICES_OUT 3
DCL IN[][0], GENERIC[0]
DCL OUT[][0..1], GENERIC[0]
DCL OUT[2], TESSOUTER
DCL SV[0], INVOCATIONID
DCL ADDR[0]
IMM[0] UINT32 {1, 2, 3, 4}
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[ADDR[0].x+1][ADDR[0].x], IN[ADDR[0].x+1][0]
MOV OUT[ADDR[0].x-1][1].y, IMM[0].zzzz
MOV OUT[2], SV[0].xxxx
END
"""
    inputs = np.arange(1, 1 + 7 * 2 * 4, dtype=np.uint32).reshape(7, 2, 1, 4)
    outputs = _both(tgsi.parse(text), inputs, lanes=lanes).outputs.reshape(7, 3, 3, 4)
    assert np.array_equal(outputs[:, 1, 0], inputs[:, 1, 0])
    assert (outputs[:, 0, 1] == [0, 3, 0, 0]).all()
    assert (outputs[:, :, 2] == 2).all()


# -- memory -------------------------------------------------------------------------------------------------------------
MEMORY = """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 6
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL BUFFER[0..1]
DCL BUFFER[31]
DCL CONSTBUF[0]
DCL HWATOMIC[0][0..3]
DCL HWATOMIC[1][0..3]
DCL MEMORY[0], SHARED
DCL MEMORY[1], PRIVATE
DCL MEMORY[2], GLOBAL
DCL MEMORY[3], INPUT
DCL CONST[0][0..1]
DCL TEMP[0..7]
DCL ADDR[0..1]
IMM[0] UINT32 {{0, 1, 4, 24}}
IMM[1] INT32 {{-1, -4, 100, 2147483647}}
UMAD TEMP[0].x, SV[1].xxxx, IMM[0].wwww, SV[0].xxxx
UMUL TEMP[0].y, SV[0].xxxx, IMM[0].zzzz
UMUL TEMP[0].z, TEMP[0].xxxx, IMM[0].zzzz
UARL ADDR[0].x, SV[0].xxxx
{body}
END
"""


def _memory(body: str, lanes: int) -> RunResult:
    return _both(
        tgsi.parse(MEMORY.format(body=body)),
        lanes=lanes,
        grid=(2, 1, 1),
        shared_memory=64,
        buffers={0: np.zeros(4 * 32, np.uint32), 1: np.arange(5, dtype=np.uint32)},
        constants={0: np.arange(8, dtype=np.uint32).reshape(2, 4) + 50},
        counters={0: [1, 2, 3], 1: [10, 20]},
        memory={"GLOBAL": np.arange(7), "INPUT": [5, 6]},
    )


_SEEN = "UMUL TEMP[7].x, TEMP[0].xxxx, IMM[0].zzzz\nUMUL TEMP[7].x, TEMP[7].xxxx, IMM[0].yyyy\nSTORE BUFFER[0], TEMP[7].xxxx, TEMP[1]"


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize(
    "body",
    [
        "LOAD TEMP[1], MEMORY[ADDR[0].x], TEMP[0].yyyy",
        "STORE MEMORY[ADDR[0].x].xz, IMM[0].zzzz, TEMP[0]\nLOAD TEMP[1], MEMORY[ADDR[0].x], IMM[0].xxxx",
        "ATOMUADD TEMP[1].x, MEMORY[2], IMM[0].zzzz, IMM[0].yyyy\nRESQ TEMP[1].y, MEMORY[1]\nRESQ TEMP[1].z, MEMORY[ADDR[0].x]",
        "ATOMUADD TEMP[1].x, HWATOMIC[0][1], IMM[0].xxxx, IMM[0].yyyy",
        "UARL ADDR[1].x, IMM[1].xxxx\nATOMCAS TEMP[1].x, HWATOMIC[ADDR[0].x][ADDR[1].x+1], IMM[0].xxxx, IMM[0].yyyy, TEMP[0].zzzz",
        "LOAD TEMP[1], HWATOMIC[ADDR[0].x-2][0], IMM[0].xxxx\nRESQ TEMP[1].w, HWATOMIC[1][0]",
        "UARL ADDR[1].x, IMM[1].xxxx\nLOAD TEMP[1], HWATOMIC[0][ADDR[1].x], IMM[0].xxxx",
        "LOAD TEMP[1].yzw, CONSTBUF[0].wzyx, TEMP[0].yyyy\nRESQ TEMP[1].x, CONSTBUF[ADDR[0].x]",
        "LOAD TEMP[1], BUFFER[1], IMM[1].yyyy\nLOAD TEMP[2], BUFFER[ADDR[0].x], TEMP[0].yyyy\nUADD TEMP[1], TEMP[1], TEMP[2]",
        "STORE BUFFER[31].x, IMM[0].xxxx, TEMP[0]\nSTORE BUFFER[0].w, IMM[1].wwww, TEMP[0]\nLOAD TEMP[1], BUFFER[31], IMM[0].xxxx",
        "UIF SV[0].xxxx\nSTORE MEMORY[2].x, TEMP[0].yyyy, IMM[1].xxxx\nRET\nENDIF\nLOAD TEMP[1], MEMORY[2], TEMP[0].yyyy",
    ],
)
def test_memory_of_every_kind(body: str, lanes: int) -> None:
    _memory(f"{body}\n{_SEEN}", lanes)


@pytest.mark.parametrize("lanes", [16, 32, 64])
def test_the_highest_of_lanes_that_race_has_the_last_word(lanes: int) -> None:
    body = "STORE BUFFER[1].x, IMM[0].xxxx, TEMP[0]\nSTORE BUFFER[1].yz, IMM[0].zzzz, TEMP[0]\nLOAD TEMP[1], BUFFER[1], IMM[0].xxxx\n"
    assert _memory(body + _SEEN, lanes).buffers[1].view(np.uint32).tolist() == [29, 1, 20, 116, 4]


@pytest.mark.parametrize("lanes", LANES)
def test_memory_of_a_thread_and_of_a_block(lanes: int) -> None:
    body = "STORE MEMORY[1].x, IMM[0].zzzz, TEMP[0]\nATOMUADD TEMP[2].x, MEMORY[0], IMM[0].xxxx, IMM[0].yyyy\nBARRIER\n"
    body += "LOAD TEMP[1].x, MEMORY[1], IMM[0].zzzz\nLOAD TEMP[1].y, MEMORY[0].xxxx, IMM[0].xxxx\nMOV TEMP[1].z, TEMP[2].xxxx\n"
    seen = _memory(body + _SEEN.replace("IMM[0].yyyy", "IMM[0].zzzz"), lanes).buffers[0].view(np.uint32).reshape(-1, 4)
    threads = [24 * block + thread for block in range(2) for thread in range(6)]
    assert seen[threads[:6]].tolist() == [[thread, 6, thread, 0] for thread in range(6)]
    assert seen[threads[6:8]].tolist() == [[24, 6, 0, 0], [25, 6, 1, 0]]
