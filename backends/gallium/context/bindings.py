"""What is bound to a context: buffers, views, samplers, targets, and the small states without objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from backends.device import bound as packet
from backends.device.limits import MAX_VIEWS as MAX_VIEWPORTS
from backends.device.limits import MAX_WINDOWS
from backends.device.memory import BoundSampler, BoundVertexBuffer, Constants, Memory
from backends.formats import Format
from backends.gallium.context.constants import MAX_BYTES, ConstantMemory
from backends.gallium.context.core import NO_TARGETS, ContextCore
from backends.gallium.context.handles import StateObject, VertexBuffer, place
from backends.gallium.context.samplers import bound_sampler
from backends.gallium.resource.layout import MAX_LAYERS
from backends.gallium.resource.resource import Resource, address_of, allocate
from backends.gallium.resource.transfer import as_bytes
from backends.gallium.resource.view import FramebufferState, SamplerView, Surface, framebuffer_samples, sampler_view, surface
from backends.pipe.checks import integer, make, real
from backends.pipe.enums import ShaderType, Swizzle, TextureTarget, lookup
from backends.pipe.state import BlendColor, ClipState, PolyStipple, SamplerState, ScissorState, StencilRef, ViewportState
from backends.run.shapes import MAX_PATCH

T = TypeVar("T")
MAX_CONSTANT_BUFFERS = 16
MAX_VIEWS = 32


class Bindings(ContextCore):
    """The set_ methods, sampler views and surfaces."""

    _constants: ConstantMemory
    _halves: dict[StateObject[SamplerState], BoundSampler]

    # -- buffers ---------------------------------------------------------------------------------------------------------
    def set_constant_buffer(
        self, stage: ShaderType | int | str, buffer: Any, *, index: int = 0, offset: int = 0, size: int | None = None
    ) -> None:
        """Bind a constant buffer to one slot of a stage.

        Bytes and arrays are copied at once; a Resource is read when a draw is made, so a change between two draws is seen by
        the second only. Reads behind the end give 0.

        Args:
            stage: which stage, e.g. "FRAGMENT".
            buffer: a buffer resource, bytes, an array (float32 vec4s, say), or None to unbind.
            index: slot, 0 .. 15.
            offset: first byte, a multiple of 4.
            size: bytes; the rest of the buffer (at most 65792) when omitted.

        Raises:
            TypeError, ValueError: an argument is of the wrong type or out of range.
        """
        name = "set_constant_buffer"
        kind = stage if type(stage) is ShaderType else lookup(ShaderType, stage, f"{name}: stage")
        slot = index
        if type(index) is not int or not 0 <= index < MAX_CONSTANT_BUFFERS:
            slot = integer(index, f"{name}: index", 0, MAX_CONSTANT_BUFFERS - 1)
        memory: Memory | Constants | None = None
        if buffer is not None:
            is_whole = size is None and type(offset) is int and not offset and not isinstance(buffer, Resource)
            memory = self._constants.put(buffer) if is_whole else None
            memory = memory or self._memory(buffer, offset, size, name, MAX_BYTES)
        bound: list[Any] = self.state.stage[kind].constants
        if memory is not None and slot < len(bound):
            bound[slot] = memory
        else:
            place(bound, slot, [memory])

    def _memory(self, buffer: Any, offset: int, size: int | None, name: str, limit: int) -> Memory:
        start = integer(offset, f"{name}: offset")
        if start % 4:
            raise ValueError(f"{name}: offset: {start} is not a multiple of 4")
        if isinstance(buffer, Resource):
            self.check_resource(buffer, f"{name}: buffer")
            if not buffer.is_buffer:
                raise ValueError(f"{name}: buffer: a texture cannot be used as a buffer")
            self.note_use(buffer)
            available = buffer.size
        else:
            source = as_bytes(buffer, f"{name}: buffer")
            available = source.size
        if start > available:
            raise ValueError(f"{name}: offset: {start} is behind the end ({available})")
        length = min(available - start, limit) if size is None else integer(size, f"{name}: size", 0, available - start)
        if length > limit:
            raise ValueError(f"{name}: size: {length} bytes; at most {limit} are possible")
        if isinstance(buffer, Resource):
            return Memory(buffer.address + start, length, buffer.storage)
        copy = source[start : start + length].copy()
        return Memory(address_of(copy), length, copy)

    def set_vertex_buffers(self, buffers: Sequence[Any], *, start: int = 0) -> None:
        """Bind vertex buffers to the slots from `start` on; None leaves a slot empty.

        Each is a VertexBuffer, its fields as a dictionary, a Resource (stride 0), or an array with one vertex a row.
        Arrays and bytes are copied at once. Fetches outside of a buffer read 0.
        """
        name = "set_vertex_buffers"
        if isinstance(buffers, (str, bytes, Mapping, Resource, VertexBuffer)) or not isinstance(buffers, Sequence):
            raise TypeError(f"{name}: buffers: a sequence is wanted, not {type(buffers).__name__}")
        first = integer(start, f"{name}: start", 0, packet.MAX_VERTEX_BUFFERS)
        if first + len(buffers) > packet.MAX_VERTEX_BUFFERS:
            raise ValueError(f"{name}: buffers: slot {first + len(buffers) - 1} does not exist; there are {packet.MAX_VERTEX_BUFFERS}")
        bound = list(self.state.vertex_buffers)
        place(bound, first, [self._vertex_buffer(item, f"{name}: buffers[{i}]") for i, item in enumerate(buffers)])
        self.state.vertex_buffers = tuple(bound)

    def _vertex_buffer(self, item: Any, argument: str) -> BoundVertexBuffer | None:
        if item is None:
            return None
        if isinstance(item, Mapping):
            unknown = set(item) - {"buffer", "stride", "buffer_offset"}
            if unknown or "buffer" not in item:
                raise TypeError(f"{argument}: buffer, stride and buffer_offset are its keys, not {', '.join(map(str, item))}")
            item = VertexBuffer(**item)
        elif not isinstance(item, VertexBuffer):
            item = VertexBuffer(item)
        source, stride = item.buffer, item.stride
        if stride is None:
            stride = source.itemsize * (source.size // len(source)) if isinstance(source, np.ndarray) and source.ndim and len(source) else 0
        integer(stride, f"{argument}: stride", 0, 1 << 16)
        begin = integer(item.buffer_offset, f"{argument}: buffer_offset")
        if isinstance(source, Resource):
            self.check_resource(source, argument)
            if not source.is_buffer:
                raise ValueError(f"{argument}: a texture cannot be used as a vertex buffer")
            self.note_use(source)
            address, size, owner = source.address, source.size, source.storage
        else:
            data = as_bytes(source, argument)
            owner = allocate(data.size)
            owner[:] = data
            address, size = address_of(owner), data.size
        begin = min(begin, size)
        return BoundVertexBuffer(address + begin, size - begin, stride, owner)

    # -- textures --------------------------------------------------------------------------------------------------------
    def create_sampler_view(
        self,
        texture: Resource,
        *,
        format: Format | str | None = None,
        target: TextureTarget | int | str | None = None,
        swizzle: str | Sequence[Swizzle | int | str] = "xyzw",
        first_level: int = 0,
        last_level: int | None = None,
        first_layer: int = 0,
        last_layer: int | None = None,
        offset: int = 0,
        size: int | None = None,
    ) -> SamplerView:
        """A view of a texture for samplers. Format and target default to the texture's own, ranges to all of it.

        `swizzle` is four of ``xyzw01``; `offset` and `size` are bytes, for buffers.

        Raises:
            ValueError: format or target do not fit the texture, or a range is empty or outside.
        """
        self.check_open()
        self.check_resource(texture, "create_sampler_view: texture")
        return sampler_view(
            self,
            texture,
            format=format,
            target=target,
            swizzle=swizzle,
            first_level=first_level,
            last_level=last_level,
            first_layer=first_layer,
            last_layer=last_layer,
            offset=offset,
            size=size,
        )

    def sampler_view_destroy(self, view: SamplerView) -> None:
        """Forget a sampler view."""
        if not isinstance(view, SamplerView):
            raise TypeError(f"sampler_view_destroy: view: a SamplerView is wanted, not {type(view).__name__}")
        view.is_destroyed = True

    def set_sampler_views(self, stage: ShaderType | int | str, views: Sequence[SamplerView | None], *, start: int = 0) -> None:
        """Bind sampler views to the units of a stage from `start` on; None leaves a unit empty (samples read 0)."""
        name = "set_sampler_views"
        kind = lookup(ShaderType, stage, f"{name}: stage")
        first = integer(start, f"{name}: start", 0, MAX_VIEWS)
        if isinstance(views, (str, bytes, SamplerView)) or not isinstance(views, Sequence):
            raise TypeError(f"{name}: views: a sequence is wanted, not {type(views).__name__}")
        if first + len(views) > MAX_VIEWS:
            raise ValueError(f"{name}: views: unit {first + len(views) - 1} does not exist; there are {MAX_VIEWS}")
        for index, view in enumerate(views):
            if view is None:
                continue
            if not isinstance(view, SamplerView):
                raise TypeError(f"{name}: views[{index}]: a SamplerView is wanted, not {type(view).__name__}")
            if view.is_destroyed or view.texture.is_destroyed:
                raise ValueError(f"{name}: views[{index}]: the view or its texture was destroyed")
            self.note_use(view.texture)
        place(self.state.stage[kind].views, first, [None if view is None else view.bound for view in views])

    def bind_samplers(self, stage: ShaderType, first: int, handles: Sequence[StateObject[SamplerState] | None]) -> None:
        """Bind checked sampler objects."""
        place(self.state.stage[stage].samplers, first, [None if handle is None else self._bound(handle) for handle in handles])

    def _bound(self, handle: StateObject[SamplerState]) -> BoundSampler:
        known = self._halves.get(handle)
        if known is None:
            known = self._halves[handle] = bound_sampler(handle.state)
        return known

    # -- targets ---------------------------------------------------------------------------------------------------------
    def create_surface(
        self,
        texture: Resource,
        *,
        format: Format | str | None = None,
        level: int = 0,
        first_layer: int = 0,
        last_layer: int | None = None,
    ) -> Surface:
        """A level of a texture as a render target; all layers from `first_layer` on unless `last_layer` says otherwise."""
        self.check_open()
        self.check_resource(texture, "create_surface: texture")
        return surface(texture, "create_surface", format=format, level=level, first_layer=first_layer, last_layer=last_layer)

    def surface_destroy(self, target: Surface) -> None:
        """Forget a surface."""
        if not isinstance(target, Surface):
            raise TypeError(f"surface_destroy: target: a Surface is wanted, not {type(target).__name__}")
        target.is_destroyed = True

    def as_surface(self, target: Any, argument: str) -> Surface:
        """A surface from itself, or from a resource: its level 0."""
        if isinstance(target, Resource):
            self.check_resource(target, argument)
            return surface(target, argument)
        if not isinstance(target, Surface):
            raise TypeError(f"{argument}: a Surface or a Resource is wanted, not {type(target).__name__}")
        if target.is_destroyed:
            raise ValueError(f"{argument}: it was destroyed")
        self.check_resource(target.texture, argument)
        return target

    def set_framebuffer_state(
        self,
        state: FramebufferState | None = None,
        *,
        cbufs: Sequence[Surface | Resource | None] | None = None,
        zsbuf: Surface | Resource | None = None,
        width: int = 0,
        height: int = 0,
        layers: int = 0,
        samples: int = 0,
    ) -> None:
        """Bind render targets: surfaces, or resources (their level 0). Sizes default to the smallest of the targets.

        A None color buffer is a hole. Without any argument nothing is bound; with a size alone, draws count samples and write memory.
        Primitives may go to as many layers as every target has, or to `layers` where there is no target;
        pixels have as many samples as the targets, or `samples`.

        Raises:
            ValueError: a color format in zsbuf or the reverse, more than eight targets, or a size that the targets do not have,
                or targets whose numbers of samples differ.
        """
        name = "set_framebuffer_state"
        self.check_open()
        if state is not None:
            if not isinstance(state, FramebufferState):
                raise TypeError(f"{name}: state: a FramebufferState is wanted, not {type(state).__name__}")
            cbufs, zsbuf, width, height = state.cbufs, state.zsbuf, state.width, state.height
            layers, samples = state.layers, state.samples
        colors = () if cbufs is None else tuple(cbufs)
        if len(colors) > packet.MAX_COLOR_BUFFERS:
            raise ValueError(f"{name}: cbufs: {len(colors)} are too many; {packet.MAX_COLOR_BUFFERS} are possible")
        targets = tuple(None if item is None else self.as_surface(item, f"{name}: cbufs[{i}]") for i, item in enumerate(colors))
        depth = None if zsbuf is None else self.as_surface(zsbuf, f"{name}: zsbuf")
        for index, item in enumerate(targets):
            if item is not None and item.format.is_depth_stencil:
                raise ValueError(f"{name}: cbufs[{index}]: {item.format} is not a color format")
        if depth is not None and not depth.format.is_depth_stencil:
            raise ValueError(f"{name}: zsbuf: {depth.format} is not a depth or stencil format")
        bound = [item for item in (*targets, depth) if item is not None]
        for item in bound:
            self.note_use(item.texture)
        limits = [(item.width, item.height) for item in bound] or [(packet.MAX_SIZE, packet.MAX_SIZE)]
        sizes = []
        for field, given, limit in zip(("width", "height"), (width, height), (min(w for w, _ in limits), min(h for _, h in limits))):
            sizes.append(integer(given, f"{name}: {field}", 0, limit) or (limit if bound else 0))
        new = packet.Framebuffer(
            sizes[0],
            sizes[1],
            tuple(None if item is None else item.packet for item in targets),
            None if depth is None else depth.packet,
            min((item.packet.layers for item in bound), default=max(integer(layers, f"{name}: layers", 0, MAX_LAYERS), 1)),
            framebuffer_samples(bound, samples, name),
        )
        if any(item is not None and item.texture.user is not None for item in (*self.cbufs, self.zsbuf)):
            self.synchronize()
        self.cbufs, self.zsbuf = targets, depth
        self.framebuffer = bound[0].known(new) if bound else new if sizes[0] else NO_TARGETS
        self.is_framebuffer_dirty = True

    # -- small states ----------------------------------------------------------------------------------------------------
    def set_viewport_states(self, states: Sequence[ViewportState | Mapping[str, Any]], *, start: int = 0) -> None:
        """Set viewports from number `start` on: window = ndc * scale + translate."""
        self.state.viewports = self._states(ViewportState, self.state.viewports, states, start, "set_viewport_states")

    def set_scissor_states(self, states: Sequence[ScissorState | Mapping[str, Any]], *, start: int = 0) -> None:
        """Set scissor rectangles from number `start` on; they hold only while the rasterizer state has `scissor`."""
        self.state.scissors = self._rectangles(states, start, self.state.scissors, "set_scissor_states")

    def set_window_rectangles(self, include: bool = False, rectangles: Sequence[ScissorState | Mapping[str, Any]] = ()) -> None:
        """Draw only inside of up to eight rectangles, or only outside of them. Without arguments, everywhere."""
        name = "set_window_rectangles"
        if len(rectangles) > MAX_WINDOWS:
            raise ValueError(f"{name}: rectangles: {len(rectangles)} are too many; {MAX_WINDOWS} are possible")
        self.state.window_rectangles = (bool(include), self._rectangles(rectangles, 0, (), name))

    def _rectangles(self, states: Any, start: int, old: tuple[ScissorState, ...], name: str) -> tuple[ScissorState, ...]:
        made = self._states(ScissorState, old, states, start, name)
        for item in made:
            for field in ("minx", "miny", "maxx", "maxy"):
                integer(getattr(item, field), f"{name}: {field}", 0, 65535)
        return made

    def _states(self, kind: type[T], old: tuple[T, ...], states: Any, start: int, name: str) -> tuple[T, ...]:
        if isinstance(states, (kind, Mapping)):
            states = [states]
        first = integer(start, f"{name}: start", 0, MAX_VIEWPORTS)
        if first + len(states) > MAX_VIEWPORTS:
            raise ValueError(f"{name}: states: number {first + len(states) - 1} does not exist; there are {MAX_VIEWPORTS}")
        new = tuple(make(kind, item, {}, f"{name}: states[{i}]") for i, item in enumerate(states))
        filled = old + tuple(kind() for _ in range(first - len(old)))
        return filled[:first] + new + filled[first + len(new) :]

    def set_blend_color(self, color: BlendColor | Sequence[float]) -> None:
        """Set the constant color of blend factors."""
        given = color if isinstance(color, BlendColor) else {"color": color}
        self.state.blend_color = make(BlendColor, given, {}, "set_blend_color").color

    def set_stencil_ref(self, ref: StencilRef | Sequence[int] | int) -> None:
        """Set the stencil reference values: front and back, or one for both."""
        given = ref if isinstance(ref, StencilRef) else {"ref_value": (ref, ref) if isinstance(ref, int) else ref}
        made = make(StencilRef, given, {}, "set_stencil_ref").ref_value
        self.state.stencil_ref = (integer(made[0], "set_stencil_ref: ref", 0, 255), integer(made[1], "set_stencil_ref: ref", 0, 255))

    def set_sample_mask(self, mask: int) -> None:
        """Set which samples may be written: bit k is sample k, bit 0 the only one of single-sampled targets."""
        self.state.sample_mask = integer(mask, "set_sample_mask: mask")

    def set_min_samples(self, samples: int) -> None:
        """Set how many samples of a pixel the fragment shader runs for at least; more than 1 means every sample of its own."""
        self.state.min_samples = integer(samples, "set_min_samples: samples", 0, 32)

    def set_clip_state(self, state: ClipState | Sequence[Sequence[float]]) -> None:
        """Set up to eight user clip planes; bits of the rasterizer's clip_plane_enable switch them on."""
        given = state if isinstance(state, ClipState) else {"ucp": state}
        planes = make(ClipState, given, {}, "set_clip_state").ucp
        if len(planes) > 8:
            raise ValueError(f"set_clip_state: state: {len(planes)} planes; eight are possible")
        self.state.clip_planes = planes

    def set_polygon_stipple(self, state: PolyStipple | Sequence[int]) -> None:
        """Set the 32 words of the polygon stipple; the most significant bit is leftmost."""
        rows = state.stipple if isinstance(state, PolyStipple) else state
        words = tuple(integer(item, f"set_polygon_stipple: state[{i}]") for i, item in enumerate(rows))
        if len(words) != 32:
            raise ValueError(f"set_polygon_stipple: state: 32 words are wanted, not {len(words)}")
        self.state.polygon_stipple = words

    def set_tess_state(self, default_outer_level: Sequence[float], default_inner_level: Sequence[float] = (1.0, 1.0)) -> None:
        """Set the tessellation levels of patches without a control shader: four outer, two inner."""
        outer = tuple(real(item, "set_tess_state: default_outer_level") for item in default_outer_level)
        inner = tuple(real(item, "set_tess_state: default_inner_level") for item in default_inner_level)
        if len(outer) != 4 or len(inner) != 2:
            raise ValueError("set_tess_state: four outer and two inner levels are wanted")
        self.state.tess_levels = (outer, inner)

    def set_patch_vertices(self, patch_vertices: int) -> None:
        """Set how many vertices a patch has, 1 to 32, in draws that do not say it themselves (`vertices_per_patch` is 0)."""
        self.state.patch_vertices = integer(patch_vertices, "set_patch_vertices: patch_vertices", 1, MAX_PATCH)
