"""docs/environment.md names every variable that the code reads, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.house.imports import ROOT, nodes, trees

TABLE = (ROOT / "docs/environment.md").read_text(encoding="utf-8")
DOCUMENTED = {name for row in re.findall(r"^\| (`.*?) \|", TABLE, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
OF_ARGUMENTS = "backends.gallium.screen.screen"
"""The module whose function `_number` reads the variable of an argument."""
CAPABILITIES = {"backends.gallium.screen.caps", "tgsi.tools.vtest.protocol.caps"}
"""Modules whose names with TGSI_ are Gallium's capabilities."""
SCRIPTS = ("dev", "hatch_build.py", "tests/effort.py")


def literals(tree: ast.AST) -> Iterator[str]:
    """Variables that a module names: those of ours anywhere, others where the environment is asked."""
    for node in nodes(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch("TGSI_[A-Z_]*[A-Z]", node.value):
            yield node.value
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("os.environ.get", "os.getenv"):
            if isinstance(node.args[0], ast.Constant):
                yield str(node.args[0].value)
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "os.environ" and isinstance(node.slice, ast.Constant):
            yield str(node.slice.value)


def of_arguments(tree: ast.AST) -> Iterator[str]:
    """Variables of arguments."""
    for node in nodes(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "_number":
            yield f"TGSI_{ast.literal_eval(node.args[1]).upper()}"


def made_up(tree: ast.AST) -> list[str]:
    """Names of variables that a module puts together, which `literals` cannot see."""
    return [
        ast.unparse(node)
        for node in nodes(tree)
        if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant) and str(node.values[0].value) == "TGSI_"
    ]


def test_the_page_has_every_variable_of_the_code_and_no_other() -> None:
    found = {name for module, tree in trees().items() if module not in CAPABILITIES for name in literals(tree)} | {
        *of_arguments(trees()[OF_ARGUMENTS])
    }
    for script in SCRIPTS:
        found |= set(re.findall(r"\bTGSI_[A-Z_]*[A-Z]\b", (ROOT / script).read_text(encoding="utf-8")))
    assert found == DOCUMENTED


def test_only_arguments_of_a_screen_have_names_that_are_put_together() -> None:
    assert {module: names for module, tree in trees().items() if (names := made_up(tree))} == {OF_ARGUMENTS: ["f'TGSI_{name.upper()}'"]}


def test_planted_names_are_found() -> None:
    text = "os.environ.get('A'); os.environ['B']; x = 'TGSI_C'; _number(value, 'lanes', 4); f'TGSI_{d}'; 'TGSI_'"
    assert sorted(literals(ast.parse(text))) == ["A", "B", "TGSI_C"]
    assert list(of_arguments(ast.parse(text))) == ["TGSI_LANES"]
    assert made_up(ast.parse(text)) == ["f'TGSI_{d}'"]
