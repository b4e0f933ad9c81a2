"""Imports run down: no circle of modules, and none of the folders and modules that lie side by side in a package."""

from __future__ import annotations

import functools

import pytest

from tests.house.imports import children, circles, import_graph, module_files

graph_of_all = functools.cache(import_graph)  # not at import: every worker imports this module
PACKAGES = sorted(name for name, file in module_files().items() if file.name == "__init__.py")

#: Circles that ARCHITECTURE.md names with their reasons.
ALLOWED: list[list[str]] = []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert [circle for circle in circles(graph_of_all()) if circle not in ALLOWED] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_what_lies_side_by_side_has_an_order(package: str) -> None:
    assert circles(children(graph_of_all(), package)) == []


def test_a_planted_circle_is_found() -> None:
    graph = {"a.x": {"a.b.y"}, "a.b.y": {"a.b.z"}, "a.b.z": {"a.w"}, "a.w": set()}
    assert circles(graph) == []
    assert circles(graph | {"a.w": {"a.x"}}) == [["a.b.y", "a.b.z", "a.w", "a.x"]]
    sides = graph | {"a.w": {"a.b.z"}, "a.b.z": set()}
    assert circles(children(sides | {"a.b.q": {"a.w"}}, "a")) == [["a.b", "a.w"]]
