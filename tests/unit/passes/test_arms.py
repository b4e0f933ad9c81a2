"""IFs whose first arm is empty: they get the opposite condition, and the second arm alone."""

from __future__ import annotations

import numpy as np
import pytest

import tgsi
from passes.optimise.rules.windows import opposites
from tgsi.language.facts.opcodes import OPCODES

HEAD = (
    "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL IN[1], GENERIC[1], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0..2]\n"
    "IMM[0] UINT32 {0, 1, 3, 4294967295}\n"
)
ODD = np.array([0, 1, 0x80000000, 0xFFFFFFFF, 0x3F800000, 0xBF800000, 0x7F800000, 0x7FC00000], np.uint32)
"""Zeros, ones, an infinity and a NaN."""


def turned(*lines: str) -> tgsi.Program:
    """The program after merge-arms, after the interpreter has confirmed the same outputs for all pairs of odd words."""
    program = tgsi.parse(HEAD + "\n".join([*lines, "END", ""]))
    made = tgsi.optimize(program, "merge-arms")
    first, second = (np.repeat(words.reshape(16, 4, 1), 4, axis=2) for words in (np.repeat(ODD, 8), np.tile(ODD, 8)))
    inputs = np.stack([first.reshape(64, 4), second.reshape(64, 4)], axis=1).view(np.float32)
    before, after = (tgsi.run(item, inputs, engine="interp") for item in (program, made))
    assert (before.outputs.view(np.uint32) == after.outputs.view(np.uint32)).all()
    return made


def names(program: tgsi.Program) -> list[str]:
    """The opcodes of a program."""
    return [item.opcode.name for item in program.instructions]


@pytest.mark.parametrize(("branch", "name"), [(branch, item.name) for branch in ("IF", "UIF") for item in opposites(OPCODES[branch])])
def test_an_if_with_an_empty_first_arm_gets_the_opposite_comparison(branch: str, name: str) -> None:
    opposite = opposites(OPCODES[branch])[OPCODES[name]].name
    made = turned(
        "MOV OUT[0], IN[0]", f"{name} TEMP[0].x, IN[0], IN[1]", f"{branch} TEMP[0].xxxx", "ELSE", "MOV OUT[0], IN[1].yyyy", "ENDIF"
    )
    assert names(made) == ["MOV", opposite, branch, "MOV", "ENDIF", "END"]


def test_a_loop_that_goes_on_under_a_condition_breaks_under_the_opposite() -> None:
    lines = ("ISLT TEMP[1].x, TEMP[0].xxxx, IMM[0].zzzz", "UIF TEMP[1].xxxx", "ELSE", "BRK", "ENDIF")
    made = turned("MOV TEMP[0], IMM[0].xxxx", "BGNLOOP", *lines, "UADD TEMP[0].x, TEMP[0], IMM[0].yyyy", "ENDLOOP", "MOV OUT[0], TEMP[0]")
    assert names(made) == ["MOV", "BGNLOOP", "ISGE", "UIF", "BRK", "ENDIF", "UADD", "ENDLOOP", "MOV", "END"]


@pytest.mark.parametrize(
    "lines",
    [
        ("FSLT TEMP[0].x, IN[0], IN[1]", "UIF TEMP[0].xxxx"),  # a NaN is neither below nor not below
        ("SEQ TEMP[0].x, IN[0], IN[1]", "UIF TEMP[0].xxxx"),
        ("USEQ TEMP[0].x, IN[0], IN[1]", "IF TEMP[0].xxxx"),  # all ones is a NaN
        ("USEQ TEMP[0].x, IN[0], IN[1]", "MOV OUT[0], TEMP[0].xxxx", "UIF TEMP[0].xxxx"),
        ("USEQ TEMP[0].xy, IN[0], IN[1]", "UIF TEMP[0].xxxx", "ENDIF", "UIF TEMP[0].yyyy"),
        ("MOV TEMP[0].x, IMM[0].xxxx", "UIF IN[0].xxxx", "USEQ TEMP[0].x, IN[0], IN[1]", "ENDIF", "UIF TEMP[0].xxxx"),
        ("UIF IN[0].xxxx",),
    ],
)
def test_an_if_without_an_opposite_comparison_of_its_own_stays(lines: tuple[str, ...]) -> None:
    made = turned("MOV OUT[0], IN[0]", *lines, "ELSE", "MOV OUT[0], IN[1].yyyy", "ENDIF")
    assert "ELSE" in names(made)


def test_a_second_arm_with_derivatives_still_sees_the_whole_quad() -> None:
    made = turned("MOV OUT[0], IN[0]", "USEQ TEMP[0].x, IN[0], IN[1]", "UIF TEMP[0].xxxx", "ELSE", "DDX OUT[0], IN[1]", "ENDIF")
    assert names(made) == ["MOV", "USNE", "UIF", "DDX", "ENDIF", "END"]
