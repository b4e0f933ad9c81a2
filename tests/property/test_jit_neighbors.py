"""Opcodes that read other lanes agree between the engines under divergent control flow, where the neighbors may be inactive."""

from __future__ import annotations

import numpy as np
import pytest

from backends.interp.run import run as interpret
from backends.llvm.kernels.run import run as execute
from tgsi.language.text.parser import parse

HEADER = """FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL IN[1], GENERIC[1], CONSTANT
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
DCL TEMP[0..7]
IMM[0] FLT32 {1.0, 2.0, 3.0, 4.0}
"""
BODIES = {
    "branch": """UIF IN[1].xxxx
MUL TEMP[0], IN[0], IN[0]
DDX OUT[0], TEMP[0]
DDY OUT[1], TEMP[0]
ENDIF""",
    "both arms": """UIF IN[1].xxxx
ADD TEMP[0], IN[0], IN[0]
MUL TEMP[1], TEMP[0], TEMP[0]
DDX_FINE OUT[0], TEMP[1]
ELSE
ADD TEMP[1], IN[0], IMM[0]
DDY_FINE OUT[1], TEMP[1]
ENDIF""",
    "loop": """BGNLOOP
UADD TEMP[2].x, TEMP[2].xxxx, IN[1].yyyy
USLT TEMP[3].x, IN[1].wwww, TEMP[2].xxxx
UIF TEMP[3].xxxx
BRK
ENDIF
MUL TEMP[0], IN[0], IN[0]
DDX TEMP[4], TEMP[0]
ADD TEMP[5], TEMP[5], TEMP[4]
VOTE_ANY TEMP[6], IN[1].xxxx
XOR OUT[1], OUT[1], TEMP[6]
READ_FIRST TEMP[7], IN[1]
UADD OUT[1].x, OUT[1], TEMP[7]
READ_INVOC TEMP[7], IN[1], IN[1].zzzz
BALLOT TEMP[6].x, IN[1].zzzz
VOTE_ALL TEMP[6].y, IN[1].xxxx
VOTE_EQ TEMP[6].z, IN[1].zzzz
XOR OUT[1].yz, TEMP[7], TEMP[6].xyzw
ENDLOOP
MOV OUT[0], TEMP[5]""",
    "uniform values": """UIF IN[1].xxxx
DDX OUT[0], IMM[0]
ADD TEMP[1], IMM[0], IMM[0].yyyy
DDX OUT[1], TEMP[1]
ENDIF""",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
@pytest.mark.parametrize("lanes", [4, 16, 64])
def test_inactive_neighbors_are_seen_alike(body: str, lanes: int) -> None:
    program = parse(f"{HEADER}{body}\nEND\n")
    random = np.random.default_rng(lanes)
    for _ in range(3):
        inputs = random.normal(size=(64, 2, 4)).astype(np.float32).view(np.uint32)
        inputs[:, 1] = random.integers(0, 4, (64, 4))
        inputs[:, 1, 1] = 1
        ours, theirs = interpret(program, inputs), execute(program, inputs, lanes=lanes)
        assert np.array_equal(ours.outputs, theirs.outputs)
