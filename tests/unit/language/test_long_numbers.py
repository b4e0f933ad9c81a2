"""Numbers of any length are refused as any wrong number is; Python itself converts no decimal number of more than 4300 digits."""

from __future__ import annotations

import pytest

import tgsi
from tgsi.language.text.parser import DIALECTS

NINES, HEX = "9" * 5000, "f" * 5000
LINES = (
    f"MOV OUT[0], temp {NINES}",
    f"MOV OUT[0], IN[0]{NINES}",
    f"MOV OUT[0], IN[{NINES}]",
    f"MOV OUT[0], IN[0x{HEX}]",
    f"MOV OUT[0], IN[ADDR[0].x+{NINES}]",
    f"DCL TEMP[0..{NINES}]",
    f"DCL OUT[1], GENERIC[{NINES}]",
    f"DCL IMMX[0..{NINES}] {{{{1, 2, 3, 4}}}}",
    f"IMM[0] UINT32 {{{NINES}, 0, 0, 0}}",
    f"IMM[0] INT32 {{-{NINES}u, 0, 0, 0}}",
    f"IMM[0] FLT32 {{0x1p{NINES[:5]}, 0, 0, 0}}",
    f"PROPERTY FS_COORD_ORIGIN {NINES}",
    f"CAL :{NINES}",
    f"{NINES}: MOV OUT[0], IN[0]",
)


def _outcome(text: str, dialect: str) -> str:
    try:
        tgsi.check(tgsi.parse(text, dialect=dialect))
    except tgsi.ParseError as error:
        return str(error)
    return "read"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("line", LINES, ids=lambda line: line[:24])
def test_a_number_of_thousands_of_digits_is_refused_or_read(line: str, dialect: str) -> None:
    text = f"FRAG\nDCL IN[0], GENERIC[0]\nDCL OUT[0], COLOR\nDCL ADDR[0]\n{line}\nEND\n"
    assert _outcome(text, dialect).startswith(("read", "error"))


def test_a_stage_that_odd_characters_divide_is_named_without_a_correction() -> None:
    with pytest.raises(tgsi.ParseError, match="the stage stands alone: write `FRAG`"):
        tgsi.parse("F\ud800RAGDCL IN[0], GENERIC[0], PERSPECTIVE\nEND\n")
