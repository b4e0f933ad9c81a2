"""From a DrawState and a DrawInfo to a `Draw` record and its batches."""

from __future__ import annotations

import ctypes
import functools
import operator
from dataclasses import replace

from backends.device.bound import DrawState, Framebuffer, Shader, clamps
from backends.device.environment import make_environment, stage_keys
from backends.device.needs import ORDERED_LANES, needs_of
from backends.device.region import Region
from backends.llvm.engine.engine import Library
from backends.pipe.enums import CompareFunc, Face, Prim, SpriteCoordMode
from backends.pipe.state import DrawInfo
from backends.raster.draw.cache import CachedDraw, DrawCache, identity
from backends.raster.draw.environments import Copies
from backends.raster.draw.link import link_shaders
from backends.raster.draw.packet import Packet
from backends.raster.draw.sample_state import NO_SAMPLES, sample_key, tell_samples, write_samples
from backends.raster.draw.style import Style, style_of, write_style
from backends.raster.draw.topology import topology_of
from backends.raster.draw.varyings import sprites, write_slots
from backends.raster.draw.vertex_inputs import InputWriter
from backends.raster.draw.viewport import write_depth_clip, write_region, write_viewport, write_window_space, write_windows
from backends.raster.draw.views import write_views
from backends.raster.kernels import Kernels
from backends.raster.records import Draw, HizUse, Shape
from backends.raster.samples import MOST_LANES
from backends.raster.tile.buffer_keys import DepthKey, TargetKey
from backends.raster.tile.coarse import hiz_of, slack_of
from backends.raster.tile.fragment import FragmentInfo, FragmentKey
from tgsi.language.facts.enums import File

FEW = 32  # primitives; so few are shaded as runs whatever their size: code for packed quads would cost more than it saves
_DRAW_SIZE = ctypes.sizeof(Draw)
FLAGGED = (Prim.TRIANGLES, Prim.QUADS, Prim.POLYGON)  # edges of strips and fans have no flags


@functools.cache
def _stored_info(mode: Prim, is_few: bool) -> DrawInfo:
    """A draw whose vertices lie in memory; how many primitives it has is only told apart as far as it matters."""
    return DrawInfo(mode=mode, count=1 if is_few else FEW + 1, index_size=4)


class DrawBuilder:
    """Turns state into draw records. Keeps what it derives from shaders; records lie in `region`."""

    def __init__(self, kernels: Kernels, region: Region, lanes: int | None) -> None:
        self.kernels, self.region, self.lanes = kernels, region, lanes
        self._last: CachedDraw | None = None
        self._copies: Copies | None = None  # of the last draw
        self._revision, self._info = -1, DrawInfo()
        self.repeats = DrawCache()
        self.inputs = InputWriter(kernels, region)

    def make(self, state: DrawState, info: DrawInfo, framebuffer: Framebuffer) -> Packet | Copies | None:
        """The packet of a draw, or the copies of one that was taken in this frame; None where it draws nothing.

        UnsupportedError names what is not there."""
        known = identity(state, info, framebuffer)
        last = self._last
        if last is None or len(last.known) != len(known) or not all(map(operator.is_, last.known, known)):
            self._last = last = self.repeats.find(known)
        self._copies = None
        if last is not None:
            if last.frame != self.repeats.frame:
                last.packet, last.frame, last.copies = self._again(last, state, framebuffer), self.repeats.frame, None
                return last.packet
            if last.copies is None:
                last.copies = Copies(self.region, state, last.packet)
            self._copies, self._revision, self._info = last.copies, state.revision, info
            return last.copies
        mark = self.region.keeping
        relative = self.repeats.find_kin(known, info)
        packet = self._move(relative, state, info, framebuffer) if relative is not None else None
        if packet is None:
            packet = self._make(state, info, framebuffer)
        if packet is not None and packet.is_repeatable:
            content = ctypes.string_at(packet.address, _DRAW_SIZE)
            self._last = CachedDraw(known, content, packet, self.region.kept(mark), self.repeats.frame)
            self.repeats.add(self._last)
            self.repeats.add_kin(self._last, info)
        return packet

    def _move(self, last: CachedDraw, state: DrawState, info: DrawInfo, framebuffer: Framebuffer) -> Packet | None:
        """The packet of a draw that differs from another in vertices only; None where more differs than they."""
        topology = topology_of(info.mode, state.rasterizer.flatshade_first)
        if topology.is_irregular or info.primitive_restart or info.count <= 0 or info.instance_count <= 0:
            return None
        region = self.region
        address = region.allocate(_DRAW_SIZE)
        ctypes.memmove(address, last.content, _DRAW_SIZE)
        d, packet = Draw.from_address(address), replace(last.packet, address=address, vertices=info.count * info.instance_count, reads=[])
        self.inputs.move(d, state, info, topology, packet)
        is_few = packet.primitives <= FEW
        if packet.primitives <= 0 or d.line_stipple.is_on or is_few is not (last.packet.primitives <= FEW):
            return None
        region.keep(last.kept)
        packet.environments = self._environments(state, framebuffer, packet.reads)
        return packet

    def unchanged(self, state: DrawState, info: DrawInfo) -> Copies | None:
        """What `make` made last, where the draw is the same but for constants and the frame has not ended."""
        found = self._copies
        if found is None or state.revision != self._revision or info is not self._info:
            return None
        return found if not found.is_sampled or found.has_units() else None

    def flushed(self) -> None:
        """A frame ended, and what lies in its region."""
        self._copies = None
        self.repeats.flushed()

    def _again(self, last: CachedDraw, state: DrawState, framebuffer: Framebuffer) -> Packet:
        """A draw that was made in an earlier frame, with new constants."""
        region = self.region
        address = region.allocate(_DRAW_SIZE)
        ctypes.memmove(address, last.content, _DRAW_SIZE)
        region.keep(last.kept)
        return replace(last.packet, address=address, environments=self._environments(state, framebuffer, []))

    def _environments(self, state: DrawState, framebuffer: Framebuffer, reads: list[tuple[int, int]]) -> tuple[int, int]:
        vertex = make_environment(self.region, needs_of(state.vertex.shader), state.vertex, reads)
        fragment = make_environment(self.region, needs_of(state.fragment.shader), state.fragment, reads)
        if framebuffer.samples > 1:
            tell_samples(fragment, framebuffer.samples)
        return vertex, fragment

    def make_stored(self, state: DrawState, last: Shader, mode: Prim, most: int, framebuffer: Framebuffer) -> Packet | None:
        """The packet of a draw whose vertices other stages leave in memory; None where it draws nothing.

        last: the stage whose outputs they are; mode: POINTS, LINES or TRIANGLES, numbered by 32-bit indices; most: about how many
        primitives. `place_stored` makes copies that say where they lie."""
        info = _stored_info(mode, most <= FEW)
        known = (*identity(state, info, framebuffer), last)
        found = self.repeats.find(known)
        if found is not None:
            return self._again(found, state, framebuffer)
        mark = self.region.keeping
        packet = self._make(state, info, framebuffer, last)
        if packet is not None and packet.is_repeatable:
            content = ctypes.string_at(packet.address, _DRAW_SIZE)
            self.repeats.add(CachedDraw(known, content, packet, self.region.kept(mark), self.repeats.frame))
        return packet

    def place_stored(self, packet: Packet, vertices: int, corners: int, numbers: int, count: int) -> Packet:
        """A copy of what `make_stored` made, for `count` primitives at these addresses."""
        address = self.region.copy(packet.address, _DRAW_SIZE)
        d = Draw.from_address(address)
        d.fetch.attribute[0], d.assembly.indices, d.assembly.numbers, d.assembly.prims_per_instance = vertices, corners, numbers, count
        return Packet(address, count, 0, packet.reads, packet.environments, is_layered=packet.is_layered, is_repeatable=False)

    def _make(self, state: DrawState, info: DrawInfo, framebuffer: Framebuffer, last: Shader | None = None) -> Packet | None:
        vertex = state.vertex.shader if last is None else last
        rasterizer, counts = state.rasterizer, state.count_statistics
        if vertex is None or info.count <= 0 or info.instance_count <= 0:
            return None
        draws = bool(state.sample_mask & ((1 << framebuffer.samples) - 1)) and not rasterizer.rasterizer_discard
        if not draws and not counts:
            return None
        topology = topology_of(info.mode, rasterizer.flatshade_first)
        style = style_of(rasterizer, topology, framebuffer.samples > 1)
        shape = style.shape
        fragment = self.kernels.fragment(state.fragment.shader)
        linked = link_shaders(vertex, state.fragment.shader, state.link)
        address = self.region.allocate(ctypes.sizeof(Draw))
        ctypes.memset(address, 0, ctypes.sizeof(Draw))
        d = Draw.from_address(address)
        packet = Packet(address, 0, info.count * info.instance_count, [])
        if last is None:
            self.inputs.assembly(d, state, info, topology, packet)
        else:
            d.assembly.multiply[:], d.assembly.offset[:], d.primitives.edges[:] = (
                topology.multiply,
                (*topology.even, *topology.odd),
                topology.edges,
            )
            d.assembly.index_size, d.assembly.prims_per_instance, packet.primitives = 4, 1, info.count
        if packet.primitives <= 0:
            return packet if counts else None
        zs = framebuffer.zsbuf.format if framebuffer.zsbuf is not None else None
        is_polygon = topology.shape is Shape.TRIANGLE
        if linked.is_window_space:
            write_window_space(d, rasterizer)
        elif state.viewports:
            write_depth_clip(d, rasterizer)
            write_viewport(d.view, state.viewports[0], rasterizer, zs)
        is_cropped = is_polygon and not linked.is_window_space
        is_visible = write_region(d.view, framebuffer, rasterizer, state.scissors, is_cropped)
        if linked.viewport is not None and not linked.is_window_space:
            is_visible = write_views(d, self.region, state, framebuffer, zs, is_cropped)
            packet.is_repeatable = False  # (they lie in this frame's memory)
        draws &= is_visible
        if not draws:
            if not counts:
                return None
            d.view.region[:] = (1, 1, 0, 0)
        d.primitives.shape = shape
        write_style(d, style, state, zs)
        vertex_lanes = min(self.lanes or self.kernels.vertex_lanes(), 32)
        write_slots(d, state, framebuffer, fragment, linked, style, info.mode)
        self.inputs.restarts(d, info, topology)
        d.entries.shade_vertices = self._use(self.kernels.shade_vertices(vertex_lanes, last is not None))
        if last is None:
            self.inputs.fetch(d, state, linked.num_inputs, vertex_lanes, packet)
            vertex_env = self.shade(d, state, vertex, vertex_lanes, packet)
            d.vertices.wants_system = linked.wants_system
        else:
            vertex_env, d.fetch.stride[0] = 0, 16 * vertex.program.file_size(File.OUT)
        fragment_env = self._fragments(d, state, framebuffer, fragment, packet, style)
        packet.is_layered = d.layers.layer_slot >= 0
        packet.environments = vertex_env, fragment_env
        return packet

    def shade(self, d: Draw, state: DrawState, vertex: Shader, lanes: int, packet: Packet) -> int:
        """The vertex shader. Returns the address of its ShaderEnv."""
        demand = needs_of(vertex)
        packet.is_repeatable &= not (demand.effects.touches or demand.handles)
        d.entries.vertex_shader = self._use(self.kernels.vertex_shader(vertex, lanes, stage_keys(state.vertex, demand)))
        return make_environment(self.region, demand, state.vertex, packet.reads, state.counters)

    def _use(self, library: Library) -> int:
        """Entry point of a kernel, which lives as long as the draw."""
        self.region.keep(library)
        return library.address[library.exports[0]]

    # -- fragments ----------------------------------------------------------------------------------------------------
    def _fragments(self, d: Draw, state: DrawState, framebuffer: Framebuffer, info: FragmentInfo, packet: Packet, style: Style) -> int:
        r, dsa = state.rasterizer, state.depth_stencil_alpha
        zs = framebuffer.zsbuf.format if framebuffer.zsbuf is not None else None
        targets = tuple(
            TargetKey.of(state.blend, k, s.format if s is not None else None) if self._writes(info, k) else None
            for k, s in enumerate(framebuffer.cbufs)
        )
        stipple = style.filled if r.poly_stipple_enable and state.polygon_stipple is not None else Face.NONE
        demand = needs_of(state.fragment.shader)
        textures, samplers, images = stage_keys(state.fragment, demand)
        is_few = packet.primitives <= FEW
        texel_bytes = max((t.texel_bytes for t in targets if t is not None), default=4)
        lanes = self.lanes or self.kernels.fragment_lanes(info, texel_bytes, is_few)
        samples = sample_key(framebuffer.samples, state, info) if framebuffer.samples > 1 else NO_SAMPLES
        if samples.pattern is not None:
            lanes = min(lanes, MOST_LANES)
            write_samples(d, samples.pattern, state.sample_mask, r)
        if demand.effects.is_ordered:  # so that fragments come in one order everywhere
            lanes = ORDERED_LANES
        packet.is_repeatable &= not (demand.effects.touches or demand.handles)
        key = FragmentKey(
            lanes,
            targets,
            DepthKey.of(dsa, zs),
            dsa.alpha.func if dsa.alpha.enabled and dsa.alpha.func is not CompareFunc.ALWAYS else None,
            r.flatshade and info.has_color_interpolation,
            clamps(r.clamp_fragment_color, r, framebuffer),
            stipple,
            sprites(state, info) if style.is_points else 0,
            state.count_samples,
            state.count_statistics,
            textures,
            samplers,
            tuple((k, s.format) for k, s in enumerate(framebuffer.cbufs) if k in info.fetches and s is not None),
            (state.window_rectangles[0], len(state.window_rectangles[1])),
            d.layers.layer_slot >= 0,
            d.layers.viewport_slot >= 0,
            style.marks,
            images,
            not is_few,
            samples.pattern,
            samples.per_sample,
            samples.at_samples,
            samples.to_coverage,
            state.blend.alpha_to_one and framebuffer.samples > 1,
        )
        d.entries.shade = self._use(self.kernels.shade(key, info, state.fragment.shader))
        d.entries.coverage = self._use(self.kernels.coverage(key.lanes, key.quads, info.has_loops, key.samples))
        fragment_env = make_environment(self.region, demand, state.fragment, packet.reads, state.counters)
        if framebuffer.samples > 1:
            tell_samples(fragment_env, framebuffer.samples)
        d.hiz.uses, d.hiz.slack = hiz_of(key, info), slack_of(key.depth)
        if samples.pattern is not None and d.fragments.sample_mask != samples.pattern.every:
            d.hiz.uses &= ~HizUse.LOWER  # samples that are left out keep their depth
        d.hiz.frame_end[:] = (framebuffer.width - 1, framebuffer.height - 1)
        d.fragments.alpha_ref, d.fragments.height = dsa.alpha.ref_value, framebuffer.height
        front, back = state.stencil_ref
        d.fragments.blend_color[:], d.fragments.stencil_ref[:] = (
            state.blend_color,
            (front & 255, (back if dsa.stencil[1].enabled else front) & 255),
        )
        d.fragments.depth_bounds[:] = (dsa.depth.bounds_min, dsa.depth.bounds_max)
        d.points.flips_sprite = r.sprite_coord_mode is SpriteCoordMode.LOWER_LEFT
        write_windows(d, state.window_rectangles[1])
        if stipple and state.polygon_stipple is not None:
            d.fragments.polygon_stipple[:] = state.polygon_stipple
        return fragment_env

    @staticmethod
    def _writes(info: FragmentInfo, index: int) -> bool:
        return index in info.colors or (info.writes_all and 0 in info.colors)
