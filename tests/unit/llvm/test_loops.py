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


def runnable_levels() -> list[str]:
    features = set(host().features.replace("+", "").split(","))
    return [level for level in ("x86-64-v4", "x86-64-v3", "x86-64-v2") if not NEEDED[level] - features]


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
    levels = [level for level in runnable_levels() if level != "x86-64-v4"]
    assert ["@llvm.fma." in build_run_kernel(program, 8, cpu=level).text() for level in levels] == [fuses, False][: len(levels)]
    words = np.array([0, 0x80000000, 1, 0x80000001, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F7FFFFF, 0x3F800000, 0xBF800000], np.uint32)
    inputs = np.random.default_rng(4).choice(words, (256, 1, 4)).view(np.float32)
    expected = interpret(program, inputs).outputs
    for level in levels:
        assert np.array_equal(execute(program, inputs, cpu=level).outputs, expected)


DIVISIBLE = {
    "floats": "MAD TEMP[1], TEMP[1], IN[0], IN[0].yzwx; FRC TEMP[6], TEMP[1]; SQRT TEMP[6].x, |IN[0]|; FLR TEMP[3], -TEMP[1].wzyx; "
    "LRP TEMP[1], TEMP[6], TEMP[3], IMM[1]; MIN TEMP[1], TEMP[1], IN[0].wwww; MAX TEMP[1], TEMP[1], IMM[1]",
    "integers": "I2F TEMP[4], TEMP[0].xxxx; F2I TEMP[6], IN[0]; SHL TEMP[6], TEMP[6], TEMP[0].xxxx; XOR TEMP[3], TEMP[6], TEMP[6].yzwx; "
    "UADD TEMP[5], TEMP[5], TEMP[3]; USHR TEMP[5], TEMP[5], IMM[0].yyyy; I2F TEMP[1], TEMP[5]; ADD TEMP[1], TEMP[1], TEMP[4]",
    "choices": "FSLT TEMP[6], TEMP[1], IN[0]; UCMP TEMP[3], TEMP[6], IN[0].yzwx, TEMP[1]; CMP TEMP[3], IN[0], TEMP[1], TEMP[3]; "
    "SGE TEMP[4], TEMP[3], IMM[1].zzzz; ADD TEMP[1], TEMP[3], TEMP[4]",
    "other lanes' places": "MUL TEMP[6], IN[0], IN[0]; ADD TEMP[6], TEMP[6], TEMP[1]; UARL ADDR[0].x, TEMP[0].xxxx; "
    "ADD TEMP[1], TEMP[6], CONST[ADDR[0].x]; SIN TEMP[3].x, TEMP[1].xxxx; ADD TEMP[1].x, TEMP[1], TEMP[3].xxxx",
}


@pytest.mark.parametrize("lanes", [8, 16, 32, 64])
@pytest.mark.parametrize("body", DIVISIBLE)
def test_loops_written_part_by_part_give_the_same_bits(body: str, lanes: int) -> None:
    program = parse(f"{HEAD}{COUNTER.format(DIVISIBLE[body].replace('; ', NEWLINE))}\nEND\n")
    random = np.random.default_rng(5)
    inputs = random.uniform(-3, 12, (96, 1, 4)).astype(np.float32)
    constants = {0: random.uniform(-1, 3, (8, 4)).astype(np.float32)}
    expected = interpret(program, inputs, constants=constants).outputs
    for level in runnable_levels():
        assert np.array_equal(execute(program, inputs, constants=constants, lanes=lanes, cpu=level).outputs, expected)


@pytest.mark.parametrize(("lanes", "cpu", "is_divided"), [(8, "x86-64-v3", False), (32, "x86-64-v3", True), (32, "x86-64-v2", False)])
def test_loops_wider_than_a_register_are_written_part_by_part(lanes: int, cpu: str, is_divided: bool) -> None:
    program = parse(f"{HEAD}{COUNTER.format(DIVISIBLE['floats'].replace('; ', NEWLINE))}\nEND\n")
    text = build_run_kernel(program, lanes, cpu=cpu).text()
    assert ("= fmul <8 x float>" in text, f"= fmul <{lanes} x float>" in text) == ((True, False) if is_divided else (lanes == 8, True))
