"""One side of the comparison, and the timing of its frames. Both sides run the same loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from benchmarks.catalog import Check

MAX_FRAMES = 400  # of one round


class Unsupported(Exception):
    """A workload that this side cannot run; the message says why."""


@dataclass(frozen=True, slots=True)
class Job:
    """A workload, made ready.

    Attributes:
        frame: renders one frame and returns when it is in memory.
        check: looks at the last frame's picture; None where there is none.
    """

    frame: Callable[[], None]
    check: Callable[[], Check] | None = None


class Side(Protocol):
    """One renderer under measurement."""

    def describe(self) -> str:
        """What runs: renderer, version, width."""

    def prepare(self, name: str) -> Job:
        """Make a workload ready; raises Unsupported. The job before it is over."""

    def close(self) -> None:
        """Let everything go."""


@dataclass(slots=True)
class Samples:
    """Seconds of frames, on the clock and of all CPUs together."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


def time_frame(frame: Callable[[], None], samples: Samples) -> None:
    """Run one frame and note its times."""
    cpu, wall = time.process_time(), time.perf_counter()
    frame()
    samples.wall.append(time.perf_counter() - wall)
    samples.cpu.append(time.process_time() - cpu)


def run_round(job: Job, budget: float) -> Samples:
    """Frames until `budget` seconds are over, at least one and at most MAX_FRAMES."""
    samples, end = Samples(), time.perf_counter() + budget
    while True:
        time_frame(job.frame, samples)
        if time.perf_counter() >= end or len(samples.wall) >= MAX_FRAMES:
            return samples
