"""The search for the smallest selection of calls: bisection for the work that is needed, then delta debugging over all that is left."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from backends.gallium.tracing.steps import WORK, Step
from tgsi.tools.replay.shrink import needs

Test = Callable[[Sequence[Step]], bool]

_MOST_BISECTIONS = 8
"""Number of needed units after which bisection gives up. With more of them, leaving out pieces takes fewer tests."""
_SINGLE = 32
"""Up to this many calls, each is tried alone: most calls are needed by then, so a larger piece would nearly always contain a needed one."""

_MOSTLY_NEEDED = {
    "set_framebuffer_state",
    "set_viewport_states",
    "bind_vs_state",
    "bind_fs_state",
    "bind_vertex_elements_state",
}
"""State without which most draws are refused or draw nothing. It is tried last: after a call that goes, all others are tried again."""


class Reduction:
    """A trace that becomes smaller.

    Attributes:
        best: the smallest trace so far that has the property.
        tests: number of traces that were tried.
    """

    def __init__(self, steps: Sequence[Step], test: Test, note: Callable[[Sequence[Step]], None], jobs: int = 1) -> None:
        """test: True for a trace with the property, which `steps` has. note: called with each smaller trace that has it.

        jobs: number of tests that may run at a time, each in a thread.
        """
        self.best: Sequence[Step] = steps
        self.tests = 0
        self._test, self._note, self._jobs = test, note, jobs
        self._known: dict[bytes, bool] = {}
        self._is_pruned = True
        self._is_wanted: Callable[[Step], bool] = lambda step: True

    def run(self) -> None:
        """Reduce until no single call can go."""
        self._drop_kinds()
        self._bisect(lambda step: step.name in WORK)
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
        if self._try(self.best, needs.numbers(self.best, lambda step: not any(kind(step) for kind in kinds))):
            self._is_wanted = lambda step: not needs.makes(step)  # objects come along with the calls that use them
            return
        self._is_pruned = self._try(self.best, set(range(len(self.best))))
        for kind in kinds:
            self._try(self.best, needs.numbers(self.best, lambda step, kind=kind: not kind(step)))  # type: ignore[misc]

    def _split(self, steps: Sequence[Step], is_unit: Callable[[Step], bool]) -> tuple[list[int], set[int]]:
        """The numbers of the units in order, and those of all other steps that are to be chosen."""
        wanted = needs.numbers(steps, self._is_wanted)
        units = needs.numbers(steps, is_unit) & wanted
        return sorted(units), wanted - units

    def _bisect(self, is_unit: Callable[[Step], bool]) -> None:
        """Find the last unit without which the property is lost, then the last one before it, and so on, each in log2(units) tests."""
        steps = self.best
        units, others = self._split(steps, is_unit)
        for _ in range(_MOST_BISECTIONS):
            if not units or self._try(steps, others):
                return
            low, high = 0, len(units)  # the property holds with the first `high` units and not with the first `low`
            while high - low > 1:
                places = sorted({low + max(1, (high - low) * k // (self._jobs + 1)) for k in range(1, self._jobs + 1)})
                for place, holds in zip(places, self._try_all(steps, [others | set(units[:place]) for place in places])):
                    if holds:
                        high = place
                        break
                    low = place
            others.add(units[high - 1])
            units = units[: high - 1]

    def _reduce(self, is_unit: Callable[[Step], bool]) -> None:
        """Leave out pieces of the units, half of them at first, then smaller ones, down to one at a time."""
        steps = self.best
        units, others = self._split(steps, is_unit)
        size = max(1, len(units) // 2)
        while units:
            if len(units) <= _SINGLE:
                size, units = 1, sorted(units, key=lambda k: steps[k].name in _MOSTLY_NEEDED or steps[k].name in WORK)
            at, was = 0, len(units)
            while at < len(units):
                places = range(at, min(at + size * self._jobs, len(units)), size)
                fewer = [units[:place] + units[place + size :] for place in places]
                for chosen, holds in zip(fewer, self._try_all(steps, [others | set(chosen) for chosen in fewer])):
                    if holds:
                        units = chosen
                        break
                    at += size
            if size == 1 and len(units) == was:
                return
            size = max(1, min(size // 2, len(units) // 2))

    def _try(self, steps: Sequence[Step], chosen: set[int]) -> bool:
        """True if a selection has the property. It is the best one then, if it is smaller."""
        return self._try_all(steps, [chosen])[0]

    def _try_all(self, steps: Sequence[Step], choices: Sequence[set[int]]) -> list[bool]:
        """For each of up to `jobs` selections, whether it has the property. The smallest becomes `best`. Equal traces are tried once."""
        traces = [needs.selected(steps, chosen, is_pruned=self._is_pruned) for chosen in choices]
        keys = [hashlib.sha256(b"".join(step.words for step in trace)).digest() for trace in traces]
        untried = {key: trace for key, trace in zip(keys, traces) if key not in self._known}
        self.tests += len(untried)
        if len(untried) > 1:
            with ThreadPoolExecutor(len(untried)) as pool:
                self._known.update(zip(untried, pool.map(self._test, untried.values())))
        else:
            self._known.update((key, self._test(trace)) for key, trace in untried.items())
        for key, trace in zip(keys, traces):
            if self._known[key] and len(trace) < len(self.best):
                self.best = trace
                self._note(trace)
        return [self._known[key] for key in keys]
