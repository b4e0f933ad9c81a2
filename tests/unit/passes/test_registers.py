"""Registers that are split and merged keep what lanes hold: zeros from the start, values that loops carry, what other lanes left."""

from __future__ import annotations

import numpy as np
import pytest

from backends.interp.run import run
from passes.pipeline import Pipeline
from passes.registry import DEFAULT
from tests.property.engines import result_differences
from tgsi.language.facts.enums import File
from tgsi.language.text.parser import parse

HEAD = (
    "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL OUT[1], COLOR[1]\nDCL SAMP[0]\nDCL CONST[0..3]\nDCL TEMP[0..7]\n"
    "DCL ADDR[0]\nIMM[0] FLT32 {0.0, 1.0, 2.0, 3.0}\n"
)
LEAVE = "SGE TEMP[7].x, TEMP[6].xxxx, {end}; IF TEMP[7].xxxx; BRK; ENDIF; ADD TEMP[6].x, TEMP[6], IMM[0].yyyy"

PROGRAMS = {
    "zeros are read in every round of a loop": (
        "BGNLOOP; " + LEAVE + "; MOV TEMP[1].w, IN[0]; ADD TEMP[2], TEMP[2], TEMP[1]; ADD TEMP[3], TEMP[2], IN[0]; "
        "ADD TEMP[4], TEMP[4], TEMP[3]; ENDLOOP; MOV OUT[0], TEMP[4]; MOV OUT[1], TEMP[2]"
    ),
    "zeros are read beside what an instruction wrote": (
        "MUL TEMP[1], IN[0], IN[0].yzwx; MUL OUT[0], TEMP[1], TEMP[1]; MUL TEMP[2].xy, IN[0], IN[0]; ADD OUT[1], TEMP[2], IN[0]"
    ),
    "a value of the last round is read after the loop": (
        "BGNLOOP; " + LEAVE + "; MUL TEMP[1], IN[0], TEMP[6].xxxx; ENDLOOP; ADD TEMP[2], IN[0], IN[0]; ADD OUT[0], TEMP[1], TEMP[2]"
    ),
    "a value of the round before is read": (
        "BGNLOOP; " + LEAVE + "; ADD TEMP[3], TEMP[3], TEMP[1]; MUL TEMP[1], IN[0], TEMP[6].xxxx; ADD TEMP[2], TEMP[1], TEMP[1]; "
        "ADD TEMP[4], TEMP[4], TEMP[2]; ENDLOOP; ADD OUT[0], TEMP[3], TEMP[4]"
    ),
    "rounds go on early": (
        "BGNLOOP; " + LEAVE + "; MOV TEMP[1], TEMP[6].xxxx; IF IN[0].xxxx; ADD TEMP[1], TEMP[1], IN[0]; CONT; ENDIF; "
        "MOV TEMP[1], IN[0]; ENDLOOP; MOV OUT[0], TEMP[1]"
    ),
    "an arm returns": (
        "MOV TEMP[1], IN[0]; MOV OUT[0], IN[0]; IF IN[0].xxxx; ADD TEMP[1], TEMP[1], IN[0]; MOV OUT[0], TEMP[1]; RET; ENDIF; "
        "MUL TEMP[1], TEMP[1], IN[0]; MOV OUT[0], TEMP[1]; MOV OUT[1], TEMP[1]"
    ),
    "arms of a switch fall through": (
        "MOV TEMP[1], IN[0]; SWITCH CONST[0].xxxx; CASE IMM[0].xxxx; ADD TEMP[1], TEMP[1], IN[0]; CASE IMM[0].yyyy; "
        "MUL TEMP[1].x, TEMP[1], IN[0]; BRK; DEFAULT; MOV TEMP[1].y, TEMP[1].xxxx; ENDSWITCH; MOV OUT[0], TEMP[1]"
    ),
    "a derivative in a branch reads what other lanes left": (
        "MUL TEMP[1], IN[0], IMM[0].zzzz; IF IN[0].xxxx; ADD TEMP[1].xy, TEMP[1], IN[0]; DDX TEMP[2], TEMP[1]; MOV OUT[0], TEMP[2]; ENDIF; "
        "MUL TEMP[1], IN[0], IN[0]; MOV OUT[1], TEMP[1]"
    ),
    "a derivative in a branch reads a register that was reused": (
        "MUL TEMP[1], IN[0], IMM[0].zzzz; MOV OUT[1], TEMP[1]; IF IN[0].xxxx; MOV TEMP[1], IN[0]; DDY OUT[0], TEMP[1]; ENDIF"
    ),
    "a pair of channels is stored before the next is read": "MOV TEMP[1], IN[0]; DADD TEMP[1], TEMP[1].zwxy, TEMP[1]; MOV OUT[0], TEMP[1]",
    "a pair of channels is moved": (
        "DADD TEMP[1], IN[0].zwxy, IN[0]; MOV TEMP[2], TEMP[1].zwxy; DMUL TEMP[2], TEMP[2], TEMP[1]; MOV OUT[0], TEMP[2].zwxy"
    ),
    "a saturated integer": "UADD TEMP[1], IN[0], IN[0]; MOV_SAT OUT[0], TEMP[1]; MOV OUT[1], TEMP[1]",
    "a subroutine shares registers": (
        "MOV TEMP[1], IN[0]; CAL :7; MOV TEMP[2], TEMP[1]; CAL :7; ADD OUT[0], TEMP[1], TEMP[2]; MOV OUT[1], TEMP[3]; END; "
        "BGNSUB; IF TEMP[1].xxxx; ADD TEMP[3], TEMP[3], TEMP[1]; RET; ENDIF; MOV TEMP[1].x, IMM[0].yyyy; ENDSUB"
    ),
}


def source(text: str) -> str:
    """The text of a program."""
    lines = text.replace("{end}", "CONST[0].xxxx").split("; ")
    return HEAD + "\n".join(lines if "END" in lines else [*lines, "END"]) + "\n"


@pytest.mark.parametrize("pipeline", ["split-registers", "merge-temporaries", "split-registers,merge-moves,merge-temporaries", DEFAULT])
@pytest.mark.parametrize("name", PROGRAMS)
def test_registers_keep_their_values(name: str, pipeline: str) -> None:
    program = parse(source(PROGRAMS[name]))
    made = Pipeline.parse(pipeline).run(program)
    chance = np.random.default_rng(5)
    for end in range(4):
        constants = {0: np.array([[end, 1, 0, 0]] * 4, np.float32)}
        inputs = chance.choice(np.array([0, 1, 2, -1, 0.5], np.float32), (16, 1, 4))
        before, after = (run(item, inputs, constants=constants) for item in (program, made))
        assert result_differences(before, after, exact=True, survivors=True) == []


def test_registers_are_numbered_densely() -> None:
    text = "MUL TEMP[7], IN[0], IN[0]; ADD TEMP[3], TEMP[7], IN[0]; ADD OUT[0], TEMP[3], TEMP[3]"
    made = Pipeline.parse("merge-temporaries").run(parse(source(text)))
    assert made.file_size(File.TEMP) == 1
    assert not made.declared(File.ADDR)


def test_registers_are_split_no_further_than_the_language_allows() -> None:
    lines = [f"UARL ADDR[0].x, IN[0].{'xyzw'[k % 4]}; ADD TEMP[1], TEMP[1], CONST[ADDR[0].x+{k % 3}]" for k in range(40)]
    program = parse(source("; ".join(["MOV TEMP[1], IN[0]", *lines, "MOV OUT[0], TEMP[1]"])))
    for pipeline in ("split-registers", "split-registers,propagate-copies", "split-registers,remove-unused-immediates"):
        assert Pipeline.parse(pipeline).run(program).file_size(File.ADDR) <= 16
