"""Modules and folders stay small enough to be read at once."""

from __future__ import annotations

from tests.house.imports import module_files

MAX_LINES = 400
MAX_MODULES = 30


def test_no_module_is_longer_than_400_lines() -> None:
    lines = {name: file.read_text(encoding="utf-8").count("\n") for name, file in module_files().items()}
    assert {name: count for name, count in lines.items() if count > MAX_LINES} == {}


def test_no_folder_has_more_than_30_modules_and_its_docstring() -> None:
    counts: dict[str, int] = {}
    for file in module_files().values():
        counts[str(file.parent)] = counts.get(str(file.parent), 0) + (file.name != "__init__.py")
    assert {folder: count for folder, count in counts.items() if count > MAX_MODULES} == {}
