"""Interface of a side of the comparison, and the timing of frames, which is the same for both sides."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from benchmarks.catalog import Check

MAX_FRAMES = 400  # per round, unless the caller wants more


class Unsupported(Exception):
    """Workload that this side cannot run. The message gives the reason."""


@dataclass(frozen=True, slots=True)
class Job:
    """Workload that is ready to run.

    Attributes:
        frame: renders one frame and returns when it is in memory.
        check: summarizes the last frame's picture; None if there is no picture.
        phases: running totals of the times of phases; see `benchmarks.load.scale`. None if the side has no phases.
    """

    frame: Callable[[], None]
    check: Callable[[], Check] | None = None
    phases: Callable[[], dict[str, float]] | None = None


class Side(Protocol):
    """Renderer under measurement."""

    def describe(self) -> str:
        """Description of the renderer: name, version, vector width."""

    def prepare(self, name: str) -> Job:
        """Prepare a workload and end the previous job. Raises Unsupported."""

    def close(self) -> None:
        """Free everything."""


@dataclass(slots=True)
class Samples:
    """Wall time and CPU time (of all threads) per frame, in seconds."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


def time_frame(frame: Callable[[], None], samples: Samples) -> None:
    """Run one frame and append its times."""
    cpu, wall = time.process_time(), time.perf_counter()
    frame()
    samples.wall.append(time.perf_counter() - wall)
    samples.cpu.append(time.process_time() - cpu)


def run_round(job: Job, budget: float, most: int = MAX_FRAMES) -> Samples:
    """Run frames until `budget` seconds have passed: at least one frame and at most `most`."""
    samples, end = Samples(), time.perf_counter() + budget
    while True:
        time_frame(job.frame, samples)
        if time.perf_counter() >= end or len(samples.wall) >= most:
            return samples
