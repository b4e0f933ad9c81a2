"""The legacy dialect converts texts of 2007 to 2017 to equivalent programs of today."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tgsi
from passes.validate import check
from tgsi.language.diagnostics import ParseError, Severity
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.program import Program
from tgsi.language.text.old_opcodes import LOWERED, REFUSED, RENAMED
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
    "CND0 OUT[0], IN[0], IN[1], IN[2]": (1.5, -2.0, 0.25, 2.0),
    "SFL OUT[0].xz, IN[0], IN[1]": (0.0, 0.0, 0.0, 0.0),
    "STR OUT[0].xz, IN[0], IN[1]": (1.0, 0.0, 1.0, 0.0),
    "RCC OUT[0], IN[1]": (2.0,) * 4,
    "RFL OUT[0], IN[0], IN[1]": tuple(2 * -7.5 / 6.3125 * a - b for a, b in zip(A[:3], B[:3])) + (1.0,),
    "X2D OUT[0], IN[0], IN[1], IN[2]": (1.5 + 0.375 + 1.0, -2.0 + 0.5 - 32.0) * 2,
    "M4X3 OUT[0], IN[0], IN[0]": (15.3125, -1.5, -23.125, 0.0),
    "M3X4 OUT[0].xyz, IN[0], IN[0]": (6.3125, -7.5, 0.875, 0.0),
    "M3X3 OUT[0], IN[0], IN[0]": (6.3125, -7.5, 0.875, 0.0),
    "M3X2 OUT[0], IN[0], IN[0]": (6.3125, -7.5, 0.0, 0.0),
    "TXQ_LZ OUT[0], SAMP[0], 2D": (0.0, 0.0, 0.0, 0.0),
    "POWER OUT[0], IN[1].yyyy, IN[1].xxxx": (2.0,) * 4,
    "DOT3 OUT[0], IN[0], IN[1]": (-7.5,) * 4,
    "RECIP OUT[0], IN[1].xxxx": (2.0,) * 4,
    "SGN OUT[0], IN[0]": (1.0, -1.0, 1.0, 1.0),
    "INT OUT[0], IN[0]": (1.0, -2.0, 0.0, 3.0),
    "SETGE OUT[0], IN[0], IN[1]": (1.0, 0.0, 1.0, 1.0),
    "SWZ OUT[0], IN[0].y01x": (-2.0, 0.0, 1.0, 1.5),
    "MOV_SATNV OUT[0], IN[0]": (1.0, -1.0, 0.25, 1.0),
    "MOV_SAT[-1,1] OUT[0], IN[0]": (1.0, -1.0, 0.25, 1.0),
    "MOV OUT[0]_2X, IN[0]": (3.0, -4.0, 0.5, 6.0),
    "MOV_SAT OUT[0]_2X.xyz, IN[0]": (1.0, 0.0, 0.5, 0.0),
    "MOV OUT[0]_D8.xw, IN[0]": (0.1875, 0.0, 0.0, 0.375),
    "ADD OUT[0], 1-(IN[0]), IN[1]": (0.0, 7.0, -0.25, 0.0),
    "ADD OUT[0], IN[1], 2*((IN[0])-.5)": (2.5, -1.0, -1.5, 7.0),
    "ADD OUT[0], IN[1], -(|2*((1-(-IN[0].wzyx))-0.5)|)": (0.5 - 7.0, 4.0 - 1.5, -1.0 - 3.0, 2.0 - 4.0),
    "MUL_SAT OUT[0], IN[0].1yzw, -(IN[1])": (0.0, 1.0, 0.25, 0.0),
    "SUB_SATNV OUT[0]_D2, 1-(IN[0]), IN[1].0011": (-0.25, 1.0, -0.125, -1.0),
}
SAMP = "DCL SAMP[0]\n"

HEAD = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL IN[2]\nDCL OUT[0], POSITION\n"


@pytest.mark.parametrize("line", RESULTS)
def test_old_opcode_computes_what_it_did(line: str) -> None:
    program = parse(f"{HEAD}{SAMP if 'SAMP' in line else ''}{line}\nEND", dialect="legacy")
    assert parse(str(program)) == program
    assert check(program) == ()
    result = tgsi.run(program, np.array([[A, B, C]], np.float32), engine="interp")
    wanted = RESULTS[line]
    if line.startswith("LERP"):  # a * b + (1 - a) * c
        wanted = tuple(a * b + (1 - a) * c for a, b, c in zip(A, B, C))
    np.testing.assert_allclose(np.asarray(result).view(np.float32)[0, 0], wanted, rtol=1e-6, atol=1e-6)
    compiled = tgsi.run(program, np.array([[A, B, C]], np.float32))
    np.testing.assert_allclose(compiled.floats[0, 0], wanted, rtol=1e-6, atol=1e-6)


def test_every_lowered_opcode_has_a_result() -> None:
    tested = {line.split()[0].removesuffix("_SAT") for line in RESULTS}
    assert set(LOWERED) <= tested | {"REP", "BREAKC", "SAD", "M4X4"}  # below
    assert all(new in OPCODES or new in LOWERED for new in RENAMED.values())


def both(program: Program, inputs: list[list[tuple[float, ...]]]) -> list[tuple[float, ...]]:
    """The first output of each invocation, equal in both engines."""
    data = np.array(inputs, np.float32)
    first, second = (tgsi.run(program, data, engine=engine).outputs for engine in ("jit", "interp"))
    assert (first == second).all()
    return [tuple(row) for row in first.view(np.float32)[:, 0].tolist()]


def test_rcc_keeps_reciprocals_between_two_bounds_of_their_sign() -> None:
    program = parse("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nRCC OUT[0], IN[0].xxxx\nEND", dialect="legacy")
    high, low = float(np.float32(1.884467e19)), float(np.float32(5.42101e-20))
    given = (4.0, -0.25, 0.0, -0.0, 1e30, -1e30, float("inf"))
    wanted = (0.25, -4.0, high, -high, low, -low, -low)  # 1 / inf is 0, which is not above 0
    assert [row[0] for row in both(program, [[(value,) * 4] for value in given])] == list(wanted)


def test_sad_adds_a_number_to_the_difference_of_integers() -> None:
    text = "VERT\nDCL IN[0..2]\nDCL OUT[0], POSITION\nSAD OUT[0], IN[0], IN[1], IN[2]\nEND"
    words = np.array([[[7, 3, 0, 0xFFFFFFFF], [3, 7, 0, 1], [10, 20, 30, 1]]], np.uint32)
    for engine in ("jit", "interp"):
        assert tgsi.run(parse(text, dialect="legacy"), words, engine=engine).outputs[0, 0].tolist() == [14, 24, 30, 0xFFFFFFFF]


@pytest.mark.parametrize("name", ["M4X4", "MULTIPLYMATRIX"])
def test_a_matrix_is_four_registers(name: str) -> None:
    text = f"VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL CONST[0..4]\n{name} OUT[0], IN[0], CONST[1]\nEND"
    constants = {0: np.arange(20, dtype=np.float32).reshape(5, 4)}
    result = tgsi.run(parse(text, dialect="legacy"), np.array([[A]], np.float32), constants=constants)
    np.testing.assert_allclose(result.floats[0, 0], constants[0][1:] @ np.array(A, np.float32), rtol=1e-6)


LOOPS = {
    "LOOP\nADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nSGE TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx\nIF TEMP[1].xxxx\nBRK\nENDIF\nENDLOOP": (
        1,
        2,
        5,
    ),
    "BGNLOOP2 :6\nADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nSGE TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx\n"
    "IFC TEMP[1].xxxx\nBREAK\nENDIF\nENDLOOP2 :0": (1, 2, 5),
    "BGNLOOP\nADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nSGE TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx\nBREAKC TEMP[1].xxxx\nENDLOOP": (1, 2, 5),
    "REP IN[0].xxxx\nADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nCONT\nENDREP": (0, 2, 5),
    "BGNFOR LOOP[0], CONST[0]\nADD TEMP[0].x, TEMP[0].xxxx, CONST[LOOP[0].x].wwww\nCONT\nENDFOR LOOP[0]": (30, 30, 30),
    "BGNFOR LOOP[0], CONST[0]\nBGNFOR LOOP[0], CONST[3]\nENDFOR LOOP[0]\nADD TEMP[0].x, TEMP[0].xxxx, CONST[LOOP[0].x].wwww\n"
    "ENDFOR LOOP[0]": (30, 30, 30),
}


@pytest.mark.parametrize("loop", LOOPS)
def test_old_loops_run_as_often_as_they_did(loop: str) -> None:
    text = (
        "VERT1.1\nDCL IN[0], POSITION, CONSTANT\nDCL OUT[0], POSITION, CONSTANT\nDCL CONST[0..3], CONSTANT\nDCL TEMP[0..1], CONSTANT\n"
        f"DCL LOOP[0], CONSTANT\nIMM FLT32 {{ 0.0000, 1.0000 }}\n{loop}\nMOV OUT[0], TEMP[0].xxxx\nEND"
    )
    program = parse(text, dialect="legacy")
    assert check(program) == ()
    assert parse(str(program)) == program
    constants = {0: np.array([[2, 1, 1, 7], [0, 0, 0, 10], [0, 0, 0, 20], [2, 0, 1, 40]], np.float32)}
    inputs = np.array([[[0, 0, 0, 0]], [[2, 0, 0, 0]], [[5, 0, 0, 0]]], np.float32)
    for engine in ("jit", "interp"):
        assert tuple(tgsi.run(program, inputs, constants=constants, engine=engine).floats[:, 0, 0]) == LOOPS[loop]


def test_a_predicate_chooses_the_channels_that_are_written() -> None:
    program = parse(
        "VERT\nDCL IN[0..2]\nDCL OUT[0], POSITION\nDCL PRED[0]\nSLT PRED[0], IN[0], IN[1]\nMOV OUT[0], IN[2]\n"
        "  3: (PRED[0]) MOV OUT[0].xyz, IN[0]\n(!PRED[0].xxxx) ADD_SAT OUT[0].w, IN[0], IN[1]\nEND",
        dialect="legacy",
    )
    assert both(program, [[A, B, C]]) == [(0.75, -2.0, 1.0, 1.0)]  # 1.5 < 0.5 is false, -2 < 4 true, 0.25 < -1 false


@pytest.mark.parametrize("header", ["FRAG1.1", "frag1.0", "VERT1.1", " \n GEOM1.1"])
def test_headers_had_a_version(header: str) -> None:
    word = header.split()[0][:4].upper()
    assert parse(f"{header}\nDCL TEMP[0]\nMOV TEMP[0], TEMP[0]\nEND", dialect="legacy").processor.name == word
    with pytest.raises(ParseError, match="the legacy dialect reads it"):
        parse(f"{header}\nEND")


DUMP_OF_2008 = """
FRAG1.1
DCL IN[0], COLOR, LINEAR
DCL IN[1], GENERIC[1], PERSPECTIVE
DCL OUT[0], COLOR, CONSTANT
DCL TEMP[0..1], CONSTANT
DCL SAMP[0], CONSTANT
IMM FLT32 {     0.5000,     0.0000,     1.0000,     2.0000 }
0:TEX TEMP[0], IN[1], SAMP[0], 2D
1:KIL TEMP[0].wwww
2:LERP TEMP[1], IMM[0].xxxx, IN[0], TEMP[0]
3:POWER TEMP[1].w, TEMP[1].wwww, IMM[0].wwww
4:CROSSPRODUCT TEMP[0].xyz, TEMP[0], IN[0]
5:MOV_SAT OUT[0], TEMP[1]
6:END
"""


def test_a_dump_of_2008_is_read_with_a_note_for_each_thing_that_changed() -> None:
    program = parse(DUMP_OF_2008, dialect="legacy")
    assert [item.opcode.name for item in program.instructions] == ["TEX", "KILL_IF", "LRP", "POW", "MUL", "MAD", "MOV", "END"]
    assert check(program) == ()
    assert {item.severity for item in program.notes} == {Severity.NOTE}
    assert [(item.code, item.message) for item in program.notes] == [
        ("P050", "the header FRAG1.1 is FRAG today"),
        ("P050", "only inputs of fragment programs have a mode today (3 places)"),
        ("P050", "KIL is KILL_IF today"),
        ("P050", "LERP is LRP today"),
        ("P050", "POWER is POW today"),
        ("P050", "CROSSPRODUCT takes other instructions today"),
    ]
    assert parse(str(program)) == program
    assert [item.span.line for item in program.notes if item.span is not None] == [2, 5, 10, 11, 12, 13]


@pytest.mark.parametrize("name", REFUSED)
def test_an_opcode_without_a_counterpart_is_refused_by_name_and_time(name: str) -> None:
    with pytest.raises(ParseError, match=rf"the opcode {name}, which Mesa had from \d+ to \d+, has no counterpart"):
        parse(f"VERT\n{name} TEMP[0]\nEND", dialect="legacy")


def test_resources_of_2011_are_sampler_views() -> None:
    program = parse(
        "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL RES[0..1], 2D, FLOAT\nDCL SAMP[0]\nDCL TEMP[0..2]\n"
        "SAMPLE TEMP[0], IN[0], RES[0], SAMP[0]\nLOAD TEMP[1], IN[0], RES[1]\nRESINFO TEMP[2], IN[0].xxxx, RES[1]\n"
        "MOV OUT[0], TEMP[0]\nEND",
        dialect="legacy",
    )
    assert [item.opcode.name for item in program.instructions] == ["SAMPLE", "SAMPLE_I", "SVIEWINFO", "MOV", "END"]
    assert check(program) == ()
    assert parse(str(program)) == program
    with pytest.raises(ParseError):
        parse("COMP\nDCL RES[0], BUFFER, RAW, WR\nEND", dialect="legacy")


def test_cull_distances_follow_the_clip_distances() -> None:
    head = (
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], CLIPDIST\n{}DCL OUT[2].xy, CULLDIST\n"
        "MOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nMOV OUT[2].xy, IN[0]\nEND"
    )
    program = parse(head.format(""), dialect="legacy")
    assert [str(item.semantic) for item in program.declarations[1:]] == ["POSITION", "CLIPDIST", "CLIPDIST[1]"]
    assert {item.name: item.value for item in program.properties} == {"NUM_CLIPDIST_ENABLED": 4, "NUM_CULLDIST_ENABLED": 2}
    assert parse(str(program)) == program
    with pytest.raises(ParseError, match="the 3 clip distances before CULLDIST do not fill their registers"):
        parse(head.format("PROPERTY NUM_CLIPDIST_ENABLED 3\n"), dialect="legacy")
    with pytest.raises(ParseError, match="only outputs are read as CULLDIST"):
        parse("FRAG\nDCL IN[0], CULLDIST, PERSPECTIVE\nEND", dialect="legacy")


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
