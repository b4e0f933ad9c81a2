"""Vertex inputs of a draw: indices and attributes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from backends.device.bound import DrawState
from backends.device.memory import BoundVertexBuffer
from backends.device.region import Region, aligned
from backends.pipe.enums import Prim
from backends.pipe.limits import MAX_ATTRIBUTES
from backends.pipe.state import DrawInfo, VertexElement
from backends.raster.draw.packet import Packet
from backends.raster.draw.topology import Restarts, Topology, beginnings, expand
from backends.raster.draw_record import Assembly, Call, Fetch
from backends.raster.front.attributes import Attribute
from tgsi.language.diagnostics import UnsupportedError

MAX_PRIMITIVES = (1 << 31) - 1  # in one draw, all instances together
MAX_EXPANDED = 1 << 24  # vertices of a draw whose vertex numbers are written out: loops, and strips that may restart
Layout = tuple[Attribute | None, ...]
_INDEX_TYPES: dict[int, Any] = {1: np.uint8, 2: np.uint16, 4: np.uint32}


class Corners(NamedTuple):
    """The primitives of one instance.

    Attributes:
        number: triangles, lines or points.
        is_written_out: `Assembly.indices` names the vertices of all primitives, corner after corner: the draw is assembled as a list.
        restarts: indices of strips that may restart, and the restart index.
    """

    number: int
    is_written_out: bool
    restarts: Restarts | None


class InputWriter:
    """Writer of the groups that primitive assembly and vertex fetch read; memory comes from `region`."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self._zeros = aligned(256)  # for attributes without memory
        self._zeros_at = int(self._zeros.ctypes.data)

    # -- assembly -----------------------------------------------------------------------------------------------------
    def write_assembly(self, a: Assembly, state: DrawState, info: DrawInfo, topology: Topology, packet: Packet) -> Restarts | None:
        """Write the indices of the group `Draw.assembly`, and count primitives. Returns the indices of strips that may restart.

        Raises:
            UnsupportedError: the draw has too many primitives, or too many vertices whose numbers are written out.
            ValueError: index_size is wrong.
        """
        return self.write_corners(a, state, info, topology, packet).restarts

    def write_corners(self, a: Assembly, state: DrawState, info: DrawInfo, topology: Topology, packet: Packet) -> Corners:
        """Write the indices of a draw, and its `Packet.call`; count primitives."""
        count, start, bias = info.count, info.start & 0xFFFFFFFF if info.index_size == 0 else 0, 0
        base_vertex = start
        numbers: NDArray[np.uint32] | None = None
        restarts: Restarts | None = None
        is_written_out = topology.is_irregular or (info.index_size > 0 and info.primitive_restart)
        if is_written_out and _vertices_of(state, info) > MAX_EXPANDED:
            raise UnsupportedError.at("B001", f"a loop or a draw with restart of {info.count} vertices (at most {MAX_EXPANDED})")
        if info.index_size:
            bias = base_vertex = info.index_bias
            indices, count = self._write_indices(a, state, info, packet)
            if is_written_out:
                restart = info.restart_index & ((1 << 8 * info.index_size) - 1) if info.primitive_restart else None
                restarts = (indices, restart) if restart is not None else None
                numbers = expand(topology, indices.astype(np.uint32), restart)
        elif is_written_out:
            numbers = expand(topology, np.arange(count, dtype=np.uint32) + np.uint32(info.start & 0xFFFFFFFF), None)
        if numbers is None:
            per_instance = max(int(topology.count(count)), 0)
        else:
            per_instance, start = len(numbers) // len(topology.multiply), 0
            a.indices, a.index_size = self.region.copy(numbers.ctypes.data, numbers.nbytes), 4
            packet.is_written_out = True
        packet.call = bytes(Call(start, bias, base_vertex, per_instance, info.start_instance, info.drawid))
        packet.primitives = per_instance * info.instance_count
        packet.assembled = packet.primitives >> topology.shift
        if info.mode is Prim.POLYGON:
            packet.assembled = info.instance_count * (int(beginnings(topology, *restarts).sum()) if restarts else per_instance > 0)
            packet.polygon_triangles = packet.primitives - packet.assembled
        if packet.primitives > MAX_PRIMITIVES:
            raise UnsupportedError.at("B001", f"one draw of {packet.primitives} primitives (at most {MAX_PRIMITIVES})")
        return Corners(per_instance, numbers is not None, restarts)

    def _write_indices(self, a: Assembly, state: DrawState, info: DrawInfo, packet: Packet) -> tuple[NDArray[Any], int]:
        """Write the address of the indices. Returns them and their number.

        Indices past the end of the buffer read as 0, for which a padded copy is made; the copy has only a few of these, because further
        ones would draw nothing new.
        """
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
        a.indices, a.index_size = address, size
        raw = (ctypes.c_uint8 * (count * size)).from_address(address)
        return np.frombuffer(memoryview(raw), np.dtype(_INDEX_TYPES[size])), count

    # -- fetch --------------------------------------------------------------------------------------------------------
    def write_fetch(self, fetch: Fetch, state: DrawState, count: int, packet: Packet) -> Layout:
        """Write the group `Draw.fetch`; see `write_elements`."""
        layout = write_elements(fetch, state.vertex_elements, count)
        self.write_attributes(fetch, state, count, packet)
        return layout

    def write_attributes(self, fetch: Fetch, state: DrawState, count: int, packet: Packet) -> None:
        """Write addresses, strides and limits of `count` attributes; an attribute without memory reads zeros."""
        elements, buffers, nothing = state.vertex_elements, state.vertex_buffers, self._zeros_at
        attribute, stride, first, limit = fetch.attribute, fetch.stride, fetch.first, fetch.limit
        seen = set()
        for a in range(count):
            e = elements[a] if a < len(elements) else None
            b = buffers[e.vertex_buffer_index] if e is not None and e.vertex_buffer_index < len(buffers) else None
            before, count = (0, 0) if e is None or b is None else _elements_inside(e, b)
            if e is None or b is None or count <= 0:
                attribute[a], stride[a], first[a], limit[a] = nothing, 0, 0, 0
                continue
            attribute[a] = b.address + e.src_offset - b.lead + before * b.stride
            stride[a], first[a], limit[a] = b.stride, before, count
            if b.address not in seen:
                seen.add(b.address)
                packet.reads.append((b.address, b.size))
                self.region.keep(b.keepalive)


def _elements_inside(e: VertexElement, b: BoundVertexBuffer) -> tuple[int, int]:
    """The number of the first element in the buffer, and the number of complete elements from there on."""
    start = e.src_offset - b.lead  # of element 0, from the address on
    room = b.size - start - e.src_format.block_bytes
    if room < 0 or (start < 0 and not b.stride):
        return 0, 0
    if not b.stride:
        return 0, 0xFFFFFFFF
    before = -(min(start, 0) // b.stride)
    return before, min(room // b.stride + 1, 0xFFFFFFFF) - before


def write_topology(a: Assembly, topology: Topology, mode: Prim, index_size: int, is_written_out: bool) -> None:
    """Write the group `Draw.assembly`, except indices. is_written_out: indices name the vertices of all primitives, corner after corner."""
    if is_written_out:
        a.multiply[:], a.offset[:] = (3, 3, 3), (0, 1, 2, 0, 1, 2)
    else:
        a.multiply[:], a.offset[:], a.shift = topology.multiply, (*topology.even, *topology.odd), topology.shift
    a.prim_shift, a.is_polygon = topology.shift, mode is Prim.POLYGON
    a.index_size = 4 if is_written_out else index_size
    a.is_unindexed_list = topology.is_list and index_size == 0 and not is_written_out


def write_elements(fetch: Fetch, elements: Sequence[VertexElement], count: int) -> Layout:
    """Write the group `Draw.fetch`, except memory, for `count` attributes. Returns the key of the fetch kernel.

    Raises:
        UnsupportedError: the vertex shader reads too many attributes.
    """
    if count > MAX_ATTRIBUTES:
        raise UnsupportedError.at("B001", f"a vertex shader may read {MAX_ATTRIBUTES} attributes")
    used = elements[:count]
    for k, e in enumerate(used):
        fetch.channels[k], fetch.divisor[k] = len(e.src_format.channels), e.instance_divisor
    fetch.num_attributes = count
    layout = (Attribute(e.src_format, e.instance_divisor > 0, e.instance_divisor > 1) for e in used)
    return (*layout, *[None] * (count - len(used)))


def write_stored(assembly: Assembly, fetch: Fetch, topology: Topology, count: int, vertex_size: int, packet: Packet) -> None:
    """Write the groups of a draw of `count` primitives whose vertices other stages leave in memory, `vertex_size` bytes each.

    `DrawBuilder.place_stored` fills in the addresses, and makes the call.
    """
    assembly.multiply[:], assembly.offset[:] = topology.multiply, (*topology.even, *topology.odd)
    assembly.index_size, packet.primitives = 4, count
    assembly.is_local_list = topology.is_list
    fetch.stride[0] = vertex_size


def _vertices_of(state: DrawState, info: DrawInfo) -> int:
    """The number of vertices of a draw, limited by the size of its index buffer."""
    if not info.index_size or state.index_buffer is None:
        return info.count
    return min(info.count, state.index_buffer.size // info.index_size)
