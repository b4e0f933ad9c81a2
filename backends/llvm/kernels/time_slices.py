"""How much work one native call takes: Python sees signals, Ctrl-C among them, only between two calls."""

from __future__ import annotations

import time

from tgsi.language.program import Program

PERIOD = 0.1
"""Seconds that one call should take at most."""

clock = time.perf_counter


class TimeSlices:
    """The pieces of one piece of work, counted in anything: small ones at first, larger ones as long as they are done soon.

    `most`: of a piece; `first`: the size to begin with.
    """

    def __init__(self, most: int, first: int) -> None:
        self._most = max(1, most)
        self.size = max(1, min(first, most))
        self._begun = 0.0

    def begin(self) -> int:
        """The size of the next piece, which begins now."""
        self._begun = clock()
        return self.size

    def end(self) -> None:
        """It is done."""
        spent = clock() - self._begun
        if spent > PERIOD:
            self.size = max(1, int(self.size * PERIOD / spent))
        elif spent < PERIOD / 2:
            self.size = min(2 * self.size, self._most)


def has_loops(program: Program) -> bool:
    """An invocation may take long."""
    return any(instruction.opcode.name == "BGNLOOP" for instruction in program.instructions)
