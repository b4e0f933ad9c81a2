"""Rounds, ratios and checks of the benchmark, with scripted sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from benchmarks.catalog import WORKLOADS, Check, Workload
from benchmarks.measure import percentile, run_workload
from benchmarks.processes import SideDied
from benchmarks.report import row

FILL, COMPILE = WORKLOADS["fill_flat"], WORKLOADS["shader_compile"]


class Scripted:
    """Side whose frames take the scripted times. Notes in `log` each request for a round."""

    def __init__(self, name: str, seconds: Sequence[float], check: Check | None = FILL.expected, log: list[str] | None = None) -> None:
        self.name = name
        self._seconds = list(seconds)
        self._check = check
        self._log = log if log is not None else []

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        match do:
            case "prepare":
                return {"first": 1.0}
            case "round":
                self._log.append(self.name)
                time = self._seconds.pop(0)
                if time < 0:
                    raise SideDied(f"{self.name} ended with status 11")
                return {"wall": [time, time * 1.5, time * 0.5], "cpu": [time]}
        return {} if self._check is None else {"mean": list(self._check.mean), "covered": self._check.covered}


def run(workload: Workload, ours: Scripted, *peers: Scripted, rounds: int = 3) -> Any:
    return run_workload(workload, ours, list(peers), budget=0.0, rounds=rounds)


def test_the_ratio_is_made_within_a_round() -> None:
    result = run(FILL, Scripted("ours", [1, 10, 100]), Scripted("peer", [4, 20, 400]))
    assert result.ratio == 4
    assert result.spread == pytest.approx((2.4, 4.0))
    assert result.as_json()["ours"] == pytest.approx(FILL.work / 10, rel=1e-4)
    assert result.best_ratio == 4


def test_sides_alternate_and_take_turns_in_going_first() -> None:
    log: list[str] = []
    run(FILL, Scripted("a", [1] * 4, log=log), Scripted("b", [1] * 4, log=log), rounds=4)
    assert log == ["a", "b", "b", "a", "a", "b", "b", "a"]


def test_the_peer_counts_at_its_best() -> None:
    result = run(FILL, Scripted("ours", [1, 1, 1]), Scripted("narrow", [4, 4, 4]), Scripted("wide", [3, 3, 3]))
    assert result.peer.name == "wide"
    assert result.ratio == 3


def test_a_latency_is_milliseconds_a_piece_and_its_ratio_says_who_is_faster() -> None:
    result = run(COMPILE, Scripted("ours", [0.24] * 3, check=None), Scripted("peer", [0.48] * 3, check=None))
    assert result.as_json()["ours"] == pytest.approx(10.0)
    assert result.ratio == 2
    assert result.check_ok is True


def test_a_picture_that_differs_does_not_count() -> None:
    wrong = Check((0.3, 0.4, 0.6, 1.0), 1.0)
    result = run(FILL, Scripted("ours", [1] * 3, check=wrong), Scripted("peer", [4] * 3))
    assert result.check_ok is False
    assert result.ratio is None
    assert "DIFFERS" in row(result)


def test_two_steps_of_a_byte_are_the_tolerance() -> None:
    near = Check((0.2 + 1.9 / 255, 0.4, 0.6, 1.0), 1.0)
    assert run(FILL, Scripted("ours", [1] * 3, check=near)).check_ok is True


def test_without_a_peer_the_recorded_picture_decides() -> None:
    result = run(FILL, Scripted("ours", [1] * 3))
    assert (result.check_ok, result.ratio, result.peer) == (True, None, None)
    assert run(FILL, Scripted("ours", [1] * 3, check=Check((0, 0, 0, 0), 0.0))).check_ok is False


def test_a_side_that_dies_leaves_a_note_and_no_figure() -> None:
    result = run(FILL, Scripted("ours", [1, -1, 1]), Scripted("peer", [4, 4, 4]))
    assert result.ratio is None
    assert result.as_json()["ours"] is None
    assert result.note == "ours: ours ended with status 11"


def test_percentiles_lie_between_the_sorted_values() -> None:
    assert percentile([3, 1, 2], 0.5) == 2
    assert percentile([1, 2], 0.1) == pytest.approx(1.1)
    assert percentile([5], 0.9) == 5
