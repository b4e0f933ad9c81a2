"""A draw through a geometry shader that generated code can make again: the records of its two stages and of its primitives."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from typing import Any

from backends.abi.limits import MAX_LANES
from backends.geometry.records import GeometryRecord, VertexRecord
from backends.geometry.shaded import Worker
from backends.llvm.engine.engine import Library
from backends.pipe.limits import MAX_ATTRIBUTES
from backends.raster.draw.packet import FEW, Packet
from backends.raster.layouts import CACHE_SLOTS, MAX_OUTPUTS, SYSTEM_VALUES
from tgsi.language.record import record

MOST = 64
"""Most input primitives of a draw that generated code makes again."""
MOST_BYTES = 1 << 18
"""Most bytes that the output of such a draw may take in the worst case."""


@record(kw_only=True)
class Repeat:
    """One draw.

    Attributes:
        input: the packet of the vertex stage; its record is valid until the next flush.
        stored: the packet of the primitives that leave the geometry stage; its record is valid until the next flush.
        vertex, geometry: the records of the stages, without what belongs to one chunk.
        kernels: addresses of `assemble`, `shade` and `gather`.
        staged_bytes: of the inputs of one vector of the geometry shader.
        kept: libraries of all kernels.
        has_loops: a program has loops, so that the draw may take long.
    """

    input: Packet
    stored: Packet
    vertex: VertexRecord
    geometry: GeometryRecord
    kernels: tuple[int, int, int]
    staged_bytes: int
    kept: list[Library]
    has_loops: bool

    @property
    def most(self) -> int:
        """Most input primitives of a draw that is made from this one; 0: it is too large."""
        is_few = self._emitted(self.input.primitives) <= FEW
        fitting = (n for n in range(MOST + 1) if self._bytes(n) <= MOST_BYTES and (not is_few or self._emitted(n) <= FEW))
        return max(fitting, default=0)

    def _emitted(self, primitives: int) -> int:
        return primitives * int(self.geometry.invocations * self.geometry.limit)

    def _bytes(self, primitives: int) -> int:
        g = self.geometry
        return self.capacity(primitives) * int(g.out_size + 4 * g.out_rows + 4)

    def capacity(self, primitives: int) -> int:
        """Vertices for which there must be room: whole vectors of invocations."""
        g = self.geometry
        return -(-primitives * int(g.invocations) // int(g.lanes)) * int(g.lanes * g.limit)

    def place(self, worker: Worker, vertex: VertexRecord, geometry: GeometryRecord) -> list[Any]:
        """Fill in the records for draws of up to `most` primitives. Returns the memory that they name."""
        corners, lanes, limit, size = self.most * vertex.rows, geometry.lanes, geometry.limit, geometry.out_size
        capacity, vertex_size = self.capacity(self.most), 16 * vertex.registers
        used: list[Any] = []

        def provide(name: str, size: int) -> int:
            address = worker.provide(name, size)
            used.append(worker.scratch[name])
            return address

        vertex.ids = provide("ids", 4 * (corners + MAX_LANES))
        vertex.instances = provide("instances", 4 * (corners + MAX_LANES))
        vertex.cache = provide("cache", CACHE_SLOTS * 16)
        vertex.soa_in = provide("soa_in", MAX_ATTRIBUTES * 16 * MAX_LANES)
        vertex.soa_out = provide("soa_out", (MAX_OUTPUTS + 1) * 16 * MAX_LANES)
        vertex.system = provide("system", SYSTEM_VALUES * 4 * MAX_LANES)
        vertex.corners, vertex.numbers = provide("input corners", 4 * corners), provide("input numbers", 4 * self.most)
        vertex.vertices = provide("input vertices", (corners + MAX_LANES) * vertex_size)
        geometry.vertices, geometry.vertex_size = vertex.vertices, vertex_size
        geometry.corners, geometry.numbers = vertex.corners, vertex.numbers
        geometry.staged = provide("staged", self.staged_bytes)
        geometry.emitted = provide("emitted", (lanes * limit + 1) * size)
        geometry.marks, geometry.counts = provide("marks", (lanes * limit + 1) * 4), provide("counts", 4 * lanes)
        geometry.streams[0].corners = provide("corners 0", capacity * 4 * geometry.out_rows)
        geometry.streams[0].numbers = provide("numbers 0", capacity * 4)
        return used


def libraries(kept: Iterable[Any]) -> Iterator[Library]:
    """The libraries among kept objects and lists of them."""
    for thing in kept:
        if isinstance(thing, Library):
            yield thing
        elif isinstance(thing, list):
            yield from libraries(thing)


def copied(one: VertexRecord | GeometryRecord, into: ctypes.Structure) -> None:
    """Copy the bytes of a record."""
    ctypes.memmove(ctypes.addressof(into), ctypes.addressof(one), ctypes.sizeof(one))
