"""python -m benchmarks --scale: phases of frames on one and on two threads, and a projection to more processors.

A frame is phases of batches (vertices, setup, bins), phases of tiles, and the rest: Python, the queue of draws, reads. Phases end at
barriers. A barrier's cost is the time that a thread idles in the phases, as the mean of two threads: while the other one finishes its
work, during serial work between phases, and in windows that are too light to share.

The projection is Amdahl's law. The work of phases is divided by the number of processors; waits are those of two threads; the rest is
constant, except for the part that two threads shorten (grids of compute threads). It assumes that the work can be divided among so many
processors, and that caches and memory bandwidth grow with them.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from typing import Any

from benchmarks.levels import own_variables
from benchmarks.load.processors import LOST, Processors
from benchmarks.measure import Asked, ask
from benchmarks.processes import SideProcess

PROJECTED = (8, 16, 64)
"""Processors of the projection."""
MOST_REJECTED = 4
"""Times the wanted rounds that are rejected before disturbed rounds count."""
_COLUMNS = ("frame", "batches", "tiles", "rest")
HEADER = (
    f"{'workload':20} {'milliseconds of':>8} {'on one thread':>19}   {'on two threads':>31}   {'speed-up':>9} {'projected':>6}\n"
    f"{'':20}{''.join(f'{word:>9}' for word in _COLUMNS)}   {''.join(f'{word:>8}' for word in (*_COLUMNS, 'waits'))}   "
    f"{'x2':>5} {'x2':>6}" + "".join(f"{f'x{count}':>6}" for count in PROJECTED)
)


@dataclass(frozen=True, slots=True)
class Phases:
    """Seconds of a frame. `work`: of all threads in the phases."""

    frame: float
    front: float = 0.0
    tiles: float = 0.0
    work: float = 0.0

    @property
    def rest(self) -> float:
        """Time outside of the phases."""
        return max(0.0, self.frame - self.front - self.tiles)

    def waits(self, threads: int) -> float:
        """Time that a thread waits in the phases, as the mean over so many threads."""
        return max(0.0, self.front + self.tiles - self.work / threads)


def phases_between(before: dict[str, Any], after: dict[str, Any], frames: int, seconds: float) -> Phases:
    """The phases of a frame, from two answers of a side to "phases" and the seconds of the frames between them.

    The unit of the counts is unknown, so each answer has the count and the seconds of its moment.
    """
    if not after:
        return Phases(seconds / frames)
    scale = (after["seconds"] - before["seconds"]) / (after["clock"] - before["clock"]) / frames
    return Phases(seconds / frames, *((after[name] - before[name]) * scale for name in ("front", "tiles", "work")))


def median(rounds: Sequence[Phases]) -> Phases:
    """Median of each of the numbers."""
    return Phases(*map(statistics.median, zip(*map(astuple, rounds), strict=True)))


def projected(one: Phases, two: Phases, processors: int) -> float:
    """Speed-up over one thread by Amdahl's law; see the top of this module. one, two: phases on one and on two threads."""
    serial = min(max(0.0, 2 * two.rest - one.rest), one.rest)
    parallel = one.frame - serial
    waits = two.waits(2) if processors > 1 else 0.0
    return one.frame / (serial + waits + parallel / processors)


@dataclass(slots=True)
class Track:
    """Rounds of one side."""

    name: str
    rounds: list[Phases]
    failure: str | None = None


def measure_workload(
    name: str, sides: Sequence[Asked], *, budget: float, rounds: int, processors: Processors | None = None
) -> tuple[list[Track], int]:
    """Phases on one and on two threads, `budget` seconds for each in `rounds` turns, and the number of rejected turns.

    processors: what others take of them rejects turns.
    """
    tracks = [Track(side.name, []) for side in sides]
    for side, track in zip(sides, tracks, strict=True):
        answer = ask(side, track, "prepare", name=name)
        if "unsupported" in answer:
            track.failure = f"unsupported: {answer['unsupported']}"
    turn = rejected = 0
    while turn < rounds:
        lost, latest = 0.0, list[Phases | None]()
        for side, track in zip(sides, tracks, strict=True):
            if processors is not None:
                processors.begin()
            before = ask(side, track, "phases")
            answer = ask(side, track, "round", budget=budget / rounds)
            after = ask(side, track, "phases")
            if processors is not None and answer:
                lost = max(lost, processors.lost(answer["processor"]))
            latest.append(phases_between(before, after, len(answer["wall"]), sum(answer["wall"])) if answer else None)
        if lost > LOST and rejected < MOST_REJECTED * rounds:
            rejected += 1
            continue
        turn += 1
        for track, phases in zip(tracks, latest, strict=True):
            if phases is not None and track.failure is None:
                track.rounds.append(phases)
    return tracks, rejected


def row(name: str, tracks: Sequence[Track], rejected: int) -> str:
    """Row of the table."""
    failures = [f"{track.name}: {track.failure}" for track in tracks if track.failure is not None]
    if failures:
        return f"{name:20} {'; '.join(failures)}"
    one, two = (median(track.rounds) for track in tracks)
    first = "".join(f"{1e3 * value:9.3f}" for value in (one.frame, one.front, one.tiles, one.rest))
    second = "".join(f"{1e3 * value:8.3f}" for value in (two.frame, two.front, two.tiles, two.rest, two.waits(2)))
    ratios = f"{one.frame / two.frame:5.2f} {projected(one, two, 2):6.2f}" + "".join(f"{projected(one, two, n):6.1f}" for n in PROJECTED)
    return f"{name:20}{first}   {second}   {ratios}" + (f"   {rejected} turns rejected" if rejected else "")


def measure_scale(options: argparse.Namespace) -> int:
    """Measure the workloads and print a row for each. Returns 0 if all of them ran, otherwise 1."""
    out: dict[str, Any] = {"_run": {"cpus": os.cpu_count(), "cpu": options.cpu, "load": os.getloadavg()[0]}}
    variables = own_variables(options.cpu)
    failed = False
    with ExitStack() as stack:
        sides = [
            stack.enter_context(SideProcess(f"{threads + 1} threads", ["ours", "--threads", str(threads)], variables))
            for threads in range(2)
        ]
        print(f"{sides[1].ask('describe')['describe']}\n\n{HEADER}", flush=True)
        for name in options.names:
            tracks, rejected = measure_workload(name, sides, budget=options.budget, rounds=options.rounds, processors=Processors())
            print(row(name, tracks, rejected), flush=True)
            failed |= any(track.failure is not None for track in tracks)
            out[name] = {track.name: [astuple(phases) for phases in track.rounds] for track in tracks}
    if options.json is not None:
        options.json.write_text(json.dumps(out, indent=1) + "\n")
    return int(failed)
