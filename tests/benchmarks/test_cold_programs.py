"""Whole programs, cold and the second time: turns, homes and processor time, with a program that only pretends to draw."""

from __future__ import annotations

import contextlib
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import geometry
from benchmarks.cold import programs
from benchmarks.cold.programs import Runs, Shown, Side, main, measure, row, run_counted, summary

_PRETENDER = textwrap.dedent("""
    import os, subprocess, sys, time
    home, side = os.environ["HOME"], os.environ["SIDE"]
    with open(os.environ["LOG"], "a") as log:
        print(side, sorted(os.listdir(home)), file=log)
    open(os.path.join(home, "left"), "w").close()
    subprocess.run([sys.executable, "-c", "import time\\nwhile time.process_time() < 0.2: pass"])
    sys.exit("no such luck" if side == os.environ.get("FAILS") else 0)
    """)


@pytest.fixture
def sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    (tmp_path / "pretend.py").write_text(_PRETENDER)
    shown = Shown("nothing", lambda folder: [sys.executable, str(tmp_path / "pretend.py")], lambda folder: (folder / "made").touch())
    monkeypatch.setattr(programs, "PROGRAMS", {"pretender": shown})
    return {side: Side((), {"SIDE": side, "LOG": str(tmp_path / "log")}) for side in ("tgsi", "llvmpipe")}


def test_each_round_runs_a_program_twice_in_a_home_that_is_empty_at_first(sides: dict[str, Any], tmp_path: Path) -> None:
    runs = measure("pretender", sides, rounds=2)
    cold, second = "['made']", "['left', 'made']"
    expected = [f"{side} {found}" for side in ("tgsi", "llvmpipe", "llvmpipe", "tgsi") for found in (cold, second)]
    assert (tmp_path / "log").read_text().splitlines() == expected
    assert all(0.2 < seconds < 5 for side in runs.values() for turn in side.seconds for seconds in turn)  # of the process's child, too


def test_a_server_that_goes_on_adds_its_processor_time_to_each_run(sides: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter((100.0, 107.0, 107.0, 108.0))  # before and after each run

    @contextlib.contextmanager
    def pretended(environment: Mapping[str, str], folder: Path) -> Iterator[Callable[[], float]]:
        assert environment["HOME"] == str(folder)
        yield lambda: next(looks)

    monkeypatch.setattr(programs, "server", pretended)
    sides["tgsi"] = replace(sides["tgsi"], has_server=True)
    first, second = (turn[0] for turn in measure("pretender", {"tgsi": sides["tgsi"]}, rounds=1)["tgsi"].seconds)
    assert 7.2 < first < 12
    assert 1.2 < second < 6


def test_a_program_that_fails_is_named_with_its_last_words(sides: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAILS", "tgsi")
    runs = measure("pretender", sides, rounds=1)
    found = summary(runs["tgsi"], runs["llvmpipe"])
    assert found["note"] == "tgsi: no such luck"
    assert (found["ratio_cold"], found["ratio_second"]) == (None, None)


def test_pictures_that_differ_have_no_ratio(tmp_path: Path) -> None:
    runs = [Runs(([2.0], [1.0])), Runs(([4.0], [4.0]))]
    assert row("part", summary(*runs)).split() == ["part", "2.00", "4.00", "0.50", "1.00", "4.00", "0.25", "ok"]
    for side, shade in zip(runs, (0, 90), strict=True):
        side.check = geometry.check(np.full((16, 4), shade, np.uint8))
    assert row("part", summary(*runs)).split() == ["part", "2.00", "4.00", "-", "1.00", "4.00", "-", "DIFFERS"]


def test_a_program_that_does_not_end_is_asked_to(tmp_path: Path) -> None:
    assert run_counted([sys.executable, "-c", "import time; time.sleep(60)"], {}, tmp_path, seconds=0.5) < 5


def test_the_file_of_the_torus_is_a_closed_mesh(tmp_path: Path) -> None:
    programs._write_torus(tmp_path, rings=5, sides=4)
    lines = (tmp_path / "torus.ply").read_text().splitlines()
    head = lines.index("end_header")
    faces = [tuple(map(int, line.split()[1:])) for line in lines[head + 21 :]]
    edges = [(face[k], face[(k + 1) % 3]) for face in faces for k in range(3)]
    assert len(faces) == 40
    assert len(set(edges)) == len(edges)
    assert {(b, a) for a, b in edges} == set(edges)


def test_unknown_programs_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--only", "quake"])
    assert "quake: the programs are openscad, mpv, meshlab" in capsys.readouterr().err
