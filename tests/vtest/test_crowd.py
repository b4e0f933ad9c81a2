"""Real programs, many at the same time and one for a long time: they draw the same pictures as alone, even if others are killed, and memory
stays flat.

``TGSI_SOAK_SECONDS`` makes the long run longer.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.virpipe import CLIENT, Server
from tests.piglit.sides import missing, served
from tests.vtest.live import wait_until
from tests.vtest.test_programs import ROOT, pytestmark

__all__ = ["pytestmark"]

FRAMES = 12
SOAK = float(os.environ.get("TGSI_SOAK_SECONDS", "60"))
SAMPLES = 40
SLACK = 4 << 20
"""Bytes by which a process may grow in the latter half of a long run: the system counts pages late."""

nightly = pytest.mark.nightly


class Program:
    """A program that draws frames through a server. lines: its output so far."""

    def __init__(self, server: Server, *words: str) -> None:
        self._said = subprocess.Popen(
            [*server.prefix, sys.executable, "-m", "tests.vtest.egl_frames", *words],
            env=os.environ | CLIENT | {"EGL_PLATFORM": "surfaceless", "PYTHONPATH": str(ROOT)},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )

    def line(self) -> str:
        """The next line of its output."""
        assert self._said.stdout is not None
        return self._said.stdout.readline().strip()

    def kill(self) -> None:
        """Kill it in the middle of its work."""
        self._said.kill()
        self.end()

    def end(self) -> int:
        """Wait for its end. Returns the exit code."""
        assert self._said.stdout is not None
        self._said.stdout.close()
        return self._said.wait(120)


def frames(program: Program, count: int = FRAMES) -> list[str]:
    return [program.line() for _ in range(count)]


def children(server: Server) -> list[int]:
    return [int(word) for word in Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()]


def descriptors(server: Server) -> int:
    return len(list(Path(f"/proc/{server.pid}/fd").iterdir()))


def resident(pid: int) -> int:
    """Bytes of memory of a process, those that it shares as well."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture
def server() -> Iterator[Server]:
    if lacks := missing("ours"):
        pytest.skip(f"missing: {', '.join(lacks)}")
    with served("ours") as made:
        yield made


@pytest.fixture
def alone(server: Server) -> list[str]:
    """Lines of a program that draws alone."""
    program = Program(server, str(FRAMES))
    said = frames(program)
    assert program.line() == f"done {FRAMES}"
    assert program.end() == 0
    assert len({line.split()[1] for line in said}) > FRAMES // 2
    return said


@nightly
@pytest.mark.parametrize("count", [2, 20])
def test_programs_side_by_side_draw_what_one_alone_draws(server: Server, alone: list[str], count: int) -> None:
    wait_until(lambda: not children(server), "the end of the first one")
    before = descriptors(server)
    programs = [Program(server, str(FRAMES), "1000") for _ in range(count)]
    assert [frames(program) for program in programs] == [alone] * count
    assert len(children(server)) == count
    for program in programs:
        program.kill()
    wait_until(lambda: not children(server), "the end of all")
    assert descriptors(server) == before
    assert server.failure == ""


@nightly
def test_programs_that_are_killed_in_mid_frame_do_no_harm(server: Server, alone: list[str]) -> None:
    steady = Program(server, "400")
    for k in range(10):
        victims = [Program(server, "1", "1000") for _ in range(2)]
        assert {victim.line() for victim in victims} == {alone[0]}
        time.sleep(0.013 * k)  # each time in another part of a frame
        for victim in victims:
            victim.kill()
        wait_until(lambda: len(children(server)) <= 1, "the end of those that were killed")
    assert frames(steady) == alone
    assert [line for line in frames(steady, 400 - FRAMES) if not line] == []
    assert steady.line() == "done 400"
    assert steady.end() == 0
    assert server.failure == ""


@nightly
def test_memory_stays_flat_while_a_program_runs(server: Server) -> None:
    program = Program(server, "1", str(SOAK))
    assert program.line()
    (pid,) = children(server)
    sizes = []
    for _ in range(SAMPLES):
        time.sleep(SOAK / SAMPLES)
        if children(server) == [pid]:
            sizes.append((resident(pid), resident(server.pid)))
    word, count = program.line().split()
    assert word == "done"
    assert int(count) > 10 * SOAK
    assert program.end() == 0
    assert len(sizes) > SAMPLES // 2
    print(f"{count} frames in {SOAK:.0f} s; MiB of the client's process, of the server: {[(a >> 20, b >> 20) for a, b in sizes]}")
    for ours in zip(*sizes):
        half = len(ours) // 2
        assert max(ours[half:]) <= max(ours[:half]) + SLACK
