"""Plant faults in copies of the tree, one at a time, and tell which tests find them: ``python -m tests.planted --seed 1 --count 300``.

Two copies work side by side. ``--state FILE`` keeps the results, a line each, and a later call with the same seed goes on from there;
``--part K/N`` takes each Nth fault. The report lists what no test found: exit code 1 if that is more than a tenth.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Empty, SimpleQueue

from tests.planted.covering import covering_tests
from tests.planted.faults import ROOT, Fault, chosen

COPIED = ("tgsi", "passes", "linkage", "frontends", "backends", "tests", "examples", "docs", "benchmarks", "pyproject.toml", "README.md")
COPIED_TOO = ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "dev", "hatch_build.py")
LIMIT = 900
"""Seconds for the tests of a fault. A program that does not end has been noticed, too."""
GOAL = 0.9


@dataclass(frozen=True)
class Result:
    """Outcome of a fault. by: the first test that failed; "time" if they did not end; empty: none found it."""

    number: int
    fault: str
    new: str
    by: str
    seconds: float


class Copy:
    """A copy of the tree in which one fault at a time is planted."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._broken: list[str] = []  # tests that fail in the copy without any fault
        ignore = shutil.ignore_patterns("__pycache__", "kernel_files")
        for name in (*COPIED, *COPIED_TOO):
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=ignore)
            else:
                shutil.copy(source, folder / name)

    def found_by(self, fault: Fault, tests: Sequence[str]) -> str:
        """The first test that fails with a fault and passes without; see `Result`."""
        place = self._folder / fault.module
        text = place.read_text(encoding="utf-8")
        while True:
            place.write_text(fault.planted(text), encoding="utf-8")
            try:
                by = self._run(tests)
            finally:
                place.write_text(text, encoding="utf-8")
            if "::" not in by or by in self._broken or not self._run([by]):
                return by
            self._broken.append(by)

    def _run(self, tests: Sequence[str]) -> str:
        # no bytecode: a fault that is undone within a second has the size and time of the right text
        environment = {**os.environ, "TGSI_READY_MADE": "off", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(self._folder)}
        marks = "not nightly and not peers and not slow"
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", marks, "-p", "no:cacheprovider", *dict.fromkeys(tests)]
        command += [f"--deselect={test}" for test in self._broken]
        try:
            done = subprocess.run(
                command, cwd=self._folder, env=environment, capture_output=True, text=True, errors="replace", timeout=LIMIT, check=False
            )
        except subprocess.TimeoutExpired:
            return "time"
        if done.returncode == 0:
            return ""
        named = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
        return named[1] if named else f"pytest ended with {done.returncode}"


def results(numbered: Sequence[tuple[int, Fault]], workers: int) -> Iterator[Result]:
    """Results of faults as they come."""
    waiting, ready = SimpleQueue[tuple[int, Fault]](), SimpleQueue[Result | BaseException]()
    for item in numbered:
        waiting.put(item)

    def work(folder: Path) -> None:
        try:
            copy = Copy(folder)
            while True:
                number, fault = waiting.get_nowait()
                begin = time.monotonic()
                by = copy.found_by(fault, covering_tests(fault.module))
                ready.put(Result(number, str(fault), fault.new, by, round(time.monotonic() - begin, 1)))
        except Empty:
            pass
        except BaseException as error:
            ready.put(error)

    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        threads = [threading.Thread(target=work, args=(Path(folder) / str(number),), daemon=True) for number in range(workers)]
        for thread in threads:
            thread.start()
        for _ in numbered:
            result = ready.get()
            if isinstance(result, BaseException):
                raise result
            yield result


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant faults. Returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.planted", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--part", default="1/1", help="K/N: each Nth fault, from the Kth on")
    parser.add_argument("--state", type=Path, help="file of results, a line each")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    first, step = map(int, options.part.split("/"))
    faults = list(enumerate(chosen(options.seed, options.count)))[first - 1 :: step]
    known: dict[int, Result] = {}
    if options.state is not None and options.state.exists():
        lines = [Result(**json.loads(line)) for line in options.state.read_text(encoding="utf-8").splitlines()]
        known = {item.number: item for item in lines if dict(faults).get(item.number) and str(dict(faults)[item.number]) == item.fault}
    for result in results([item for item in faults if item[0] not in known], options.workers):
        known[result.number] = result
        print(f"{result.number:4} {result.fault} -> {result.new[:60]!r}: {result.by or 'NOT FOUND'} ({result.seconds} s)", flush=True)
        if options.state is not None:
            with options.state.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(result)) + "\n")
    missed = [known[number] for number in sorted(known) if not known[number].by]
    share = 1 - len(missed) / max(len(known), 1)
    print(f"{len(known)} faults, {share:.0%} found")
    for item in missed:
        print(f"  not found: {item.fault} -> {item.new[:100]}")
    return 0 if share >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
