"""Loops that lanes leave one by one: counters, accumulators and values of one iteration agree with the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from backends.interp.run import run as interpret
from backends.llvm.kernels.run import run as execute
from backends.llvm.kernels.stages import build_run_kernel
from backends.llvm.targets.host import host
from backends.llvm.targets.machines import NEEDED
from tgsi.language.text.parser import parse

pytestmark = pytest.mark.light

NEWLINE = "\n"
HEAD = """VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL TEMP[0..7]
DCL ADDR[0]
DCL CONST[0..7]
IMM[0] UINT32 {0, 1, 9, 3}
IMM[1] FLT32 {0.0, 1.0, 0.25, 8.0}
"""

COUNTER = """MOV TEMP[0], IMM[0].xxxx
MOV TEMP[1], IMM[1].xxxx
BGNLOOP
ISGE TEMP[2].x, TEMP[0].xxxx, IMM[0].zzzz
UIF TEMP[2].xxxx
BRK
ENDIF
{}
UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
ENDLOOP
MOV OUT[0], TEMP[1]
MOV OUT[1], TEMP[0]"""

LEAVE = "FSLT TEMP[3].x, IN[0].xxxx, TEMP[1].xxxx; UIF TEMP[3].xxxx; BRK; ENDIF"
BODIES = {
    "leave": f"ADD TEMP[1], TEMP[1], IMM[1].yyyy; {LEAVE}",
    "leave late": f"{LEAVE}; ADD TEMP[1], TEMP[1], IMM[1].yzyz",
    "skip": "UADD TEMP[0].y, TEMP[0], IMM[0]; FSLT TEMP[3].x, IN[0].xxxx, TEMP[1].xxxx; UIF TEMP[3].xxxx; "
    "UADD TEMP[0].x, TEMP[0], IMM[0].yyyy; CONT; ENDIF; ADD TEMP[1], TEMP[1], IN[0].yyyy",
    "some count twice": f"{LEAVE}; UIF TEMP[0].yyyy; UADD TEMP[0].x, TEMP[0], IMM[0].yyyy; ENDIF; ADD TEMP[1].x, TEMP[1], IMM[1].yyyy; "
    "FSLT TEMP[0].y, IN[0].yyyy, TEMP[1].xxxx",
    "two counters": f"{LEAVE}; UADD TEMP[0].y, TEMP[0].yyyy, TEMP[0].xxxx; ADD TEMP[1].x, TEMP[1], IMM[1].yyyy; "
    "MOV TEMP[1].y, TEMP[0].yyyy",
    "indexed": f"UARL ADDR[0].x, TEMP[0].xxxx; ADD TEMP[1], TEMP[1], CONST[ADDR[0].x]; {LEAVE}",
    "inner loop": "MOV TEMP[4].x, IMM[0].xxxx; BGNLOOP; ISGE TEMP[5].x, TEMP[4].xxxx, IMM[0].wwww; UIF TEMP[5].xxxx; BRK; ENDIF; "
    f"UADD TEMP[4].x, TEMP[4].xxxx, IMM[0].yyyy; ADD TEMP[1].x, TEMP[1], IMM[1].zzzz; {LEAVE}; ENDLOOP; "
    "UADD TEMP[0].y, TEMP[0].yyyy, TEMP[4].xxxx",
}


@pytest.mark.parametrize("lanes", [8, 16, 32, 64])
@pytest.mark.parametrize("body", BODIES)
def test_lanes_leave_with_what_they_had(body: str, lanes: int) -> None:
    program = parse(f"{HEAD}{COUNTER.format(BODIES[body].replace('; ', NEWLINE))}\nEND\n")
    random = np.random.default_rng(3)
    inputs = random.uniform(-1, 12, (96, 1, 4)).astype(np.float32)
    constants = {0: random.uniform(-1, 3, (8, 4)).astype(np.float32)}
    expected = interpret(program, inputs, constants=constants)
    got = execute(program, inputs, constants=constants, lanes=lanes)
    assert np.array_equal(expected.outputs, got.outputs)


SUMS = {
    "sums": ("MUL TEMP[2], TEMP[1], IN[0]; ADD TEMP[1], TEMP[2], IN[0].yzwx; ADD TEMP[1], -TEMP[1], IN[0].wzyx", True),
    "products": ("MUL TEMP[1], TEMP[1], IN[0]; MUL TEMP[1], TEMP[1], IN[0].yzwx; ADD TEMP[1], TEMP[1], IMM[1]", False),
}


@pytest.mark.parametrize("body", SUMS)
def test_fused_sums_have_the_bits_of_plain_ones(body: str) -> None:
    text, fuses = SUMS[body]
    program = parse(f"{HEAD}{COUNTER.format(text.replace('; ', NEWLINE))}\nEND\n")
    levels = [level for level in ("x86-64-v3", "x86-64-v2") if not NEEDED[level] - set(host().features.replace("+", "").split(","))]
    assert ["@llvm.fma." in build_run_kernel(program, 8, cpu=level).text() for level in levels] == [fuses, False][: len(levels)]
    words = np.array([0, 0x80000000, 1, 0x80000001, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F7FFFFF, 0x3F800000, 0xBF800000], np.uint32)
    inputs = np.random.default_rng(4).choice(words, (256, 1, 4)).view(np.float32)
    expected = interpret(program, inputs).outputs
    for level in levels:
        assert np.array_equal(execute(program, inputs, cpu=level).outputs, expected)
