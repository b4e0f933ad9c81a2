"""Surfaces and the framebuffer: levels of textures as render targets."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from functools import partial

from backends.device.commands.bound_record import Hindrance
from backends.device.framebuffer import Framebuffer
from backends.device.interface import Device, weak_method
from backends.formats import Format
from backends.gallium.context.core import ContextCore
from backends.gallium.context.shared.targets import NO_TARGETS
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.room import with_room
from backends.gallium.resource.screen_core import ScreenCore
from backends.gallium.resource.view import FramebufferState, Surface, framebuffer_samples, surface
from backends.pipe.checks import integer, sequence, truth
from backends.pipe.limits import MAX_COLOR_BUFFERS, MAX_LAYERS, MAX_TEXTURE_SIZE

_NO_NUMBERS = (0, 0, 0, 0, int, int, int, int)
"""The numbers and their types, if the surfaces alone set all sizes."""


class Framebuffers(ContextCore):
    """Surfaces and the bound framebuffer: create_surface, surface_destroy, set_framebuffer_state."""

    def __init__(self, screen: ScreenCore, device: Device) -> None:
        super().__init__(screen, device)
        end = weak_method(self.targets.end)
        self._end_known: Callable[[int], None] = partial(_end_of, end)
        self._remembering = weakref.WeakSet[Surface]()  # surfaces that cache the framebuffer of their last binding
        self._memories.append(partial(_forget_framebuffers, self._remembering))

    def create_surface(
        self,
        texture: Resource,
        *,
        format: Format | str | None = None,
        level: int = 0,
        first_layer: int = 0,
        last_layer: int | None = None,
        nr_samples: int = 0,
        writable: bool = True,
    ) -> Surface:
        """Create a render target from a level of a texture, with all layers from `first_layer` on unless `last_layer` is given.

        nr_samples: of a texture of one sample: pixels are drawn with that many, which are resolved into the texture as soon as pending work
        is carried out, and which begin as the texture's texels when the surface is bound.
        writable: a hint, for surfaces that are bound as resources of shaders.

        (context.rst, "Surfaces")
        """
        name = "create_surface"
        self.checks.resource(texture, f"{name}: texture")
        truth(writable, f"{name}: writable")
        created = with_room(
            self,
            lambda: surface(
                texture, name, format=format, level=level, first_layer=first_layer, last_layer=last_layer, nr_samples=nr_samples
            ),
        )
        created.writable = bool(writable)
        return created

    def surface_destroy(self, target: Surface) -> None:
        """Destroy a surface. (context.rst, "Surfaces")"""
        if not isinstance(target, Surface):
            raise TypeError(f"surface_destroy: target: expected a Surface, not {type(target).__name__}")
        if target.is_destroyed:
            raise ValueError("surface_destroy: target: it was destroyed")
        if target.texture.screen is not self.screen:
            raise ValueError("surface_destroy: target: it belongs to another screen")
        self.state.known.forget(target)
        if target.own is not None and target in self.targets.surfaces:
            self.order.synchronize()
        target.destroy()

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
        Primitives may go to as many layers as every target has, or to `layers` if there is no target. Pixels have as many samples as the
        targets, or `samples` if there is no target.

        Raises:
            ValueError: a color format in zsbuf or the reverse, more than eight targets, a size that the targets do not have, or targets
                with different numbers of samples.

        (context.rst, "Resource Binding State")
        """
        name = "set_framebuffer_state"
        if state is not None:
            if not isinstance(state, FramebufferState):
                raise TypeError(f"{name}: state: expected a FramebufferState, not {type(state).__name__}")
            cbufs, zsbuf, width, height = state.cbufs, state.zsbuf, state.width, state.height
            layers, samples = state.layers, state.samples
        targets, depth = self._checked_targets(cbufs, zsbuf, name)
        bound = [item for item in (*targets, depth) if item is not None]
        numbers = width, height, layers, samples
        key = *numbers, *map(type, numbers)
        known = bound[0].known(key, targets, depth) if bound else None
        if known is not None:
            return self._bind_targets(targets, depth, known, key)
        limits = [(item.width, item.height) for item in bound] or [(MAX_TEXTURE_SIZE, MAX_TEXTURE_SIZE)]
        sizes = []
        for field, size, limit in zip(("width", "height"), (width, height), (min(w for w, _ in limits), min(h for _, h in limits))):
            sizes.append(integer(size, f"{name}: {field}", 0, limit) or (limit if bound else 0))
        new = Framebuffer(
            sizes[0],
            sizes[1],
            tuple(None if item is None else item.packet for item in targets),
            None if depth is None else depth.packet,
            min((item.packet.layers for item in bound), default=max(integer(layers, f"{name}: layers", 0, MAX_LAYERS), 1)),
            framebuffer_samples(bound, samples, name),
            has_own_samples=any(item.own is not None for item in bound),
        )
        if bound:
            bound[0].learn(key, new)
            self._remembering.add(bound[0])
        return self._bind_targets(targets, depth, new if bound or sizes[0] else NO_TARGETS, key)

    def _checked_targets(
        self, cbufs: Sequence[Surface | Resource | None] | None, zsbuf: Surface | Resource | None, name: str
    ) -> tuple[tuple[Surface | None, ...], Surface | None]:
        """Color buffers and the depth buffer as surfaces, whose formats fit their places."""
        colors = () if cbufs is None else tuple(sequence(cbufs, f"{name}: cbufs"))
        if len(colors) > MAX_COLOR_BUFFERS:
            raise ValueError(f"{name}: cbufs: {len(colors)} are too many; {MAX_COLOR_BUFFERS} are possible")
        targets = tuple(None if item is None else self.checks.surface(item, f"{name}: cbufs[{i}]") for i, item in enumerate(colors))
        depth = None if zsbuf is None else self.checks.surface(zsbuf, f"{name}: zsbuf")
        for index, item in enumerate(targets):
            if item is not None and item.format.is_depth_stencil:
                raise ValueError(f"{name}: cbufs[{index}]: {item.format} is not a color format")
        if depth is not None and not depth.format.is_depth_stencil:
            raise ValueError(f"{name}: zsbuf: {depth.format} is not a depth or stencil format")
        return targets, depth

    def _bind_targets(
        self, colors: tuple[Surface | None, ...], depth: Surface | None, framebuffer: Framebuffer, key: tuple[object, ...]
    ) -> None:
        bound = [item for item in (*colors, depth) if item is not None]
        for item in bound:
            self.order.note_use(item.texture)
        if self.targets.cbufs != colors or self.targets.zsbuf is not depth:
            self._exchange(bound)
        self.targets.put(framebuffer, colors, depth)
        self.state.hinder(Hindrance.OWN_SAMPLES, self.targets.has_own_samples)
        self.state.hinder(Hindrance.TARGETS, True)
        if key == _NO_NUMBERS:
            self._learn_targets(colors, depth)

    def _learn_targets(self, colors: tuple[Surface | None, ...], depth: Surface | None) -> None:
        """Let native entries recognize the bound targets by their surfaces, which set all sizes, if they were bound lately, too."""
        first = next((item for item in (*colors, depth) if item is not None), None)
        if first is None or not first.is_bound_again((*map(id, colors), id(depth))):
            return
        if targets := self.targets.prepare():
            self.state.known.learn_targets(colors, depth, targets, self._end_known)

    def _exchange(self, bound: Sequence[Surface]) -> None:
        """Complete work on the bound targets that other memory has to show, and bring the samples of new ones up to date."""
        if any(item is not None and _has_copies(item) for item in self.targets.surfaces):
            self.order.synchronize()
        for item in bound:
            if item.own is not None:
                self.order.finish_uses(item.texture)
                item.own.load_all()


def _end_of(end: Callable[[], Callable[[int], None] | None], address: int) -> None:
    """Let generated code bind targets no more, if their context lives."""
    surface = end()
    if surface is not None:
        surface(address)


def _forget_framebuffers(known: weakref.WeakSet[Surface]) -> None:
    for item in known:
        item.forget_framebuffer()
    known.clear()


def _has_copies(target: Surface) -> bool:
    """True if drawn pixels must be copied to other memory: the caller's, or a texture of fewer samples."""
    texture = target.living_texture
    return target.own is not None or (texture is not None and texture.user is not None)
