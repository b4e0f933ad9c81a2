"""Builder of packets: a DrawState and a DrawInfo become a `Draw` record, from the cache for repeated draws, otherwise by the writer."""

from __future__ import annotations

import ctypes
import functools

from backends.device.bound import DrawState, Shader
from backends.device.framebuffer import Framebuffer
from backends.device.region import Region
from backends.pipe.enums import Prim
from backends.pipe.state import DrawInfo
from backends.raster.draw.cache import CachedDraw, DrawCache, identity
from backends.raster.draw.environments import make_environments
from backends.raster.draw.packet import FEW, Packet
from backends.raster.draw.writer import DrawWriter
from backends.raster.draw_record import Call, Draw
from backends.raster.kernels import Kernels

_DRAW_SIZE = ctypes.sizeof(Draw)


@functools.cache
def _stored_info(mode: Prim, is_few: bool) -> DrawInfo:
    """A draw whose vertices lie in memory. The count is reduced to few or many primitives, so that more draws share a record."""
    return DrawInfo(mode=mode, count=1 if is_few else FEW + 1, index_size=4)


class DrawBuilder:
    """Builder of draw records, which lie in `region`. It caches draws, because frames repeat them."""

    def __init__(self, kernels: Kernels, region: Region, lanes: int | None, setup_lanes: int | None) -> None:
        self.kernels, self.region, self.lanes = kernels, region, lanes
        self.repeats = DrawCache()
        self.writer = DrawWriter(kernels, region, lanes, setup_lanes)

    def make(self, state: DrawState, info: DrawInfo, framebuffer: Framebuffer) -> Packet | None:
        """The packet of a draw; None if the draw does nothing.

        Raises:
            UnsupportedError: the renderer lacks something that the draw needs.
        """
        return self.writer.write(state, info, framebuffer)

    def flushed(self) -> None:
        """End a frame, and with it the memory of its region."""
        self.repeats.flushed()

    def _again(self, last: CachedDraw, state: DrawState, framebuffer: Framebuffer) -> Packet:
        """The packet of a draw from an earlier frame, with new environments."""
        region = self.region
        address = region.allocate(_DRAW_SIZE)
        ctypes.memmove(address, last.content, _DRAW_SIZE)
        Draw.from_address(address).fragments.interval = state.record.interval
        region.keep(last.kept)
        packet = last.packet.placed(address)
        packet.environments = make_environments(region, state, framebuffer.samples, [])
        return packet

    def make_stored(self, state: DrawState, last: Shader, mode: Prim, most: int, framebuffer: Framebuffer) -> Packet | None:
        """The packet of a draw whose vertices other stages leave in memory; None if the draw does nothing.

        Arguments:
            last: the stage that leaves the vertices.
            mode: POINTS, LINES or TRIANGLES, with 32-bit indices.
            most: estimated number of primitives.

        `place_stored` makes copies of the packet with the addresses of the vertices."""
        info = _stored_info(mode, most <= FEW)
        known = (*identity(state, info, framebuffer), last)
        cached = self.repeats.find(known)
        if cached is not None:
            return self._again(cached, state, framebuffer)
        mark = self.region.keeping
        packet = self.writer.write(state, info, framebuffer, last)
        if packet is not None and packet.is_repeatable:
            content = ctypes.string_at(packet.address, _DRAW_SIZE)
            self.repeats.add(CachedDraw(known, content, packet, self.region.kept(mark)))
        return packet

    def place_stored(
        self, packet: Packet, vertices: int, corners: int, numbers: int, count: int, rows: int = 0, row_size: int = 0
    ) -> Packet:
        """A copy of a packet of `make_stored`, for `count` primitives.

        Arguments:
            vertices, corners, numbers: addresses of the vertices, of their indices, and of primitive numbers.
            rows: address of the primitive rows, a multiple of 16; needed if the last stage has outputs that exist once per primitive.
            row_size: bytes from one row to the next, a multiple of 16.

        The memory must not change until the packet is drawn."""
        address = self.region.copy(packet.address, _DRAW_SIZE)
        d = Draw.from_address(address)
        d.fetch.attribute[0], d.assembly.indices, d.assembly.numbers = vertices, corners, numbers
        d.rows.address, d.rows.size = rows, row_size
        return Packet(
            address,
            count,
            0,
            packet.reads,
            environments=packet.environments,
            call=bytes(Call(prims_per_instance=count)),
            is_layered=packet.is_layered,
            is_repeatable=False,
        )
