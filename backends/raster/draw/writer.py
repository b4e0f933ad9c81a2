"""A new `Draw` record from bound state.

`DrawWriter.write` lists all parts of a draw: first facts of the shaders and of rasterizer state, then the groups of the record, each
filled by one function, then the kernels. A function that fills a group reads only its arguments, never other groups of the record.
"""

from __future__ import annotations

import ctypes

from backends.device.bound import DrawState, Framebuffer, Shader
from backends.device.environment import stage_keys
from backends.device.needs import ORDERED_LANES, ShaderNeeds, needs_of
from backends.device.region import Region
from backends.llvm.engine.engine import Library
from backends.pipe.state import DrawInfo
from backends.raster.draw.environments import make_environments
from backends.raster.draw.fragments import fragment_key, write_fragments, write_hiz
from backends.raster.draw.link import Linked, link_shaders
from backends.raster.draw.packet import Packet, Size
from backends.raster.draw.sample_state import NO_SAMPLES, SampleKey, sample_key
from backends.raster.draw.style import (
    Offset,
    Style,
    offset_of,
    style_of,
    write_conservative,
    write_line_stipple,
    write_lines,
    write_offset,
    write_points,
    write_primitives,
)
from backends.raster.draw.topology import Topology, topology_of
from backends.raster.draw.varyings import VertexSlots, arrange_slots, write_rows, write_setup, write_vertices
from backends.raster.draw.vertex_inputs import InputWriter, write_stored
from backends.raster.draw.viewport import ValueWriter, make_views, write_clip, write_layers, write_rules
from backends.raster.draw_record import Draw
from backends.raster.front.attributes import Attribute
from backends.raster.kernels import Kernels
from backends.raster.layouts import NO_SLOT, Shape
from backends.raster.samples import MOST_LANES
from backends.raster.tile.buffer_keys import TargetKeys, target_keys
from backends.raster.tile.fragment import FragmentInfo
from tgsi.language.record import record

_SIZE = ctypes.sizeof(Draw)


@record(frozen=False, kw_only=True)
class _Facts:
    """Conclusions from a draw's state that several groups need."""

    vertex: Shader  # the last stage before the rasterizer
    is_stored: bool  # other stages leave the vertices in memory
    fragment: FragmentInfo
    needs: tuple[ShaderNeeds, ShaderNeeds]  # of the vertex and of the fragment shader
    linked: Linked
    topology: Topology
    style: Style
    offset: Offset
    slots: VertexSlots
    samples: SampleKey


class DrawWriter:
    """Writer of draw records into `region`.

    lanes: width of the other kernels; None: chosen for each shader. setup_lanes: width of triangle setup, or None."""

    def __init__(self, kernels: Kernels, region: Region, lanes: int | None, setup_lanes: int | None) -> None:
        self.kernels, self.region, self.lanes, self.setup_lanes = kernels, region, lanes, setup_lanes
        self.inputs = InputWriter(region)
        self.values = ValueWriter(kernels.common(setup_lanes or kernels.setup_lanes()))

    def write(self, state: DrawState, info: DrawInfo, framebuffer: Framebuffer, last: Shader | None = None) -> Packet | None:
        """The packet of a draw; None if it neither draws nor counts anything.

        last: the last stage before the rasterizer, if that leaves vertices in memory; None: the vertex shader.

        Raises:
            UnsupportedError: the renderer lacks something that the draw needs.
        """
        vertex, r = state.vertex.shader if last is None else last, state.rasterizer
        is_hidden = r.rasterizer_discard or not state.sample_mask & ((1 << framebuffer.samples) - 1)
        if vertex is None or info.count <= 0 or info.instance_count <= 0 or (is_hidden and not state.count_statistics):
            return None
        facts = self._facts(state, info, framebuffer, vertex, last is not None)
        topology, style, slots, linked = facts.topology, facts.style, facts.slots, facts.linked
        d, packet = self._new_record(info)
        restarts, layout = None, None
        if last is None:
            restarts = self.inputs.write_assembly(d.assembly, state, info, topology, packet)
            if packet.primitives <= 0:
                return packet if state.count_statistics else None
            layout = self.inputs.write_fetch(d.fetch, state, linked.num_inputs, packet)
        else:
            write_stored(d.assembly, d.fetch, topology, info.count, 16 * linked.vertex_registers, packet)
        is_polygon = topology.shape is Shape.TRIANGLE
        write_rules(d.rules, state, framebuffer, linked, is_polygon=is_polygon, is_hidden=is_hidden)
        if not self.values.write(packet.address, state, framebuffer, make_views(self.region, slots)):
            return None
        write_clip(d.clip, state, linked, slots)
        write_layers(d.layers, slots, linked)
        write_vertices(d.vertices, slots, linked, facts.is_stored)
        write_rows(d.rows, slots, linked)
        write_setup(d.setup, slots, r, style, facts.samples.pattern, facts.fragment.reads_primitive)
        write_conservative(d.conservative, style, r)
        write_offset(d.offset, facts.offset, r, slots.offset)
        write_primitives(d.primitives, style, topology, r, slots.edge_flag, slots.place)
        write_points(d.points, style, r, slots.point_size, slots.point_slots)
        write_lines(d.lines, style, r)
        write_line_stipple(d.line_stipple, style, topology, info.mode, r, self.region, restarts)
        self._write_tile_side(d, state, framebuffer, facts, packet, layout)
        d.setup.calls_join = _calls_join(d)
        return packet

    def _facts(self, state: DrawState, info: DrawInfo, framebuffer: Framebuffer, vertex: Shader, is_stored: bool) -> _Facts:
        shader, r = state.fragment.shader, state.rasterizer
        fragment, linked = self.kernels.fragment(shader), link_shaders(vertex, shader, state.link)
        topology = topology_of(info.mode, r.flatshade_first, r.quads_provoke_last)
        style = style_of(r, topology, framebuffer.samples > 1)
        offset = offset_of(style, r, framebuffer.zsbuf.format if framebuffer.zsbuf is not None else None)
        has_samples = framebuffer.samples > 1 or state.sample_locations is not None
        return _Facts(
            vertex=vertex,
            is_stored=is_stored,
            fragment=fragment,
            needs=(needs_of(vertex), needs_of(shader)),
            linked=linked,
            topology=topology,
            style=style,
            offset=offset,
            slots=arrange_slots(state, framebuffer, fragment, linked, style, offset, info.mode),
            samples=sample_key(framebuffer.samples, state, fragment) if has_samples else NO_SAMPLES,
        )

    def _new_record(self, info: DrawInfo) -> tuple[Draw, Packet]:
        """A record of zeros, and its packet."""
        address = self.region.allocate(_SIZE)
        ctypes.memset(address, 0, _SIZE)
        return Draw.from_address(address), Packet(address, 0, info.count * info.instance_count, [])

    def _write_tile_side(
        self,
        d: Draw,
        state: DrawState,
        framebuffer: Framebuffer,
        facts: _Facts,
        packet: Packet,
        layout: tuple[Attribute | None, ...] | None,
    ) -> None:
        """Write the groups of fragments, environments and entry points. `layout`: of vertex fetch; None if vertices are stored."""
        fragment, samples, (vertex_needs, needs) = facts.fragment, facts.samples, facts.needs
        bound, vertex_bound = stage_keys(state.fragment, needs), stage_keys(state.vertex, vertex_needs)
        targets = target_keys(state.blend, framebuffer.formats, fragment.writes)
        is_few = packet.size <= Size.FEW
        lanes = self._fragment_lanes(fragment, targets, needs, samples, is_few)
        key = fragment_key(state, framebuffer, fragment, facts.style, facts.slots, samples, bound, targets, lanes=lanes, is_few=is_few)
        write_hiz(d.hiz, key, fragment, state.sample_mask)
        write_fragments(d.fragments, state, key)
        packet.is_layered = facts.slots.layer != NO_SLOT
        packet.is_repeatable &= not facts.is_stored or facts.slots.viewport == NO_SLOT  # views lie in this frame's memory
        packet.is_repeatable &= not needs.reaches_memory and (facts.is_stored or not vertex_needs.reaches_memory)
        packet.environments = make_environments(
            self.region, state, framebuffer.samples, packet.reads, state.counters, needs=facts.needs, is_stored=facts.is_stored
        )
        entries, slots, is_tiny = d.entries, facts.slots, packet.size is Size.TINY
        vertex_lanes = min(self.lanes or self.kernels.vertex_lanes(is_tiny), 32)
        setup_lanes = self.setup_lanes or self.kernels.setup_lanes(is_tiny)
        entries.shade_vertices = self.use(self.kernels.shade_vertices(vertex_lanes, facts.is_stored, slots.has_distances))
        entries.setup = self.use(self.kernels.setup(setup_lanes, slots.has_route, slots.has_rows, facts.style.is_conservative))
        if slots.places_per_primitive:
            entries.place = self.use(self.kernels.place())
        if facts.style.shape is not Shape.TRIANGLE:
            entries.expand = self.use(self.kernels.expand(facts.style.shape, facts.style.is_conservative))
        if layout is not None:
            entries.fetch = self.use(self.kernels.fetch(layout, vertex_lanes))
            entries.vertex_shader = self.use(self.kernels.vertex_shader(facts.vertex, vertex_lanes, vertex_bound))
        entries.shade = self.use(self.kernels.shade(key, fragment, state.fragment.shader))
        touches = facts.style.is_conservative
        entries.coverage = self.use(self.kernels.coverage(lanes, key.quads, fragment.has_loops, key.samples, is_conservative=touches))

    def _fragment_lanes(self, info: FragmentInfo, targets: TargetKeys, needs: ShaderNeeds, samples: SampleKey, is_few: bool) -> int:
        """Lanes of fragment shading."""
        if needs.effects.is_ordered:
            return ORDERED_LANES  # fragments then have the same order on every machine
        texel_bytes = max((t.texel_bytes for t in targets if t is not None), default=4)
        lanes = self.lanes or self.kernels.fragment_lanes(info, texel_bytes, is_few)
        return lanes if samples.pattern is None else min(lanes, MOST_LANES)

    def use(self, library: Library) -> int:
        """Entry point of a kernel, which is kept alive as long as the draw."""
        self.region.keep(library)
        return library.address[library.exports[0]]


def _calls_join(d: Draw) -> bool:
    """True if calls of a draw may be set up together; the rest of the record is written."""
    looks_at_calls = d.entries.place or d.setup.wants_prim or d.rows.num_slots or d.line_stipple.is_on
    return d.primitives.shape == Shape.TRIANGLE and not (d.layers.has_route or looks_at_calls)
