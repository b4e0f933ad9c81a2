"""Docstrings begin with a noun phrase or an imperative: no question, no pronoun without its noun."""

from __future__ import annotations

import ast
import re

import pytest

from tests.house.imports import module_files

#: Words that begin a riddle: the reader cannot know yet what they stand for.
RIDDLE = re.compile(
    r"(What|How|Who|Whose|Where|Whether|Why|They|Of|There|This|These|Those|Them|That|Which|And|Or|But|Is|Are|Was|Has|Does|Did|May|Can|Nobody)\b"
)
FILES = module_files()


def riddles(text: str) -> list[str]:
    """First lines of docstrings that begin with one of these words."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    found = [ast.get_docstring(node) for node in ast.walk(ast.parse(text)) if isinstance(node, documented)]
    return [line.splitlines()[0] for line in found if line is not None and RIDDLE.match(line)]


@pytest.mark.parametrize("package", sorted({name.rpartition(".")[0] or name for name in FILES}))
def test_no_docstring_is_a_riddle(package: str) -> None:
    files = [file for name, file in FILES.items() if (name.rpartition(".")[0] or name) == package]
    assert [line for file in files for line in riddles(file.read_text(encoding="utf-8"))] == []


def test_a_riddle_is_found() -> None:
    assert riddles('"""A module."""\n\ndef f():\n    """What a draw asks."""\n') == ["What a draw asks."]
    assert riddles('class A:\n    """Whatever is bound."""\n') == []
