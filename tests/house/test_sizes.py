"""Modules and folders stay small enough to be read at once."""

from __future__ import annotations

import ast

from tests.house.imports import module_files, nodes, trees

MAX_LINES = 400
MAX_FUNCTION_LINES = 60
MAX_MODULES = 30


def test_no_module_is_longer_than_400_lines() -> None:
    lines = {name: file.read_text(encoding="utf-8").count("\n") for name, file in module_files().items()}
    assert {name: count for name, count in lines.items() if count > MAX_LINES} == {}


def test_no_folder_has_more_than_30_modules_and_its_docstring() -> None:
    counts: dict[str, int] = {}
    for file in module_files().values():
        counts[str(file.parent)] = counts.get(str(file.parent), 0) + (file.name != "__init__.py")
    assert {folder: count for folder, count in counts.items() if count > MAX_MODULES} == {}


def test_no_body_of_a_function_is_longer_than_60_lines() -> None:
    """The signature and the docstring are left out: a public call may have many arguments, each with its own line of explanation."""
    lines: dict[str, int] = {}
    for name, tree in trees().items():
        for node in nodes(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
                if body and node.end_lineno is not None:
                    lines[f"{name}.{node.name}"] = node.end_lineno - body[0].lineno + 1
    assert {name: count for name, count in lines.items() if count > MAX_FUNCTION_LINES} == {}
