"""Resources of a run, kept across several native calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.nvk.lower.code import Code
from backends.nvk.lower.driver import CONSTANTS, COUNTERS
from backends.run.result import RunResult
from passes.analysis.regions import FUEL
from tgsi.language.program import Program

Triple = tuple[int, int, int]
Bytes = NDArray[np.uint8]

MOST_FUEL = 1 << 22
"""Most rounds of a loop of a lowered program."""

_WRITTEN = ("buffers", "counters")


Run = Callable[..., RunResult]
"""A function with the arguments and results of `tgsi.run`."""


class Resources:
    """Constants, textures, buffers, images and counters of all runs of one draw, by the names that `tgsi.run` has for them."""

    def __init__(self, run: Run, resources: Mapping[str, Any]) -> None:
        self._run = run
        self.given: dict[str, Any] = {name: dict(value) if isinstance(value, Mapping) else value for name, value in resources.items()}
        self._invocations = np.zeros(2, np.uint32)
        self.exhausted = False

    @property
    def invocations(self) -> tuple[int, int]:
        """Invocations of task and of mesh programs that the programs have counted."""
        return int(self._invocations[0]), int(self._invocations[1])

    def run(self, program: Program, **options: Any) -> RunResult:
        """Run a program with these resources, and keep its writes."""
        result = self._run(program, **{**self.given, **options})
        for name in _WRITTEN:
            if name in self.given:
                self.given[name] = {number: getattr(result, name)[number] for number in self.given[name]}
        if "images" in self.given:
            self.given["images"] = {unit: replace(data, levels=(result.images[unit],)) for unit, data in self.given["images"].items()}
        self.exhausted = self.exhausted or bool(np.any(result.exhausted))
        return result

    def run_lowered(
        self, code: Code, program: Program, groups: int, grid: Triple, draw_id: int, own: Mapping[int, NDArray[Any]]
    ) -> dict[int, Bytes]:
        """Run the expanded program of a code, `groups` workgroups. `own` are the emulator's buffers, of which the contents are returned."""
        fuel = min(MOST_FUEL, self.given.get("fuel", FUEL) * code.growth)
        constants = {**self.given.get("constants", {}), CONSTANTS: np.array([[*grid, draw_id]], np.uint32)}
        buffers = {**self.given.get("buffers", {}), **own, COUNTERS: self._invocations}
        result = self.run(program, grid=(groups, 1, 1), constants=constants, buffers=buffers, fuel=max(fuel, code.rounds))
        self._invocations = result.buffers[COUNTERS].view(np.uint32)
        return {number: result.buffers[number] for number in own}
