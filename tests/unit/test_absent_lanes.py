"""Values read from lanes that have left, or that do not execute an instruction, are that lane's last values of the register in both
engines.
"""

from __future__ import annotations

import numpy as np
import pytest

import tgsi
from tests.property.engines import result_differences

pytestmark = pytest.mark.light

HEADER = """{stage}
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL OUT[1], GENERIC[1]
DCL TEMP[0..3]
IMM[0] UINT32 {{0, 1, 2, 3}}
IMM[1] FLT32 {{1, 10, 100, 0.5}}
MUL TEMP[0], IN[0], IMM[1].yyyy
MOV TEMP[1], IN[0]
"""
LEAVE = "UIF IN[0].yyyy\nRET\nENDIF\n"
CHANGE = "ADD TEMP[0], TEMP[0], IMM[1].zzzz\nADD TEMP[1].x, TEMP[0].xxxx, IMM[1].xxxx\n"
TAKES = {
    "DDX": "DDX OUT[0], TEMP[0]\n",
    "DDY_FINE": "DDY_FINE OUT[0], TEMP[0]\n",
    "READ_INVOC": "READ_INVOC OUT[0], TEMP[0], IMM[0].yyyy\n",
    "READ_FIRST": "READ_FIRST OUT[0], TEMP[0]\n",
    "VOTE_EQ": "VOTE_EQ OUT[0].x, TEMP[0].xxxx\n",
    "VOTE_ALL": "VOTE_ALL OUT[0].x, IN[0].xxxx\n",
    "DDX of what was computed from it": "DDX OUT[0], TEMP[1]\n",
}
PLACES = {
    "RET from main": "{leave}{change}{take}",
    "RET from main, taken before and after": "{take}{leave}{change}MOV OUT[1], OUT[0]\n{take}",
    "RET in an arm, change in an arm": "{leave}IF IN[0].zzzz\n{change}ENDIF\n{take}",
    "RET in a loop": "BGNLOOP\n{leave}{change}USGE TEMP[2].x, TEMP[2].yyyy, IMM[0].zzzz\nUIF TEMP[2].xxxx\nBRK\nENDIF\n"
    "UADD TEMP[2].y, TEMP[2].yyyy, IMM[0].yyyy\nENDLOOP\n{take}",
    "RET from a subroutine": "CAL :{start}\n{take}RET\nBGNSUB\n{leave}{change}ENDSUB\n",
    "taken in a subroutine": "CAL :{start}\nRET\nBGNSUB\n{leave}{change}{take}ENDSUB\n",
    "BRK from a loop": "BGNLOOP\nUIF IN[0].yyyy\nBRK\nENDIF\n{change}{take}UIF IMM[0].yyyy\nBRK\nENDIF\nENDLOOP\n",
    "taken in an arm": "UIF IN[0].yyyy\nMOV OUT[1], IN[0]\nELSE\n{change}{take}ENDIF\n",
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("stage", "take"), [(stage, take) for stage in ("VERT", "FRAG") for take in TAKES if stage == "FRAG" or "DD" not in take]
)
def test_absent_lanes_keep_what_they_had(stage: str, place: str, take: str) -> None:
    body = PLACES[place]
    text = HEADER.format(stage=stage) + body.format(leave=LEAVE, change=CHANGE, take=TAKES[take], start="@")
    if stage == "FRAG":
        text = (
            text.replace("DCL IN[0]", "DCL IN[0], GENERIC[0], PERSPECTIVE")
            .replace("OUT[0], GENERIC[0]", "OUT[0], COLOR[0]")
            .replace("OUT[1], GENERIC[1]", "OUT[1], COLOR[1]")
        )
    text += "END\n"
    instructions = [line for line in text.split("\n")[1:] if not line.startswith(("DCL", "IMM"))]
    if "BGNSUB" in text:
        text = text.replace("@", str(instructions.index("BGNSUB")))
    random = np.random.default_rng(3)
    inputs = random.integers(0, 50, (32, 1, 4)).astype(np.float32)
    inputs[:, 0, 1] = np.array([0, 1, 0, 0, 1, 1, 0, 1] * 4, np.uint32).view(np.float32)
    inputs[:, 0, 2] = np.array([0, 0, 1, 1, 1, 0, 1, 0] * 4)
    program = tgsi.parse(text)
    expected = tgsi.run(program, inputs, engine="interp")
    for lanes in (4, 16):
        assert result_differences(expected, tgsi.run(program, inputs, lanes=lanes), exact=True) == [], text
