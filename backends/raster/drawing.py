"""From a DrawState and a DrawInfo to a `Draw` record and its batches."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.gallium.enums import CompareFunc, Face, PolygonMode, Prim, SpriteCoordMode
from backends.gallium.state import DrawInfo
from backends.llvm.engine import Library
from backends.raster.blend import TargetKey
from backends.raster.coarse import coarse_of, slack_of
from backends.raster.depth import DepthKey
from backends.raster.environment import demand_of, make_environment, sampling_keys
from backends.raster.expand import MAX_WIDTH
from backends.raster.fetch import Attribute
from backends.raster.fragment import FragmentInfo, FragmentKey
from backends.raster.kernels import Kernels
from backends.raster.linked import Linked, link_shaders
from backends.raster.memory import Region, aligned
from backends.raster.packet import DrawState, Framebuffer, Shader, clamps
from backends.raster.records import DEFAULT_REGISTER, MAX_ATTRIBUTES, MAX_DISTANCES, Draw, Mode, SetupLayout, Shape, VertexLayout
from backends.raster.repeats import Packet, Repeat, identity
from backends.raster.topology import Topology, expand, topology_of
from backends.raster.viewport import write_offset, write_region, write_viewport, write_window_space
from linkage.options import LinkState
from tgsi.diagnostics import UnsupportedError

FEW = 32  # primitives; so few are shaded as runs whatever their size: code for packed quads would cost more than it saves
_DRAW_SIZE, _VERTEX_ENV, _FRAGMENT_ENV = ctypes.sizeof(Draw), Draw.vertex_env.offset, Draw.fragment_env.offset
FLAGGED = (Prim.TRIANGLES, Prim.QUADS, Prim.POLYGON)  # edges of strips and fans have no flags
MAX_PARTNERS = 256  # fragment shaders that a vertex shader remembers
MAX_PRIMITIVES = (1 << 31) - 1  # in one draw, all instances together
MAX_EXPANDED = 1 << 24  # vertices whose numbers are written out: loops, and strips that may restart
_INDEX_TYPES: dict[int, Any] = {1: np.uint8, 2: np.uint16, 4: np.uint32}


class DrawMaker:
    """Turns state into draw records. Keeps what it derives from shaders; records lie in `region`."""

    def __init__(self, kernels: Kernels, region: Region, lanes: int | None) -> None:
        self.kernels, self.region, self.lanes = kernels, region, lanes
        self._last: Repeat | None = None
        self._zeros = aligned(256)  # what an attribute without memory reads

    def make(self, state: DrawState, info: DrawInfo, framebuffer: Framebuffer) -> Packet | None:
        """The packet of a draw, None where it draws nothing. UnsupportedError names what is not there."""
        known = identity(state, info, framebuffer)
        last = self._last
        if last is not None and len(last.known) == len(known) and all(map(operator.is_, last.known, known)):
            return self._again(last, state)
        self._last = None
        mark = self.region.keeping
        packet = self._make(state, info, framebuffer)
        if packet is not None and packet.is_repeatable:
            content = ctypes.string_at(packet.address, _DRAW_SIZE)
            self._last = Repeat(known, content, packet, self.region.kept(mark))
        return packet

    def _again(self, last: Repeat, state: DrawState) -> Packet:
        """The same draw, with new constants."""
        region, reads = self.region, last.packet.reads
        address = region.allocate(_DRAW_SIZE)
        ctypes.memmove(address, last.content, _DRAW_SIZE)
        region.keep(last.kept)
        for stage, shader, at in ((state.vertex, state.vertex_shader, _VERTEX_ENV), (state.fragment, state.fragment_shader, _FRAGMENT_ENV)):
            ctypes.c_void_p.from_address(address + at).value = make_environment(region, demand_of(shader), stage, [])
        return Packet(address, last.packet.primitives, last.packet.vertices, reads, last.packet.assembled)

    def _make(self, state: DrawState, info: DrawInfo, framebuffer: Framebuffer) -> Packet | None:
        vertex = state.vertex_shader
        rasterizer, counts = state.rasterizer, state.count_statistics
        if vertex is None or info.count <= 0 or info.instance_count <= 0:
            return None
        draws = bool(state.sample_mask & 1) and not rasterizer.rasterizer_discard  # (there is one sample)
        if not draws and not counts:
            return None
        topology = topology_of(info.mode, rasterizer.flatshade_first)
        shape = self._shape(state, topology)
        fragment = self.kernels.fragment(state.fragment_shader)
        linked = self._link(vertex, state.fragment_shader, fragment, state.link)
        address = self.region.allocate(ctypes.sizeof(Draw))
        ctypes.memset(address, 0, ctypes.sizeof(Draw))
        d = Draw.from_address(address)
        packet = Packet(address, 0, info.count * info.instance_count, [])
        self._assembly(d, state, info, topology, packet)
        if packet.primitives <= 0:
            return packet if counts else None
        zs = framebuffer.zsbuf.format if framebuffer.zsbuf is not None else None
        is_polygon = topology.shape is Shape.TRIANGLE
        if linked.is_window_space:
            write_window_space(d, rasterizer)
        elif state.viewports:
            write_viewport(d, state.viewports[0], rasterizer, zs)
        draws &= write_region(d, framebuffer, rasterizer, state.scissors, is_polygon and not linked.is_window_space)
        if not draws:
            if not counts:
                return None
            d.region[:] = (1, 1, 0, 0)
        if shape is Shape.TRIANGLE:
            write_offset(d, rasterizer, zs)
        d.shape = shape
        vertex_lanes = min(self.lanes or self.kernels.vertex_lanes(), 32)
        self._fetch(d, state, linked, vertex_lanes, packet)
        self._slots(d, state, framebuffer, fragment, linked, shape, info.mode)
        demand = demand_of(vertex)
        d.vertex_env = make_environment(self.region, demand, state.vertex, packet.reads)
        textures, samplers = sampling_keys(state.vertex, demand)
        d.vertex_shader = self._use(self.kernels.vertex_shader(vertex, vertex_lanes, textures, samplers))
        d.shade_vertices = self._use(self.kernels.shade_vertices(vertex_lanes))
        self._fragments(d, state, framebuffer, fragment, packet, shape)
        return packet

    def _use(self, library: Library) -> int:
        """Entry point of a kernel, which lives as long as the draw."""
        self.region.keep(library)
        return library.address[library.exports[0]]

    # -- checks -------------------------------------------------------------------------------------------------------
    def _shape(self, state: DrawState, topology: Topology) -> Shape:
        """What the front end makes of primitives."""
        r = state.rasterizer
        modes = [m for m, face in ((r.fill_front, Face.FRONT), (r.fill_back, Face.BACK)) if not r.cull_face & face]
        is_outline = topology.shape is Shape.TRIANGLE and any(m is not PolygonMode.FILL for m in modes)
        draws_lines = topology.shape is Shape.LINE or (is_outline and PolygonMode.LINE in modes)
        draws_points = topology.shape is Shape.POINT or (is_outline and PolygonMode.POINT in modes)
        if draws_lines and (r.line_smooth or r.line_stipple_enable):
            raise UnsupportedError.at("B001", "the renderer does not draw smooth or stippled lines")
        if draws_points and r.point_smooth:
            raise UnsupportedError.at("B001", "the renderer does not draw smooth points")
        offset = (draws_lines and r.offset_line) or (draws_points and r.offset_point) or (PolygonMode.FILL in modes and r.offset_tri)
        if is_outline and offset:
            raise UnsupportedError.at("B001", "the renderer has no depth offset where polygons are drawn as lines or points")
        return Shape.OUTLINE if is_outline else topology.shape

    def _link(self, vertex: Shader, fragment: Shader | None, info: FragmentInfo, state: LinkState) -> Linked:
        if len(vertex.derived) > MAX_PARTNERS:
            vertex.derived.clear()
        key = f"link {fragment.serial if fragment is not None else 0}"
        if state.mapping:
            key += f" by {state.text}"
        linked = vertex.derived.get(key)
        if linked is None:
            linked = vertex.derived[key] = link_shaders(vertex, fragment, info, state)
        assert isinstance(linked, Linked)
        return linked

    # -- assembly -----------------------------------------------------------------------------------------------------
    def _assembly(self, d: Draw, state: DrawState, info: DrawInfo, topology: Topology, packet: Packet) -> None:
        count, d.start, d.index_bias = info.count, info.start & 0xFFFFFFFF if info.index_size == 0 else 0, 0
        d.multiply[:], d.offset[:], d.shift = topology.multiply, (*topology.even, *topology.odd), topology.shift
        d.prim_shift = topology.shift
        d.base_vertex = d.start
        numbers: NDArray[np.uint32] | None = None
        is_expanded = topology.closes or (info.index_size > 0 and info.primitive_restart)
        if is_expanded and _vertices_of(state, info) > MAX_EXPANDED:
            raise UnsupportedError.at("B001", f"a loop or a draw with restart of {info.count} vertices (at most {MAX_EXPANDED})")
        if info.index_size:
            d.index_bias = d.base_vertex = info.index_bias
            indices, count = self._indices(d, state, info, packet)
            if is_expanded:
                restart = info.restart_index & ((1 << 8 * info.index_size) - 1) if info.primitive_restart else None
                numbers = expand(topology, indices.astype(np.uint32), restart)
        elif topology.closes:
            numbers = expand(topology, np.arange(count, dtype=np.uint32) + np.uint32(info.start & 0xFFFFFFFF), None)
        if numbers is None:
            per_instance = int(topology.count(count))
            d.list = topology.is_list and info.index_size == 0
        else:
            per_instance = len(numbers) // 3
            d.multiply[:], d.offset[:], d.shift, d.start = (3, 3, 3), (0, 1, 2, 0, 1, 2), 0, 0
            d.indices, d.index_size = self.region.copy(numbers.ctypes.data, numbers.nbytes), 4
            packet.is_repeatable = False
        d.prims_per_instance = max(per_instance, 0)
        d.edges[:], d.is_polygon = topology.edges, info.mode is Prim.POLYGON
        d.start_instance, d.draw_id = info.start_instance, info.drawid
        packet.primitives = max(per_instance, 0) * info.instance_count
        packet.assembled = packet.primitives >> topology.shift if not d.is_polygon else info.instance_count * (per_instance > 0)
        if packet.primitives > MAX_PRIMITIVES:
            raise UnsupportedError.at("B001", f"one draw of {packet.primitives} primitives (at most {MAX_PRIMITIVES})")

    def _indices(self, d: Draw, state: DrawState, info: DrawInfo, packet: Packet) -> tuple[NDArray[Any], int]:
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
        d.indices, d.index_size = address, size
        raw = (ctypes.c_uint8 * (count * size)).from_address(address)
        return np.frombuffer(memoryview(raw), np.dtype(_INDEX_TYPES[size])), count

    # -- fetch --------------------------------------------------------------------------------------------------------
    def _fetch(self, d: Draw, state: DrawState, linked: Linked, lanes: int, packet: Packet) -> None:
        elements, buffers = state.vertex_elements, state.vertex_buffers
        count = max(linked.num_inputs, 0)
        if count > MAX_ATTRIBUTES:
            raise UnsupportedError.at("B001", f"a vertex shader may read {MAX_ATTRIBUTES} attributes")
        layout: list[Attribute | None] = []
        seen = set()
        for a in range(count):
            e = elements[a] if a < len(elements) else None
            b = buffers[e.vertex_buffer_index] if e is not None and e.vertex_buffer_index < len(buffers) else None
            d.attribute[a] = self._zeros.ctypes.data
            if e is None:
                layout.append(None)
                continue
            layout.append(Attribute(e.src_format, e.instance_divisor > 0, e.instance_divisor > 1))
            d.channels[a], d.divisor[a] = len(e.src_format.channels), e.instance_divisor
            size = e.src_format.block_bytes
            if b is None or b.size - e.src_offset < size:
                continue
            whole = (b.size - e.src_offset - size) // b.stride + 1 if b.stride else 0xFFFFFFFF
            d.attribute[a], d.stride[a], d.limit[a] = b.address + e.src_offset, b.stride, min(whole, 0xFFFFFFFF)
            if b.address not in seen:
                seen.add(b.address)
                packet.reads.append((b.address, b.size))
                self.region.keep(b.keepalive)
        d.num_attributes = count
        d.fetch = self._use(self.kernels.fetch(tuple(layout), lanes))
        d.wants_system = linked.wants_system

    # -- slots --------------------------------------------------------------------------------------------------------
    def _slots(
        self,
        d: Draw,
        state: DrawState,
        framebuffer: Framebuffer,
        fragment: FragmentInfo,
        linked: Linked,
        shape: Shape,
        primitive: Prim,
    ) -> None:
        r = state.rasterizer
        count = len(linked.source)
        is_polygon = shape in (Shape.TRIANGLE, Shape.OUTLINE)
        extra: list[int] = []
        for k in range(count):
            mode = fragment.slots[k].mode(r.flatshade) if k < len(fragment.slots) else Mode.LINEAR
            d.mode[k], d.flat[k] = mode, mode is Mode.FLAT
            d.source[k], d.clamp[k] = linked.source[k], linked.is_color[k] and clamps(r.clamp_vertex_color, r, framebuffer)
            d.front[k] = d.back[k] = k
            if r.light_twoside and is_polygon and linked.back[k] != linked.source[k]:
                slot = count + len(extra)
                d.back[k], d.source[slot], d.flat[slot], d.clamp[slot] = slot, linked.back[k], d.flat[k], d.clamp[k]
                extra.append(slot)
        total = count + len(extra)
        d.size_register = d.edge_flag = -1
        if shape is Shape.OUTLINE and primitive in FLAGGED and linked.edge_flag is not None:
            d.edge_flag, d.source[total] = total, linked.edge_flag
            total += 1
        if shape is Shape.POINT:
            if r.point_size_per_vertex and linked.point_size is not None:
                d.size_register, d.source[total] = total, linked.point_size
                total += 1
            for k in range(count):
                d.sprite[k] = k == fragment.point_slot or bool(self._sprites(state, fragment) >> k & 1)
                if d.sprite[k]:
                    d.mode[k], d.flat[k] = Mode.LINEAR, False
        d.point_size, d.line_width, d.last_pixel = r.point_size, min(max(round(r.line_width), 1), MAX_WIDTH), r.line_last_pixel
        d.num_slots, d.num_vertex_slots, d.position = count, total, linked.position
        total = self._distances(d, state, linked, total)
        d.vertex_size, d.record_size = VertexLayout.size(total), SetupLayout.size(count)
        d.tie = r.bottom_edge_rule
        d.fill[:] = (r.fill_front, r.fill_back)
        if is_polygon:
            d.front_sign, d.cull = not r.front_ccw, int(r.cull_face)
        else:  # their triangles are made with positive area, and always face the front
            d.front_sign, d.tie = 1, 0
        d.wants_prim = fragment.reads_primitive

    def _distances(self, d: Draw, state: DrawState, linked: Linked, total: int) -> int:
        """Clip distances, written by the shader or from user planes; returns the number of vertex slots."""
        enabled = state.rasterizer.clip_plane_enable & 255 if not linked.is_window_space else 0
        d.cull_mask = ((1 << linked.num_culls) - 1) << linked.num_distances
        if linked.num_distances:
            enabled &= (1 << linked.num_distances) - 1
            d.user_register = -1
        else:
            planes = state.clip_planes if linked.has_user_planes else ()
            enabled &= (1 << len(planes)) - 1
            d.user_register = linked.clip_vertex
            for k, plane in enumerate(planes[:MAX_DISTANCES]):
                d.user_planes[4 * k : 4 * k + 4] = plane
        if not enabled and not d.cull_mask:
            return total
        for k in range(MAX_DISTANCES):
            register = linked.clip_distance[k // 4]
            d.distance_source[k] = (DEFAULT_REGISTER if register is None else register) * 4 + k % 4
        d.distances_at = VertexLayout.SLOTS + 16 * total
        d.user_mask, d.num_distances = enabled, enabled.bit_length()
        return total + 2

    # -- fragments ----------------------------------------------------------------------------------------------------
    def _fragments(self, d: Draw, state: DrawState, framebuffer: Framebuffer, info: FragmentInfo, packet: Packet, shape: Shape) -> None:
        r, dsa = state.rasterizer, state.depth_stencil_alpha
        zs = framebuffer.zsbuf.format if framebuffer.zsbuf is not None else None
        targets = tuple(
            TargetKey.of(state.blend, k, s.format if s is not None else None) if self._writes(info, k) else None
            for k, s in enumerate(framebuffer.cbufs)
        )
        stipple = r.poly_stipple_enable and shape is Shape.TRIANGLE and state.polygon_stipple is not None
        demand = demand_of(state.fragment_shader)
        textures, samplers = sampling_keys(state.fragment, demand)
        is_few = packet.primitives <= FEW
        texel_bytes = max((t.texel_bytes for t in targets if t is not None), default=4)
        lanes = self.lanes or self.kernels.fragment_lanes(info, texel_bytes, is_few)
        key = FragmentKey(
            state.fragment_shader.serial if state.fragment_shader is not None else 0,
            lanes,
            targets,
            DepthKey.of(dsa, zs),
            dsa.alpha.func if dsa.alpha.enabled and dsa.alpha.func is not CompareFunc.ALWAYS else None,
            r.flatshade and info.has_color_interpolation,
            clamps(r.clamp_fragment_color, r, framebuffer),
            stipple,
            self._sprites(state, info) if shape is Shape.POINT else 0,
            state.count_samples,
            state.count_statistics,
            textures,
            samplers,
            tuple((k, s.format) for k, s in enumerate(framebuffer.cbufs) if k in info.fetches and s is not None),
            not is_few,
        )
        d.shade = self._use(self.kernels.shade(key, info, state.fragment_shader))
        d.coverage = self._use(self.kernels.coverage(key.lanes, key.quads))
        d.fragment_env = make_environment(self.region, demand, state.fragment, packet.reads)
        d.coarse, d.coarse_slack = coarse_of(key, info), slack_of(key.depth)
        d.frame[:] = (framebuffer.width - 1, framebuffer.height - 1)
        d.alpha_ref, d.height = dsa.alpha.ref_value, framebuffer.height
        d.blend_color[:], d.stencil_ref[:] = state.blend_color, [v & 255 for v in state.stencil_ref]
        d.bounds[:] = (dsa.depth.bounds_min, dsa.depth.bounds_max)
        d.sprite_flip = r.sprite_coord_mode is SpriteCoordMode.LOWER_LEFT
        if stipple and state.polygon_stipple is not None:
            d.stipple[:] = state.polygon_stipple

    @staticmethod
    def _sprites(state: DrawState, info: FragmentInfo) -> int:
        """Slots that a point's coordinate replaces."""
        enable = state.rasterizer.sprite_coord_enable
        return sum(1 << k for k, s in enumerate(info.slots) if s.semantic.name == "GENERIC" and enable >> s.semantic.index & 1)

    @staticmethod
    def _writes(info: FragmentInfo, index: int) -> bool:
        return index in info.colors or (info.writes_all and 0 in info.colors)


def _vertices_of(state: DrawState, info: DrawInfo) -> int:
    """How many vertices a draw can have, given the size of its index buffer."""
    if not info.index_size or state.index_buffer is None:
        return info.count
    return min(info.count, state.index_buffer.size // info.index_size)


def batches_of(packet: Packet, size: int) -> Iterator[tuple[int, int]]:
    """(first primitive, count) of each batch."""
    for first in range(0, packet.primitives, size):
        yield first, min(size, packet.primitives - first)
