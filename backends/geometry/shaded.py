"""What stages hand to each other, and the memory that a thread has for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from backends.device.region import Region, aligned

WORK_BYTES = 1 << 20
KEPT_BYTES = 2 << 20
MAX_KEPT = 64 << 20
"""Bytes that wait for the rasterizer, of all workers; then it runs."""


@dataclass(frozen=True, slots=True)
class Primitives:
    """`count` primitives: addresses of the numbers of their vertices, 32 bits each, and of their numbers within the instance."""

    corners: int
    numbers: int
    count: int


@dataclass(frozen=True, slots=True)
class Shaded:
    """Vertices in memory, [vertex][register][channel] words, and the primitives of each vertex stream that is wanted.

    vertices: address; size: bytes of a vertex; count: vertices; rows: vertices of a primitive, which lie one after the other in
    `corners`. generated: primitives of each stream, of those too that are not in `lists`.
    """

    vertices: int
    size: int
    count: int
    rows: int
    lists: Mapping[int, Primitives]
    generated: tuple[int, ...] = (0, 0, 0, 0)


@dataclass(slots=True)
class Worker:
    """Memory of one thread: `work` is emptied behind every chunk, `brief` behind every wave of chunks, `kept` when all is drawn.

    scratch: by name, memory that the same stage finds again. counts: what the stages have counted, by the names of Statistics.
    """

    work: Region
    brief: Region
    kept: Region
    scratch: dict[str, tuple[int, NDArray[np.uint8]]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    stamp: int = 0  # of the last chunk that used the vertex cache

    @staticmethod
    def of(workers: int) -> Worker:
        """One of so many."""
        spare = max(MAX_KEPT // KEPT_BYTES // workers, 1)
        return Worker(Region(WORK_BYTES, 4), Region(KEPT_BYTES, 4), Region(KEPT_BYTES, spare))

    def provide(self, name: str, size: int) -> int:
        """Address of at least `size` bytes, the same and with the same contents as before if they were enough; zeros at first."""
        held = self.scratch.get(name)
        if held is None or len(held[1]) < size:
            memory = aligned(size)
            held = self.scratch[name] = (memory.ctypes.data, memory)
        return held[0]


class Stage(Protocol):
    """A stage behind the vertex shader. It is shared by all threads: what it changes belongs to the Worker."""

    @property
    def most_bytes(self) -> int:
        """Bytes that one primitive that goes in can become."""
        ...

    def run(self, worker: Worker, shaded: Shaded, memory: Region) -> Sequence[Shaded]:
        """Shade what another stage left (stream 0); what comes out, in order, lies in `memory`."""
        ...
