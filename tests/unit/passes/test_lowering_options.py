"""Lowerings as a record, as text, and as the option --lower: the table, the values and the messages."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import tgsi
from passes.lower.arithmetic.table import EXPANSIONS
from passes.lower.options import ROWS, LoweringOptions, Row, arguments, is_on
from passes.lowering import pipeline_of
from passes.registry import find
from tgsi.tools.compile.cli import main

TEXT = """FRAG
DCL IN[0], COLOR, COLOR
DCL OUT[0], COLOR
LRP OUT[0], IN[0], IN[0].xxxx, IN[0].yyyy
END
"""


def test_every_field_has_a_row_and_every_row_a_field() -> None:
    assert sorted(item.name for item in fields(LoweringOptions)) == sorted(row.field for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.field)
def test_a_row_gives_options_that_its_pass_has_and_its_example_is_read(row: Row) -> None:
    known = find(row.lowering).options()
    assert [type(known[name]) for name, _ in row.options] == [kind for _, kind in row.options]
    options = LoweringOptions.parse(row.sample)
    value = getattr(options, row.field)
    assert is_on(value)
    assert LoweringOptions.parse(str(options)) == options
    (made,) = pipeline_of(options).passes
    assert all(getattr(made, name) == part for name, part in arguments(row, value).items())
    assert value is True or arguments(row, value)


def test_no_field_is_on_by_default() -> None:
    assert str(LoweringOptions()) == ""
    assert pipeline_of(LoweringOptions()).passes == ()


def test_text_fields_and_the_record_give_the_same_program() -> None:
    made = tgsi.lower(TEXT, two_side=True, opcodes="LRP")
    assert "BCOLOR" in str(made)
    assert "LRP" not in str(made)
    assert made == tgsi.lower(TEXT, "two-side,opcodes=LRP") == tgsi.lower(TEXT, LoweringOptions(two_side=True), opcodes="LRP")
    assert tgsi.parse(str(made)) == made


def test_true_and_1_are_different_values() -> None:
    assert str(pipeline_of(LoweringOptions(two_side=1))) == "lower-two-side{colors=1}"
    assert str(pipeline_of(LoweringOptions(two_side=True))) == "lower-two-side"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("two-sid", "there is no lowering `two-sid`; did you mean `two-side`?"),
        ("xyzzy", "there is no lowering `xyzzy`; known are denormal-tests"),
        ("two-side,lower-two-side", "two-side is given twice"),
        ("point-coord", "point-coord: a value is missing, as in `point-coord=0x3`"),
        ("point-coord=", "point-coord: a value is missing in ``"),
        ("point-coord=q", "point-coord: generics: `q` is not an integer"),
        ("two-side=1:2", "two-side: `1:2` has 2 values, and at most 1 are allowed"),
        ("clamp-color=4", "clamp-color: it takes no value but yes and no, not `4`"),
        ("opcodes=LRX", "opcodes: `LRX` is not one of"),
    ],
)
def test_a_wrong_text_is_named_with_the_way_out(text: str, message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as raised:
        pipeline_of(LoweringOptions.parse(text))
    assert str(raised.value).startswith(message)
    shader = tmp_path / "shader.tgsi"
    shader.write_text(TEXT)
    assert main([str(shader), "--lower", text]) == 2
    assert capsys.readouterr().err.startswith(f"tgsi-compile: --lower: {message}")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"two_side": "x"}, "two_side: colors: expected an integer, not 'x'"),
        ({"clamp_color": 3}, "clamp_color: expected True or False, not 3"),
        ({"point_coord": True}, "point_coord: expected a value, as in `point-coord=0x3`"),
        ({"two-sided": True}, "lower: there is no lowering `two-sided`; did you mean `two-side`?"),
        ({"two-side": True}, "lower: there is no lowering `two-side`; did you mean `two_side`?"),
        ({"options": 3}, "lower: options: expected a LoweringOptions or its text, not int"),
    ],
)
def test_a_wrong_field_is_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError) as raised:
        tgsi.lower(TEXT, **given)
    assert str(raised.value) == message


def test_the_command_lowers_before_other_passes_and_prints_after_each(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shader = tmp_path / "shader.tgsi"
    shader.write_text(TEXT)
    assert (
        main([str(shader), "--lower", "flat-shade,opcodes=LRP", "--passes", "remove-dead-code", "--print-after", "lower-flat-shade"]) == 0
    )
    out, err = capsys.readouterr()
    assert "LRP" not in out
    assert "CONSTANT" in err
    assert "LRP" in err


def test_lowerings_of_opcodes_and_operands_run_again_after_other_passes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shader = tmp_path / "shader.tgsi"
    shader.write_text(TEXT.replace("LRP OUT[0], IN[0], IN[0].xxxx, IN[0].yyyy", "DP3 OUT[0], IN[0], IN[0].yzwx"))
    assert main([str(shader), "--lower", "opcodes=DP3,wide-writes", "--passes", "default"]) == 0
    out = capsys.readouterr().out
    assert "DP3" not in out
    assert [line for line in out.splitlines() if ":" in line and " OUT[0], " in line] == []  # each instruction writes one channel
    assert pipeline_of(LoweringOptions.parse("two-side,opcodes=DP3,wide-writes"), again=True).passes == (
        pipeline_of(LoweringOptions.parse("opcodes=DP3,wide-writes")).passes
    )


PRECISE = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], COLOR, COLOR
DCL OUT[0], COLOR
DCL CONST[0..3]
DCL TEMP[0..2], ARRAY(1)
DCL ADDR[0]
ARL_PRECISE ADDR[0].x, IN[0].wwww
LIT_PRECISE TEMP[0], IN[0]
LRP_SAT_PRECISE TEMP[1], TEMP[0], IN[1], CONST[ADDR[0].x]
FMA_PRECISE TEMP[ADDR[0].x](1).xz, TEMP[1].yxwz, IN[0], TEMP[1]
MAX_SAT_PRECISE TEMP[0].x, IN[0], IN[1]
SLT_PRECISE TEMP[0].y, IN[0], IN[1]
DABS_PRECISE TEMP[2], TEMP[0]
DP3_PRECISE OUT[0], TEMP[0], TEMP[2]
END
"""
"""Each instruction that computes floats is precise."""


@pytest.mark.parametrize(
    "sample", [*(row.sample for row in ROWS if row.word != "bits64"), "fma", "bits64", "opcodes", "indirect,opcodes,wide-writes"]
)
def test_what_stands_for_a_precise_instruction_is_precise(sample: str) -> None:
    made = tgsi.lower(PRECISE, sample)
    wrong = [str(item) for item in made.instructions if item.opcode.computes_floats and item.span is not None and not item.precise]
    assert wrong == []


PAGE = (Path(__file__).parents[3] / "docs" / "lowering.md").read_text(encoding="utf-8")


def test_the_example_of_the_page_has_none_of_the_features_that_the_device_lacks(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = PAGE.split("```\nFRAG\n")[1].split("```")[0]
    words = next(line for line in PAGE.splitlines() if line.startswith("tgsi-compile") and "indirect" in line).split()[2:]
    shader = tmp_path / "shader.tgsi"
    shader.write_text(f"FRAG\n{text}")
    assert main([str(shader), *words]) == 0
    out = capsys.readouterr().out
    assert "KILL_IF" in out
    assert not any(word in out for word in ("LRP", "ADDR", "xw"))
    assert tgsi.parse(out).instructions


def test_the_page_tells_which_opcodes_are_exact() -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith("| `opcodes`:")]
    named = {line.split("|")[1].split(":")[1].strip(): "every bit" in line for line in lines}
    told = {name: is_exact for names, is_exact in named.items() for name in names.replace("DP2 to DP4", "DP2, DP3, DP4").split(", ")}
    assert told == {name: row.is_exact for name, row in EXPANSIONS.items()}


def test_every_field_is_on_the_page() -> None:
    assert [
        row.field for row in ROWS if f"`{row.field}" not in PAGE and row.field not in ("denormal_tests", "int_limits", "nan_limits")
    ] == []
