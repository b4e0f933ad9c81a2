"""The newest Mesa of Debian's archive and its piglit as clients; see `tests.vtest.newest`."""

from __future__ import annotations

import bz2
import datetime
import gzip
import json
import lzma
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from tests.piglit.known import KNOWN
from tests.vtest.live import Live, running
from tests.vtest.newest import SOCKET, AbsentError, System, default_folder, prepare

pytestmark = [pytest.mark.peers, pytest.mark.nightly]

PROGRAM = Path(__file__).with_name("newest_program.py")
PROFILE = "quick"
CASES = 250
"""Cases of piglit of a night; another part of the profile on each day."""
OPENERS: dict[str, Callable[..., IO[Any]]] = {".json": open, ".bz2": bz2.open, ".gz": gzip.open, ".xz": lzma.open}
PIGLIT = {"PIGLIT_PLATFORM": "surfaceless_egl", "PIGLIT_NO_FAST_SKIP": "1"}  # it would ask wflinfo, which its package lacks, what to skip
FULL = {"pass", "warn"}
"""Outcomes that count as passed."""


@pytest.fixture(scope="module")
def system() -> System:
    try:
        return prepare(default_folder())
    except AbsentError as error:
        pytest.skip(f"no system with the newest Mesa: {error}")


@pytest.fixture(scope="module")
def server(system: System) -> Iterator[Live]:
    (system.root / SOCKET).unlink(missing_ok=True)  # of a run that was killed
    with running(system.root / SOCKET) as live:
        yield live


def test_it_offers_opengl_4_3_or_more_and_es_3_2(system: System, server: Live) -> None:
    said = system.run("eglinfo", "-B", "-p", "surfaceless")
    versions = {
        name: tuple(int(word) for word in found[1].split("."))
        for name in ("core profile", "compatibility profile", "ES profile")
        if (found := re.search(rf"OpenGL {name} version: \D*([\d.]+)", said))
    }
    assert versions["core profile"][:2] >= (4, 3), said
    assert versions["compatibility profile"][:2] >= (4, 3), said
    assert versions["ES profile"][:2] == (3, 2), said
    assert said.count("virgl (tgsi (") == 3, said
    assert re.search(r"EGL API version: 1\.[5-9]", said)  # windowless windows of pyglet and arcade want 1.5


def test_a_program_of_opengl_4_3_draws_what_it_draws_on_llvmpipe(system: System, server: Live) -> None:
    found = {}
    for driver in ("virpipe", "llvmpipe"):
        out = system.run("python3", "-c", PROGRAM.read_text(encoding="utf-8"), driver=driver)
        found[driver] = {line.split()[0]: line.split()[1:] for line in out.splitlines()}
    ours, theirs = found["virpipe"], found["llvmpipe"]
    assert ours.pop("renderer")[0] == "virgl"
    assert theirs.pop("renderer")[0] == "llvmpipe"
    assert ours.pop("version") == ["430"]
    theirs.pop("version")
    samples = [int(which.pop("samples")[0]) for which in (ours, theirs)]
    assert samples[0] == pytest.approx(samples[1], rel=2e-3)  # resolves round in other ways
    assert ours == theirs
    assert not [line for line in server.lines if "python3:" in line]


def outcomes(system: System, names: list[str], driver: str, where: str) -> dict[str, Any]:
    """Outcomes of some cases of the profile, by name."""
    (system.root / "tmp/cases.txt").write_text("\n".join(names) + "\n", encoding="utf-8")
    options = ["-o", "-p", "surfaceless_egl", "-j", "1", "--timeout", "120", "-l", "quiet", "--test-list", "/tmp/cases.txt"]
    system.run("rm", "-rf", where)
    system.run("piglit", "run", *options, PROFILE, where, driver=driver, seconds=3000, **PIGLIT)
    (results,) = (system.root / where.lstrip("/")).glob("results.json*")
    opened = OPENERS[results.suffix](results, "rt")
    with opened:
        found = json.load(opened)["tests"]
    return {name: case["result"] for name, case in found.items()}


def test_cases_of_its_piglit_that_llvmpipe_passes_are_passed(system: System, server: Live) -> None:
    listed = system.run("piglit", "print-cmd", PROFILE)
    names = [line.partition(" ::: ")[0] for line in listed.splitlines() if " ::: " in line]
    assert len(names) > 20_000
    day = datetime.date.today().toordinal()
    part = random.Random(day).sample(names, CASES)
    ours = outcomes(system, part, "virpipe", "/tmp/ours")
    assert len(ours) > 0.9 * CASES, f"day {day}"
    failures = sorted(name for name, outcome in ours.items() if outcome not in {*FULL, "skip"} and name not in KNOWN)
    theirs = outcomes(system, failures, "llvmpipe", "/tmp/theirs") if failures else {}
    assert [name for name in failures if theirs.get(name) in FULL] == [], f"day {day}"
    assert sum(outcome in FULL for outcome in ours.values()) > CASES // 4, f"day {day}"
