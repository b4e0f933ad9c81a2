"""The language benchmark measures every part that it lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.language import distinct_lines, distinct_operands, forget, main
from tgsi.language.text.parser import parse


def test_lines_and_operands_are_distinct() -> None:
    lines = distinct_lines(5000).splitlines()
    assert len(lines) == 5000
    assert len({line.partition(":")[2] for line in lines[4:-1]}) == 4995
    operands = [part for line in distinct_operands(2000).splitlines()[1:-1] for part in line.split("ADD ")[1].split(", ")]
    assert len(set(operands)) == len(operands) == 3 * 1998


def test_a_parse_after_forgetting_is_equal() -> None:
    text = distinct_lines(100)
    before = parse(text)
    forget()
    assert parse(text) == before


def test_the_report_has_a_line_a_measurement(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.tgsi").write_text(distinct_lines(50))
    assert main(["--lines", "200", "--runs", "1", "--corpus", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum("lines/s" in line for line in lines) == 13
    assert lines[-1].startswith("time at 200 lines: ")
