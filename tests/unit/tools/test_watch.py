"""`tgsi-compile --watch`: work is done again when a file changes that it read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.language.command import Run
from tgsi.tools.compile.batch.watch import watch
from tgsi.tools.compile.errors import UsageError

ROOT = Path(__file__).parents[3]
GOOD = "FRAG\nDCL OUT[0], COLOR\nIMM FLT32 {1, 1, 1, 1}\nMOV OUT[0], IMM[0]\nEND\n"


class Editor:
    """Stand-in for time.sleep: makes the next edit at each wait in which nothing is being written, and ends as Ctrl-C does."""

    def __init__(self, *edits: Callable[[], object]) -> None:
        self.edits, self.waits = list(edits), 0

    def __call__(self, seconds: float) -> None:
        self.waits += 1
        if seconds < 0.1:  # the second look at a change
            return
        if not self.edits:
            raise KeyboardInterrupt
        self.edits.pop(0)()


def test_work_is_repeated_for_each_change_and_ctrl_c_ends_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, seen = tmp_path / "a b.tgsi", list[str]()
    file.write_text("1")

    def work() -> int:
        seen.append(file.read_text())
        return 1

    assert watch(work, wait=Editor(lambda: file.write_text("two"), lambda: None, lambda: file.write_text("three"))) == 0
    assert seen == ["1", "two", "three"]
    assert capsys.readouterr().err.splitlines()[:2] == [
        f"tgsi-compile: watching {file}; Ctrl-C ends this",
        f"tgsi-compile: {file} changed",
    ]


def test_a_file_that_appears_is_a_change(tmp_path: Path) -> None:
    file, seen = tmp_path / "late.tgsi", list[str]()

    def work() -> int:
        try:
            seen.append(file.read_text())
        except FileNotFoundError:
            seen.append("none")
        return 0

    assert watch(work, quiet=True, wait=Editor(lambda: file.write_text("there"), file.unlink)) == 0
    assert seen == ["none", "there", "none"]


def test_a_file_that_is_only_written_is_no_change(tmp_path: Path) -> None:
    source, made, rounds = tmp_path / "in", tmp_path / "out", list[int]()
    source.write_text("text")

    def work() -> int:
        rounds.append(1)
        made.write_text(source.read_text() + str(len(rounds)))
        return 0

    assert watch(work, quiet=True, wait=Editor(lambda: None, lambda: made.write_text("x"), lambda: None)) == 0
    assert len(rounds) == 1


def test_inputs_that_come_and_go_in_a_folder_are_changes_and_other_files_are_not(tmp_path: Path) -> None:
    rounds: list[list[str]] = []

    def listing() -> list[str]:
        with os.scandir(tmp_path) as entries:
            return sorted(entry.name for entry in entries if entry.name.endswith(".tgsi"))

    def work() -> int:
        rounds.append(listing())
        return 0

    edits: list[Callable[[], object]] = [
        lambda: (tmp_path / "notes.txt").write_text("no input"),
        lambda: (tmp_path / "a.tgsi").write_text("an input"),
        (tmp_path / "notes.txt").unlink,
        (tmp_path / "a.tgsi").unlink,
    ]
    assert watch(work, listing, quiet=True, wait=Editor(*edits)) == 0
    assert rounds == [[], ["a.tgsi"], []]


def test_work_that_reads_nothing_is_not_watched() -> None:
    with pytest.raises(UsageError, match="nothing to watch"):
        watch(lambda: 0)
    assert watch(lambda: 2) == 2


def test_the_command_checks_again_and_ends_cleanly(tmp_path: Path) -> None:
    file = tmp_path / "a.tgsi"
    file.write_text(GOOD.replace("MOV", "MOVE"))
    command = [sys.executable, "-m", "tgsi.tools.compile.cli", "--check", "--watch", "a.tgsi"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline() == "error[P005]: unknown opcode `MOVE`\n"
        assert child.stderr.readline() == "tgsi-compile: watching a.tgsi; Ctrl-C ends this\n"
        time.sleep(0.01)  # another time of the file
        file.write_text(GOOD)
        assert child.stderr.readline() == "tgsi-compile: a.tgsi changed\n"
        assert child.stderr.readline() == "tgsi-compile: watching a.tgsi; Ctrl-C ends this\n"
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=20)
    assert (child.returncode, err) == (0, "")
    assert out.count("error[") == 0


def test_stdin_cannot_be_watched(capsys: pytest.CaptureFixture[str]) -> None:
    from tgsi.tools.compile.cli import main

    assert main(["--watch", "--check", "-"]) == 2
    assert capsys.readouterr().err == "tgsi-compile: --watch: stdin can be read only once; name the files or folders to watch\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are Unix's")
def test_pipes_and_actions_without_files_are_not_watched(run: Run, folder: Path) -> None:
    os.mkfifo("p.tgsi")
    assert (
        run("--watch", "p.tgsi")[2] == "tgsi-compile: --watch: the pipe p.tgsi can be read only once; name the files or folders to watch\n"
    )
    assert run("--watch", "--explain", "MAD")[::2] == (2, "tgsi-compile: --watch repeats work on files, and --explain reads none\n")
