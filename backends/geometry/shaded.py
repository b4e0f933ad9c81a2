"""The vertices and primitives that stages hand to each other, and the memory that a thread has for them."""

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
"""Bytes of all workers that may wait for the rasterizer; when they are reached, it runs."""


@record
class Primitives:
    """Addresses of `count` primitives: 32-bit numbers of their vertices, and their own numbers within the instance."""

    corners: int
    numbers: int
    count: int


@record
class Shaded:
    """Vertices in memory, words [vertex][register][channel], and the primitives of each vertex stream that is used.

    vertices: address; size: bytes of a vertex; count: number of vertices; rows: vertices of a primitive, which lie one after the other in
    `corners`. generated: number of primitives of each stream, including streams that are not in `lists`.
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

    scratch: named memory that a stage finds again in the next chunk. counts: events counted by the stages, by the names of Statistics.
    """

    work: Region
    brief: Region
    kept: Region
    scratch: dict[str, tuple[int, NDArray[np.uint8]]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    stamp: int = 0  # of the last chunk that used the vertex cache

    @staticmethod
    def of(workers: int) -> Worker:
        """Make one of `workers` workers, which share MAX_KEPT bytes of spare memory."""
        spare = max(MAX_KEPT // KEPT_BYTES // workers, 1)
        return Worker(Region(WORK_BYTES, 4), Region(KEPT_BYTES, 4), Region(KEPT_BYTES, spare))

    def provide(self, name: str, size: int) -> int:
        """Return the address of at least `size` bytes.

        If the memory of the previous call with this name is large enough, it is returned with its contents; otherwise new zeros are.
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
    """A stage as generated code carries it out.

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
    """A stage after the vertex shader. All threads share it: everything that it changes belongs to the Worker."""

    @property
    def most_bytes(self) -> int:
        """Most bytes that the stage makes of one input primitive."""
        ...

    def run(self, worker: Worker, shaded: Shaded, memory: Region) -> Sequence[Shaded]:
        """Shade the vertices and primitives that another stage left (stream 0). The results, in order, lie in `memory`."""
        ...

    def step(self, provide: Provide, most: int) -> Step:
        """Describe the stage for generated code, with memory for chunks of up to `most` input primitives."""
        ...
