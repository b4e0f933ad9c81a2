"""./dev test is never silent for long: it says the number of tests, how many have run, and how long the rest will take."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.progress import SILENCE, Progress

ROOT = Path(__file__).parents[2]


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_line_is_written_after_each_silence_and_says_what_is_left() -> None:
    clock, lines = Clock(), list[str]()
    progress = Progress(lines.append, clock)
    progress.look()
    assert lines == []
    clock.now = 6
    progress.look()
    progress.look()
    assert lines == ["collecting the tests in each process: 0:06"]
    clock.now = 10
    progress.collected(400)
    progress.collected(400)
    assert lines[1:] == ["400 tests"]
    for _ in range(100):
        progress.reported()
    clock.now = 30 + SILENCE
    progress.look()
    assert lines[2:] == ["100 of 400 tests in 0:34, about 1:12 left"]


@pytest.mark.nightly
def test_a_run_on_two_processes_says_the_number_of_its_tests(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("import time\n\n\ndef test_slow():\n    time.sleep(6)\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.progress",
        "-p",
        "no:cacheprovider",
        "-n",
        "2",
        "-c",
        "/dev/null",
        str(tmp_path),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "[1 test]" in done.stdout
    assert "[starting 1 test: 0:" in done.stdout
