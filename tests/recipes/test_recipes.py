"""A recipe of ARCHITECTURE.md, followed in a copy of the tree: the tests that it names fail until the last step is done."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.planted.__main__ import Copy
from tests.planted.faults import ROOT

pytestmark = pytest.mark.nightly
GUIDE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


OF_ISUB = "every_opcode or ISUB or what_is_left or reference"
"""Tests that see a new opcode; the others of these files take minutes."""


class Tree:
    """A copy of the tree that a recipe changes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        Copy(folder)

    def add(self, path: str, before: str, text: str) -> None:
        """Put a text in front of another one, which occurs once."""
        place = self._folder / path
        old = place.read_text(encoding="utf-8")
        assert old.count(before) == 1, (path, before)
        place.write_text(old.replace(before, text + before), encoding="utf-8")

    def change(self, path: str, old: str, new: str) -> None:
        """Replace a text, which occurs once."""
        place = self._folder / path
        text = place.read_text(encoding="utf-8")
        assert text.count(old) == 1, (path, old)
        place.write_text(text.replace(old, new), encoding="utf-8")

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Python in the copy."""
        environment = {**os.environ, "PYTHONPATH": str(self._folder), "PYTHONDONTWRITEBYTECODE": "1", "TGSI_READY_MADE": "off"}
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=self._folder, env=environment, capture_output=True, text=True, errors="replace", check=False)

    def failures(self, *tests: str, only: str) -> list[str]:
        """Tests that fail, of those whose names fit."""
        done = self.run("-m", "pytest", "-q", "-m", "not nightly and not peers", "-p", "no:cacheprovider", "-k", only, *tests)
        assert done.returncode in (0, 1), done.stdout[-3000:] + done.stderr[-1000:]
        return re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)


def recipe(name: str) -> str:
    """The text of a recipe."""
    return GUIDE.split(f"\n**{name}")[1].split("\n**")[0]


def named_tests(name: str) -> list[str]:
    """The tests that a recipe says to run."""
    found = re.search(r"`\./dev test ([^`]+)`", recipe(name))
    assert found is not None
    return [word for word in found[1].split() if word.startswith("tests/")]


def named_modules(name: str) -> set[str]:
    """Files that a recipe names."""
    return set(re.findall(r"[\w/]+\.py", recipe(name)))


def test_an_opcode_that_computes(tmp_path: Path) -> None:
    name, tree = "An opcode that computes", Tree(tmp_path)
    tests = named_tests(name)
    files = ["tgsi/language/facts/opcodes.py", "backends/glsl/table.py", "backends/spirv/arithmetic.py", "tests/unit/language/test_mesh.py"]
    assert [file for file in files if file not in named_modules(name)] == []
    row = '    (254, "ISUB", "uint", "uint/uint", _C, "later", "d.c := (a.c-b.c) mod 2^32"),\n'
    tree.add(files[0], '    (250, "ATOMINC_WRAP"', row)
    missing = " ".join(tree.failures(*tests, only=OF_ISUB))
    for test in ("test_operations", "test_vectors", "test_reads", "test_spirv_opcodes", "test_mesh"):
        assert f"/{test}.py::" in missing
    tree.add("backends/interp/integer.py", '    "UADD": lambda a, b: a + b,', '    "ISUB": lambda a, b: a - b,\n')
    tree.add("backends/llvm/translate/emit/integers.py", '    "UADD": lambda c, a, b: a + b,', '    "ISUB": lambda c, a, b: a - b,\n')
    tree.add(files[1], '        "UADD": Rule(_integer_sum', '        "ISUB": _operator("-", SUM, *_TWO_INT),\n')
    tree.add(files[2], '        "UADD": "IAdd",', '        "ISUB": "ISub",\n')
    left = '    assert left["opcode"] == [254, 255]'
    tree.change(files[3], left, left.replace("254, ", ""))
    assert tree.run("-m", "tgsi.tools.reference").returncode == 0
    assert tree.failures(*tests, only=OF_ISUB) == []
    text = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nISUB OUT[0], IN[0], IN[0].yxwz\nEND\n"
    done = tree.run("-c", f"import tgsi; print(tgsi.write_glsl(tgsi.parse({text!r})))")
    assert " - " in done.stdout, done.stderr
