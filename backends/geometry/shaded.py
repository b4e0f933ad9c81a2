"""The vertices and primitives that stages pass to each other, and a thread's memory for them."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from backends.device.region import Region, aligned
from backends.geometry.records import HandRecord
from tgsi.language.record import record

WORK_BYTES = 1 << 20
KEPT_BYTES = 2 << 20
MAX_KEPT = 64 << 20
"""Bytes of all workers' pending results above which the rasterizer runs."""


@record
class Primitives:
    """Addresses of `count` primitives: 32-bit numbers of their vertices, and their own numbers within the instance."""

    corners: int
    numbers: int
    count: int


@record
class Shaded:
    """Vertices in memory, words [vertex][register][channel], and the primitives of each vertex stream that is used.

    vertices: address; size: bytes of a vertex; count: number of vertices; rows: vertices of a primitive, which are adjacent in `corners`.
    generated: number of primitives of each stream, including streams that are not in `lists`.
    """

    vertices: int
    size: int
    count: int
    rows: int
    lists: Mapping[int, Primitives]
    generated: tuple[int, ...] = (0, 0, 0, 0)


@record(frozen=False)
class Worker:
    """Memory of one thread: `work` is emptied after every chunk, `brief` after every wave of chunks, `kept` when all chunks are drawn.

    scratch: memory by name, reused for later chunks. counts: events counted by the stages, by the names of Statistics.
    """

    work: Region
    brief: Region
    kept: Region
    scratch: dict[str, tuple[int, NDArray[np.uint8]]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    stamp: int = 0  # of the last chunk that used the vertex cache

    @staticmethod
    def of(workers: int) -> Worker:
        """Create one of `workers` workers, which share MAX_KEPT bytes of spare memory."""
        spare = max(MAX_KEPT // KEPT_BYTES // workers, 1)
        return Worker(Region(WORK_BYTES, 4), Region(KEPT_BYTES, 4), Region(KEPT_BYTES, spare))

    def provide(self, name: str, size: int) -> int:
        """Return the address of at least `size` bytes.

        Memory of an earlier call with this name is returned with its contents if it is large enough; otherwise new memory is zeroed.
        """
        held = self.scratch.get(name)
        if held is None or len(held[1]) < size:
            memory = aligned(size)
            held = self.scratch[name] = (memory.ctypes.data, memory)
        return held[0]


Provide = Callable[[str, int], int]
"""`Worker.provide`: memory by name and size."""


@record
class Step:
    """A stage in the form for generated code.

    Attributes:
        record: its record, without the values of one draw.
        hand: the vertices and primitives that it produces, without the values of a piece.
        vertex_bytes: most bytes of the vertices of a piece.
        environments: addresses of the pointers to its ShaderEnvs, by stage.
        kept: memory and kernels that the record names.
    """

    record: ctypes.Structure
    hand: HandRecord
    vertex_bytes: int
    environments: Mapping[int, int]
    kept: Sequence[Any]


class Stage(Protocol):
    """A stage after the vertex shader. All threads share it, so mutable state belongs to the Worker."""

    @property
    def most_bytes(self) -> int:
        """Most output bytes for an input primitive."""
        ...

    def run(self, worker: Worker, shaded: Shaded, memory: Region) -> Sequence[Shaded]:
        """Shade the vertices and primitives of the previous stage (stream 0). Returns the results in order, stored in `memory`."""
        ...

    def step(self, provide: Provide, most: int) -> Step:
        """Return the stage in the form for generated code, with memory for chunks of up to `most` input primitives."""
        ...
