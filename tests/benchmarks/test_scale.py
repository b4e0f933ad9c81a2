"""--scale: the times of phases by counts, waits at barriers, and the projection to more processors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks import __main__ as command
from benchmarks.load import scale
from benchmarks.load.scale import Phases, measure_workload, phases_between, projected, row
from benchmarks.load.ticks import tick_reader
from benchmarks.ours import Ours
from benchmarks.processes import SideDied
from tests.benchmarks.test_load import Told


class Scripted:
    """Side whose frames take given times: frame, batches, tiles, work. 1,000 counts are a second."""

    def __init__(self, name: str, frames: Sequence[tuple[float, float, float, float]]) -> None:
        self.name, self._frames = name, list(frames)
        self._totals = {"seconds": 0.0, "clock": 0.0, "front": 0.0, "tiles": 0.0, "work": 0.0}

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        if do == "phases":
            return dict(self._totals)
        if do != "round":
            return {"first": 1.0, "describe": self.name}
        if not self._frames:
            raise SideDied(f"{self.name} ended with status 11")
        frame, *phases = self._frames.pop(0)
        self._totals["seconds"] += 2 * frame + 5  # two frames, and five seconds between messages
        self._totals["clock"] += 1000 * (2 * frame + 5)
        for name, seconds in zip(("front", "tiles", "work"), phases, strict=True):
            self._totals[name] += 2000 * seconds
        return {"wall": [frame, frame], "cpu": [frame, frame], "processor": 2 * frame}


def test_counts_of_phases_become_seconds_of_a_frame() -> None:
    before = {"seconds": 10.0, "clock": 5_000, "front": 100, "tiles": 200, "work": 300}
    after = {"seconds": 12.0, "clock": 9_000, "front": 900, "tiles": 1_400, "work": 2_700}
    phases = phases_between(before, after, frames=2, seconds=1.6)
    assert (phases.frame, phases.front, phases.tiles, phases.work) == pytest.approx((0.8, 0.2, 0.3, 0.6))
    assert phases.rest == pytest.approx(0.3)
    assert phases.waits(1) == 0
    assert phases.waits(2) == pytest.approx(0.2)
    assert phases_between({}, {}, frames=4, seconds=2.0) == Phases(0.5)


def test_work_that_divides_is_as_many_times_as_fast_and_waits_and_the_rest_are_not() -> None:
    ideal = Phases(1.0, 0.5, 0.5, 1.0), Phases(0.5, 0.25, 0.25, 1.0)
    assert [projected(*ideal, n) for n in (1, 2, 64)] == [1, 2, 64]
    half = Phases(1.0, 0.25, 0.25, 0.5), Phases(0.75, 0.125, 0.125, 0.5)
    assert [projected(*half, n) for n in (1, 2, 16)] == [1, pytest.approx(1 / 0.75), pytest.approx(1 / (0.5 + 0.5 / 16))]
    waiting = Phases(1.0, 0.5, 0.5, 1.0), Phases(0.6, 0.3, 0.3, 1.0)
    assert projected(*waiting, 1) == 1
    assert projected(*waiting, 8) == pytest.approx(1 / (0.1 + 1 / 8))


def test_time_outside_of_the_phases_is_serial_but_for_what_two_threads_shorten() -> None:
    assert projected(Phases(1.0), Phases(1.0), 64) == 1
    assert projected(Phases(1.0), Phases(0.5), 64) == pytest.approx(64)
    assert projected(Phases(1.0), Phases(0.75), 8) == pytest.approx(1 / (0.5 + 0.5 / 8))
    assert projected(Phases(1.0), Phases(1.5), 8) == 1  # slower on two threads
    assert projected(Phases(1.0), Phases(0.4), 8) == 8  # more than twice as fast


def test_rounds_that_were_disturbed_are_repeated_and_medians_count() -> None:
    one = Scripted("1 threads", [(9, 0, 0, 0), (1.1, 0.4, 0.6, 1.0), (1.1, 0.4, 0.6, 1.0)])
    two = Scripted("2 threads", [(9, 0, 0, 0), (0.7, 0.2, 0.4, 1.0), (0.7, 0.2, 0.4, 1.0)])
    tracks, rejected = measure_workload("gouraud", [one, two], budget=0.0, rounds=2, processors=Told([1.0, 0, 0, 0, 0, 0]))
    assert rejected == 1
    assert [phases.frame for phases in tracks[1].rounds] == [0.7, 0.7]
    words = row("gouraud", tracks, rejected).split()
    assert words[:5] == ["gouraud", "1100.000", "400.000", "600.000", "100.000"]
    assert words[5:10] == ["700.000", "200.000", "400.000", "100.000", "100.000"]
    assert words[10:15] == ["1.57", "1.57", "3.4", "4.2", "5.1"]
    assert words[15:] == ["1", "turns", "rejected"]


def test_a_side_that_dies_has_its_reason_in_the_row() -> None:
    tracks, _ = measure_workload("gouraud", [Scripted("1 threads", [(1, 0, 0, 0)]), Scripted("2 threads", [])], budget=0.0, rounds=1)
    assert row("gouraud", tracks, 0).split(maxsplit=1)[1] == "2 threads: 2 threads ended with status 11"


@pytest.mark.parametrize("threads", [0, 1])
def test_phases_of_real_frames_are_parts_of_them(threads: int) -> None:
    side = Ours(threads=threads)
    job = side.prepare("mesh_torus")
    assert job.phases is not None
    job.frame()
    read = tick_reader()
    before, start = job.phases(), read()
    for _ in range(3):
        job.frame()
    frames, after = read() - start, job.phases()
    front, tiles, work = (after[name] - before[name] for name in ("front", "tiles", "work"))
    side.close()
    assert 0 < front < frames
    assert 0 < tiles < frames
    assert front + tiles <= frames
    assert 0 < work <= (threads + 1) * (front + tiles)
    assert threads or work > 0.5 * (front + tiles)


def test_the_command_prints_a_row_and_writes_every_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Process(Scripted):
        def __init__(self, name: str, arguments: list[str], variables: dict[str, str]) -> None:
            assert variables == {"TGSI_CPU": "x86-64-v3"}
            threads = 1 + int(arguments[-1])
            super().__init__(name, [(1.0 / threads, 0.5 / threads, 0.5 / threads, 1.0)] * 2)

        def __enter__(self) -> Process:
            return self

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(scale, "SideProcess", Process)
    monkeypatch.setattr(scale, "LOST", float("inf"))
    file = tmp_path / "scale.json"
    command_line = ["--scale", "--only", "gouraud", "--rounds", "1", "--cpu", "x86-64-v3", "--json", str(file)]
    assert command.main(command_line) == 0
    assert capsys.readouterr().out.splitlines()[-1].split()[-3:] == ["8.0", "16.0", "64.0"]
    assert json.loads(file.read_text())["gouraud"] == {"1 threads": [[1.0, 0.5, 0.5, 1.0]], "2 threads": [[0.5, 0.25, 0.25, 1.0]]}
