"""The vertices that a geometry program has emitted, lane by lane."""

from __future__ import annotations

import numpy as np

from backends.pipe.limits import MAX_VERTEX_STREAMS
from backends.run.result import Bits, Emission, Mask
from backends.run.shapes import Index, output_vertices
from tgsi.language.program import Program

BEGINS = np.uint32(4)
"""In a mark: the vertex begins a primitive of its stream."""


class Emitter:
    """Vertices, collected lane by lane. A vertex beyond GS_MAX_OUTPUT_VERTICES (over all streams), or of no stream, vanishes."""

    def __init__(self, program: Program, lanes: int) -> None:
        self._limit = output_vertices(program)
        self._counts = np.zeros(lanes, np.int64)
        self._begins = np.ones((MAX_VERTEX_STREAMS, lanes), np.bool_)  # the next vertex of the stream begins a primitive
        self._words: list[Bits] = []
        self._marks: list[Bits] = []

    def emit(self, streams: Bits, outputs: Bits, active: Mask) -> None:
        """Append (OUT registers, lanes, 4) words as a vertex of each active lane's stream."""
        lanes = np.flatnonzero(active & (streams < MAX_VERTEX_STREAMS) & (self._counts < self._limit))
        for vertex in set(self._counts[lanes].tolist()):
            chosen = lanes[self._counts[lanes] == vertex]
            if vertex == len(self._words):
                self._words.append(np.zeros_like(outputs))
                self._marks.append(np.zeros_like(streams))
            self._words[vertex][:, chosen] = outputs[:, chosen]
            begins = self._begins[streams[chosen], chosen]
            self._marks[vertex][chosen] = streams[chosen] | np.where(begins, BEGINS, np.uint32(0))
        self._begins[streams[lanes], lanes] = False
        self._counts[lanes] += 1

    def end_primitive(self, streams: Bits, active: Mask) -> None:
        """End the primitive of each active lane's stream: its next vertex begins a new one."""
        lanes = np.flatnonzero(active & (streams < MAX_VERTEX_STREAMS))
        self._begins[streams[lanes], lanes] = True

    def emission(self, places: Index, registers: int) -> Emission:
        """The vertices emitted by the lanes at `places`, one invocation each."""
        words = [vertex[:, places] for vertex in self._words]
        marks = [vertex[places] for vertex in self._marks]
        return Emission(
            self._counts[places],
            np.stack(words) if words else np.zeros((0, registers, len(places), 4), np.uint32),
            np.stack(marks) if marks else np.zeros((0, len(places)), np.uint32),
        )
