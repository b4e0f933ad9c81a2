"""python -m benchmarks --busy: workloads while other processes keep every processor busy, beside those on an idle machine.

As many processes as there are processors compute without end. A scheduler that is fair gives each side half of the machine then, so a
workload that loses nothing else keeps half of its frames a second. `kept` is the share of that half that is left.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from benchmarks.measure import Asked, ask

TARGET = 0.8
"""Share of half of the idle machine's frames that each workload should keep."""
MOST_FRAMES = 1_000_000  # of a round: short ones would end before the scheduler has switched once
HEADER = f"{'workload':20} {'idle':>10} {'busy':>10} {'kept':>6}   {'peer idle':>10} {'busy':>10} {'kept':>6}   {'busy ratio':>10}"
_LOOP = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n for _ in range(100000): pass"


class BusyProcesses:
    """Processes that compute without end while they are awake: one for each processor. They end with this process."""

    def __init__(self, count: int | None = None) -> None:
        self._count = count or os.cpu_count() or 1
        self.processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        for _ in range(self._count):
            self.processes.append(subprocess.Popen([sys.executable, "-c", _LOOP]))
        self.sleep()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()

    def sleep(self) -> None:
        """Stop computing."""
        self._send(signal.SIGSTOP)

    def wake(self) -> None:
        """Go on computing."""
        self._send(signal.SIGCONT)

    def _send(self, number: int) -> None:
        for process in self.processes:
            process.send_signal(number)


@dataclass(slots=True)
class Speeds:
    """Frames a second of one side in each round: `rounds` on the idle machine, `busy` on the busy one."""

    name: str
    rounds: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)
    failure: str | None = None

    @property
    def medians(self) -> tuple[float, float] | None:
        """Medians of the rounds, idle and busy; None without a round of each."""
        return (statistics.median(self.rounds), statistics.median(self.busy)) if self.rounds and self.busy else None

    @property
    def kept(self) -> float | None:
        """Frames a second on the busy machine as a share of half of those on the idle one."""
        return 2 * self.medians[1] / self.medians[0] if self.medians else None


def measure_workload(name: str, sides: Sequence[Asked], load: BusyProcesses, *, budget: float, rounds: int) -> list[Speeds]:
    """Frames a second of each side; `budget` seconds for each state of the machine, in `rounds` turns."""
    speeds = [Speeds(side.name) for side in sides]
    for side, track in zip(sides, speeds, strict=True):
        answer = ask(side, track, "prepare", name=name)
        if "unsupported" in answer:
            track.failure = f"unsupported: {answer['unsupported']}"
    for turn in range(rounds):
        for is_busy in (False, True):
            order = range(len(sides)) if turn % 2 == 0 else reversed(range(len(sides)))
            if is_busy:
                load.wake()
            for i in order:
                answer = ask(sides[i], speeds[i], "round", budget=budget / rounds, most=MOST_FRAMES)
                if "wall" in answer:
                    found = speeds[i].busy if is_busy else speeds[i].rounds
                    found.append(len(answer["wall"]) / sum(answer["wall"]))
            load.sleep()
    return speeds


def best_peer(peers: Sequence[Speeds]) -> Speeds | None:
    """The peer with the most frames a second on the idle machine."""
    return max((peer for peer in peers if peer.medians), key=lambda peer: peer.medians or (0.0, 0.0), default=None)


def row(name: str, ours: Speeds, peer: Speeds | None) -> str:
    """Row of the table."""
    parts = [f"{name:20} {_figures(ours)}   {_figures(peer)}"]
    if ours.medians and peer and peer.medians:
        parts.append(f"{ours.medians[1] / peer.medians[1]:9.2f}x")
    if ours.failure is not None:
        parts.append(ours.failure)
    return "   ".join(parts)


def _figures(speeds: Speeds | None) -> str:
    if speeds is None or speeds.medians is None:
        return f"{'-':>10} {'-':>10} {'-':>6}"
    idle, busy = speeds.medians
    return f"{idle:10.5g} {busy:10.5g} {speeds.kept:6.2f}"


def measure_busy(options: argparse.Namespace, start_sides: Callable[[argparse.Namespace, ExitStack], Any]) -> int:
    """Measure the workloads and print a row for each. Returns 0 if all of them ran on our side, otherwise 1.

    start_sides: starts our side and the peers, and says what they are.
    """
    out: dict[str, Any] = {}
    with ExitStack() as stack:
        ours, peers, said = start_sides(options, stack)
        for side, text in said.items():
            print(f"{side}: {text}")
        load = stack.enter_context(BusyProcesses())
        print(
            f"Frames a second, idle and beside {len(load.processes)} busy processes; kept: share of half of the idle frames\n\n{HEADER}",
            flush=True,
        )
        for name in options.names:
            speeds = measure_workload(name, [ours, *peers], load, budget=options.budget, rounds=options.rounds)
            peer = best_peer(speeds[1:])
            out[name] = {side.name: {"idle": side.rounds, "busy": side.busy, "kept": side.kept, "note": side.failure} for side in speeds}
            print(row(name, speeds[0], peer), flush=True)
    kept = {name: item["tgsi"]["kept"] for name, item in out.items() if item["tgsi"]["kept"]}
    below = [name for name, share in kept.items() if share < TARGET]
    if kept:
        mean = statistics.geometric_mean(kept.values())
        print(f"\nkept {mean:.2f} in the mean; below {TARGET}: {', '.join(below) or 'none'}")
    if options.json is not None:
        options.json.write_text(json.dumps(out, indent=1) + "\n")
    return int(len(kept) < len(options.names))
