"""What the vertices of a draw are made of: indices and attributes, written into its record."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.bound import DrawState
from backends.device.region import Region, aligned
from backends.pipe.enums import Prim
from backends.pipe.limits import MAX_ATTRIBUTES
from backends.pipe.state import DrawInfo
from backends.raster.draw.packet import Packet
from backends.raster.draw.topology import Topology, beginnings, expand
from backends.raster.front.attributes import Attribute
from backends.raster.kernels import Kernels
from backends.raster.records import Draw, Shape
from tgsi.language.diagnostics import UnsupportedError

MAX_PRIMITIVES = (1 << 31) - 1  # in one draw, all instances together
MAX_EXPANDED = 1 << 24  # vertices whose numbers are written out: loops, and strips that may restart
_STRIPS = (Prim.LINE_STRIP, Prim.LINE_LOOP, Prim.LINE_STRIP_ADJACENCY)
_INDEX_TYPES: dict[int, Any] = {1: np.uint8, 2: np.uint16, 4: np.uint32}


class InputWriter:
    """Writes the part of a draw record that primitive assembly and vertex fetch read; memory comes from `region`."""

    def __init__(self, kernels: Kernels, region: Region) -> None:
        self.kernels, self.region = kernels, region
        self._zeros = aligned(256)  # what an attribute without memory reads
        self._zeros_at = int(self._zeros.ctypes.data)

    # -- assembly -----------------------------------------------------------------------------------------------------
    def assembly(self, d: Draw, state: DrawState, info: DrawInfo, topology: Topology, packet: Packet) -> None:
        """Which vertices are the corners of which primitive; counts primitives."""
        d.assembly.multiply[:], d.assembly.offset[:], d.assembly.shift = topology.multiply, (*topology.even, *topology.odd), topology.shift
        d.assembly.prim_shift = topology.shift
        per_instance, is_expanded = self.primitives(d, state, info, topology, packet)
        if is_expanded:
            d.assembly.multiply[:], d.assembly.offset[:], d.assembly.shift = (3, 3, 3), (0, 1, 2, 0, 1, 2), 0
        d.assembly.is_unindexed_list = topology.is_list and info.index_size == 0 and not is_expanded
        d.primitives.edges[:], d.assembly.is_polygon = topology.edges, info.mode is Prim.POLYGON
        packet.assembled = packet.primitives >> topology.shift if not d.assembly.is_polygon else info.instance_count * (per_instance > 0)

    def primitives(self, d: Draw, state: DrawState, info: DrawInfo, topology: Topology, packet: Packet) -> tuple[int, bool]:
        """Primitives of an instance, and whether their vertex numbers are written out: corner by corner, in `d.assembly.indices`."""
        count, d.assembly.start, d.assembly.index_bias = info.count, info.start & 0xFFFFFFFF if info.index_size == 0 else 0, 0
        d.assembly.base_vertex = d.assembly.start
        numbers: NDArray[np.uint32] | None = None
        self._restarting: tuple[NDArray[Any], int] | None = None  # indices, and the one that begins a strip again
        is_expanded = topology.is_irregular or (info.index_size > 0 and info.primitive_restart)
        if is_expanded and _vertices_of(state, info) > MAX_EXPANDED:
            raise UnsupportedError.at("B001", f"a loop or a draw with restart of {info.count} vertices (at most {MAX_EXPANDED})")
        if info.index_size:
            d.assembly.index_bias = d.assembly.base_vertex = info.index_bias
            indices, count = self.indices(d, state, info, packet)
            if is_expanded:
                restart = info.restart_index & ((1 << 8 * info.index_size) - 1) if info.primitive_restart else None
                self._restarting = (indices, restart) if restart is not None else None
                numbers = expand(topology, indices.astype(np.uint32), restart)
        elif is_expanded:
            numbers = expand(topology, np.arange(count, dtype=np.uint32) + np.uint32(info.start & 0xFFFFFFFF), None)
        if numbers is None:
            per_instance = max(int(topology.count(count)), 0)
        else:
            per_instance = len(numbers) // len(topology.multiply)
            d.assembly.start = 0
            d.assembly.indices, d.assembly.index_size = self.region.copy(numbers.ctypes.data, numbers.nbytes), 4
            packet.is_repeatable = False
        d.assembly.prims_per_instance = per_instance
        d.assembly.start_instance, d.assembly.draw_id = info.start_instance, info.drawid
        packet.primitives = per_instance * info.instance_count
        if packet.primitives > MAX_PRIMITIVES:
            raise UnsupportedError.at("B001", f"one draw of {packet.primitives} primitives (at most {MAX_PRIMITIVES})")
        return per_instance, numbers is not None

    def restarts(self, d: Draw, info: DrawInfo, topology: Topology) -> None:
        """Where line stipple begins again; only for draws that are stippled."""
        if not d.line_stipple.is_on:
            return
        if topology.shape is Shape.TRIANGLE:
            d.line_stipple.period = 0 if d.assembly.is_polygon else 1 << d.assembly.prim_shift
        else:
            d.line_stipple.period = 0 if info.mode in _STRIPS else 1
        if self._restarting is not None and d.line_stipple.period == 0:
            begins = beginnings(topology, *self._restarting)
            d.line_stipple.period, d.line_stipple.restarts = -1, self.region.copy(begins.ctypes.data, begins.nbytes)

    def indices(self, d: Draw, state: DrawState, info: DrawInfo, packet: Packet) -> tuple[NDArray[Any], int]:
        """Indices that may all be read; behind the buffer's end they are 0, and a few of those are enough."""
        size, memory = info.index_size, state.index_buffer
        if size not in _INDEX_TYPES:
            raise ValueError(f"index_size must be 0, 1, 2 or 4, not {size}")
        first = max(info.start, 0)
        readable = max(memory.size // size - first, 0) if memory is not None else 0
        count = min(info.count, readable + 8)
        address = memory.address + first * size if memory is not None else 0
        if count > readable:
            address = self.region.copy(address, readable * size, count * size)
            packet.is_repeatable = False
        elif memory is not None:
            self.region.keep(memory.keepalive)
            packet.reads.append((address, count * size))
        d.assembly.indices, d.assembly.index_size = address, size
        raw = (ctypes.c_uint8 * (count * size)).from_address(address)
        return np.frombuffer(memoryview(raw), np.dtype(_INDEX_TYPES[size])), count

    # -- fetch --------------------------------------------------------------------------------------------------------
    def fetch(self, d: Draw, state: DrawState, count: int, lanes: int, packet: Packet) -> None:
        """Where `count` attributes lie, and the kernel that reads them."""
        elements = state.vertex_elements
        if count > MAX_ATTRIBUTES:
            raise UnsupportedError.at("B001", f"a vertex shader may read {MAX_ATTRIBUTES} attributes")
        layout: list[Attribute | None] = []
        for a in range(count):
            e = elements[a] if a < len(elements) else None
            if e is None:
                layout.append(None)
                continue
            layout.append(Attribute(e.src_format, e.instance_divisor > 0, e.instance_divisor > 1))
            d.fetch.channels[a], d.fetch.divisor[a] = len(e.src_format.channels), e.instance_divisor
        d.fetch.num_attributes = count
        self.attributes(d, state, packet)
        library = self.kernels.fetch(tuple(layout), lanes)
        self.region.keep(library)
        d.entries.fetch = library.address[library.exports[0]]

    def attributes(self, d: Draw, state: DrawState, packet: Packet) -> None:
        """Where they lie."""
        elements, buffers, nothing = state.vertex_elements, state.vertex_buffers, self._zeros_at
        seen = set()
        for a in range(d.fetch.num_attributes):
            e = elements[a] if a < len(elements) else None
            b = buffers[e.vertex_buffer_index] if e is not None and e.vertex_buffer_index < len(buffers) else None
            if e is None or b is None or b.size - e.src_offset < e.src_format.block_bytes:
                d.fetch.attribute[a], d.fetch.stride[a], d.fetch.limit[a] = nothing, 0, 0
                continue
            whole = (b.size - e.src_offset - e.src_format.block_bytes) // b.stride + 1 if b.stride else 0xFFFFFFFF
            d.fetch.attribute[a], d.fetch.stride[a], d.fetch.limit[a] = b.address + e.src_offset, b.stride, min(whole, 0xFFFFFFFF)
            if b.address not in seen:
                seen.add(b.address)
                packet.reads.append((b.address, b.size))
                self.region.keep(b.keepalive)

    def move(self, d: Draw, state: DrawState, info: DrawInfo, topology: Topology, packet: Packet) -> None:
        """The inputs of a draw whose record is a copy of another's, with other vertices. Its numbers are not to be written out."""
        per_instance, _ = self.primitives(d, state, info, topology, packet)
        packet.assembled = packet.primitives >> topology.shift if not d.assembly.is_polygon else info.instance_count * (per_instance > 0)
        self.attributes(d, state, packet)


def _vertices_of(state: DrawState, info: DrawInfo) -> int:
    """How many vertices a draw can have, given the size of its index buffer."""
    if not info.index_size or state.index_buffer is None:
        return info.count
    return min(info.count, state.index_buffer.size // info.index_size)
