"""ShaderInfo equals the results of Mesa's scan of the same texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.golden.accept import Row, rows
from tgsi.language.channels import coordinate_channels, read_mask
from tgsi.language.diagnostics import ParseError
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.facts.semantics import SEMANTICS
from tgsi.language.info import MAX_REGISTERS, ShaderInfo, scan
from tgsi.language.text.dumper import dump_mesa
from tgsi.language.text.parser import parse
from tgsi.language.tokens.encoder import encode

SCANNED = [row for row in rows() if row["scan"] and "crash" not in row["scan"]]


def as_measured(info: ShaderInfo) -> dict[str, Any]:
    """Info in the measurement's names and numbers."""
    inputs = [
        {
            "sem": SEMANTICS[item.semantic.name].number,
            "idx": item.semantic.index & 0xFF,  # Mesa stores it in a byte
            "interp": int(item.interpolation),
            "loc": int(item.location),
            "usage": item.usage_mask,
        }
        for item in info.inputs
    ]
    outputs = [
        {"sem": SEMANTICS[item.semantic.name].number, "idx": item.semantic.index & 0xFF, "usage": item.usage_mask, "streams": item.streams}
        for item in info.outputs
    ]
    flags = {name: int(getattr(info, name)) for name in info.__dataclass_fields__ if name.startswith(("writes_", "reads_", "uses_"))}
    counts = {
        name: getattr(info, name)
        for name in info.__dataclass_fields__
        if name.startswith(("num_", "indirect_", "dim_", "const_", "samplers_", "clip", "colors_", "max_", "imm"))
        and name != "num_written_culldistance"
    }
    return {
        "processor": int(info.processor),
        "num_inputs": info.num_inputs,
        "num_outputs": info.num_outputs,
        "inputs": inputs,
        "outputs": outputs,
        "system_values": [SEMANTICS[item.name].number for item in info.system_values],
        "file_max": list(info.file_max),
        "file_count": list(info.file_count),
        "file_mask": list(info.file_mask),
        "opcode_count": {str(OPCODES[name].number): count for name, count in info.opcode_count.items()},
        "properties": {str(PROPERTIES[name].number): value for name, value in info.properties.items()},
        **flags,
        **counts,
    }


@pytest.mark.parametrize("row", SCANNED, ids=lambda row: row["name"])
def test_scan_is_that_of_mesa(row: Row) -> None:
    info = parse(row["text"], dialect="strict").info
    assert as_measured(info) == row["scan"]


@pytest.mark.peers
def test_test_shaders_of_mesa_have_its_verdict_tokens_dump_and_scan(shared: Path) -> None:
    table = json.loads((shared / "golden/graw/graw.json").read_text())
    accepted = 0
    for row in table:
        try:
            parse(row["text"], dialect="strict")
        except ParseError:
            assert not row["accepted"], row["name"]
        else:
            assert row["accepted"], row["name"]
            accepted += 1
        for made in (row, row.get("fixed") or row):
            if made["accepted"]:
                program = parse(made["text"], dialect="strict")
                assert [f"{word:08x}" for word in encode(program)] == made["tokens"], row["name"]
                assert dump_mesa(program) == made["dump"], row["name"]
                assert as_measured(program.info) == made["scan"], row["name"]
    assert (len(table), accepted) == (72, 47)


def test_scan_is_collected_once() -> None:
    program = parse("VERT\nEND")
    assert program.info is program.info
    assert program.info == scan(program)


def test_hostile_ranges_cost_nothing() -> None:
    info = parse("VERT\nDCL IN[0..65535]\nDCL OUT[65535]\nDCL SV[65535], VERTEXID\nMOV OUT[0], IN[40000]\nEND").info
    assert info.file_max[File.IN] == 65535
    assert info.num_inputs == MAX_REGISTERS
    assert info.num_outputs == 0


def test_cull_distances_follow_clip_distances() -> None:
    info = parse("VERT\nPROPERTY NUM_CLIPDIST_ENABLED 3\nPROPERTY NUM_CULLDIST_ENABLED 2\nEND").info
    assert (info.num_written_clipdistance, info.clipdist_writemask) == (3, 0b111)
    assert (info.num_written_culldistance, info.culldist_writemask) == (2, 0b11000)


@pytest.mark.parametrize(
    ("text", "operand", "mask"),
    [
        ("MOV TEMP[0].xz, TEMP[1].wzyx", 0, 0b1010),
        ("DP3 TEMP[0].w, TEMP[1].yyyy, TEMP[2]", 0, 0b0010),
        ("DP3 TEMP[0].w, TEMP[1].yyyy, TEMP[2]", 1, 0b0111),
        ("DADD TEMP[0].zw, TEMP[1], TEMP[2]", 0, 0b1100),
        ("DLDEXP TEMP[0].zw, TEMP[1], TEMP[2]", 1, 0b0100),
        ("F2D TEMP[0].zw, TEMP[1]", 0, 0b0010),
        ("D2F TEMP[0].y, TEMP[1]", 0, 0b0011),
        ("D2F TEMP[0].yw, TEMP[1]", 0, 0b1111),
        ("DABS TEMP[0].xyz, TEMP[1]", 0, 0b0011),
        ("SWITCH TEMP[0].zyxw", 0, 0b0100),
        ("U64SEQ TEMP[0].x, TEMP[1], TEMP[2]", 0, 0b0011),
        ("I64SHR TEMP[0].xy, TEMP[1], TEMP[2]", 1, 0b0001),
        ("TXD TEMP[0], TEMP[1], TEMP[2], TEMP[3], SAMP[0], 2D_ARRAY", 0, 0b0111),
        ("TXD TEMP[0], TEMP[1], TEMP[2], TEMP[3], SAMP[0], 2D_ARRAY", 1, 0b0011),
        ("TXL TEMP[0], TEMP[1], SAMP[0], 1D", 0, 0b1001),
        ("STORE BUFFER[0].x, TEMP[1], TEMP[2]", 0, 0b0001),
        ("STORE BUFFER[0].x, TEMP[1], TEMP[2]", 1, 0b0001),
        ("KILL_IF TEMP[0].xxxy", 0, 0b0011),
    ],
)
def test_read_channels_follow_mask_target_and_opcode(text: str, operand: int, mask: int) -> None:
    (instruction,) = parse(f"FRAG\n{text}").instructions
    assert read_mask(instruction, operand) == mask


def test_shadow_reference_is_part_of_the_coordinate_where_it_fits() -> None:
    assert [coordinate_channels(name) for name in ("SHADOW1D", "SHADOWCUBE", "SHADOWCUBEARRAY", "1D_ARRAY")] == [0b101, 15, 15, 0b11]
