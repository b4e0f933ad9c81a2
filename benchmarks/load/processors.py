"""Processor time that a measurement did not get: other processes' and that of a virtual machine's host, from /proc/stat."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.processes import TICKS

STAT = Path("/proc/stat")
LOST = 0.15
"""Share of one processor's time in a round above which the round counts as disturbed."""
_IDLE = (3, 4)  # idle, and idle while waiting for the disk; the other numbers of the first eight are busy time
_NUMBERS = 8
_OWN_WORK = 0.005  # seconds that the messages of a round take


class _Moment(NamedTuple):
    """Elapsed seconds, seconds in which all processors together were busy, and those of them that the round used itself."""

    clock: float
    taken: float


def taken_seconds(text: str) -> float:
    """Busy seconds of all processors since the start of the machine, from the text of /proc/stat.

    Includes time in which the host of a virtual machine ran something else ("steal").
    """
    numbers = [int(word) for word in text.split("\n", 1)[0].split()[1 : _NUMBERS + 1]]
    return sum(number for place, number in enumerate(numbers) if place not in _IDLE) / TICKS


class Processors:
    """Measurement of a round. Without /proc/stat nothing is ever lost."""

    def __init__(self, stat: Path = STAT) -> None:
        self._stat = stat
        self._start: _Moment | None = None

    def begin(self) -> None:
        """Begin a round."""
        self._start = self._now()

    def lost(self, own: float) -> float:
        """Share of one processor that others took since `begin`, in which the round took `own` seconds of processor time.

        Ticks of the system are usually 10 ms; two of them may belong to the time before the round and are ignored.
        """
        start, now = self._start, self._now()
        if start is None or now is None or now.clock <= start.clock:
            return 0.0
        others = now.taken - start.taken - own - 2 / TICKS - _OWN_WORK
        return max(0.0, others / (now.clock - start.clock))

    def _now(self) -> _Moment | None:
        try:
            return _Moment(time.perf_counter(), taken_seconds(self._stat.read_text()))
        except OSError:
            return None
