"""Time of generated code: programs as states make them of GLSL, against Mesa's TGSI of the same text.

Only the calls of kernels count, in processor time of the thread, the two programs in turns; the best round of each is compared.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
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
from tgsi.language.program import Program

ROUNDS = 9
COPIES = 64
"""Times that the values of a pair are repeated, so that a call takes a millisecond."""


class Clock:
    """Seconds of calls since it was last read."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def read(self) -> float:
        seconds, self.seconds = self.seconds, 0.0
        return seconds


@contextmanager
def clocked() -> Iterator[Clock]:
    """Count the time of all calls of kernels."""
    clock, call = Clock(), Run._call

    def timed(run: Run) -> None:
        begin = time.thread_time()
        call(run)
        clock.seconds += time.thread_time() - begin

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Run, "_call", timed)
        yield clock


def speed(ours: Program, mesa: Program, ours_given: Mapping[str, Any], mesa_given: Mapping[str, Any]) -> float:
    """Speed of our program: Mesa's time over ours."""
    both = ((tgsi.optimize(ours, FOR_CODE), ours_given), (mesa, mesa_given))
    best = [float("inf")] * 2
    with clocked() as clock:
        for number in range(ROUNDS + 1):
            for k in (0, 1) if number % 2 else (1, 0):
                tgsi.run(both[k][0], **both[k][1])
                seconds = clock.read()
                if number:  # the first round compiles
                    best[k] = min(best[k], seconds)
    return best[1] / best[0]


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
