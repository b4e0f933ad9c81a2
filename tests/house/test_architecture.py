"""ARCHITECTURE.md names the folders that exist, and every path in the documents leads somewhere."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.house.imports import PACKAGES, ROOT, module_files

DOCUMENT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
TREE = re.search(r"## The tree\n(.*?)\n## ", DOCUMENT, re.DOTALL)
DOCUMENTS = [ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md")] + sorted((ROOT / "docs").glob("*.md"))
_PLACE = re.compile(rf"`((?:{'|'.join([*PACKAGES, 'tests', 'benchmarks', 'examples', 'docs'])})/[\w./-]*)`")


def folders_of(tree: str) -> list[str]:
    """Paths of the folders that an indented tree names."""
    path: list[str] = []
    found = []
    for line in tree.splitlines():
        row = re.match(r"    ((?:  )*)(\w+)/", line)
        if row is not None:
            path[len(row[1]) // 2 :] = [row[2]]
            found.append("/".join(path))
    return found


def test_the_tree_has_every_folder_and_no_other() -> None:
    assert TREE is not None
    folders = {str(file.parent.relative_to(ROOT)) for file in module_files().values()}
    named = folders_of(TREE[1])
    assert sorted(named) == sorted(folders)


def test_a_folder_that_is_missing_in_a_tree_is_seen() -> None:
    assert folders_of("    a/   text\n      b/\n        c/\n      d/") == ["a", "a/b", "a/b/c", "a/d"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_path_of_a_document_exists(document: Path) -> None:
    assert [place for place in _PLACE.findall(document.read_text(encoding="utf-8")) if not (ROOT / place).exists()] == []


CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
FLOORS, INNER = re.findall(r"(?:^    .*\n)+", DOCUMENT.partition("## Floors\n")[2], re.MULTILINE)[:2]


def test_the_floors_are_those_of_import_linter() -> None:
    named = [re.split(r" {2,}", row.strip())[0] for row in FLOORS.splitlines()]
    assert named == next(contract["layers"] for contract in CONTRACTS if contract["name"] == "The floors of the house")


def test_the_floors_inside_packages_are_those_of_import_linter() -> None:
    held = {contract["containers"][0]: contract["layers"] for contract in CONTRACTS if "containers" in contract}
    rows = (row.partition(": ") for row in INNER.replace("\n        ", " ").splitlines())
    named = {package.strip(): layers.split(" > ") for package, _, layers in rows}
    assert len(named) > 3
    assert named == {package: held[package] for package in named}
