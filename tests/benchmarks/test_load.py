"""Other load on the machine: rejected rounds, and frames a second beside busy processes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from benchmarks.catalog import WORKLOADS
from benchmarks.load.busy import MOST_REJECTED, MOST_TURNS, BusyProcesses, best_peer, measure_workload, row
from benchmarks.load.processors import LOST, Processors, taken_seconds
from benchmarks.measure import run_workload
from benchmarks.processes import TICKS, SideDied, processor_time

FILL = WORKLOADS["fill_flat"]


class Told(Processors):
    """Fake processors, of which others take the given shares in each round."""

    def __init__(self, shares: Sequence[float]) -> None:
        super().__init__()
        self._shares = list(shares)

    def begin(self) -> None:
        pass

    def lost(self, own: float) -> float:
        return self._shares.pop(0)


class Scripted:
    """Side with scripted frame times, one for each round. Notes the limits of frames that it was given."""

    def __init__(self, name: str, seconds: Sequence[float]) -> None:
        self.name, self._seconds, self.most = name, list(seconds), list[int]()

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        if do != "round":
            return {"first": 1.0} if do == "prepare" else {"mean": [0.2, 0.4, 0.6, 1.0], "covered": 1.0}
        self.most.append(fields.get("most", 0))
        seconds = self._seconds.pop(0)
        if seconds < 0:
            raise SideDied(f"{self.name} ended with status 11")
        return {"wall": [seconds] * 4, "cpu": [seconds] * 4, "processor": 4 * seconds}


def test_a_round_in_which_others_took_a_processor_is_repeated_and_counted() -> None:
    ours, peer = Scripted("ours", [1, 9, 1, 1]), Scripted("peer", [2, 2, 2, 2])
    quiet, loud = LOST / 2, LOST * 2
    result = run_workload(
        FILL, ours, [peer], budget=0.0, rounds=3, processors=Told([quiet, quiet, loud, quiet, quiet, quiet, quiet, quiet])
    )
    assert result.ours.rounds == [1, 1, 1]
    assert result.ratio == 2
    assert result.rejected == 1
    assert result.note == "1 rounds rejected, in which others took a processor"


def test_on_a_machine_that_is_never_quiet_the_rounds_count_and_the_note_says_so() -> None:
    result = run_workload(FILL, Scripted("ours", [1] * 4), [], budget=0.0, rounds=2, processors=Told([1.0] * 4))
    assert (len(result.ours.rounds), result.rejected) == (2, 2)
    assert result.note == "2 rounds rejected, in which others took a processor; 2 more counted"


def test_the_time_that_others_took_is_neither_idle_nor_the_rounds_own(tmp_path: Path) -> None:
    stat = tmp_path / "stat"
    first = "cpu  {busy} 10 20 5000 600 1 2 {stolen} 0 0\ncpu0 1 2 3\n"
    stat.write_text(first.format(busy=100, stolen=0))
    assert taken_seconds(stat.read_text()) == pytest.approx(133 / TICKS)
    processors = Processors(stat)
    processors.begin()
    assert processors.lost(0.0) == 0
    stat.write_text(first.format(busy=100 + 50 * TICKS, stolen=50 * TICKS))
    assert processors.lost(0.0) > 1
    assert processors.lost(100.0) == 0
    missing = Processors(tmp_path / "none")
    missing.begin()
    assert missing.lost(0.0) == 0


def test_busy_processes_compute_only_while_they_are_awake_and_end_with_the_block() -> None:
    with BusyProcesses(2) as load:
        pids = [process.pid for process in load.processes]
        load.wake()
        while not all(processor_time(pid) > 0.02 for pid in pids):
            pass
        load.sleep()
        assert len(pids) == 2
    assert [process.returncode for process in load.processes] == [-9, -9]


def test_kept_frames_are_a_share_of_half_of_the_idle_machines() -> None:
    ours, slow, fast = Scripted("tgsi", [0.1, 0.25] * 2), Scripted("slow", [0.5, 1] * 2), Scripted("fast", [0.2, 0.4] * 2)
    with BusyProcesses(1) as load:
        measured = measure_workload("fill_flat", [ours, slow, fast], load, budget=0.0, rounds=2)
    speeds = measured.speeds
    assert speeds[0].kept == pytest.approx(0.8)
    assert speeds[2].kept == pytest.approx(1.0)
    assert best_peer(speeds[1:]) is speeds[2]
    assert min(ours.most) > 400
    words = row("fill_flat", measured, speeds[2]).split()
    assert words == ["fill_flat", "10", "4", "0.80", "0.80..0.80", "5", "2.5", "1.00", "1.00..1.00", "1.60x"]


def test_a_turn_in_which_others_took_a_processor_counts_neither_idle_nor_busy() -> None:
    ours = Scripted("tgsi", [0.5, 9, 0.1, 9, 0.1, 0.25, 0.1, 0.25])
    with BusyProcesses(1) as load:
        measured = measure_workload("fill_flat", [ours], load, budget=0.0, rounds=2, processors=Told([1.0, 0, 0, 1.0, 0, 0, 0, 0]))
    assert (measured.speeds[0].rounds, measured.speeds[0].busy) == ([10, 10], [4, 4])
    assert (measured.rejected, measured.disturbed, measured.note) == (2, 0, "2 turns rejected")


def test_on_a_machine_that_is_never_quiet_the_row_says_that_its_turns_were_disturbed() -> None:
    turns = MOST_REJECTED + 1
    with BusyProcesses(1) as load:
        measured = measure_workload(
            "fill_flat", [Scripted("tgsi", [0.1] * 2 * turns)], load, budget=0.0, rounds=1, processors=Told([1.0] * 2 * turns)
        )
    assert measured.speeds[0].rounds == [10]
    assert measured.note == f"{MOST_REJECTED} turns rejected; others took a processor in 1 turns that count"


def test_turns_go_on_while_their_shares_spread_and_end_when_they_agree() -> None:
    wild = Scripted("tgsi", [0.1, 0.1, 0.1, 0.2, *[0.1, 0.15] * 4])
    with BusyProcesses(1) as load:
        assert len(measure_workload("fill_flat", [wild], load, budget=0.0, rounds=2).speeds[0].rounds) == 2 * MOST_TURNS
        calm = Scripted("tgsi", [0.1, 0.2] * 2)
        assert len(measure_workload("fill_flat", [calm], load, budget=0.0, rounds=2).speeds[0].rounds) == 2


def test_the_time_of_busy_processes_is_not_time_that_others_took() -> None:
    class Noted(Told):
        own: ClassVar[list[float]] = []

        def lost(self, own: float) -> float:
            self.own.append(own)
            return super().lost(own)

    class Slow(Scripted):
        def ask(self, do: str, **fields: Any) -> dict[str, Any]:
            if do == "round":
                time.sleep(0.2)
            return super().ask(do, **fields)

    with BusyProcesses(2) as load:
        measure_workload("fill_flat", [Slow("tgsi", [0.01, 0.01])], load, budget=0.0, rounds=1, processors=Noted([0.0, 0.0]))
    idle, busy = Noted.own
    assert idle == pytest.approx(0.04, abs=0.021)
    assert busy > idle + 0.05


def test_a_side_that_dies_has_no_figures_and_the_row_says_why() -> None:
    with BusyProcesses(1) as load:
        measured = measure_workload("fill_flat", [Scripted("tgsi", [1, -1]), Scripted("peer", [1, 1])], load, budget=0.0, rounds=1)
    assert measured.speeds[0].medians is None
    assert row("fill_flat", measured, measured.speeds[1]).endswith("tgsi ended with status 11")
