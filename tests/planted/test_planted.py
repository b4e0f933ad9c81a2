"""The faults that `python -m tests.planted` plants, the tests that look for them, and tonight's part of the list."""

from __future__ import annotations

import ast
import datetime
from pathlib import Path

import pytest

from tests.planted.__main__ import main
from tests.planted.copies import Copy
from tests.planted.covering import AREAS, covering_tests
from tests.planted.faults import ROOT, chosen, faults_of, modules

TEXT = '''
LIMIT = 3
def f(a, b):
    """Text 1."""
    if a < b and g(a, b):
        h(a)
        raise ValueError(f"{a + 1}")
    return a + 2 * b
'''
PARTS = 50
"""Nights in which all 300 faults of seed 1 are planted."""


def test_each_kind_of_fault_changes_one_place() -> None:
    found = {(fault.line, fault.kind): fault.planted(TEXT).splitlines()[fault.line - 1].strip() for fault in faults_of("m.py", TEXT)}
    assert found == {
        (5, "operator"): "if ((a < b) or (g(a, b))):",
        (5, "comparison"): "if (a <= b) and g(a, b):",
        (5, "arguments"): "if a < b and (g(b, a)):",
        (6, "call"): "None",
        (8, "operator"): found[8, "operator"],
        (8, "constant"): "return a + 3 * b",
    }
    assert found[8, "operator"] in ("return ((a) - (2 * b))", "return a + ((2) + (b))")


def test_places_are_counted_in_characters_not_in_bytes() -> None:
    text = 'def f(a):\n    return "ä", a < 1\n'
    assert {fault.planted(text).splitlines()[1].strip() for fault in faults_of("m.py", text)} == {
        'return "ä", (a <= 1)',
        'return "ä", a < 2',
    }


def test_a_seed_determines_the_faults_and_more_of_them_begin_alike() -> None:
    few = chosen(3, 4)
    assert few == chosen(3, 8)[:4]
    assert few != chosen(4, 4)
    for fault in few:
        text = (ROOT / fault.module).read_text(encoding="utf-8")
        assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(fault.planted(text)))


def test_every_module_has_tests_and_every_row_names_some() -> None:
    assert [module for module in modules() if not covering_tests(module).near + covering_tests(module).others] == []
    assert [place for row in AREAS.values() for place in row.split() if not (ROOT / "tests" / place).exists()] == []


@pytest.mark.slow
def test_a_fault_in_a_copy_is_found_and_the_copy_is_as_before(tmp_path: Path) -> None:
    module, tests = "passes/analysis/drawings.py", ["tests/unit/llvm/test_dumps.py"]
    text = (ROOT / module).read_text(encoding="utf-8")
    fault = next(fault for fault in faults_of(module, text) if fault.new == "(cell <= 0)")
    copy = Copy(tmp_path)
    assert copy.found_by(fault, tests) == f"{tests[0]}::test_values_lead_to_their_readers_and_several_makers_are_dashed"
    assert (tmp_path / module).read_text(encoding="utf-8") == text
    assert (ROOT / module).read_text(encoding="utf-8") == text


@pytest.mark.nightly
def test_tonights_part_of_the_planted_faults_is_found() -> None:
    part = datetime.datetime.now(tz=datetime.UTC).toordinal() % PARTS + 1
    state = ROOT / "out/planted.jsonl"
    state.parent.mkdir(exist_ok=True)
    assert main(["--seed", "1", "--part", f"{part}/{PARTS}", "--state", str(state), "--workers", "1"]) == 0
