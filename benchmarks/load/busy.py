"""python -m benchmarks --busy: workloads on a busy machine, compared with an idle one.

A process spins for each processor, at the priority of the sides. A fair scheduler then gives each side half of the machine, which would
draw half of the idle machine's frames a second; `kept` is the measured fraction of that.

A turn measures all sides on the idle machine, then beside the busy processes. It is rejected if anybody else took a processor meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from benchmarks.load.processors import LOST, Processors
from benchmarks.measure import Asked, ask, percentile
from benchmarks.processes import processor_time

TARGET = 0.8
"""Least fraction of half of the idle machine's frames that each workload should keep."""
SPREAD = 0.2
"""Distance of the 10th from the 90th percentile of our shares, as a part of their median, up to which no more turns are measured."""
MOST_TURNS, MOST_REJECTED = 3, 4
"""Times the wanted turns: that are measured where the shares spread, and that are rejected before disturbed turns count."""
MOST_FRAMES = 1_000_000  # seconds of a round, long enough for the scheduler to switch several times
SETTLED = 0.1
"""Seconds in which a scheduler spreads processes that were woken over the processors."""
HEADER = (
    f"{'workload':20} {'idle':>10} {'busy':>10} {'kept':>6} {'p10..p90':>11}   "
    f"{'peer idle':>10} {'busy':>10} {'kept':>6} {'p10..p90':>11}   {'busy ratio':>10}"
)
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

    @property
    def seconds(self) -> float:
        """Processor time of all of them."""
        return sum(processor_time(process.pid) for process in self.processes)

    def _send(self, number: int) -> None:
        for process in self.processes:
            process.send_signal(number)


@dataclass(slots=True)
class Speeds:
    """Frames a second of one side, turn by turn: `rounds` on the idle machine, `busy` on the busy one."""

    name: str
    rounds: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)
    failure: str | None = None
    latest: list[float] = field(default_factory=list)  # of the turn that may be rejected: idle, then busy

    def keep(self) -> None:
        """Accept the latest turn."""
        if len(self.latest) == 2:
            self.rounds.append(self.latest[0])
            self.busy.append(self.latest[1])

    @property
    def medians(self) -> tuple[float, float] | None:
        """Medians of the turns, idle and busy; None without turns."""
        return (statistics.median(self.rounds), statistics.median(self.busy)) if self.rounds else None

    @property
    def shares(self) -> list[float]:
        """Frames a second on the busy machine as a share of half of those on the idle one, turn by turn."""
        return [2 * busy / idle for idle, busy in zip(self.rounds, self.busy, strict=False)]

    @property
    def kept(self) -> float | None:
        """Median of the shares; None without a turn."""
        return statistics.median(self.shares) if self.shares else None

    @property
    def spread(self) -> tuple[float, float]:
        """10th and 90th percentile of the shares, of which there is at least one."""
        return percentile(self.shares, 0.1), percentile(self.shares, 0.9)

    @property
    def spreads(self) -> bool:
        """True if the shares differ so much that more turns are needed."""
        low, high = self.spread if self.shares else (0.0, 0.0)
        return high - low > SPREAD * (self.kept or 0.0)


@dataclass(frozen=True, slots=True)
class Measured:
    """Speeds of all sides, ours first; how many turns were rejected, and how many disturbed ones count."""

    speeds: list[Speeds]
    rejected: int
    disturbed: int

    @property
    def note(self) -> str:
        """A note about problems for the row, or ""."""
        words = [] if self.speeds[0].failure is None else [self.speeds[0].failure]
        if self.rejected:
            words.append(f"{self.rejected} turns rejected")
        if self.disturbed:
            words.append(f"others took a processor in {self.disturbed} turns that count")
        return "; ".join(words)


@dataclass(slots=True)
class _Turns:
    """Sides that take turns, and the processes that load the machine. Without `processors` no turn is rejected."""

    sides: Sequence[Asked]
    speeds: Sequence[Speeds]
    load: BusyProcesses
    budget: float
    processors: Processors | None

    def measure(self, backwards: bool) -> float:
        """Measure each side idle and busy. Returns the largest share of a processor that others took from any of them."""
        lost = 0.0
        for track in self.speeds:
            track.latest.clear()
        for is_busy in (False, True):
            if is_busy:
                self.load.wake()
            if self.processors is not None:
                time.sleep(SETTLED)
            for i in reversed(range(len(self.sides))) if backwards else range(len(self.sides)):
                lost = max(lost, self._round(self.sides[i], self.speeds[i]))
            self.load.sleep()
        return lost

    def _round(self, side: Asked, track: Speeds) -> float:
        load = self.load.seconds
        if self.processors is not None:
            self.processors.begin()
        answer = ask(side, track, "round", budget=self.budget, most=MOST_FRAMES)
        if "wall" not in answer:
            return 0.0
        track.latest.append(len(answer["wall"]) / sum(answer["wall"]))
        if self.processors is None:
            return 0.0
        return self.processors.lost(answer["processor"] + self.load.seconds - load)


def measure_workload(
    name: str, sides: Sequence[Asked], load: BusyProcesses, *, budget: float, rounds: int, processors: Processors | None = None
) -> Measured:
    """Frames a second of each side, ours first; `budget` seconds for each state of the machine in `rounds` turns, or more of them.

    processors: turns in which others took too much of them are rejected.
    """
    speeds = [Speeds(side.name) for side in sides]
    for side, track in zip(sides, speeds, strict=True):
        answer = ask(side, track, "prepare", name=name)
        if "unsupported" in answer:
            track.failure = f"unsupported: {answer['unsupported']}"
    turns = _Turns(sides, speeds, load, budget / rounds, processors)
    turn = rejected = disturbed = 0
    while turn < rounds or (turn < MOST_TURNS * rounds and speeds[0].spreads):
        lost = turns.measure(backwards=turn % 2 == 1)
        if lost > LOST and rejected < MOST_REJECTED * rounds:
            rejected += 1
            continue
        turn += 1
        disturbed += lost > LOST
        for track in speeds:
            track.keep()
    return Measured(speeds, rejected, disturbed)


def best_peer(peers: Sequence[Speeds]) -> Speeds | None:
    """The peer with the most frames a second on the idle machine."""
    return max((peer for peer in peers if peer.medians), key=lambda peer: peer.medians or (0.0, 0.0), default=None)


def row(name: str, measured: Measured, peer: Speeds | None) -> str:
    """Row of the table."""
    ours = measured.speeds[0]
    parts = [f"{name:20} {_figures(ours)}   {_figures(peer)}"]
    if ours.medians and peer and peer.medians:
        parts.append(f"{ours.medians[1] / peer.medians[1]:9.2f}x")
    if measured.note:
        parts.append(measured.note)
    return "   ".join(parts)


def _figures(speeds: Speeds | None) -> str:
    if speeds is None or speeds.medians is None:
        return f"{'-':>10} {'-':>10} {'-':>6} {'-':>11}"
    (idle, busy), (low, high) = speeds.medians, speeds.spread
    return f"{idle:10.5g} {busy:10.5g} {speeds.kept:6.2f} {f'{low:.2f}..{high:.2f}':>11}"


def measure_busy(options: argparse.Namespace, start_sides: Callable[[argparse.Namespace, ExitStack], Any]) -> int:
    """Measure the workloads and print a row for each. Returns 0 if all of them ran on our side, otherwise 1.

    start_sides: starts our side and the peers, and describes them.
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
            measured = measure_workload(name, [ours, *peers], load, budget=options.budget, rounds=options.rounds, processors=Processors())
            peer = best_peer(measured.speeds[1:])
            out[name] = {side.name: {"idle": side.rounds, "busy": side.busy, "kept": side.kept} for side in measured.speeds}
            out[name]["note"] = measured.note
            print(row(name, measured, peer), flush=True)
    print(f"\n{_summary({name: item['tgsi']['kept'] for name, item in out.items()})}")
    if options.json is not None:
        options.json.write_text(json.dumps(out, indent=1) + "\n")
    return int(any(item["tgsi"]["kept"] is None for item in out.values()))


def _summary(shares: dict[str, float | None]) -> str:
    kept = {name: share for name, share in shares.items() if share}
    if not kept:
        return "nothing was measured"
    below = [name for name, share in kept.items() if share < TARGET]
    return f"kept {statistics.geometric_mean(kept.values()):.2f} in the mean; below {TARGET}: {', '.join(below) or 'none'}"
