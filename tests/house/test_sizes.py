"""Modules and folders stay small enough to be read at once."""

from __future__ import annotations

import ast

from tests.house.imports import module_files, nodes, trees

MAX_LINES = 400
MAX_FUNCTION_LINES = 60
MAX_MODULES = 30
LONG = {"tgsi.api.run": 122}
"""Limits of longer functions. `run` has 27 arguments, each in its signature, its docstring and the dictionary that both engines read."""


def test_no_module_is_longer_than_400_lines() -> None:
    lines = {name: file.read_text(encoding="utf-8").count("\n") for name, file in module_files().items()}
    assert {name: count for name, count in lines.items() if count > MAX_LINES} == {}


def test_no_folder_has_more_than_30_modules_and_its_docstring() -> None:
    counts: dict[str, int] = {}
    for file in module_files().values():
        counts[str(file.parent)] = counts.get(str(file.parent), 0) + (file.name != "__init__.py")
    assert {folder: count for folder, count in counts.items() if count > MAX_MODULES} == {}


def test_no_function_is_longer_than_60_lines_with_its_signature_and_docstring() -> None:
    lines: dict[str, int] = {}
    for name, tree in trees().items():
        for node in nodes(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
                function = f"{name}.{node.name}"  # of methods of the same name, the longest counts
                lines[function] = max(lines.get(function, 0), node.end_lineno - node.lineno + 1)
    assert {function: count for function, count in lines.items() if count > LONG.get(function, MAX_FUNCTION_LINES)} == {}
    assert [function for function in LONG if lines.get(function, 0) <= MAX_FUNCTION_LINES] == []
