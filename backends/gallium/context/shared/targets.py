"""The bound render targets, which Python or generated code has bound."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial

from backends.device.bound import DrawState
from backends.device.commands.bound_record import Hindrance
from backends.device.framebuffer import Framebuffer
from backends.device.interface import Device
from backends.gallium.resource.view import Surface

Bound = tuple[Framebuffer, tuple[Surface | None, ...], Surface | None]
"""A framebuffer, and its surfaces: color buffers, and the depth buffer."""
NO_TARGETS = Framebuffer(0, 0)
"""The framebuffer without targets."""


class Targets:
    """The bound framebuffer and its surfaces.

    prepared: targets that generated code may bind, by their address in `BoundRecord.targets`.
    """

    def __init__(self, state: DrawState, device: Device) -> None:
        self._state, self._device = state, device
        self._bound: Bound = NO_TARGETS, (), None
        self.prepared: dict[int, Callable[[], Bound]] = {}

    @property
    def bound(self) -> Bound:
        """The framebuffer, its color buffers and its depth buffer."""
        address = self._state.record.targets
        return self.prepared[address]() if address else self._bound

    @property
    def framebuffer(self) -> Framebuffer:
        """The bound framebuffer."""
        return self.bound[0]

    @property
    def cbufs(self) -> tuple[Surface | None, ...]:
        """The bound color buffers; None is a hole."""
        return self.bound[1]

    @property
    def zsbuf(self) -> Surface | None:
        """The bound depth buffer."""
        return self.bound[2]

    @property
    def surfaces(self) -> tuple[Surface | None, ...]:
        """The bound color buffers, then the depth buffer."""
        _, colors, depth = self.bound
        return *colors, depth

    @property
    def has_own_samples(self) -> bool:
        """True if a bound surface has its own number of samples."""
        return any(item is not None and item.own is not None for item in self.surfaces)

    def put(self, framebuffer: Framebuffer = NO_TARGETS, colors: tuple[Surface | None, ...] = (), depth: Surface | None = None) -> None:
        """Bind targets."""
        self._bound = framebuffer, colors, depth
        self._state.put_targets(0)

    def prepare(self) -> int:
        """Let generated code bind the bound targets again. Returns their address; 0: it cannot."""
        if self._state.record.hindrances & (Hindrance.USER_MEMORY | Hindrance.OWN_SAMPLES):
            return 0
        framebuffer, colors, depth = self.bound
        address = self._device.targets.prepare(framebuffer)
        if address:
            self.prepared[address] = partial(_targets_again, framebuffer, tuple(map(_again, colors)), _again(depth))
            self._state.put_targets(address)
        return address

    def settle(self) -> None:
        """Keep the targets that generated code has bound, like those that Python binds. Their objects are alive now."""
        if self._state.record.targets:
            self._bound = self.bound
            self._state.put_targets(0)

    def end(self, address: int) -> None:
        """Let generated code bind prepared targets no more."""
        self.settle()
        self._device.targets.end(address)
        del self.prepared[address]


Again = Callable[[], "Surface | None"]


def _again(target: Surface | None) -> Again:
    """Find a surface later, or make it again. It keeps neither the surface nor its texture alive."""
    if target is None:
        return _no_surface
    surface = target.living_texture
    known, texture = weakref.ref(target), _no_surface if surface is None else weakref.ref(surface)
    place = target.format, target.level, target.first_layer, target.last_layer

    def find() -> Surface | None:
        surface, resource = known(), texture()
        return surface if surface is not None or resource is None else Surface(resource, *place)

    return find


def _no_surface() -> None:
    return None


def _targets_again(framebuffer: Framebuffer, colors: tuple[Again, ...], depth: Again) -> Bound:
    return framebuffer, tuple(find() for find in colors), depth()
