"""The device's counters, a row each: queries (pipe_query) are answered from differences of their running totals, or from intervals.

A row is a field of `Statistics` and names the place where the events are counted. The field of that place's record, the sum over records
and, for `in_pipeline`, the position in the answer to a PIPELINE_STATISTICS query are derived from it. A new counter needs a row and the
code that counts: in generated code `record.set(name, ...)`, in a stage in front of the rasterizer `worker.counts[name] += n`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, fields
from enum import Enum
from operator import add, sub
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.pipe.limits import MAX_VERTEX_STREAMS
from tgsi.language.record import record


class Place(Enum):
    """The part of the device that counts an event."""

    DRAW = "Python, once a draw"
    BATCH = "the rasterizer's front end, in the record of a batch; summed in the scene"
    WORKER = "the rasterizer's tiles, in the record of a thread"
    STAGE = "the stages in front of the rasterizer, once a chunk"
    STREAM = "the end of those stages, once a vertex stream"
    GRID = "the context, once a grid of compute threads"
    DEVICE = "the device, about its own work; driver queries show these"


class FlushReason(Enum):
    """Reasons for flushes, by the names of their counters."""

    ASKED = "flushes_asked"  # by the caller: a flush, a fence, a query
    TARGETS = "flushes_targets"  # other render targets are bound
    CLEAR = "flushes_clear"  # a clear follows draws, or does not fit tiles
    RESOLVE = "flushes_resolve"  # samples are resolved that pending draws write
    MEMORY = "flushes_memory"  # memory that pending work uses is read, written or mapped
    DRAW = "flushes_draw"  # a draw has to wait for pending ones
    FULL = "flushes_full"  # too much is pending


def _count(place: Place, *, in_pipeline: bool = True, batch_field: str | None = None) -> Any:
    """The row of a counter. `batch_field`: the field of Batch that holds this number under another name."""
    return field(default=0, metadata={"place": place, "in_pipeline": in_pipeline, "batch_field": batch_field})


def _count_streams() -> Any:
    """The row of a tuple with a number for each vertex stream."""
    return field(default=(0,) * MAX_VERTEX_STREAMS, metadata={"place": Place.STREAM, "in_pipeline": False, "batch_field": None})


@record(kw_only=True)
class Statistics:
    """Running totals since the renderer was made; the answer to a query is the difference of two of them.

    The numbers of a PIPELINE_STATISTICS query are in the order of pipe_query_data_pipeline_statistics. The rasterizer counts
    `fs_invocations` only while `DrawState.count_statistics` is set. Samples are counted in `Intervals`.
    """

    vertices: int = _count(Place.DRAW)  # of the input assembler
    primitives: int = _count(Place.DRAW)  # of the input assembler
    vs_invocations: int = _count(Place.BATCH)
    gs_invocations: int = _count(Place.STAGE)
    gs_primitives: int = _count(Place.STAGE)
    clipper_in: int = _count(Place.BATCH, batch_field="done")
    clipper_out: int = _count(Place.BATCH)  # triangles that are binned
    fs_invocations: int = _count(Place.WORKER)
    hs_invocations: int = _count(Place.STAGE)  # of tessellation control shaders: patches
    ds_invocations: int = _count(Place.STAGE)
    cs_invocations: int = _count(Place.GRID)
    ts_invocations: int = _count(Place.STAGE)
    ms_invocations: int = _count(Place.STAGE)
    flushes_asked: int = _count(Place.DEVICE, in_pipeline=False)  # of these and the next ones see FlushReason
    flushes_targets: int = _count(Place.DEVICE, in_pipeline=False)
    flushes_clear: int = _count(Place.DEVICE, in_pipeline=False)
    flushes_resolve: int = _count(Place.DEVICE, in_pipeline=False)
    flushes_memory: int = _count(Place.DEVICE, in_pipeline=False)
    flushes_draw: int = _count(Place.DEVICE, in_pipeline=False)
    flushes_full: int = _count(Place.DEVICE, in_pipeline=False)
    known_draws: int = _count(Place.DEVICE, in_pipeline=False)  # that generated code took
    other_draws: int = _count(Place.DEVICE, in_pipeline=False)  # that Python took
    templates_made: int = _count(Place.DEVICE, in_pipeline=False)  # combinations for which Python had to make parts, or all
    templates_composed: int = _count(Place.DEVICE, in_pipeline=False)  # combinations that generated code put together of parts
    kernels_compiled: int = _count(Place.DEVICE, in_pipeline=False)  # of the whole process
    compile_ns: int = _count(Place.DEVICE, in_pipeline=False)  # that these took, in all threads
    kernels_loaded: int = _count(Place.DEVICE, in_pipeline=False)  # of the whole process, that were on the disk
    generated: tuple[int, ...] = _count_streams()  # primitives that left the last stage in front of the rasterizer
    needed: tuple[int, ...] = _count_streams()  # primitives that stream output would have written, had there been room
    written: tuple[int, ...] = _count_streams()  # primitives that stream output wrote


_ROWS = fields(Statistics)


def counted(place: Place) -> tuple[str, ...]:
    """Return the names of the counters of a place."""
    return tuple(row.name for row in _ROWS if row.metadata["place"] is place)


IN_PIPELINE = tuple(row.name for row in _ROWS if row.metadata["in_pipeline"])
"""Counters of a PIPELINE_STATISTICS query."""

BATCH_FIELDS = {row.name: row.metadata["batch_field"] or row.name for row in _ROWS if row.metadata["place"] is Place.BATCH}
"""Counter of the front end -> the field of Batch that has its number."""


def _combined(a: Statistics, b: Statistics, operation: Callable[[int, int], int]) -> Statistics:
    """Apply `operation` counter by counter, stream by stream."""
    values: dict[str, Any] = {}
    for row in _ROWS:
        x, y = getattr(a, row.name), getattr(b, row.name)
        values[row.name] = tuple(map(operation, x, y)) if isinstance(x, tuple) else operation(x, y)
    return Statistics(**values)


def difference(after: Statistics, before: Statistics) -> Statistics:
    """Return the events between two totals."""
    return _combined(after, before, sub)


def total(a: Statistics, b: Statistics) -> Statistics:
    """Return the sum of two totals."""
    return _combined(a, b, add)


class Intervals:
    """Samples that passed in each interval: a context numbers the times between beginnings and ends of occlusion queries.

    So beginning or ending a query needs no flush: its result is the sum over the intervals in which it was active.

    counts: for each thread, an array of 64-bit integers with an element for each interval.
    """

    def __init__(self, counts: Sequence[NDArray[np.int64]]) -> None:
        self._counts, self._views = counts, [count.data for count in counts]  # views are faster for few elements

    def passed(self, first: int, end: int) -> int:
        """Samples that passed in the intervals `first` to `end` - 1, whose draws have been carried out."""
        samples = 0
        for view in self._views:
            samples += view[first] if end == first + 1 else sum(view[first:end])
        return samples

    def forget(self) -> None:
        """Reset all intervals. No draw is pending."""
        for count in self._counts:
            count[:] = 0
