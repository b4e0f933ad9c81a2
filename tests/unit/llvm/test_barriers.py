"""The vectors of a group stop and continue together at barriers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.llvm.kernels.stages import build_run_kernel
from backends.llvm.program.plan import plan_of
from backends.run.result import RunResult

pytestmark = pytest.mark.light

LANES = (4, 8, 16, 32, 64)

HEADER = """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH {threads}
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL SV[2], BLOCK_SIZE
DCL BUFFER[0]
DCL BUFFER[1]
DCL MEMORY[0], SHARED
DCL MEMORY[1], PRIVATE
DCL CONST[0]
DCL TEMP[0..7]
DCL TEMP[8..11], ARRAY(1)
DCL ADDR[0]
IMM[0] UINT32 {{0, 1, 4, 2}}
IMM[1] UINT32 {{3, 8, 16, 100}}
UMUL TEMP[0].x, SV[0].xxxx, IMM[0].zzzz
UMAD TEMP[0].y, SV[1].xxxx, SV[2].xxxx, SV[0].xxxx
UMUL TEMP[0].z, TEMP[0].yyyy, IMM[0].zzzz
"""
STORE = "STORE BUFFER[0].x, TEMP[0].zzzz, TEMP[1].xxxx\nEND\n"


def _run(body: str, threads: int, lanes: int, blocks: int = 1, **options: Any) -> RunResult:
    program = tgsi.parse(HEADER.format(threads=threads) + body)
    buffers = {0: np.zeros(threads * blocks, np.uint32), **options.pop("buffers", {})}
    given: dict[str, Any] = {"grid": (blocks, 1, 1), "buffers": buffers, **options}
    result = tgsi.run(program, engine="jit", lanes=lanes, **given)
    want = tgsi.run(program, engine="interp", **given)
    assert all(np.array_equal(result.buffers[number], want.buffers[number]) for number in buffers)
    return result


def _words(result: RunResult) -> list[int]:
    words: list[int] = result.buffers[0].view(np.uint32).tolist()
    return words


REVERSE = f"""STORE MEMORY[0].x, TEMP[0].xxxx, TEMP[0].yyyy
BARRIER
USNE TEMP[2].x, SV[0].xxxx, SV[0].xxxx
UADD TEMP[2].x, SV[2].xxxx, -SV[0].xxxx
UADD TEMP[2].x, TEMP[2].xxxx, -IMM[0].yyyy
UMUL TEMP[2].x, TEMP[2].xxxx, IMM[0].zzzz
LOAD TEMP[1].x, MEMORY[0], TEMP[2].xxxx
{STORE}"""


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("threads", [3, 20, 64, 100])
def test_shared_memory_is_seen_behind_a_barrier(threads: int, lanes: int) -> None:
    result = _run(REVERSE, threads, lanes, blocks=3)
    assert _words(result) == [block * threads + threads - 1 - thread for block in range(3) for thread in range(threads)]


SUM = f"""STORE MEMORY[0].x, TEMP[0].xxxx, TEMP[0].yyyy
LOAD TEMP[2].x, BUFFER[1], IMM[0].xxxx
BGNLOOP
USEQ TEMP[3].x, TEMP[2].xxxx, IMM[0].xxxx
UIF TEMP[3].xxxx
BRK
ENDIF
BARRIER
USLT TEMP[3].x, SV[0].xxxx, TEMP[2].xxxx
UIF TEMP[3].xxxx
UADD TEMP[4].x, SV[0].xxxx, TEMP[2].xxxx
UMUL TEMP[4].x, TEMP[4].xxxx, IMM[0].zzzz
LOAD TEMP[5].x, MEMORY[0], TEMP[4].xxxx
LOAD TEMP[6].x, MEMORY[0], TEMP[0].xxxx
UADD TEMP[6].x, TEMP[6].xxxx, TEMP[5].xxxx
STORE MEMORY[0].x, TEMP[0].xxxx, TEMP[6].xxxx
ENDIF
USHR TEMP[2].x, TEMP[2].xxxx, IMM[0].yyyy
ENDLOOP
BARRIER
LOAD TEMP[1].x, MEMORY[0], IMM[0].xxxx
{STORE}"""


@pytest.mark.parametrize("lanes", LANES)
def test_barriers_in_loops_that_are_not_provably_uniform(lanes: int) -> None:
    result = _run(SUM, 64, lanes, blocks=2, buffers={1: np.array([32], np.uint32)})
    assert _words(result) == [sum(range(64))] * 64 + [sum(range(64, 128))] * 64


NESTED = f"""LOAD TEMP[2].x, BUFFER[1], IMM[0].xxxx
MOV TEMP[3].x, IMM[0].xxxx
BGNLOOP
USGE TEMP[4].x, TEMP[3].xxxx, TEMP[2].xxxx
UIF TEMP[4].xxxx
BRK
ENDIF
UADD TEMP[3].x, TEMP[3].xxxx, IMM[0].yyyy
SWITCH TEMP[3].xxxx
CASE IMM[0].yyyy
CAL :80
BRK
CASE IMM[0].wwww
CAL :80
DEFAULT
UADD TEMP[1].x, TEMP[1].xxxx, IMM[1].wwww
ENDSWITCH
UIF TEMP[2].xxxx
CAL :80
ELSE
MOV TEMP[1].x, IMM[0].xxxx
ENDIF
ENDLOOP
{STORE.removesuffix("END" + chr(10))}END
BGNSUB
UMAD TEMP[5].x, TEMP[1].xxxx, IMM[1].xxxx, TEMP[0].yyyy
STORE MEMORY[0].x, TEMP[0].xxxx, TEMP[5].xxxx
BARRIER
XOR TEMP[5].x, SV[0].xxxx, IMM[1].yyyy
UMUL TEMP[5].x, TEMP[5].xxxx, IMM[0].zzzz
LOAD TEMP[1].x, MEMORY[0], TEMP[5].xxxx
BARRIER
ENDSUB
"""


@pytest.mark.parametrize("lanes", LANES)
def test_barriers_in_switches_and_subroutines(lanes: int) -> None:
    lines = NESTED.splitlines()
    body = NESTED.replace(":80", f":{lines.index('BGNSUB') + 3}")
    _run(body, 16, lanes, blocks=2, buffers={1: np.array([3], np.uint32)})


KEPT = f"""UARL ADDR[0].x, IMM[0].yyyy
MOV TEMP[ADDR[0].x+8](1), TEMP[0]
STORE MEMORY[1].x, IMM[1].yyyy, TEMP[0].yyyy
STORE MEMORY[0].x, TEMP[0].xxxx, TEMP[0].yyyy
BARRIER
LOAD TEMP[2].x, MEMORY[1], IMM[1].yyyy
UADD TEMP[1].x, TEMP[ADDR[0].x+8].yyyy, TEMP[2].xxxx
UADD TEMP[1].x, TEMP[1].xxxx, TEMP[10].xxxx
{STORE}"""


@pytest.mark.parametrize("lanes", LANES)
def test_arrays_and_private_memory_outlive_barriers(lanes: int) -> None:
    assert _words(_run(KEPT, 24, lanes, blocks=3, shared_memory=256)) == [2 * number for number in range(72)]


@pytest.mark.parametrize("lanes", LANES)
def test_threads_that_miss_a_barrier_are_not_waited_for(lanes: int) -> None:
    body = f"USLT TEMP[2].x, SV[0].xxxx, IMM[1].yyyy\nUIF TEMP[2].xxxx\nBARRIER\nBARRIER\nRET\nENDIF\nMOV TEMP[1].x, IMM[0].yyyy\n{STORE}"
    assert _words(_run(body, 64, lanes)) == [0] * 8 + [1] * 56


@pytest.mark.parametrize("lanes", LANES)
def test_endless_loops_of_barriers_run_out_of_fuel(lanes: int) -> None:
    body = f"BGNLOOP\nUADD TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy\nBARRIER\nENDLOOP\n{STORE}"
    assert _words(_run(body, 64, lanes, fuel=50)) == [50] * 64
    leaves = f"""BGNLOOP
UADD TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy
USGE TEMP[2].x, TEMP[1].xxxx, SV[0].xxxx
UIF TEMP[2].xxxx
BRK
ENDIF
BARRIER
ENDLOOP
{STORE}"""
    assert _words(_run(leaves, 64, lanes, fuel=50)) == [min(max(thread, 1), 50) for thread in range(64)]


def test_a_barrier_costs_nothing_where_no_thread_waits() -> None:
    text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n{}MOV OUT[0], IN[0]\nEND\n"
    with_barrier, without = (build_run_kernel(tgsi.parse(text.format(line)), 8).text() for line in ("BARRIER\n", ""))
    assert with_barrier == without


CONTROL = """TESS_CTRL
PROPERTY TCS_VERTICES_OUT {vertices}
DCL SV[0], INVOCATIONID
DCL IN[][0], GENERIC[0]
DCL OUT[][0], GENERIC[0]
DCL OUT[1], PATCH[0]
DCL TEMP[0..1]
DCL ADDR[0]
IMM[0] UINT32 {{1, {vertices}, 0, 0}}
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]
BARRIER
UADD TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
UMOD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
UARL ADDR[0].x, TEMP[0].xxxx
MOV TEMP[1], OUT[ADDR[0].x][0]
BARRIER
MOV OUT[0].yzw, TEMP[1]
UIF SV[0].xxxx
ELSE
MOV OUT[1], TEMP[1]
ENDIF
END
"""


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("vertices", [3, 9, 32])
def test_invocations_of_a_patch_see_each_others_outputs(vertices: int, lanes: int) -> None:
    given = np.arange(5 * vertices * 4, dtype=np.uint32).reshape(5, vertices, 1, 4)
    program = tgsi.parse(CONTROL.format(vertices=vertices))
    result, want = (tgsi.run(program, given, engine=engine, lanes=lanes) for engine in ("jit", "interp"))
    assert np.array_equal(result.outputs, want.outputs)
    neighbors = np.roll(given[:, :, 0], -1, axis=1)
    assert np.array_equal(result.outputs[:, 0, 1:].reshape(5, vertices, 3), neighbors[:, :, 1:])


CROSSING = [
    ("UADD TEMP[1].x, TEMP[0].xxxx, TEMP[0].yyyy\nMOV TEMP[0].w, TEMP[1].xxxx\nBARRIER\nMOV TEMP[2].x, TEMP[0].wwww\n", "0w 0z"),
    ("MOV TEMP[1].x, TEMP[0].xxxx\nBARRIER\nMOV TEMP[2].x, IMM[0].xxxx\nUADD TEMP[2].y, TEMP[2].xxxx, TEMP[1].xxxx\n", "0z 1x"),
    # a loop with a barrier: values used within a round do not cross it, loop-carried values do
    ("BGNLOOP\nMOV TEMP[1].x, TEMP[0].xxxx\nMOV TEMP[2].x, TEMP[1].xxxx\nBARRIER\nMOV TEMP[3].x, IMM[0].xxxx\n"
     "UADD TEMP[4].x, TEMP[4].xxxx, TEMP[3].xxxx\nUIF TEMP[4].xxxx\nBRK\nENDIF\nENDLOOP\n", "0x 0z 4x"),
    ("BGNLOOP\nBRK\nENDLOOP\nBARRIER\nBGNLOOP\nMOV TEMP[1].x, IMM[0].xxxx\nMOV TEMP[2].x, TEMP[1].xxxx\nBRK\nENDLOOP\n", "0z"),
    # lanes of the other arm run after the barrier
    ("MOV TEMP[1].x, TEMP[0].xxxx\nUIF SV[0].xxxx\nMOV TEMP[2].x, IMM[0].xxxx\nBARRIER\nMOV TEMP[2].y, TEMP[2].xxxx\nELSE\n"
     "MOV TEMP[3].x, TEMP[1].xxxx\nENDIF\n", "0z 1x 2x"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "wanted"), CROSSING)
def test_channels_with_accesses_on_both_sides_of_a_barrier_cross_it(body: str, wanted: str) -> None:
    text = HEADER.format(threads=16) + body + "STORE BUFFER[0].x, TEMP[0].zzzz, IMM[0].xxxx\nEND\n"
    found = plan_of(tgsi.parse(text)).flow.crossing
    assert " ".join(sorted(f"{register}{'xyzw'[channel]}" for _, register, channel in found)) == wanted


def test_only_what_crosses_a_barrier_is_kept() -> None:
    def kept(temporaries: int) -> int:
        head = HEADER.replace("DCL TEMP[0..7]\nDCL TEMP[8..11]", f"DCL TEMP[0..7]\nDCL TEMP[12..{12 + temporaries}]\nDCL TEMP[8..11]")
        chain = "".join(f"UADD TEMP[{13 + k}], TEMP[{12 + k}], TEMP[{12 + k}]\n" for k in range(temporaries))
        body = f"MOV TEMP[12], TEMP[0].xxxx\n{chain}STORE MEMORY[0].x, TEMP[0].xxxx, TEMP[{12 + temporaries}].xxxx\nBARRIER\n{STORE}"
        text = build_run_kernel(tgsi.parse(head.format(threads=16) + body), 8).text()
        return max(int(size) for size in re.findall(r"store i64 (\d+), ptr", text))

    assert kept(100) == kept(4)


@pytest.mark.parametrize("lanes", LANES)
def test_barriers_that_nothing_crosses_are_waited_for(lanes: int) -> None:
    control = "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL SV[0], INVOCATIONID\nDCL IN[][0], GENERIC[0]\nDCL OUT[][0], GENERIC[0]\n"
    control += "DCL ADDR[0]\nBARRIER\nUARL ADDR[0].x, SV[0].xxxx\nMOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]\nEND\n"
    given = np.arange(60, dtype=np.uint32).reshape(5, 3, 1, 4)
    results = [tgsi.run(control, given, engine=engine, lanes=lanes).outputs for engine in ("jit", "interp")]
    assert np.array_equal(results[0], results[1])
