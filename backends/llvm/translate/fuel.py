"""Fuel: the number of rounds that a lane may spend in an outermost loop, inner loops included.

A scalar counts the rounds of the vector. Until it reaches 0, no lane can have run out, so loops test only the scalar. If all lanes in
the loop have made the same rounds, the scalar is their fuel. If lanes enter or leave inner loops one by one, each lane has a count of its
own, which is tested in every round after the scalar has reached 0.
"""

from __future__ import annotations

from backends.llvm.builder.function import I32, Function, Val, Var
from backends.llvm.builder.masks import MaskVar
from passes.analysis.regions import FUEL
from tgsi.language.record import record


@record
class Rounds:
    """Limit of loops. count: rounds of a lane. reports: the code records the lanes that run out."""

    count: int = FUEL
    reports: bool = False


class Fuel:
    """Fuel of one outermost loop; created at the loop's beginning.

    by_lane: lanes may spend different amounts. spent: a variable (i32 lanes) that becomes -1 in lanes that run out, or None.
    """

    def __init__(self, f: Function, lanes: int, rounds: int, by_lane: bool, spent: Var | None) -> None:
        self.f, self._lanes, self._spent = f, lanes, spent
        self._left = f.var(I32, rounds)
        self._of_lane = f.var(I32.wide(lanes), rounds) if by_lane else None

    def count_round(self, live: MaskVar | None) -> Val | None:
        """Count a round at the end of any loop of the nest. `live`: the lanes in that loop, from which those without fuel are removed.

        If all lanes have the same fuel, returns a scalar: true if they may go on.
        """
        f, left = self.f, self._left
        left.set(left.get() - 1)
        if self._of_lane is None:
            return left.get() > 0
        assert live is not None
        rest = self._of_lane
        rest.set(rest.get() + live.get().sext(I32))
        with f.if_(left.get() < 1, unlikely=True):
            left.set(1)
            empty = live.get() & (rest.get() < 1)
            self._note(empty)
            live.remove(empty)
        return None

    def leave(self, lanes: Val | None) -> None:
        """Finish after the last round. `lanes` (None: all): those that stayed in the loop until its end."""
        if self._spent is not None and self._of_lane is None:
            with self.f.if_(self._left.get() < 1, unlikely=True):
                self._note(lanes)

    def _note(self, lanes: Val | None) -> None:
        spent = self._spent
        if spent is not None:
            spent.set(spent.get() | lanes.sext(I32) if lanes is not None else -1)
