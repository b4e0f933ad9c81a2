"""Fuel: the number of rounds that a lane may spend in an outermost loop, inner loops included.

A scalar counts the rounds of the vector. Until it reaches 0, no lane can have run out, so loops test only the scalar. If all lanes in the
loop have made the same number of rounds, the scalar is their fuel. If lanes enter or leave inner loops one by one, each lane has its own
count,
which is tested in every round after the scalar has reached 0.

The scalar counts in slices, so that a loop can be interrupted: between two slices it polls the watch of its caller
(`backends.abi.records.Watch`). Lanes of an interrupted loop are treated as out of fuel.

A loop that certainly ends within its first slice has no fuel (`backends.llvm.program.rounds`).
"""

from __future__ import annotations

from collections.abc import Callable

from backends.abi.records import ShaderEnv, WatchRecord
from backends.llvm.builder.function import I32, Function, Val, Var
from backends.llvm.builder.masks import MaskVar
from backends.llvm.builder.record import Record
from backends.llvm.library.polling import has_polls
from backends.llvm.program.rounds import MOST
from passes.analysis.regions import FUEL
from tgsi.language.record import record

FIRST_SLICE = MOST
"""Rounds of the first slice, after which a loop first checks for an interruption.

Short loops then cost nothing, and no loop runs long after an interruption.
"""
SLICE_WORK, MOST_SLICE, LEAST_SLICE = 1 << 20, 1 << 12, 1 << 6
"""Instructions of a later slice, in all of its rounds together, and the bounds of its rounds, so that a slice takes a few milliseconds at
most.
"""


@record
class Rounds:
    """Limit of loops. count: rounds of a lane. reports: the code records the lanes that run out. env: returns the ShaderEnv."""

    count: int = FUEL
    reports: bool = False
    env: Callable[[], Val] | None = None


class Fuel:
    """Fuel of one outermost loop; created at the loop's beginning.

    by_lane: lanes may spend different amounts. spent: a variable (i32 lanes) that becomes -1 in lanes that run out, or None. size:
    instructions of the loop.
    """

    def __init__(self, f: Function, lanes: int, rounds: Rounds, by_lane: bool, spent: Var | None, size: int) -> None:
        self.f, self._lanes, self._spent = f, lanes, spent
        self._slice = max(LEAST_SLICE, min(MOST_SLICE, SLICE_WORK // max(size, 1)))
        first = min(FIRST_SLICE, self._slice)
        self._env = rounds.env if rounds.count > first and has_polls(f.module) else None
        self._rest = rounds.count - first
        self._left = f.var(I32, rounds.count if self._env is None else first)
        self._beyond = f.var(I32, self._rest) if self._env is not None else None
        self._of_lane = f.var(I32.wide(lanes), rounds.count) if by_lane else None

    def count_round(self, live: MaskVar | None) -> Val:
        """Count a round at the end of any loop of the nest.

        `live`: the lanes in that loop. Returns true if another round fits into the slice.
        """
        remaining = self._left
        remaining.set(remaining.get() - 1)
        if self._of_lane is not None:
            assert live is not None
            self._of_lane.set(self._of_lane.get() + live.get().sext(I32))
        return remaining.get() > 0

    @property
    def is_out(self) -> Val:
        """True if the slice is used up."""
        return self._left.get() < 1

    def refill(self, live: MaskVar | None) -> Val | None:
        """Begin another slice, removing lanes without fuel from `live`, the lanes in the loop.

        If all lanes have the same fuel, returns a scalar: true if they may continue.
        """
        ends = self._begin_slice(0 if self._of_lane is None else 1)
        if self._of_lane is None:
            return self._left.get() > 0
        assert live is not None
        empty = self._of_lane.get() < 1
        empty = live.get() & (empty if ends is None else empty | self.f.splat(ends, self._lanes))
        self._note(empty)
        live.remove(empty)
        return None

    def _begin_slice(self, least: int) -> Val | None:
        """Set the scalar to the next slice's rounds, or to `least` if no fuel remains or the loop is interrupted.

        Returns true in that case.
        """
        f, variables = self.f, len(self.f.variables)
        if self._env is None or self._beyond is None:
            self._left.set(least)
            return None
        is_ended, beyond = f.var(I32, 0), self._beyond.get()
        more = f.min(beyond, self._slice)
        self._beyond.set(beyond - more)
        watch = Record(f, Record(f, self._env(), ShaderEnv).get("watch"), WatchRecord)
        with f.if_(watch.pointer.as_address().ne(0)):
            is_ended.set(f.load(I32, watch.address("stop"), atomic=True))
            with f.if_(beyond < self._rest):
                is_ended.set(f.call_pointer(I32, watch.get("poll"), watch.pointer))
        ends = is_ended.get().ne(0)
        del f.variables[variables:]  # none of them survives a barrier
        self._left.set(f.select(ends, least, f.max(more, least)))
        return ends

    def leave(self, lanes: Val | None) -> None:
        """Finish after the last round. `lanes` (None: all): those that were in the loop until its end."""
        if self._spent is not None and self._of_lane is None:
            with self.f.if_(self._left.get() < 1, unlikely=True):
                self._note(lanes)

    def _note(self, lanes: Val | None) -> None:
        spent = self._spent
        if spent is not None:
            spent.set(spent.get() | lanes.sext(I32) if lanes is not None else -1)
