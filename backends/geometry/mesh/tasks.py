"""Task workgroups: waves of bounded size, and the runs of mesh workgroups that they launch."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.grid import MeshDraw
from backends.device.region import aligned
from backends.geometry.mesh.groups import Groups
from backends.geometry.shaded import Worker
from backends.geometry.waves import Waves
from backends.llvm.engine.engine import Entry
from backends.llvm.kernels.mesh_grids import MeshRun
from backends.llvm.kernels.mesh_stages import SIZES
from backends.llvm.kernels.time_slices import TimeSlices
from backends.run.meshes import refused
from tgsi.language.record import record

WAVE, WAVE_BYTES = 4096, 4 << 20
"""Most task workgroups of a wave, and most bytes of their payloads; a wave of one may exceed them."""
CHUNK = 64
"""Task workgroups that a thread runs in a call."""
_RUN = np.dtype(MeshRun)


@record(frozen=False)
class Runs:
    """Mesh workgroups to be drawn: `runs` holds MeshRun records, `ends` the number of workgroups up to the end of each run.

    refused: tasks that launched more workgroups than allowed. keep: objects that the records refer to.
    """

    runs: NDArray[Any]
    ends: NDArray[np.int64]
    refused: int = 0
    keep: object = None

    @property
    def total(self) -> int:
        """The number of workgroups of all runs."""
        return int(self.ends[-1]) if len(self.ends) else 0

    def find(self, number: int) -> tuple[int, int]:
        """Return the run of a workgroup, and its number within the run."""
        run = int(np.searchsorted(self.ends, number, "right"))
        return run, number - (int(self.ends[run - 1]) if run else 0)


def whole_grid(draw: MeshDraw) -> Runs:
    """Return the single run of a draw without tasks."""
    runs = np.zeros(1, _RUN)
    runs["blocks"], runs["grid"], runs["draw_id"] = draw.groups, draw.grid, draw.number
    return Runs(runs, np.array([draw.groups], np.int64))


class Tasks:
    """The task workgroups of one draw. `payload_bytes`: bytes that each task passes to its mesh workgroups."""

    def __init__(self, groups: Groups, draw: MeshDraw, payload_bytes: int) -> None:
        self.groups, self._draw, self._words = groups, draw, -(-payload_bytes // 4)
        size = max(1, min(WAVE, WAVE_BYTES // max(4 * self._words, 4 * SIZES), draw.groups))
        self._size = size
        self._counts = np.zeros((size, SIZES), np.uint32)
        self._payload = aligned(max(4 * self._words * size, 4))

    @property
    def words(self) -> int:
        """The number of 32-bit words of a payload."""
        return self._words

    def waves(self, threads: Waves, is_alone: bool) -> Iterator[Runs]:
        """Run wave after wave. The runs of a wave are valid until the next wave is requested."""
        for first in range(0, self._draw.groups, self._size):
            count = min(self._size, self._draw.groups - first)
            self._run(threads, first, count, is_alone)
            yield self._runs(count)

    def _run(self, threads: Waves, first: int, count: int, is_alone: bool) -> None:
        """Run the tasks from number `first` on, storing their counts and payloads."""
        launch, shared_by = self.groups.library.entry("launch"), self.groups.together
        size = -(-CHUNK // shared_by) * shared_by

        def work(worker: Worker, chunk: int) -> tuple[()]:
            start = chunk * size
            self._chunk(threads, worker, launch, first, start, min(size, count - start))
            return ()

        threads.run(-(-count // size), work, lambda _: None, is_alone)

    def _chunk(self, threads: Waves, worker: Worker, launch: Entry, first: int, start: int, count: int) -> None:
        groups, (width, height, _) = self.groups, self._draw.grid
        shared_by = groups.together
        record = groups.record(worker, "task")
        record.grid[:], record.draw_id, record.payload_words = self._draw.grid, self._draw.number, self._words
        pace = TimeSlices(-(-count // shared_by), -(-groups.first // shared_by))
        end = start + count
        while start < end and not threads.is_ended:
            batch = min(pace.begin() * shared_by, end - start)
            number = first + start
            record.first[:] = (number % width, number // width % height, number // (width * height))
            record.blocks = batch
            record.counts = self._counts.ctypes.data + 4 * SIZES * start
            record.payload = self._payload.ctypes.data + 4 * self._words * start
            launch(ctypes.addressof(record))
            pace.end()
            start += batch
        worker.counts["ts_invocations"] += count * groups.threads

    def _runs(self, count: int) -> Runs:
        """Return the runs that the tasks of a wave launch, one for each task."""
        wanted = self._counts[:count]
        is_refused = refused(wanted)
        sizes = np.where(is_refused[:, None], 0, wanted.astype(np.int64))
        blocks = sizes.prod(axis=1)
        runs = np.zeros(count, _RUN)
        runs["payload"] = self._payload.ctypes.data + 4 * self._words * np.arange(count, dtype=np.uint64)
        runs["blocks"], runs["grid"], runs["draw_id"] = blocks, sizes, self._draw.number
        return Runs(runs, np.cumsum(blocks), int(is_refused.sum()))
