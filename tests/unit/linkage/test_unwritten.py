"""Outputs that are read and never, or not on every way, or not wholly written."""

from __future__ import annotations

import pytest

from linkage import link, link_stages
from linkage.dump import as_json
from passes.analysis.outputs import written_outputs
from tests.unit.linkage.programs import frag
from tgsi.language.diagnostics import Severity
from tgsi.language.text.parser import parse

HEAD = "VERT\nDCL IN[0..1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[2]\nDCL ADDR[0]\nMOV OUT[0], IN[0]\n"
READ = "FRAG\nDCL IN[0], GENERIC[2], LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]{0}\nEND\n"


def warnings(body: str, swizzle: str = "", head: str = HEAD) -> list[str]:
    table = link(parse(head + body + "END\n"), parse(READ.format(swizzle)))
    found = [item for item in table.findings if item.code == "K015"]
    assert all(item.severity is Severity.WARNING and item.hint and item.labels for item in found)
    return [item.message for item in found]


def test_an_output_that_no_instruction_writes_is_named() -> None:
    assert warnings("") == ["IN[0] reads GENERIC[2].xyzw, but nothing writes OUT[1].xyzw"]


def test_channels_are_judged_one_by_one() -> None:
    assert warnings("MOV OUT[1].xz, IN[1]\n", ".xyyw") == ["IN[0] reads GENERIC[2].yw, but nothing writes OUT[1].yw"]
    assert warnings("MOV OUT[1].xz, IN[1]\n", ".xxzx") == []


@pytest.mark.parametrize(
    ("body", "mask"),
    [
        ("IF IN[1].xxxx\nMOV OUT[1], IN[1]\nENDIF\n", "xyzw"),
        ("IF IN[1].xxxx\nMOV OUT[1], IN[1]\nELSE\nMOV OUT[1].xy, IN[1]\nENDIF\n", "zw"),
        ("IF IN[1].xxxx\nRET\nENDIF\nMOV OUT[1], IN[1]\n", "xyzw"),
        ("BGNLOOP\nIF IN[1].xxxx\nBRK\nENDIF\nMOV OUT[1], IN[1]\nENDLOOP\n", "xyzw"),
        ("SWITCH IN[1].xxxx\nCASE IN[1].yyyy\nMOV OUT[1], IN[1]\nBRK\nENDSWITCH\n", "xyzw"),
        ("SWITCH IN[1].xxxx\nCASE IN[1].yyyy\nBRK\nDEFAULT\nMOV OUT[1], IN[1]\nENDSWITCH\n", "xyzw"),
        ("IF IN[1].xxxx\nCAL :10\nENDIF\nRET\nBGNSUB\nMOV OUT[1], IN[1]\nRET\nENDSUB\n", "xyzw"),
    ],
)
def test_every_way_to_the_end_counts(body: str, mask: str) -> None:
    body = body.replace(":10", ":5")
    assert warnings(body) == [f"IN[0] reads GENERIC[2].{mask}, but OUT[1].{mask} is not written on every path"]


@pytest.mark.parametrize(
    "body",
    [
        "IF IN[1].xxxx\nMOV OUT[1], IN[1]\nELSE\nMOV OUT[1], IN[0]\nENDIF\n",
        "IF IN[1].xxxx\nMOV OUT[1], IN[1]\nRET\nENDIF\nMOV OUT[1], IN[0]\n",
        "BGNLOOP\nMOV OUT[1], IN[1]\nIF IN[1].xxxx\nBRK\nENDIF\nENDLOOP\n",
        "SWITCH IN[1].xxxx\nCASE IN[1].yyyy\nMOV OUT[1].xy, IN[1]\nDEFAULT\nMOV OUT[1], IN[1]\nENDSWITCH\n",
        "SWITCH IN[1].xxxx\nCASE IN[1].yyyy\nMOV OUT[1], IN[1]\nBRK\nDEFAULT\nMOV OUT[1], IN[1]\nENDSWITCH\n",
        "CAL :3\nRET\nBGNSUB\nIF IN[1].xxxx\nMOV OUT[1], IN[1]\nRET\nENDIF\nMOV OUT[1], IN[0]\nENDSUB\n",
        "MOV OUT[1].xy, IN[1]\nMOV OUT[1].zw, IN[1]\n",
    ],
)
def test_outputs_that_every_way_writes_are_not_named(body: str) -> None:
    assert warnings(body) == []


def test_a_write_through_an_address_may_leave_out_any_register() -> None:
    head = (
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1..2], ARRAY(1), GENERIC[1]\nDCL ADDR[0]\nMOV OUT[0], IN[0]\nARL ADDR[0].x, IN[0]\n"
    )
    assert warnings("MOV OUT[ADDR[0].x+1](1), IN[0]\n", head=head) == [
        "IN[0] reads GENERIC[2].xyzw, but OUT[2].xyzw is not written on every path"
    ]


def test_every_emit_of_a_geometry_program_counts() -> None:
    head = (
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 2\n"
        "DCL IN[][0], POSITION\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[2]\nIMM[0] UINT32 {0, 0, 0, 0}\nMOV OUT[0], IN[0][0]\n"
    )
    late = "EMIT IMM[0].xxxx\nMOV OUT[1], IN[0][0]\nEMIT IMM[0].xxxx\n"
    assert warnings(late, head=head) == ["IN[0] reads GENERIC[2].xyzw, but OUT[1].xyzw is not written on every path"]
    assert warnings("MOV OUT[1], IN[0][0]\nEMIT IMM[0].xxxx\nEMIT IMM[0].xxxx\n", head=head) == []


@pytest.mark.parametrize(
    ("declaration", "write", "message"),
    [
        ("POSITION", "MOV OUT[0].xy, IN[0]", "the rasterizer reads POSITION.zw, but nothing writes OUT[0].zw"),
        ("PSIZE", "MOV OUT[0].y, IN[0]", "the rasterizer reads PSIZE.x, but nothing writes OUT[0].x"),
        ("CLIPDIST", "MOV OUT[0].x, IN[0]", "the rasterizer reads CLIPDIST.yzw, but nothing writes OUT[0].yzw"),
        ("LAYER", "MOV OUT[0].x, IN[0]", ""),
    ],
)
def test_the_rasterizer_is_a_reader(declaration: str, write: str, message: str) -> None:
    table = link(parse(f"VERT\nDCL IN[0]\nDCL OUT[0], {declaration}\n{write}\nEND\n"), frag())
    assert [item.message for item in table.findings if item.code == "K015"] == [message] * bool(message)


def test_clip_distances_that_are_not_in_use_are_not_read() -> None:
    vertex = "VERT\nPROPERTY NUM_CLIPDIST_ENABLED 2\nDCL IN[0]\nDCL OUT[0], CLIPDIST\nMOV OUT[0].xy, IN[0]\nEND\n"
    assert link(parse(vertex), frag()).unwritten == ()


def test_a_back_color_is_read_where_its_color_is() -> None:
    vertex = parse("VERT\nDCL IN[0]\nDCL OUT[0], COLOR\nDCL OUT[1], BCOLOR\nMOV OUT[0], IN[0]\nEND\n")
    assert [item.output_register for item in link(vertex, frag(("COLOR", 0))).unwritten] == [1]
    assert link(vertex, frag(("GENERIC", 0))).unwritten == ()


def test_other_stages_are_judged_too() -> None:
    geometry = parse("GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nDCL IN[][0], GENERIC[2]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0][0]\nEND\n")
    table = link_stages(parse(HEAD + "MOV OUT[1].x, IN[0]\nEND\n"), geometry)
    assert [(item.input_register, item.never) for item in table.unwritten] == [(0, 0b1110)]


def test_outputs_that_other_invocations_may_write_are_judged_by_any_write() -> None:
    control = parse(
        "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 2\nDCL IN[][0], POSITION\nDCL OUT[][0], POSITION\n"
        "IF IN[0][0].xxxx\nMOV OUT[0][0], IN[0][0]\nENDIF\nEND\n"
    )
    assert written_outputs(control).always == {0: 15}


def test_json_has_the_masks() -> None:
    data = as_json(link(parse(HEAD + "END\n"), parse(READ.format(""))))
    assert data["unwritten"] == [{"semantic": "GENERIC[2]", "output_register": 1, "input_register": 0, "never": 15, "sometimes": 0}]
