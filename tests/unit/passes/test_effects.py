"""Detection of programs whose results depend on the order of their invocations."""

from __future__ import annotations

import pytest

import tgsi
from passes.analysis.effects import effects_of

HEAD = """FRAG
DCL OUT[0], COLOR
DCL BUFFER[0..1]
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL HWATOMIC[0][0..3]
DCL TEMP[0..1]
IMM[0] UINT32 {0, 1, 0, 0}
"""
ADD = "ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy\n"


@pytest.mark.parametrize(
    ("body", "writes", "ordered"),
    [
        ("MOV OUT[0], IMM[0]\n", False, False),
        ("LOAD OUT[0], BUFFER[0], IMM[0].xxxx\n", False, False),
        ("STORE BUFFER[0].x, IMM[0].xxxx, IMM[0]\n", True, False),
        (ADD, True, False),
        (ADD + "MOV TEMP[0].x, IMM[0].xxxx\nMOV OUT[0], TEMP[0].xxxx\n", True, False),
        (ADD + "MOV OUT[0], TEMP[0].xxxx\n", True, True),
        (ADD + "UIF IMM[0].xxxx\nMOV TEMP[0].x, IMM[0].xxxx\nENDIF\nMOV OUT[0], TEMP[0].xxxx\n", True, True),
        ("BGNLOOP\nUADD TEMP[1].x, TEMP[0].xxxx, TEMP[1].xxxx\n" + ADD + "ENDLOOP\nMOV OUT[0], TEMP[1].xxxx\n", True, True),
        (ADD + ADD.replace("BUFFER[0]", "HWATOMIC[0][1]"), True, False),
        (ADD + ADD.replace("UADD", "UMIN"), True, True),
        (ADD.replace("UADD", "XCHG"), True, True),
        (ADD.replace("UADD", "FADD"), True, True),
        (ADD.replace("UADD", "INC_WRAP"), True, True),
        (ADD + "LOAD OUT[0], BUFFER[0], IMM[0].xxxx\n", True, True),
        (ADD + "STORE BUFFER[0].x, IMM[0].xxxx, IMM[0]\n", True, True),
        (ADD + "LOAD OUT[0], BUFFER[1], IMM[0].xxxx\n", True, False),
        (ADD + "LOAD OUT[0], HWATOMIC[0][0], IMM[0].xxxx\n", True, False),
        (ADD.replace("BUFFER[0]", "HWATOMIC[0][1]") + "LOAD OUT[0], HWATOMIC[0][0], IMM[0].xxxx\n", True, True),
        (ADD + "LOAD OUT[0], IMM[0].xxxx, IMM[0], 2D, PIPE_FORMAT_R32_UINT\n", True, False),
        ("ATOMCAS TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].xxxx, IMM[0].yyyy\n", True, True),
        ("ATOMUADD OUT[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy\n", True, True),
        ("ATOMIMAX TEMP[0].x, IMAGE[0], IMM[0], IMM[0].yyyy, 2D, PIPE_FORMAT_R32_UINT\n", True, False),
    ],
)
def test_order_is_seen_in_words_that_are_used_and_by_what_does_not_commute(body: str, writes: bool, ordered: bool) -> None:
    found = effects_of(tgsi.parse(f"{HEAD}{body}END\n"))
    assert (found.writes, found.is_ordered) == (writes, ordered)


def test_memory_of_a_block_is_its_own() -> None:
    text = "COMP\nDCL MEMORY[0], SHARED\nDCL TEMP[0]\nIMM[0] UINT32 {0, 1, 0, 0}\n"
    text += "ATOMXCHG TEMP[0].x, MEMORY[0], IMM[0].xxxx, IMM[0].yyyy\nEND\n"
    assert not effects_of(tgsi.parse(text)).writes
    assert effects_of(tgsi.parse(text.replace("SHARED", "GLOBAL"))).is_ordered
