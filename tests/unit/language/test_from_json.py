"""Programs from JSON: wrong data are named by their path, and the command reads its own output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tgsi
from tests.unit.language.command import Run
from tgsi.language.diagnostics import ParseError

TEXT = "FRAG\nIMM[0] FLT32 {0.5, 0.0, 0.0, 0.0}\nDCL OUT[0], COLOR\n  0: MOV OUT[0], IMM[0].xxxx\n  1: END\n"


def data() -> dict[str, object]:
    return dict(tgsi.program_as_json(tgsi.parse(TEXT)))


def message(wrong: object) -> str:
    with pytest.raises(ParseError) as caught:
        tgsi.program_from_json(wrong)
    found = caught.value.diagnostics[0]
    assert found.code == "P045"
    return f"{found.message} ({found.hint})" if found.hint else found.message


def test_the_command_reads_what_it_prints(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.tgsi").write_text(TEXT)
    (tmp_path / "b.tgsi").write_text("VERT\nDCL OUT[0], POSITION\nEND\n")
    for names in (("a.tgsi",), ("a.tgsi", "b.tgsi")):
        code, out, err = run("--emit", "json", *[tmp_path / name for name in names])
        assert (code, err) == (0, "")
        (tmp_path / "both.json").write_text(out)
        code, again, err = run("--emit", "json", tmp_path / "both.json")
        assert (code, err) == (0, "")
        printed, wanted = json.loads(again), json.loads(out)
        for one, other in zip(*(made if isinstance(made, list) else [made] for made in (printed, wanted)), strict=True):
            assert tgsi.program_from_json(one) == tgsi.program_from_json(other)
    assert run(tmp_path / "both.json", "-o", f"{tmp_path}/out/")[0] == 0
    assert run("--emit", "text", tmp_path / "a.tgsi")[1] == TEXT
    assert run("--emit", "canonical", tmp_path / "a.tgsi")[1].index("DCL") < TEXT.index("DCL")


def test_findings_of_a_program_from_json_show_text(run: Run, tmp_path: Path) -> None:
    wrong = data() | {"declarations": [], "order": []}
    (tmp_path / "a.json").write_text(json.dumps(wrong))
    code, out, _ = run("--check", tmp_path / "a.json")
    assert code == 1
    assert "a.json as text:3:10" in out
    assert "3 |   0: MOV OUT[0], IMM[0].xxxx" in out


def test_text_that_is_no_json_has_a_place(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"stage": "FRAG",\n "properties" [')
    code, _, err = run(tmp_path / "a.json")
    assert code == 1
    assert "a.json:2:15" in err
    for text in ("[" * 100_000, "[", "[]", "[1]", "{}", "{"):
        assert message(text)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"stage": "FRAGMENT"}, 'stage: there is no stage `"FRAGMENT"` (did you mean `FRAG`?)'),
        ({"stages": "FRAG"}, "stages: there is no such field (did you mean `stage`?)"),
        ({"instructions": [{"opcode": "MOVE"}]}, 'instructions[0].opcode: there is no opcode `"MOVE"` (did you mean `MOV`?)'),
        ({"instructions": 7}, "instructions: expected an array, not `7`"),
        ({"instructions": [7]}, "instructions[0]: expected an object, not `7`"),
        ({"instructions": [{"opcode": "MOV", "saturate": 1}]}, "instructions[0].saturate: expected true or false, not `1`"),
        (
            {"instructions": [{"opcode": "MOV", "dst": [{"file": "OUT", "index": True}]}]},
            "instructions[0].dst[0].index: expected a number from -2147483648 to 4294967295, not `true`",
        ),
        (
            {"instructions": [{"opcode": "MOV", "dst": [{"file": "OUT", "index": 0, "mask": "yx"}]}]},
            'instructions[0].dst[0].mask: expected channels in the order xyzw, not `"yx"`',
        ),
        (
            {"instructions": [{"opcode": "MOV", "src": [{"file": "IN", "index": 0, "swizzle": "xy"}]}]},
            'instructions[0].src[0].swizzle: expected 4 letters of xyzw, not `"xy"`',
        ),
        ({"immediates": [{"type": "FLT32", "words": ["0", "0", "0", "0"]}]}, None),
        ({"immediates": [{"type": "FLT32"}]}, "immediates[0].words: expected an array of 4, not `[]`"),
        ({"order": [["immediates", 2]]}, "order[0]: expected a number from 0 to 1, not `2`"),
        ({"order": [["immediates", 1]]}, "order: it has 0 declarations, the program has 1"),
        ({"order": [7]}, 'order[0]: expected a pair such as ["immediates", 2], not `7`'),
        ({"declarations": [{"file": "IN", "first": 0}]}, "declarations[0]: `last` is missing"),
    ],
)
def test_wrong_data_are_named_by_their_path(change: dict[str, object], said: str | None) -> None:
    assert message(data() | change) == (said or 'immediates[0].words[0]: expected eight hexadecimal digits, not `"0"`')


def test_an_array_of_two_is_not_one_program() -> None:
    assert message([data(), data()]) == "expected one program, the array has 2 (tgsi.programs_from_json reads all of them)"
    assert len(tgsi.programs_from_json(json.dumps([data(), data()]))) == 2
