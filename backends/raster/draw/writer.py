"""A new `Draw` record from bound state: `DrawWriter.write` runs all steps (`backends.raster.draw.steps`), and fills the remaining fields.

These are the addresses of indices and vertex buffers, bound values, and the environments of the shaders.
"""

from __future__ import annotations

import ctypes
from typing import Any

from backends.device.bound import DrawState, Shader
from backends.device.framebuffer import Framebuffer
from backends.device.region import Region
from backends.llvm.engine.engine import Library
from backends.pipe.limits import MAX_ATTRIBUTES
from backends.pipe.state import DrawInfo
from backends.raster.draw.environments import make_environments
from backends.raster.draw.facts import Fact, facts_of
from backends.raster.draw.packet import Packet, Size
from backends.raster.draw.steps import ENTERING, WRITING, take
from backends.raster.draw.style import write_restarts
from backends.raster.draw.topology import topology_of
from backends.raster.draw.vertex_inputs import InputWriter, write_stored
from backends.raster.draw.viewport import ValueWriter, make_views
from backends.raster.draw_record import Draw
from backends.raster.kernels import Kernels
from tgsi.language.facts.enums import File

_SIZE = ctypes.sizeof(Draw)


def does_nothing(state: DrawState, framebuffer: Framebuffer) -> bool:
    """True if draws cannot draw or count anything, whatever their vertices are."""
    is_hidden = state.rasterizer.rasterizer_discard or not state.sample_mask & ((1 << framebuffer.samples) - 1)
    return is_hidden and not state.count_statistics


class DrawWriter:
    """Writer of draw records into `region`.

    lanes: width of the other kernels; None: chosen for each shader. setup_lanes: width of triangle setup, or None."""

    def __init__(self, kernels: Kernels, region: Region, lanes: int | None, setup_lanes: int | None) -> None:
        self.kernels, self.region, self.lanes, self.setup_lanes = kernels, region, lanes, setup_lanes
        self.inputs = InputWriter(region)
        self.values = ValueWriter(kernels.common(setup_lanes or kernels.setup_lanes()))

    def write(self, state: DrawState, info: DrawInfo, framebuffer: Framebuffer, last: Shader | None = None) -> Packet | None:
        """The packet of a draw; None if it can neither draw nor count anything.

        last: the last stage before the rasterizer, if that leaves vertices in memory; None: the vertex shader.

        Raises:
            UnsupportedError: the renderer lacks something that the draw needs.
        """
        vertex, r, is_stored = state.vertex.shader if last is None else last, state.rasterizer, last is not None
        if vertex is None or info.count <= 0 or info.instance_count <= 0 or does_nothing(state, framebuffer):
            return None
        topology = topology_of(info.mode, r.flatshade_first, r.quads_provoke_last)
        d, packet = self._new_record(info)
        d.fragments.interval = state.record.interval
        restarts = None
        if is_stored:
            packet.primitives = info.count
        else:
            restarts = self.inputs.write_assembly(d.assembly, state, info, topology, packet)
            if packet.primitives <= 0:
                return packet if state.count_statistics else None
            self.inputs.write_attributes(d.fetch, state, min(vertex.program.file_size(File.IN), MAX_ATTRIBUTES), packet)
        facts: dict[Fact, Any] = {
            **facts_of(state, vertex, framebuffer.kind),
            Fact.MODE: info.mode,
            Fact.INDEX_SIZE: info.index_size,
            Fact.IS_WRITTEN_OUT: packet.is_written_out,
            Fact.IS_TINY: packet.size is Size.TINY,
            Fact.IS_FEW: packet.size <= Size.FEW,
            Fact.IS_STORED: is_stored,
        }
        take(self, WRITING, d, state, facts)
        if is_stored:
            write_stored(d.assembly, d.fetch, topology, info.count, 16 * facts[Fact.INTERFACE].linked.vertex_registers, packet)
        if restarts is not None:
            write_restarts(d.line_stipple, topology, self.region, restarts)
        slots = facts[Fact.TILE_SLOTS]
        if not self.values.write(packet.address, state, framebuffer, make_views(self.region, slots.has_viewport)):
            return None
        take(self, ENTERING, d, state, facts)
        needs = facts[Fact.VERTEX_NEEDS], facts[Fact.FRAGMENT_NEEDS]
        packet.is_layered = slots.has_layer
        packet.is_repeatable &= not is_stored or not slots.has_viewport  # views belong to this frame's memory
        packet.is_repeatable &= not needs[1].reaches_memory and (is_stored or not needs[0].reaches_memory)
        packet.environments = make_environments(
            self.region, state, framebuffer.samples, packet.reads, state.counters, needs=needs, is_stored=is_stored
        )
        return packet

    def _new_record(self, info: DrawInfo) -> tuple[Draw, Packet]:
        """A record of zeros, and its packet."""
        address = self.region.allocate(_SIZE)
        ctypes.memset(address, 0, _SIZE)
        return Draw.from_address(address), Packet(address, 0, info.count * info.instance_count, [])

    def use(self, library: Library) -> int:
        """The entry point of a kernel, kept alive with the draw."""
        self.region.keep(library)
        return library.address[library.exports[0]]
