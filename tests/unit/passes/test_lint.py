"""Lints: each code has a program with the fault, its place, and a program next to it without the fault."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import tgsi
from tgsi.language.codes import EXPLANATIONS
from tgsi.language.diagnostics import Severity
from tgsi.tools.compile.cli import main

HEAD = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0..1]
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
IMM[0] FLT32 {0.0, 1.0, -1.0, 2.0}
TEX TEMP[1], IN[0], SAMP[0], 2D
MUL TEMP[1], TEMP[1], IMM[0]
"""
LINE = HEAD.count("\n")
"""Lines before the statements of a case."""

_FAULTS = """
MUL OUT[0], TEMP[1], TEMP[0]
L001 1:22 TEMP[0] is read
MOV TEMP[0], IN[0]; MUL OUT[0], TEMP[1], TEMP[0]

MOV TEMP[0].xy, IN[0]; MUL OUT[0], TEMP[0], TEMP[1]
L001 2:13 TEMP[0].zw is read
MOV TEMP[0], IN[0]; MUL OUT[0], TEMP[0], TEMP[1]

IF IN[0].xxxx; MOV TEMP[0], TEMP[1]; ENDIF; MOV OUT[0], TEMP[0]
L002 4:13 TEMP[0] is read
IF IN[0].xxxx; MOV TEMP[0], TEMP[1]; ELSE; MOV TEMP[0], IN[0]; ENDIF; MOV OUT[0], TEMP[0]

BGNLOOP; IF IN[0].xxxx; BRK; ENDIF; MOV TEMP[0], TEMP[1]; ENDLOOP; MOV OUT[0], TEMP[0]
L002 7:13 TEMP[0] is read
BGNLOOP; MOV TEMP[0], TEMP[1]; IF IN[0].xxxx; BRK; ENDIF; ENDLOOP; MOV OUT[0], TEMP[0]

MOV TEMP[0], TEMP[1]; KILL_IF TEMP[0]
L003 -6:1 OUT[0] (COLOR) is declared
MOV TEMP[0], TEMP[1]; MOV OUT[0], TEMP[0]

MOV TEMP[0], TEMP[1]; MOV OUT[0].xyz, TEMP[0]
L004 -6:1 OUT[0].w (COLOR) is never written
MOV TEMP[0], TEMP[1]; MOV OUT[0], TEMP[0]

MOV TEMP[0], TEMP[1]; IF IN[0].xxxx; MOV OUT[0], TEMP[0]; ENDIF
L004 -6:1 OUT[0] (COLOR) is not written on every path to the end
MOV TEMP[0], TEMP[1]; IF IN[0].xxxx; MOV OUT[0], TEMP[0]; ELSE; MOV OUT[0], IN[0]; ENDIF

MOV OUT[0], TEMP[1]
L010 -5:1 TEMP[0] is never used
MOV TEMP[0], TEMP[1]; MOV OUT[0], TEMP[0]

MOV OUT[0], TEMP[1]; MOV TEMP[0], IN[0]
L011 2:5 the result of MOV is never
MOV TEMP[0], IN[0]; MUL OUT[0], TEMP[1], TEMP[0]

MOV OUT[0], IN[0]; MUL TEMP[0], TEMP[1], IN[0]; MOV OUT[0], TEMP[0]
L011 1:5 the result of MOV is overwritten
MUL TEMP[0], TEMP[1], IN[0]; MOV OUT[0], TEMP[0]

MOV TEMP[0], TEMP[1]; MOV OUT[0], TEMP[0]; RET; MOV OUT[0], IN[0]
L020 4:1 MOV is never reached
MOV TEMP[0], TEMP[1]; MOV OUT[0], TEMP[0]; RET

MOV TEMP[0], TEMP[1]; KILL; MOV OUT[0], TEMP[0]
L021 2:1 KILL discards
MOV TEMP[0], TEMP[1]; IF IN[0].xxxx; KILL; ENDIF; MOV OUT[0], TEMP[0]

MOV TEMP[0], TEMP[1]; KILL_IF IMM[0]; MOV OUT[0], TEMP[0]
L021 2:1 KILL_IF discards
MOV TEMP[0], TEMP[1]; KILL_IF TEMP[0]; MOV OUT[0], TEMP[0]

MOV OUT[0], TEMP[1]; BGNLOOP; ADD TEMP[0], IN[0], IN[0]; KILL_IF TEMP[0]; ENDLOOP
L022 2:1 the loop never ends
MOV OUT[0], TEMP[1]; BGNLOOP; ADD TEMP[0], IN[0], IN[0]; IF TEMP[0].xxxx; BRK; ENDIF; ENDLOOP

MOV OUT[0], TEMP[1]; BGNLOOP; ADD TEMP[0], IN[0], IN[0]; KILL_IF TEMP[0]; BRK; ENDLOOP
L023 2:1 the loop runs once
MOV OUT[0], TEMP[1]; BGNLOOP; ADD TEMP[0], IN[0], IN[0]; IF TEMP[0].xxxx; BRK; ENDIF; ENDLOOP

MOV TEMP[0], TEMP[1]; MOV OUT[0], TEMP[0]; END; BGNSUB; MOV OUT[0], IN[0]; ENDSUB
L024 4:1 the subroutine is never called
MOV TEMP[0], TEMP[1]; MOV OUT[0], TEMP[0]; CAL :6; END; BGNSUB; ADD OUT[0], TEMP[0], IN[0]; ENDSUB

MOV TEMP[0], TEMP[1]; MOV OUT[0], TEMP[0]; IF IMM[0].yyyy; MOV OUT[0], IN[0]; ENDIF
L030 3:4 the condition of IF is always true
MOV TEMP[0], TEMP[1]; MOV OUT[0], TEMP[0]; IF TEMP[0].yyyy; MOV OUT[0], IN[0]; ENDIF

MOV OUT[0], TEMP[1]; MOV TEMP[0].x, IMM[0]; UIF TEMP[0].xxxx; MOV OUT[0], IN[0]; ENDIF
L030 3:5 the condition of UIF is always false
MOV OUT[0], TEMP[1]; MOV TEMP[0].x, IN[0]; UIF TEMP[0].xxxx; MOV OUT[0], IN[0]; ENDIF

MOV TEMP[0], TEMP[1]; KILL_IF IMM[0].xyxy; MOV OUT[0], TEMP[0]
L030 2:9 KILL_IF never discards
MOV TEMP[0], TEMP[1]; KILL_IF TEMP[0]; MOV OUT[0], TEMP[0]

MOV TEMP[0], TEMP[1]; DIV OUT[0], TEMP[0], -IMM[0].yxyy
L031 2:22 DIV divides by 0
MOV TEMP[0], TEMP[1]; DIV OUT[0], TEMP[0], IMM[0].yzww

MOV TEMP[0], TEMP[1]; RCP TEMP[0].x, IMM[0].xxxx; MOV OUT[0], TEMP[0]
L031 2:16 RCP divides by 0
MOV TEMP[0], TEMP[1]; RCP TEMP[0].x, IMM[0].yyyy; MOV OUT[0], TEMP[0]
"""
FAULTS = tuple(tuple(row.split("\n")) for row in _FAULTS.strip().split("\n\n"))
"""Statements with a fault; code, line after the head, column and message of the finding; statements without the fault."""


def _program(statements: str) -> tgsi.Program:
    end = "" if "; END;" in statements else "END\n"
    return tgsi.parse(HEAD + statements.replace("; ", "\n") + "\n" + end)


def _lints(program: tgsi.Program) -> list[str]:
    found = [item for item in tgsi.check(program, lint=True) if item.code.startswith("L")]
    return [f"{item.code} {item.span.line - LINE}:{item.span.column} {item.message}" for item in found if item.span is not None]


@pytest.mark.parametrize(("faulty", "finding", "right"), FAULTS, ids=[f"{row[1].split()[0]}-{row[0]}" for row in FAULTS])
def test_a_fault_is_found_at_its_place_and_a_right_program_has_no_finding(faulty: str, finding: str, right: str) -> None:
    found = _lints(_program(faulty))
    assert [line for line in found if line.startswith(finding)], found
    assert _lints(_program(right)) == []


def test_samplers_without_a_view_are_noted_once() -> None:
    program = tgsi.parse(HEAD.replace("DCL SVIEW[0], 2D, FLOAT\n", "") + "MOV TEMP[0], TEMP[1]\nTEX OUT[0], TEMP[0], SAMP[0], 2D\nEND\n")
    assert [line.split(" ", 1)[0] for line in _lints(program)].count("L032") == 1


def test_only_the_needed_channels_of_a_copy_count_as_read() -> None:
    assert _lints(_program("MOV TEMP[0].x, TEMP[1]; MOV TEMP[1], TEMP[0]; MOV OUT[0], TEMP[1].xxxx")) == []


def test_64_bit_results_fill_pairs() -> None:
    text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0]\nF2D TEMP[0].xy, IN[0].xxxx\nD2F OUT[0].x, TEMP[0].xyxy\n"
    assert _lints(tgsi.parse(text + "MOV OUT[0].yzw, IN[0]\nEND\n")) == []


def test_arrays_are_reported_only_where_nothing_was_written() -> None:
    text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0..3], ARRAY(1)\nDCL ADDR[0]\nUARL ADDR[0].x, IN[0].xxxx\n"
    text += "%sMOV OUT[0], TEMP[ADDR[0].x](1)\nEND\n"
    assert [line.split(" ")[0] for line in _lints(tgsi.parse(text % ""))] == ["L001"]
    assert _lints(tgsi.parse(text % "MOV TEMP[2], IN[0]\n")) == []


def test_lints_are_off_unless_they_are_asked_for_and_never_errors() -> None:
    program = _program("MUL OUT[0], TEMP[1], TEMP[0]")
    assert tgsi.check(program) == ()
    assert all(item.severity is not Severity.ERROR for item in tgsi.check(program, lint=True))
    assert all(item.code in EXPLANATIONS and item.hint for item in tgsi.check(program, lint=True))


def test_a_program_with_errors_has_no_lints() -> None:
    program = _program("MUL OUT[0], TEMP[1], TEMP[7]; MOV TEMP[0], IN[0]")
    assert [item.code for item in tgsi.check(program, lint=True)] == ["V030"]


def test_programs_made_in_python_have_their_text_in_the_message() -> None:
    read = _program("MUL OUT[0], TEMP[1], TEMP[0]")
    program = replace(read, instructions=tuple(replace(item, span=None) for item in read.instructions))
    (found,) = tgsi.check(program, lint=True)
    assert "in `MUL OUT[0], TEMP[1], TEMP[0]`" in found.message


def test_the_command_lints_only_with_its_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.tgsi"
    file.write_text(HEAD + "MUL OUT[0], TEMP[1], TEMP[0]\nEND\n")
    assert main(["--check", str(file)]) == 0
    assert capsys.readouterr().out == ""
    assert main(["--check", "--lint", "--format", "json", str(file)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["ok"]
    assert [item["code"] for item in data["findings"]] == ["L001"]
    assert main(["--explain", "L001"]) == 0
    assert "read before it is written" in capsys.readouterr().out


def test_every_lint_has_a_fault_here() -> None:
    shown = {row[1].split()[0] for row in FAULTS} | {"L032"}
    assert {code for code in EXPLANATIONS if code.startswith("L")} == shown
