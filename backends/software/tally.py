"""The counters of a renderer: what generated code counted, and the renderer's own work (flushes by reasons, templates, kernels)."""

from __future__ import annotations

from typing import Any

from backends.device.counters import FlushReason, Place, counted
from backends.llvm.engine.kernel_cache import KernelCache
from backends.raster.control.pool import Pool
from backends.software.commands.executor import Executor
from backends.software.commands.records import REASONS


class Tally:
    """The counters of `Place.WORKER`, `Place.BATCH` and `Place.DEVICE`. other_draws: draws that Python took."""

    def __init__(self, executor: Executor, kernels: KernelCache, pool: Pool) -> None:
        self._executor, self._kernels, self._pool = executor, kernels, pool
        self.other_draws = 0

    def flushed(self, reason: FlushReason) -> None:
        """Count a run of pending work."""
        self._executor.record.flushes[REASONS.index(reason)] += 1

    def counts(self) -> dict[str, Any]:
        """The running totals, by the names of their counters."""
        executor, kernels, workers, totals = self._executor, self._kernels, self._pool.workers, self._pool.scene.totals
        counts: dict[str, Any] = {name: sum(int(getattr(worker.counters, name)) for worker in workers) for name in counted(Place.WORKER)}
        counts |= {name: int(getattr(totals, name)) for name in counted(Place.BATCH)}
        counts |= {reason.value: int(count) for reason, count in zip(REASONS, executor.record.flushes)}
        counts |= {name: int(getattr(executor.record, name)) for name in ("vertices", "primitives", "known_draws", "templates_composed")}
        counts |= {"templates_made": executor.templates_made, "other_draws": self.other_draws}
        return counts | {"kernels_compiled": kernels.compiled, "compile_ns": kernels.compile_ns, "kernels_loaded": kernels.loaded}
