"""Copies of rows of bytes on the CPU, by all threads of the renderer or by the caller alone, whichever was faster recently."""

from __future__ import annotations

import ctypes

from backends.device.commands.bound_record import BoundRecord
from backends.device.copy_job import Copy
from backends.raster.control.pool import Pool
from backends.raster.kernels import Kernels
from backends.raster.records import CopierRecord


class Copier:
    """The copies of a renderer; `backends.raster.control.at_once` makes them."""

    def __init__(self, pool: Pool, kernels: Kernels) -> None:
        self._pool, self._kernels = pool, kernels
        self.record = CopierRecord(scene=ctypes.addressof(pool.scene))

    def serve(self, bound: BoundRecord) -> None:
        """Let generated code copy for a context, unless Python has to set a time limit."""
        if not self._pool.is_limited:
            bound.copy_entry, bound.copier = self._pool.copy_address, ctypes.addressof(self.record)

    def copy(self, job: Copy) -> None:
        """Carry out a job."""
        if job.row_bytes and job.rows:
            if not self.record.job.kernel:
                self.record.job.kernel = self._kernels.copy().address["copy"]
            self._pool.copy_rows(self.record, job)
