"""Processes of sides: answers, errors and crashes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.catalog import WORKLOADS
from benchmarks.measure import run_workload
from benchmarks.processes import SideDied, SideFailed, SideProcess


@pytest.fixture
def side() -> Iterator[SideProcess]:
    with SideProcess("fake", [], {"FAKE_NAME": "one"}, module="tests.benchmarks.fake_serve") as process:
        yield process


def test_a_side_answers_from_its_own_process(side: SideProcess) -> None:
    assert side.ask("describe") == {"describe": "fake one"}
    assert side.ask("prepare", name="clear")["first"] >= 0
    times = side.ask("round", budget=0.001)
    assert len(times["wall"]) == len(times["cpu"]) >= 1
    assert side.ask("check") == {"mean": [0.25, 0.5, 0.75, 1.0], "covered": 1.0}


def test_an_error_of_a_side_is_reported_and_the_side_lives_on(side: SideProcess) -> None:
    with pytest.raises(SideFailed, match="RuntimeError: no rays"):
        side.ask("prepare", name="raymarch")
    with pytest.raises(SideFailed, match="no workload is prepared"):
        side.ask("round", budget=0.001)
    assert side.ask("describe") == {"describe": "fake one"}


def test_a_crash_is_reported_and_the_next_call_starts_again(side: SideProcess) -> None:
    with pytest.raises(SideDied, match="fake ended with status 3"):
        side.ask("prepare", name="crash")
    assert side.ask("prepare", name="clear")["first"] >= 0


def test_an_unsupported_workload_is_named_not_hidden(side: SideProcess) -> None:
    result = run_workload(WORKLOADS["mrt4_rgba16f"], side, [], budget=0.01, rounds=1)
    assert result.note == "fake: unsupported: half floats"
    assert result.ratio is None
    assert result.check_ok is None
