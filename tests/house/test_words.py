"""Docstrings begin with a noun phrase or an imperative: no question, no pronoun without its noun."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.house.imports import module_files

#: Words that begin a riddle: the reader cannot know yet what they stand for.
RIDDLE = re.compile(
    r"(What|How|Who|Whose|Where|Whether|Why|They|Of|There|This|These|Those|Them|That|Which|And|Or|But|Is|Are|Was|Has|Does|Did|May|Can|Nobody)\b"
)
FILES = module_files()


def riddles(text: str) -> list[str]:
    """First lines of docstrings, those of names included, that begin with one of these words."""
    bodies = [body for node in ast.walk(ast.parse(text)) if isinstance(body := getattr(node, "body", None), list)]
    alone = [item.value.value for body in bodies for item in body if isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant)]
    found = [text.strip().splitlines()[0] for text in alone if isinstance(text, str) and text.strip()]
    return [line for line in found if RIDDLE.match(line)]


@pytest.mark.parametrize("package", sorted({name.rpartition(".")[0] or name for name in FILES}))
def test_no_docstring_is_a_riddle(package: str) -> None:
    files = [file for name, file in FILES.items() if (name.rpartition(".")[0] or name) == package]
    assert [line for file in files for line in riddles(file.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("folder", ["benchmarks", "examples", "tests"])
def test_no_docstring_of_programs_and_tests_is_a_riddle(folder: str) -> None:
    files = sorted((Path(__file__).parents[2] / folder).rglob("*.py"))
    assert [(file.name, line) for file in files for line in riddles(file.read_text(encoding="utf-8"))] == []
    assert len(files) > 10


def test_a_riddle_is_found() -> None:
    assert riddles('"""A module."""\n\ndef f():\n    """What a draw asks."""\n') == ["What a draw asks."]
    assert riddles('A = 3\n"""How many there are."""\n') == ["How many there are."]
    assert riddles('class A:\n    """Whatever is bound."""\n') == []
