"""A copy of the tree in which one fault at a time is planted, and the runs of its tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.planted.covering import Covering
from tests.planted.faults import ROOT, Fault, compiles
from tests.planted.watching import OBJECTS, TEST

COPIED = ("tgsi", "passes", "linkage", "frontends", "backends", "tests", "examples", "docs", "benchmarks", "pyproject.toml", "README.md")
COPIED_TOO = ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "dev", "hatch_build.py")
_OF_OBJECTS = ("backends/llvm/engine/", "backends/llvm/targets/")
"""Modules that LLVM's objects depend on beside its text."""


@dataclass(frozen=True)
class Found:
    """The first test that fails with a fault, with what happened if it ended pytest; and a test that runs the place, if none fails."""

    by: str = ""
    reached: str = ""


class Copy:
    """A copy of the tree in which one fault at a time is planted."""

    def __init__(self, folder: Path, objects: Path | None = None) -> None:
        """objects: a folder for objects of LLVM, which copies may share."""
        self._folder, self._objects, self._test = folder, objects, folder / "planted-test"
        self._broken: list[str] = []  # tests that fail in the copy without any fault
        self._sound: set[str] = set()  # tests that pass in it
        ignore = shutil.ignore_patterns("__pycache__", "kernel_files")
        for name in (*COPIED, *COPIED_TOO):
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=ignore)
            else:
                shutil.copy(source, folder / name)

    def look(self, fault: Fault, tests: Covering) -> Found:
        """Look for a test that fails with a fault and passes without: those near its module first.

        Of the others only those count that come after the first one which runs the place. An error at the place shows it.
        """
        if by := self.found_by(fault, tests.near):
            return Found(by)
        text = (self._folder / fault.module).read_text(encoding="utf-8")
        if not compiles(fault.loud.planted(text)):
            return Found(self.found_by(fault, tests.others))
        if first := self.found_by(fault.loud, tests.others):
            file = first.partition("::")[0]
            begin = tests.others.index(file) if file in tests.others else 0
            by = self.found_by(fault, tests.others[begin:])
            return Found(by, "" if by else first)
        return Found(reached=self.found_by(fault.loud, tests.near))

    def found_by(self, fault: Fault, tests: Sequence[str]) -> str:
        """The first of the tests that fails with a fault and passes without; empty if there is none."""
        place = self._folder / fault.module
        text = place.read_text(encoding="utf-8")
        while tests:
            place.write_text(fault.planted(text), encoding="utf-8")
            try:
                by = self._run(tests, keeps_objects=not fault.module.startswith(_OF_OBJECTS))
            finally:
                place.write_text(text, encoding="utf-8")
            test = by.partition(" (")[0]
            if not test.startswith("tests/") or test in self._sound:
                return by
            if not self._run([test], keeps_objects=True):
                self._sound.add(test)
                return by
            self._broken.append(test)
        return ""

    def _run(self, tests: Sequence[str], *, keeps_objects: bool) -> str:
        # no bytecode: a fault that is undone within a second has the size and time of the right text
        environment = {**os.environ, "TGSI_READY_MADE": "off", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(self._folder)}
        environment[TEST] = str(self._test)
        if self._objects is not None and keeps_objects:
            environment[OBJECTS] = str(self._objects)
        self._test.unlink(missing_ok=True)
        marks = "not nightly and not peers and not slow"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "--tb=no",
            "-m",
            marks,
            "-p",
            "no:cacheprovider",
            "-p",
            "tests.planted.watching",
        ]
        command += [*tests, *(f"--deselect={test}" for test in self._broken)]
        done = subprocess.run(command, cwd=self._folder, env=environment, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode in (0, 5):  # 5: all of the tests are deselected
            return ""
        if named := re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE):
            return named[1]
        at = self._test.read_text(encoding="utf-8") if self._test.exists() else "pytest"
        return f"{at} (ended with {done.returncode})"
