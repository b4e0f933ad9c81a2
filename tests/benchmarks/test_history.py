"""Frames of contexts that keep their calls, beside others."""

from __future__ import annotations

import pytest

from benchmarks import history, our_draws
from benchmarks.__main__ import parse_arguments
from benchmarks.measure import run_workload
from benchmarks.ours import Ours
from tests.benchmarks.test_load import FILL, Scripted


def test_the_ratio_says_how_many_times_as_long_a_frame_takes() -> None:
    result = run_workload(FILL, Scripted("on", [0.003, 0.002, 0.004]), [Scripted("off", [0.002] * 3)], budget=1.0, rounds=3)
    assert history.longer(result) == pytest.approx([1.5, 1.0, 2.0])
    assert " 1.50x    1.10..1.90" in history.row(result)


def test_a_side_that_dies_has_no_ratio() -> None:
    result = run_workload(FILL, Scripted("on", [-1] * 3), [Scripted("off", [0.002] * 3)], budget=1.0, rounds=3)
    assert "on: on ended with status 11" in history.row(result)


def test_the_workloads_of_its_own_are_those_that_our_side_draws() -> None:
    assert list(history.OWN) == list(our_draws.OF_HISTORY)
    assert parse_arguments(["--history"]).names == list(history.DEFAULT)
    assert set(history.DEFAULT) <= set(history.NAMES)


@pytest.mark.nightly
@pytest.mark.parametrize("is_on", [False, True])
@pytest.mark.parametrize("name", history.OWN)
def test_its_own_workloads_are_drawn_and_recorded(name: str, is_on: bool) -> None:
    side = Ours(threads=0, history=is_on)
    job = side.prepare(name)
    job.frame()
    assert job.check is not None
    assert job.check().covered > 0.1
    assert side.ctx.is_observed is is_on
    side.close()
