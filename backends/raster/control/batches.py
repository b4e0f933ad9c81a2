"""The queue of a flush: spans in the order of the calls, and the rule by which they are grouped into batches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.raster.draw_record import Call
from backends.raster.layouts import MAX_SPANS
from backends.raster.records import Batch, Span

_SPAN, _BATCH, _CALL = np.dtype(Span), np.dtype(Batch), np.dtype(Call)


class BatchQueue:
    """Spans that wait for a flush.

    A span joins the batch of the span before it if the batch then has at most `spans` spans and at most `size` primitives. Any grouping
    gives the same bytes.
    """

    def __init__(self, size: int, spans: int = MAX_SPANS) -> None:
        if not (1 <= spans <= MAX_SPANS):
            raise ValueError(f"spans of a batch: {spans} (1 to {MAX_SPANS})")
        self.size, self._most = size, spans
        self.primitives = 0
        self._spans: list[tuple[int, int, int, int, int]] = []  # draw, environments, first, count
        self._calls: list[bytes] = []
        self._starts: list[int] = []  # first span of each batch
        self._counts: list[int] = []  # primitives of each batch

    def __len__(self) -> int:
        """Number of spans."""
        return len(self._spans)

    def add(self, draw: int, environments: tuple[int, int], call: bytes, first: int, count: int) -> None:
        """Append a span of `count` primitives of a call, 1 to `size`.

        draw, environments: addresses of the Draw record and of both ShaderEnv. call: bytes of the Call."""
        number = len(self._spans)
        self._spans.append((draw, *environments, first, count))
        self._calls.append(call)
        self.primitives += count
        if number and number - self._starts[-1] < self._most and self._counts[-1] + count <= self.size:
            self._counts[-1] += count
        else:
            self._starts.append(number)
            self._counts.append(count)

    def take(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Empty the queue. Returns arrays of Span and of Batch records."""
        spans, batches = np.zeros(len(self._spans), _SPAN), np.zeros(len(self._starts), _BATCH)
        if self._spans:
            for name, values in zip(("draw", "vertex_env", "fragment_env", "first", "count"), zip(*self._spans)):
                spans[name] = values
            spans["call"] = np.frombuffer(b"".join(self._calls), _CALL)
            batches["first_span"], batches["count"] = self._starts, self._counts
            batches["num_spans"] = np.diff([*self._starts, len(self._spans)])
        self._spans, self._calls, self._starts, self._counts, self.primitives = [], [], [], [], 0
        return spans, batches
