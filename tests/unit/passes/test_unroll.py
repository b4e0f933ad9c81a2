"""Loops that are written out: the constants of their rounds."""

from __future__ import annotations

import numpy as np

import tgsi
from passes.registry import DEFAULT

HEAD = (
    "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0..3]\nDCL ADDR[0]\nDCL CONST[0..3]\n"
    "IMM[0] UINT32 {0, 1, 3, 0}\nMOV TEMP[0], IMM[0].xxxx\nMOV TEMP[1], IMM[0].xxxx\nBGNLOOP\nISGE TEMP[2].x, TEMP[0].xxxx, IMM[0].zzzz\n"
    "UIF TEMP[2].xxxx\nBRK\nENDIF\n"
)
TAIL = "UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nENDLOOP\n"


def unrolled(*lines: str, after: str = "MOV OUT[0], TEMP[1]\nEND\n") -> tgsi.Program:
    """The program with three rounds of some lines written out; the interpreter says that its outputs are the same."""
    program = tgsi.parse(HEAD + "\n".join([*lines, ""]) + TAIL + after)
    made = tgsi.optimize(program, "unroll-loops")
    inputs = np.random.default_rng(1).standard_normal((1, 4, 4)).astype(np.float32)
    constants = {0: np.arange(16, dtype=np.uint32).reshape(4, 4)}
    first, second = (tgsi.run(item, inputs, constants=constants, engine="interp") for item in (program, made))
    assert (first.outputs == second.outputs).all()
    return made


def count(program: tgsi.Program, opcode: str) -> int:
    """The number of instructions with an opcode."""
    return sum(item.opcode.name == opcode for item in program.instructions)


def test_constants_that_nothing_reads_are_left_out() -> None:
    made = unrolled("UARL ADDR[0].x, TEMP[0].xxxx", "MOV TEMP[1], CONST[ADDR[0].x]")
    assert (count(made, "ISGE"), count(made, "UARL"), count(made, "UADD")) == (0, 0, 0)


def test_constants_that_are_read_behind_the_loop_stay_with_those_that_they_are_made_of() -> None:
    made = unrolled("UARL ADDR[0].x, TEMP[0].xxxx", "MOV TEMP[1], CONST[ADDR[0].x]", after="MOV OUT[0], TEMP[0]\nEND\n")
    assert (count(made, "ISGE"), count(made, "UARL"), count(made, "UADD")) == (0, 0, 3)


def test_constants_that_a_loop_around_reads_in_its_next_round_stay() -> None:
    inner = "BGNLOOP\nMOV TEMP[3].x, IMM[0].yyyy\nBRK\nENDLOOP"
    text = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0..3]\nIMM[0] UINT32 {0, 1, 3, 0}\n"
    text += f"MOV TEMP[3], IN[0]\nBGNLOOP\nUIF TEMP[3].xxxx\nBRK\nENDIF\n{inner}\nENDLOOP\nMOV OUT[0], IN[0]\nEND\n"
    made = tgsi.optimize(tgsi.parse(text), "unroll-loops")
    assert (count(made, "BGNLOOP"), count(made, "MOV")) == (1, 3)


def test_constants_that_an_instruction_reads_stay() -> None:
    made = unrolled("UMUL TEMP[3].x, TEMP[0].xxxx, IMM[0].zzzz", "ADD TEMP[1], TEMP[1], TEMP[3].xxxx", "MUL TEMP[1], TEMP[1], IN[0]")
    assert count(made, "UMUL") == 3


def test_constants_that_a_branch_reads_stay() -> None:
    branch = ("UIF IN[0].xxxx", "UADD TEMP[1].x, TEMP[1].xxxx, TEMP[3].xxxx", "ENDIF")
    made = unrolled("UMUL TEMP[3].x, TEMP[0].xxxx, IMM[0].zzzz", *branch)
    assert count(made, "UMUL") == 3


def test_copies_do_not_keep_a_loop_whose_rounds_are_no_longer_without_them() -> None:
    lines = ("MUL TEMP[3], TEMP[1], IN[0]", "MOV TEMP[1], TEMP[3]", "MAD TEMP[3], TEMP[1], TEMP[1], IN[0]", "MOV TEMP[1], TEMP[3]")
    made = unrolled(*lines)
    assert (count(made, "BGNLOOP"), count(made, "MUL"), count(made, "MAD")) == (0, 3, 3)
    program = tgsi.parse(HEAD + "\n".join([*lines, ""]) + TAIL + "MOV OUT[0], TEMP[1]\nEND\n")
    assert len(tgsi.optimize(program).instructions) < len(tgsi.optimize(program, DEFAULT.replace("unroll-loops,", "")).instructions)


def test_the_last_constants_stay_for_what_follows() -> None:
    made = unrolled("UMUL TEMP[3].x, TEMP[0].xxxx, IMM[0].zzzz", after="UADD OUT[0], TEMP[3].xxxx, TEMP[2].xxxx\nEND\n")
    assert (count(made, "UMUL"), count(made, "ISGE")) == (1, 1)
