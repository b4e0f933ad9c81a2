"""The calls that restore a context's bindings, at the beginning of a recording that starts in the middle of a program.

Bound state names memory by address. Living resources, views and samplers are those of the previous recording. Others are looked up among
the objects that Python's garbage collector tracks, so that contexts without a recording need no list of them.
"""

from __future__ import annotations

import ctypes
import gc
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from backends.device.bound import StageState
from backends.device.memory import BoundImage, BoundSampler, BoundView, Constants, Memory
from backends.gallium.context.handles import StateObject
from backends.gallium.context.query_kinds import Query
from backends.gallium.context.shader_memory import ImageView, ShaderBuffer
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.view import SamplerView
from backends.gallium.tracing.definitions import Definition
from backends.pipe.enums import QueryType, ShaderType, TextureTarget
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import STAGES


class Living:
    """Living objects of a context and its screen, looked up by their bindings."""

    def __init__(self, context: Any, known: Sequence[Any]) -> None:
        """known: the objects of the previous recording, or nothing. Asking the collector takes milliseconds in a large program."""
        self._context = context
        self._has_all = not known
        self._add(known or gc.get_objects())

    def _add(self, things: Iterable[Any]) -> None:
        context, resources = self._context, list[tuple[int, Resource]]()
        self._views: dict[int, SamplerView] = {}
        self._samplers: dict[int, StateObject[Any]] = {}
        for thing in things:
            kind = type(thing)
            if kind is Resource and getattr(thing, "screen", None) is context.screen and not thing.is_destroyed:
                resources.append((thing.address, thing))
            elif kind is SamplerView and thing.context is context and not thing.is_destroyed:
                self._views[id(thing.bound)] = thing
            elif kind is StateObject and thing.kind == "sampler" and thing.bound is not None:
                self._samplers[id(thing.bound)] = thing
        self._resources = sorted(resources, key=lambda entry: entry[0])
        self._starts = [address for address, _ in self._resources]

    def resource_at(self, address: int, size: int) -> tuple[Resource, int] | None:
        """The resource that has `size` bytes at an address, and the byte where they begin."""
        place = self._resource_at(address, size)
        if place is None and not self._has_all:
            self._has_all = True
            self._add(gc.get_objects())
            place = self._resource_at(address, size)
        return place

    def _resource_at(self, address: int, size: int) -> tuple[Resource, int] | None:
        place = bisect_right(self._starts, address) - 1
        if place < 0:
            return None
        start, resource = self._resources[place]
        return (resource, address - start) if address + size <= start + resource.size else None

    def view(self, bound: BoundView) -> SamplerView | None:
        """The view with this binding, or an equal new one if the program has dropped the view but not its texture."""
        view = self._views.get(id(bound))
        if view is not None:
            return view
        key, record = bound.key, bound.record
        place = self.resource_at(record.base or 0, 1)
        if place is None:
            return None
        texture, start = place
        given = self._context, texture, key.format, key.target, key.swizzle
        if texture.is_buffer:
            return SamplerView(*given, (0, 0), (0, 0), (start, record.size))
        level = texture.levels[record.first_level]
        first = (record.level_offset[0] - level.offset) // (level.layer_stride or 1)
        layers = (0, texture.depth0 - 1) if key.target is TextureTarget.TEXTURE_3D else (first, first + record.depth - 1)
        return SamplerView(*given, (record.first_level, record.first_level + record.last_level), layers, (0, 0))

    def sampler(self, bound: BoundSampler) -> StateObject[Any] | None:
        """A sampler object with this binding."""
        sampler = self._samplers.get(id(bound))
        if sampler is not None:
            return sampler
        templates = self._context._sampler_templates
        state = next((state for state, item in templates.items() if item is bound), None)
        return None if state is None else StateObject("sampler", state, self._context._owner)


class BoundCalls:
    """The calls, with descriptions in `gaps` of the bindings that no call can restore."""

    def __init__(self, context: Any, known: Sequence[Any] = ()) -> None:
        """known: objects that are likely to be bound; see `Living`."""
        self._context, self._state, self._living = context, context.state, Living(context, known)
        self.gaps: list[str] = []

    def calls(self) -> Iterator[Definition]:
        """All calls in a valid order. No work is pending."""
        yield from self._values()
        yield from self._objects()
        yield from self.buffers()
        for stage in self._state.stage:
            yield from self._of_stage(stage)
        yield from self._targets()
        yield from self._queries()

    # -- values and objects ----------------------------------------------------------------------------------------------
    def _values(self) -> Iterator[Definition]:
        s, r = self._state, self._state.record
        for name, items in (("set_viewport_states", s.viewports), ("set_scissor_states", s.scissors)):
            if items:
                yield name, (items,), {}
        yield "set_blend_color", (s.blend_color,), {}
        yield "set_stencil_ref", (s.stencil_ref,), {}
        yield "set_sample_mask", (s.sample_mask,), {}
        yield "set_min_samples", (s.min_samples,), {}
        yield "set_sample_locations", (bytes(s.sample_locations or ()),), {}
        yield "set_clip_state", (s.clip_planes,), {}
        yield "set_window_rectangles", s.window_rectangles, {}
        if s.polygon_stipple is not None:
            yield "set_polygon_stipple", (s.polygon_stipple,), {}
        levels = [float(v) for v in r.tess_levels[:6]]
        yield "set_tess_state", (levels[:4], levels[4:6]), {}
        yield "set_patch_vertices", (r.patch_vertices,), {}

    def _objects(self) -> Iterator[Definition]:
        for kind in ("rasterizer", "blend", "depth_stencil_alpha", "vertex_elements", "link"):
            made: Any = StateObject(kind, getattr(self._state, kind), self._context._owner)
            if kind == "link":
                made = StateObject(kind, self._state.link, self._context._owner) if self._state.link.mapping else None
            yield f"bind_{kind}_state", (made,), {}
        shaders = self._context._bound_shaders()
        for stage in Processor:
            if stage in shaders:
                yield f"bind_{STAGES[stage].call}_state", (shaders[stage],), {}

    # -- memory ----------------------------------------------------------------------------------------------------------
    def _memory(self, address: int, size: int) -> tuple[Any, int]:
        """The resource that has these bytes, and their offset; or a new resource with a copy of them, and 0."""
        place = self._living.resource_at(address, size)
        return place if place is not None else (ctypes.string_at(address, size), 0)

    def buffers(self) -> Iterator[Definition]:
        """Calls that bind vertex buffers, the index buffer and counters."""
        bound: list[Any] = []
        for item in self._state.vertex_buffers:
            if item is None:
                bound.append(None)
                continue
            buffer, start = self._memory(item.address, item.size)
            bound.append({"buffer": buffer, "stride": item.stride, "buffer_offset": start - item.lead})
        if bound:
            yield "set_vertex_buffers", (bound,), {}
        index = self._state.index_buffer
        if index is not None:
            address, size, known = self._context._sized_indices
            buffer, start = self._memory(index.address, index.size)
            is_known = (address, size) == (index.address, index.size)
            yield "set_index_buffer", (buffer,), {"index_offset": start, "index_size": known if is_known else 0}
        counters = [self._shader_buffer(item) for item in self._state.counters.items]
        if any(counters):
            yield "set_hw_atomic_buffers", (_trimmed(counters),), {}

    def _shader_buffer(self, item: Memory | None) -> ShaderBuffer | None:
        if item is None:
            return None
        place = self._living.resource_at(item.address, item.size)
        if place is None:
            self.gaps.append("a shader buffer whose resource is gone")
            return None
        return ShaderBuffer(place[0], place[1], item.size)

    def _image(self, item: BoundImage | None) -> ImageView | None:
        if item is None:
            return None
        record = item.record
        place = self._living.resource_at(record.base or 0, 1)
        if place is None:
            self.gaps.append("an image whose resource is gone")
            return None
        resource, start = place
        if resource.is_buffer:
            return ImageView(resource, format=item.key.format, offset=start, size=record.size)
        for number, level in enumerate(resource.levels):
            first, rest = divmod(record.level_offset[0] - level.offset, level.layer_stride or 1)
            if record.width == level.width and not rest and 0 <= first < level.layers:
                last = first + record.depth - 1
                return ImageView(resource, format=item.key.format, level=number, first_layer=first, last_layer=last)
        self.gaps.append(f"an image of {resource!r}")
        return None

    def _of_stage(self, stage: StageState) -> Iterator[Definition]:
        kind = ShaderType(stage.processor)
        for index, item in enumerate(stage.constants):
            if item is not None:
                yield self._constants(kind, index, item)
        views = [None if item is None else self._known(self._living.view(item), f"a view of {kind.name}") for item in stage.views]
        if views:
            yield "set_sampler_views", (kind, views), {}
        samplers = [
            None if item is None else self._known(self._living.sampler(item), f"a sampler of {kind.name}") for item in stage.samplers
        ]
        if samplers:
            yield "bind_sampler_states", (kind, samplers), {}
        buffers = [self._shader_buffer(item) for item in stage.buffers.items]
        if any(buffers):
            yield "set_shader_buffers", (kind, _trimmed(buffers)), {}
        images = [self._image(item) for item in stage.images.items]
        if any(images):
            yield "set_shader_images", (kind, _trimmed(images)), {}

    def _constants(self, kind: ShaderType, index: int, item: Memory | Constants) -> Definition:
        place = None if isinstance(item, Constants) else self._living.resource_at(item.address, item.size)
        if place is None:
            return "set_constant_buffer", (kind, ctypes.string_at(item.address, item.size)), {"index": index}
        return "set_constant_buffer", (kind, place[0]), {"index": index, "offset": place[1], "size": item.size}

    def _known(self, found: Any, what: str) -> Any:
        if found is None:
            self.gaps.append(f"{what} that was destroyed while it was bound")
        return found

    # -- targets and queries ---------------------------------------------------------------------------------------------
    def _targets(self) -> Iterator[Definition]:
        framebuffer, colors, depth = self._context.targets.bound
        has_any = depth is not None or any(item is not None for item in colors)
        sizes = {"width": framebuffer.width, "height": framebuffer.height}
        more = {} if has_any else {"layers": framebuffer.layers, "samples": framebuffer.samples}
        yield "set_framebuffer_state", (), {"cbufs": colors, "zsbuf": depth, **sizes, **more}
        targets = self._state.stream_targets
        if targets:
            yield "set_stream_output_targets", (targets,), {"offsets": [0 if t is None else t.offset for t in targets]}

    def _queries(self) -> Iterator[Definition]:
        counting = self._context.counting
        counting.catch_up()
        for query in counting.active:
            yield "begin_query", (query,), {}
        if counting.is_paused:
            yield "set_active_query_state", (False,), {}
        if counting.is_conditional and not counting.allows_rendering():
            nothing = Query(self._context, QueryType.OCCLUSION_PREDICATE, 0)  # the result is False
            yield "begin_query", (nothing,), {}
            yield "end_query", (nothing,), {}
            yield "render_condition", (nothing,), {"condition": False}
        residents = self._state.stage[0].residents
        if residents.textures or residents.images:
            self.gaps.append("bindless handles from before the recording")


def _trimmed(items: Sequence[Any]) -> list[Any]:
    """The items up to the last one that is not None."""
    last = max(index for index, item in enumerate(items) if item is not None)
    return list(items[: last + 1])
