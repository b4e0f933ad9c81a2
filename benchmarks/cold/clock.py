"""Clock of a first frame: processor time of all threads and of ended child processes, and wall time, in seconds.

This module imports nothing that the measured process would not have loaded anyway.
"""

from __future__ import annotations

import functools
import resource
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any


def processor_seconds() -> float:
    """Processor time of this process and of its ended children (a GLSL compiler, for example)."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


class Clock:
    """Clock that starts at the first call of the renderer's interface. Preparation of vertices and texels is left out.

    before: processor time until the start, which is that of Python and of the imports.
    """

    def __init__(self) -> None:
        self.before = self._cpu = self._wall = 0.0
        self._left_out = [0.0, 0.0]
        self._is_running = False

    def start(self) -> None:
        """Start, once; later calls do nothing."""
        if not self._is_running:
            self._is_running = True
            self.before, self._cpu, self._wall = processor_seconds(), processor_seconds(), time.perf_counter()

    def stop(self) -> dict[str, float]:
        """Times since the start, without those of the functions that `leave_out` excludes."""
        cpu, wall = processor_seconds() - self._cpu, time.perf_counter() - self._wall
        return {"before": self.before, "cpu": cpu - self._left_out[0], "wall": wall - self._left_out[1]}

    def leave_out(self, module: ModuleType) -> None:
        """Exclude the time of all functions of `module`."""
        for name, function in vars(module).copy().items():
            if callable(function) and getattr(function, "__module__", None) == module.__name__ and not isinstance(function, type):
                setattr(module, name, self._without(function))

    def _without(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            cpu, wall, before = processor_seconds(), time.perf_counter(), self._left_out.copy()
            try:
                return function(*arguments, **named)
            finally:  # this time contains that of excluded functions called from here
                self._left_out = [before[0] + processor_seconds() - cpu, before[1] + time.perf_counter() - wall]

        return call
