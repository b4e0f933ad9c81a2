"""Time slices: the amount of work of one native call. Python handles signals, such as Ctrl-C, only between two calls."""

from __future__ import annotations

import time

from tgsi.language.facts.traits import Flow
from tgsi.language.program import Program

PERIOD = 0.1
"""Seconds that one call should take at most."""

clock = time.perf_counter


class TimeSlices:
    """Slices of a larger amount of work, in any unit. They begin small and grow while they finish quickly.

    most: size of the largest slice. first: size of the first one.
    """

    def __init__(self, most: int, first: int) -> None:
        self._most = max(1, most)
        self.size = max(1, min(first, most))
        self._begun = 0.0

    def begin(self) -> int:
        """Begin the next slice. Returns its size."""
        self._begun = clock()
        return self.size

    def end(self) -> None:
        """End the current slice."""
        spent = clock() - self._begun
        if spent > PERIOD:
            self.size = max(1, int(self.size * PERIOD / spent))
        elif spent < PERIOD / 2:
            self.size = min(2 * self.size, self._most)


def has_loops(program: Program) -> bool:
    """True if one invocation may take long."""
    return any(instruction.opcode.flow is Flow.LOOP for instruction in program.instructions)
