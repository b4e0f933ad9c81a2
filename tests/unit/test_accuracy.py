"""The errors promised in docs/accuracy.md hold on a sample."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from benchmarks.accuracy.functions import FUNCTIONS, sample
from benchmarks.accuracy.halves import float_inputs, measure_halves, nearest_half
from benchmarks.accuracy.scan import REFERENCES, SIZE, Scan
from benchmarks.accuracy.table import SEED, Row, cells, count_wrong_specials, main, measure, scan_reference_error, table, unit_of

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"
SLACK = 2.0**-20
"""Largest error of the float64 reference, in units in the last place of a float."""


def documented() -> dict[tuple[str, str], list[str]]:
    """Rows of the document's first table by function and engine."""
    rows = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in DOCUMENT.read_text().splitlines() if line.startswith("| ")]
    return {(row[0], row[1]): row for row in rows if row[1] in ("jit", "interp") and row[0] in FUNCTIONS}


@pytest.mark.parametrize("engine", ["jit", "interp"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_documented_bounds_hold_on_a_sample(name: str, engine: str) -> None:
    function = FUNCTIONS[name]
    row = measure(function, sample(function, 8192, SEED), engine)
    worst = max(error for error, _ in row.candidates)
    assert row.wrong == count_wrong_specials(function, engine) == 0
    assert worst <= function.bound + (2.0**-50 if function.absolute else SLACK)
    line = documented()[name, engine]
    assert line[6:] == [*cells(Row(name, engine, function.bound, function.absolute))[6:7], line[7], "holds"]
    measured = re.fullmatch(r"exact|2\^(-[\d.]+)|([\d.]+) ULP", line[3])
    assert measured is not None
    told = 2.0 ** float(measured[1]) if measured[1] else float(measured[2] or 0)
    assert told <= function.bound
    assert worst <= told + 5e-4 + (2.0**-50 if function.absolute else SLACK)


@pytest.mark.parametrize("engine", ["jit", "interp"])
def test_half_conversions_are_exact(engine: str) -> None:
    assert [line for line in measure_halves(engine, 1 << 14) if line.wrong] == []


def test_nearest_half_is_ieee() -> None:
    words = np.array([65504.0, 65519.996, 65520.0, 2.0**-24, 2.0**-25, 2.0**-25 * 1.0000001, 1 + 2.0**-11, 1 + 3 * 2.0**-11], np.float32)
    assert nearest_half(words.view(np.uint32)).tolist() == [0x7BFF, 0x7BFF, 0x7C00, 1, 0, 1, 0x3C00, 0x3C02]
    assert len(float_inputs(64)) % 4 == 0


@pytest.mark.parametrize("name", REFERENCES)
def test_a_scan_finds_what_numpy_finds(name: str) -> None:
    function, count = FUNCTIONS[name], 1 << 12
    scan = Scan(name, function.absolute)
    for number, start in ((0, 0), (1, 64), (117, 1 << 16), (127, 7 << 20), (133, 1 << 20), (254, 0), (255, 0), (384, 5 << 20), (511, 0)):
        words = np.arange(count, dtype=np.uint32) + np.uint32(number * SIZE + start)
        found, row = scan.binade(number, start, count), measure(function, (words,), "jit")
        assert (found.count, found.wrong) == (count, row.wrong)
        slack = 2.0**-50 if function.absolute else SLACK
        assert abs(found.candidates[0][0] - max(error for error, _ in row.candidates)) <= slack
        assert abs(found.mean - row.mean) <= slack
        assert found.candidates[0][0] == 0 or found.candidates[0][1] in words
    assert scan_reference_error(function, scan) <= slack


def test_units_are_those_of_the_result() -> None:
    given = np.array([1.0, 1.999, 2.0, 0.0, 2.0**-130, 2.0**-126, 2.0**128])
    assert np.log2(unit_of(given)).tolist() == [-23, -23, -22, -149, -149, -149, 104]


def test_a_planted_error_is_found(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from benchmarks.accuracy import table as measured

    shifted = replace(
        FUNCTIONS["EX2"],
        specials=(),
        statement="MUL TEMP[0].x, IN[0].{s}, IMM[0].xxxx\nEX2 TEMP[0].y, TEMP[0].xxxx\nADD OUT[0].{c}, TEMP[0].yyyy, IMM[0].xxxx",
    )
    monkeypatch.setattr(measured, "FUNCTIONS", {"EX2": shifted})
    assert main(["--functions", "EX2", "--samples", "64", "--engines", "jit"]) == 1
    assert "MISSED" in capsys.readouterr().out


def test_table_shows_where_the_worst_error_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (
            main(["--functions", "EX2,RCP", "--samples", "4096", "--engines", "jit", "--markdown", "--json", str(tmp_path / "a.json")]) == 0
        )
    out = capsys.readouterr().out
    assert re.search(r"\| EX2 \| jit \| [\d,]+ \| 1\.256 ULP \| 3f01bb3a \|", out)
    assert "3f01bb3a" not in table([Row("RCP", "jit", 0.5, False)], markdown=False)
    assert (tmp_path / "a.json").read_text().startswith("{")
