"""Tests are collected without packages that the extra "test" does not install: moderngl is imported in functions, or after importorskip."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
OPTIONAL = {"moderngl", "pygame", "pyglet", "pyvista", "OpenGL", "glcontext"}


@functools.cache
def imports(file: Path) -> list[tuple[int, str]]:
    """Line and name of each module that importing a file needs, up to its `pytest.importorskip`."""
    return list(_imports(ast.parse(file.read_text())))


def _imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, (ast.Assign, ast.Expr)) and "importorskip" in ast.dump(node):
            return


def optional_imports(file: Path, seen: set[Path]) -> list[str]:
    """Places at which importing `file` imports an optional package, with those of the modules of tests that it imports."""
    places = []
    seen.add(file)
    for line, name in imports(file):
        if name.split(".")[0] in OPTIONAL:
            places.append(f"{file}:{line}: {name}")
        other = ROOT / (name.replace(".", "/") + ".py")
        if name.startswith("tests.") and other.is_file() and other not in seen:
            places += optional_imports(other, seen)
    return places


def test_tests_are_collected_without_optional_packages() -> None:
    assert [place for file in sorted((ROOT / "tests").rglob("test_*.py")) for place in optional_imports(file, set())] == []


def test_a_planted_import_is_found(tmp_path: Path) -> None:
    planted = tmp_path / "test_planted.py"
    planted.write_text("import json\nimport moderngl\n")
    assert optional_imports(planted, set()) == [f"{planted}:2: moderngl"]
    planted = tmp_path / "test_guarded.py"
    planted.write_text('import pytest\npytest.importorskip("moderngl")\nimport moderngl\n')
    assert optional_imports(planted, set()) == []
