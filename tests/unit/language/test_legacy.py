"""The legacy dialect converts texts of 2008 to 2017 to equivalent programs of today."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tgsi
from passes.validate import check
from tgsi.language.diagnostics import ParseError, Severity
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.text.legacy import LOWERED, RENAMED
from tgsi.language.text.parser import parse

A, B, C = (1.5, -2.0, 0.25, 3.0), (0.5, 4.0, -1.0, 2.0), (0.75, 0.25, 1.0, -8.0)
ROOT_A, ROOT_A4 = (1.5**2 + 2.0**2 + 0.25**2) ** 0.5, (1.5**2 + 2.0**2 + 0.25**2 + 3.0**2) ** 0.5

RESULTS: dict[str, tuple[float, ...]] = {
    "SUB OUT[0], IN[0], IN[1]": (1.0, -6.0, 1.25, 1.0),
    "SUB_SAT OUT[0], IN[0], IN[1]": (1.0, 0.0, 1.0, 1.0),
    "ABS OUT[0], -IN[0]": (1.5, 2.0, 0.25, 3.0),
    "NEGATE OUT[0], IN[0]": (-1.5, 2.0, -0.25, -3.0),
    "XPD OUT[0], IN[0], IN[1]": (1.0, 1.625, 7.0, 1.0),
    "DP2A OUT[0], IN[0], IN[1], IN[2]": (-6.5,) * 4,
    "DOT2ADD OUT[0].x, IN[0], IN[1], IN[2]": (-6.5, 0.0, 0.0, 0.0),
    "DPH OUT[0], IN[0], IN[1]": (-5.5,) * 4,
    "CLAMP OUT[0], IN[0], IN[1], IN[2]": (0.75, 0.25, 0.25, -8.0),
    "CND OUT[0], IN[0], IN[1], IN[2]": (1.5, 4.0, 0.25, 2.0),
    "SCS OUT[0], IN[0]": (float(np.cos(1.5)), float(np.sin(1.5)), 0.0, 1.0),
    "NRM OUT[0], IN[0]": (1.5 / ROOT_A, -2.0 / ROOT_A, 0.25 / ROOT_A, 1.0),
    "NRM4 OUT[0], IN[0]": (1.5 / ROOT_A4, -2.0 / ROOT_A4, 0.25 / ROOT_A4, 3.0 / ROOT_A4),
    "FLOOR OUT[0], IN[0]": (1.0, -2.0, 0.0, 3.0),
    "LERP OUT[0], IN[0], IN[1], IN[2]": (0.375, -0.5 + 1.0, 0.5, 22.0),
}

HEAD = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL IN[2]\nDCL OUT[0], POSITION\n"


@pytest.mark.parametrize("line", RESULTS)
def test_old_opcode_computes_what_it_did(line: str) -> None:
    program = parse(f"{HEAD}{line}\nEND", dialect="legacy")
    result = tgsi.run(program, np.array([[A, B, C]], np.float32), engine="interp")
    wanted = RESULTS[line]
    if line.startswith("LERP"):  # a * b + (1 - a) * c
        wanted = tuple(a * b + (1 - a) * c for a, b, c in zip(A, B, C))
    np.testing.assert_allclose(np.asarray(result).view(np.float32)[0, 0], wanted, rtol=1e-6, atol=1e-6)


def test_every_lowered_opcode_has_a_result() -> None:
    tested = {line.split()[0].removesuffix("_SAT") for line in RESULTS}
    assert set(LOWERED) <= tested
    assert all(new in OPCODES or new in LOWERED for new in RENAMED.values())


@pytest.mark.parametrize(
    ("aliased", "apart"),
    [
        ("XPD TEMP[0], TEMP[0], IN[1]", "XPD TEMP[0], IN[0], IN[1]"),
        ("NRM TEMP[0], TEMP[0]", "NRM TEMP[0], IN[0]"),
        ("SCS TEMP[0], TEMP[0]", "SCS TEMP[0], IN[0]"),
        ("DP2A TEMP[0], TEMP[0], IN[1], TEMP[0]", "DP2A TEMP[0], IN[0], IN[1], IN[0]"),
        ("CND TEMP[0], TEMP[0], IN[1], TEMP[0]", "CND TEMP[0], IN[0], IN[1], IN[0]"),
    ],
)
def test_sources_are_read_before_the_destination_is_written(aliased: str, apart: str) -> None:
    def result(line: str) -> list[int]:
        text = f"{HEAD}DCL TEMP[0]\nMOV TEMP[0], IN[0]\n{line}\nMOV OUT[0], TEMP[0]\nEND"
        made = tgsi.run(parse(text, dialect="legacy"), np.array([[A, B, C]], np.float32), engine="interp")
        return [int(word) for word in np.asarray(made).ravel()]

    assert result(aliased) == result(apart)


def test_labels_follow_their_instructions() -> None:
    program = parse("VERT\n0: XPD OUT[0], IN[0], IN[0]\n1: CAL :3\n2: END\n3: BGNSUB\n4: ENDSUB", dialect="legacy")
    names = [item.opcode.name for item in program.instructions]
    assert names == ["MUL", "MAD", "MOV", "CAL", "END", "BGNSUB", "ENDSUB"]
    assert program.instructions[3].label == 5


def test_old_register_files_find_their_place() -> None:
    program = parse(
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0..2]\nDCL ADDR[0]\nDCL TEMPX[1][0..3]\nDCL TEMPX[0][0..1]\n"
        "DCL IMMX[0..1] {{ 1.0, 2.0, 3.0, 4.0 },\n {5.0, 6.0, 7.0, 8.0}}\nIMM FLT32 {9.0, 9.0, 9.0, 9.0}\n"
        "MOV TEMPX[0][1], IMMX[1]\nMOV TEMPX[1][ADDR[0].x-1], IMM[0]\nABS OUT[0], TEMPX[0][1]\nEND",
        dialect="legacy",
    )
    text = str(program)
    assert "DCL TEMP[3..4], ARRAY(1)\nDCL TEMP[5..8], ARRAY(2)\n" in text
    assert "MOV TEMP[4], IMM[2]\n" in text
    assert "MOV TEMP[ADDR[0].x+4], IMM[0]\n" in text
    assert "IMM[2] FLT32 {5.0, 6.0, 7.0, 8.0}" in text
    assert check(program) == ()
    assert parse(text) == program


def test_emit_without_a_stream_means_stream_zero() -> None:
    program = parse("GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nIMM UINT32 {7, 7, 7, 7}\nEMIT\nENDPRIM\nEND", dialect="legacy")
    assert str(program).splitlines()[3:6] == ["IMM[1] FLT32 {0.0, 1.0, 0.5, 0.0}", "  0: EMIT IMM[1].xxxx", "  1: ENDPRIM IMM[1].xxxx"]


def test_a_text_of_today_is_read_as_by_default() -> None:
    text = "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nMAD_SAT OUT[0].xy, IN[0], IN[0].x, -IN[0]\nEND\n"
    assert parse(text, dialect="legacy") == parse(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("VERT\nBRA :3\nEND", "P005"),
        ("VERT\nSUB OUT[0], IN[0]\nEND", "P009"),
        ("VERT\nMOV OUT[0], TEMPX[0]\nEND", "P015"),
        ("VERT\nMOV OUT[0], TEMPX[0][4000]\nEND", "P026"),
        ("VERT\nMOV OUT[0], IN[2000000]\nEND", "P026"),
        ("VERT\nDCL TEMPX[0..1]\nEND", "P015"),
        ("VERT\nDCL IMMX[0..1] {{1, 2, 3, 4}}\nEND", "P022"),
        ("VERT\nDCL IMMX[0] {{1, 2, 3}}\nEND", "P022"),
        ("VERT\nDCL IMMX[0] {1, 2, 3, 4}\nEND", "P003"),
    ],
)
def test_what_cannot_be_lowered_is_refused(text: str, code: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text, dialect="legacy")
    assert code in [item.code for item in caught.value.diagnostics]
    assert str(caught.value)


@pytest.mark.peers
def test_every_test_shader_of_mesa_is_read(shared: Path) -> None:
    for row in json.loads((shared / "golden/graw/graw.json").read_text()):
        program = parse(row["text"], dialect="legacy")
        assert [item.code for item in check(program) if item.severity is Severity.ERROR] == [], row["name"]
        assert parse(str(program)) == program, row["name"]
