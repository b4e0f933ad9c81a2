"""The optimiser's benchmark optimises the same programs in both checkouts, and prints how fast and whether to the same texts."""

from __future__ import annotations

from pathlib import Path

import pytest

import tgsi
from benchmarks.optimiser import ROOT, long_program, main

SHORT = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0]\nMOV TEMP[0], IN[0]\nMOV OUT[0], TEMP[0]\nEND\n"


def test_a_long_program_is_right_and_not_all_of_it_can_go() -> None:
    program = tgsi.parse(long_program(1000))
    assert len(program.instructions) == 1000
    assert 300 < len(tgsi.optimize(program).instructions) < 1000


def test_two_checkouts_are_measured_by_turns_and_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "short.tgsi").write_text(SHORT)
    assert main(["--corpus", str(tmp_path), "--against", str(ROOT), "--lines", "200", "--rounds", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [["corpus", "3"]] * 2 + [["corpus", "2"]] + [["long", "200"]] * 2 + [
        lines[5].split()[:2]
    ]
    assert lines[2] == "corpus   2 and 2 instructions are left; 0 other texts"
    assert lines[5].endswith("; 0 other texts")
