"""The search for the smallest selection of calls: delta debugging, at first over work, then over all that is left."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from backends.gallium.tracing.steps import WORK, Step
from tgsi.tools.replay.shrink import needs

Test = Callable[[Sequence[Step]], bool]


class Reduction:
    """A trace that becomes smaller.

    Attributes:
        best: the smallest trace so far that has the property.
        tests: number of traces that were tried.
    """

    def __init__(self, steps: Sequence[Step], test: Test, note: Callable[[Sequence[Step]], None]) -> None:
        """test: tells if a trace has the property; that of `steps` does. note: takes each smaller trace that has it."""
        self.best: Sequence[Step] = steps
        self.tests = 0
        self._test, self._note = test, note
        self._known: dict[bytes, bool] = {}
        self._is_pruned = True

    def run(self) -> None:
        """Reduce until no single call can go."""
        self._drop_kinds()
        while True:
            before = len(self.best)
            self._reduce(lambda step: step.name in WORK)
            self._reduce(lambda step: True)
            if len(self.best) == before and not self._is_pruned:
                return
            self._is_pruned = self._is_pruned and len(self.best) < before

    def _drop_kinds(self) -> None:
        """Leave out what is rarely needed, all at once where possible."""
        kinds = (needs.makes, needs.ends, needs.only_looks)
        if not self._try(self.best, needs.numbers(self.best, lambda step: not any(kind(step) for kind in kinds))):
            self._is_pruned = self._try(self.best, set(range(len(self.best))))
            for kind in kinds:
                self._try(self.best, needs.numbers(self.best, lambda step, kind=kind: not kind(step)))  # type: ignore[misc]

    def _reduce(self, is_unit: Callable[[Step], bool]) -> None:
        """Leave out pieces of the units, half of them at first, then smaller ones, down to one at a time."""
        steps = self.best
        units = sorted(needs.numbers(steps, is_unit))
        others = set(range(len(steps))) - set(units)
        size = max(1, len(units) // 2)
        while units:
            at, was = 0, len(units)
            while at < len(units):
                fewer = units[:at] + units[at + size :]
                if self._try(steps, others | set(fewer)):
                    units = fewer
                else:
                    at += size
            if size == 1 and len(units) == was:
                return
            size = max(1, min(size // 2, len(units) // 2))

    def _try(self, steps: Sequence[Step], chosen: set[int]) -> bool:
        """True if a selection has the property. It is the best one then, if it is smaller."""
        found = needs.selected(steps, chosen, is_pruned=self._is_pruned)
        key = hashlib.sha256(b"".join(step.words for step in found)).digest()
        if key not in self._known:
            self.tests += 1
            self._known[key] = self._test(found)
        if self._known[key] and len(found) < len(self.best):
            self.best = found
            self._note(found)
        return self._known[key]
