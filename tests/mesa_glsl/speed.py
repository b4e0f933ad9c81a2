"""Time of generated code: programs as states make them of GLSL, against Mesa's TGSI of the same text.

Only the calls of kernels count, in processor time of the thread, the best of some for each run. The two programs run in turns, and the
median of the rounds' ratios is their speed: other work on the machine slows both alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.llvm.kernels.chunks import Run
from passes.registry import FOR_CODE
from tests.mesa_glsl.bench import BenchPair
from tests.mesa_glsl.judge import given_to, values
from tests.mesa_glsl.pairs import Pair
from tgsi.language.facts.enums import File, Processor
from tgsi.language.program import Program

ROUNDS, CALLS = 5, 10
COPIES = 64
"""Times that the values of a pair are repeated, so that a call takes a fraction of a millisecond."""
SPEED = 0.9
"""Our speed over Mesa's that each program must reach."""
TRIES = 4
"""Measurements of a program that lies below: one that is as fast reaches it in one of them."""


class Clock:
    """Seconds of calls since it was last read."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def read(self) -> float:
        seconds, self.seconds = self.seconds, 0.0
        return seconds


@contextmanager
def clocked() -> Iterator[Clock]:
    """Count the time of all calls of kernels. Programs that change no memory are called several times, and the fastest call counts."""
    clock, call = Clock(), Run._call

    def timed(run: Run) -> None:
        best = float("inf")
        for _ in range(1 if run.program.processor is Processor.COMP else CALLS):
            begin = time.thread_time()
            call(run)
            best = min(best, time.thread_time() - begin)
        clock.seconds += best

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Run, "_call", timed)
        yield clock


def speed(ours: Program, mesa: Program, ours_given: Mapping[str, Any], mesa_given: Mapping[str, Any]) -> float:
    """Speed of our program: Mesa's time over ours."""
    both = ((tgsi.optimize(ours, FOR_CODE), ours_given), (mesa, mesa_given))
    ratios = []
    with clocked() as clock:
        for number in range(1 + ROUNDS * (5 if ours.processor is Processor.COMP else 1)):
            seconds = [0.0, 0.0]
            for k in (0, 1) if number % 2 else (1, 0):
                tgsi.run(both[k][0], **both[k][1])
                seconds[k] = clock.read()
            if number:  # the first round compiles
                ratios.append(seconds[1] / seconds[0])
    return float(np.median(ratios))


def slow(measured: Mapping[str, Callable[[], float]]) -> tuple[dict[str, float], float]:
    """Speeds below `SPEED` by name, and the geometric mean of all. `measured`: what measures each program."""
    speeds = {name: measure() for name, measure in measured.items()}
    for name, measure in measured.items():
        for _ in range(1, TRIES):
            if speeds[name] < SPEED:
                speeds[name] = max(speeds[name], measure())
    return {name: found for name, found in speeds.items() if found < SPEED}, float(np.exp(np.mean(np.log([*speeds.values()]))))


def does_more(pair: BenchPair) -> bool:
    """True if our program has results that Mesa's lacks: Mesa drops outputs that the linked fragment program does not read."""
    return pair.ours.file_size(File.OUT) > pair.mesa.file_size(File.OUT)


def pair_speed(pair: Pair) -> float:
    """The speed of a pair of the generator."""
    given = given_to(pair.ours, values(1), COPIES)
    return speed(pair.ours, pair.mesa, given, given)


def bench_speed(pair: BenchPair) -> float:
    """The speed of a pair of the benchmark."""
    return speed(pair.ours, pair.mesa, _repeated(pair.ours_given), _repeated(pair.mesa_given))


def _repeated(given: dict[str, Any]) -> dict[str, Any]:
    if "inputs" not in given:
        return given
    more = {name: np.tile(value, 4 * COPIES) for name, value in given.get("system_values", {}).items()}
    return given | {"inputs": np.tile(given["inputs"], (4 * COPIES, 1, 1))} | ({"system_values": more} if more else {})
