"""Copies of rows of bytes on the CPU, by all threads of the renderer or by the caller alone, whatever was faster of late."""

from __future__ import annotations

import ctypes
import time

from backends.abi.limits import TILE
from backends.abi.records import ResolveRecord
from backends.device.copy_job import Copy
from backends.raster.control.pool import Pool
from backends.raster.kernels import Kernels

ROW = 65 * 64
"""Bytes of a row into which bytes without a gap are divided: an odd number of cache lines, so that rows fall into different sets."""

TRIALS = 16
"""Copies after which the other way is tried."""


class Copier:
    """The copies of a renderer.

    All threads copy half as fast again as one if each has a CPU. On a busy machine a thread that loses its CPU delays the end by a tick of
    the system's scheduler, several times the length of a copy. Both ways give the same bytes, so the clock decides. Code is short here
    because a large copy leaves nothing of it in the caches.
    """

    def __init__(self, pool: Pool, kernels: Kernels) -> None:
        self._pool = pool
        self._kernels = kernels
        self._record = ResolveRecord()
        self._alone = False  # the usual way: by the caller alone, or by all threads
        self._copies = 0
        self._latest = (0, 0.0)  # bytes and seconds of the latest copy that was made in the usual way

    def copy(self, job: Copy) -> None:
        """Carry out a job."""
        size = job.row_bytes * job.rows
        if not size:
            return
        self._pool.finish()
        start = time.perf_counter()
        self._copies += 1
        is_trial = self._copies % TRIALS == 0
        alone = self._alone != is_trial
        if job.rows > 1 and not job.source_stride == job.target_stride == job.row_bytes:
            self._run(job, alone)
        else:
            rows, rest = divmod(size, ROW)
            ctypes.memmove(job.target + size - rest, job.source + size - rest, rest)
            if rows:
                self._run(Copy(job.source, ROW, job.target, ROW, ROW, rows), alone)
        seconds = time.perf_counter() - start
        if not is_trial:
            self._latest = (size, seconds)
        elif size == self._latest[0] and seconds < self._latest[1]:
            self._alone = alone

    def _run(self, job: Copy, alone: bool) -> None:
        r = self._record
        if not r.kernel:
            r.kernel = self._kernels.copy().address["copy"]
        r.source, r.source_stride, r.target, r.target_stride = job.source, job.source_stride, job.target, job.target_stride
        r.box[2], r.box[3] = job.row_bytes, job.rows
        self._pool.run_tiles(r, 1, -(-job.rows // TILE), alone)
