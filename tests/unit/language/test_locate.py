"""Positions of operands, found by reading the statement again."""

from __future__ import annotations

import pytest

from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import Instruction
from tgsi.language.text.locate import operand_span
from tgsi.language.text.parser import parse

TEXT = """FRAG
  0: MAD_SAT OUT[0] , # a comment, with a comma
   -|IN[0].xxxx| , CONST[1][ADDR[0].x+1]
  ,TEMP[0]
UIF IN[0].xxxx :5
TEX OUT[0], IN[0], SAMP[0], 2D, IMM[0].xyz
END
"""


@pytest.mark.parametrize(
    ("instruction", "operand", "text"),
    [
        (0, 0, "OUT[0]"),
        (0, 1, "-|IN[0].xxxx|"),
        (0, 2, "CONST[1][ADDR[0].x+1]"),
        (0, 3, "TEMP[0]"),
        (1, 0, "IN[0].xxxx"),
        (2, 3, "2D"),
        (2, 4, "IMM[0].xyz"),
    ],
)
def test_operand_is_found_in_the_text(instruction: int, operand: int, text: str) -> None:
    span = operand_span(parse(TEXT).instructions[instruction], operand)
    assert span is not None
    assert span.text == text


def test_a_missing_operand_is_the_whole_statement() -> None:
    span = operand_span(parse(TEXT).instructions[3], 0)
    assert span is not None
    assert span.text == "END"
    assert operand_span(Instruction(OPCODES["END"]), 0) is None
