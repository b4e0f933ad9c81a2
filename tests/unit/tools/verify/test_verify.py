"""``tgsi verify``: the cases, their digests, and the report of one that differs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tgsi.tools.verify import cases, cli, programs, running
from tgsi.tools.verify.cases import NAMES, Result, Way, known, run_case

ESTIMATES = re.compile(r"^\s+v?(?:rcp|rsqrt)(?:14|28)?[ps][sdh]\b|^\s+v?(?:frecpe|frsqrte|urecpe|ursqrte)\b", re.MULTILINE)
"""Instructions that estimate, whose bits differ between processors."""
DAILY = ("scene-001", "scene-006", "scene-013", "program-001", "program-002", "program-005")


def test_there_are_500_cases_and_each_has_a_digest_of_its_own() -> None:
    found = known()
    assert len(NAMES) == len(found) == 500
    assert len({digest for digest, _ in found.values()}) == 500


@pytest.mark.parametrize("name", DAILY)
def test_a_case_has_its_digest(name: str) -> None:
    assert running.check(name, Way(threads=0 if name.startswith("scene") else None)) == ""


@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
def test_every_case_has_its_digest(name: str) -> None:
    assert running.check(name, Way()) == ""


def test_programs_take_every_opcode_that_computes() -> None:
    used = {word for number in range(cases.PROGRAMS) for word in programs.text_of(number).split()}
    assert set(programs._DECK) <= used
    assert len(programs._DECK) > 90


def test_a_mismatch_names_the_first_pixel_and_the_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "scene-001"
    right = run_case(name, Way(threads=0))
    values = right.values.copy()
    values.view(np.uint8).reshape(*values.shape[:2], -1)[40, 11, 0] ^= 1
    wrong = Result(values, b"wrong")

    def run(case: str, way: Way) -> Result:
        return wrong if way.lanes == 8 else right

    monkeypatch.setattr(running, "run_case", run)
    monkeypatch.setattr(running, "kernels", lambda name, way: ["shade-0123456789ab"])
    text = running.check(name, Way(lanes=8))
    assert text.startswith("x=11, y=40: [")
    assert text.endswith("kernels: shade-0123456789ab")
    monkeypatch.setattr(running, "run_case", lambda case, way: wrong)
    assert running.check(name, Way()).startswith("a pixel of x=8 to 15, y=40 to 47 differs, in every way of this machine")


PLANT = """
from tgsi.tools.verify import cases

def planted(name, way, run=cases.run_case):
    found = run(name, way)
    if way.lanes != 16:
        return found
    values = found.values.copy()
    values.view("u1").reshape(*values.shape[:2], -1)[20, 33, 0] ^= 1
    return cases.Result(values, b"another digest  ")

cases.run_case = planted
"""


@pytest.mark.nightly
def test_a_planted_mismatch_is_told_by_processes_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(PLANT)
    root = Path(__file__).parents[4]
    done = subprocess.run(
        [sys.executable, "-m", "tgsi.tools.verify", "scene-001", "--jobs", "2"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{root}"},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 1, done.stderr
    first, last = done.stdout.splitlines()
    assert re.fullmatch(r"scene-001 \(lanes 16\): x=33, y=20: .+ instead of .+, as by .+; kernels: .*[a-z]-[0-9a-f]{12}.*", first)
    assert re.fullmatch(r"1[0-9] of 1[0-9] runs have their digests, in \d+ s: .+, LLVM [0-9.]+ \(llvmlite [0-9.]+\), tgsi .*", last)


DEADLY = """
import os
from tgsi.tools.verify import cases

def deadly(name, way, run=cases.run_case):
    if way.lanes == 16:
        os._exit(9)
    return run(name, way)

cases.run_case = deadly
"""


@pytest.mark.nightly
def test_a_case_that_ends_its_process_is_told_and_the_others_run(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(DEADLY)
    command = [sys.executable, "-m", "tgsi.tools.verify", "program-001", "program-002", "--jobs", "2", "--resume", str(tmp_path / "state")]
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path(__file__).parents[4]}"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    *told, last = done.stdout.splitlines()
    assert told == [f"program-{number} (lanes 16): its process died" for number in ("001", "002")]
    runs = len((tmp_path / "state").read_text().splitlines())
    assert last.startswith(f"{runs - 2} of {runs} runs have their digests")


def test_a_run_goes_on_where_it_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    ran: list[running.Task] = []

    def run_tasks(wanted: list[running.Task], jobs: int, done: object, cached: bool = False) -> list[running.Failure]:
        ran.extend(wanted)
        for task in wanted:
            done(task, "it differs" if task[1] == Way(lanes=16) else "")  # type: ignore[operator]
        return [running.Failure(*task, "it differs") for task in wanted if task[1] == Way(lanes=16)]

    monkeypatch.setattr(running, "run_tasks", run_tasks)
    monkeypatch.setattr(running, "levels", lambda: ["x86-64"])
    arguments = ["program-003", "--resume", str(tmp_path / "state")]
    assert cli.main(arguments) == 1
    assert len(ran) == 6  # the defaults, four widths, one level
    ran.clear()
    assert cli.main(arguments) == 1
    assert ran == []
    assert "program-003 (lanes 16): it differs" in capsys.readouterr().out


def test_the_rotating_cases_come_to_all_of_them() -> None:
    running_in_ways = {name for rotation in range(200) for name, way in running.tasks(rotation, False)[500:]}
    assert running_in_ways == set(NAMES)


def test_a_sample_is_spread_over_all_cases() -> None:
    found = running.sample(NAMES, 30)
    assert len(set(found)) == 30
    assert {way for _, way in found} == {Way()}
    assert sum(name.startswith("scene") for name, _ in found) == 16
    assert [name for name, _ in running.sample(NAMES, 500)] == list(NAMES)
    assert running.sample(["scene-003"], 30) == [("scene-003", Way())]


def test_an_unknown_case_ends_with_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["scene-999"]) == 2
    assert "unknown case `scene-999`; the cases are scene-" in capsys.readouterr().err


def assembly(name: str, folder: Path, cpu: str | None) -> str:
    """Assembly of every kernel of a case."""
    code = f"from tgsi.tools.verify.cases import Way, run_case; run_case({name!r}, Way(threads=0, cpu={cpu!r}))"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "TGSI_DUMP": str(folder)}, check=True, cwd=Path(__file__).parents[4])
    return "\n".join(file.read_text() for file in sorted(folder.glob("*.s")))


def test_estimates_are_found_in_assembly() -> None:
    assert ESTIMATES.findall("\tvrsqrt14ps\t%zmm0, %zmm1\n\trcpps %xmm0, %xmm1\n\tfrecpe v0.4s, v1.4s\n\tdivps %xmm0, %xmm1") != []
    assert ESTIMATES.findall("\tvdivps\t%zmm0\n\tvsqrtps %ymm0, %ymm1\n") == []


def test_reciprocals_and_roots_are_no_estimates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At each level, in the assembly of a program that has them."""
    from tgsi.tools.compile.cli import main

    text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nRCP OUT[0], IN[0].xxxx\nRSQ OUT[1].xy, IN[0].yyyy\n"
    text += "SQRT OUT[1].z, IN[0].zzzz\nDIV OUT[1].w, IN[0].xxxx, IN[0].yyyy\nEND"
    (tmp_path / "a.tgsi").write_text(text)
    for level in ("x86-64", "x86-64-v3", "x86-64-v4"):
        assert main([str(tmp_path / "a.tgsi"), "--emit", "asm", "--cpu", level]) == 0
        out = capsys.readouterr().out
        assert "sqrtps" in out
        assert ESTIMATES.findall(out) == []


@pytest.mark.nightly
@pytest.mark.parametrize("level", ["x86-64", "x86-64-v3", "x86-64-v4", None])
@pytest.mark.parametrize("part", range(20))
def test_no_kernel_of_any_case_contains_an_estimate(part: int, level: str | None, tmp_path: Path) -> None:
    for name in NAMES[part::20]:
        assert ESTIMATES.findall(assembly(name, tmp_path / name, level)) == []


def test_words_and_pixels_are_those_of_every_width() -> None:
    first, second = (run_case("program-006", Way(lanes=lanes)).values for lanes in (8, 32))
    assert np.array_equal(first, second)
