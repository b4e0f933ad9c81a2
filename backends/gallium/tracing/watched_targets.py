"""Targets of a trace during playback, shown at each flush, when they are read, when they end, and at the end of the trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backends.gallium.context.recording.decoder import Call
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.view import Surface
from tgsi.language.record import record

_CLEARS = {"clear_render_target", "clear_depth_stencil"}


@record
class ShownTarget:
    """A level of a resource that was a render target.

    Attributes:
        moment: ``flush-0001`` or ``read-0001``, each counted, or ``end``.
        handle: of the resource, as `--print` shows it.
        layers: the first bound one and the number of bound ones.
    """

    moment: str
    handle: int
    resource: Resource
    level: int
    layers: tuple[int, int]


class WatchedTargets:
    """Targets that were bound since they were last shown."""

    def __init__(self, context: Any, show: Callable[[ShownTarget], None]) -> None:
        """show: takes each target, whose bytes are in memory."""
        self._context, self._show = context, show
        self._pending: dict[tuple[int, int], tuple[Resource, int, int]] = {}
        self._flushes = self._reads = 0

    def note(self, call: Call, handle_of: Callable[[Any], int]) -> None:
        """Note the targets of a call that was made."""
        if call.row.name == "set_framebuffer_state":
            self._note_bound(handle_of)
        elif call.row.name in _CLEARS:
            self._note(call.args[0] if call.args else call.given.get("target"), handle_of)

    def flushed(self, handle_of: Callable[[Any], int]) -> None:
        """Show all targets that were bound since the flush before."""
        self._flushes += 1
        self._show_all(f"flush-{self._flushes:04}")
        self._note_bound(handle_of)

    def read(self, resource: Any, handle_of: Callable[[Any], int]) -> None:
        """Show a resource that was read, if it is a watched target."""
        if any(target is resource for target, *_ in self._pending.values()):
            self._reads += 1
            self._show_all(f"read-{self._reads:04}", resource)
            self._note_bound(handle_of)

    def leaving(self, resource: Resource) -> None:
        """Show a target that ends. Its moment is that of the next flush."""
        self._show_all(f"flush-{self._flushes + 1:04}", resource)

    def ended(self) -> None:
        """Show the targets that were bound since the last flush."""
        self._show_all("end")

    def _note_bound(self, handle_of: Callable[[Any], int]) -> None:
        for surface in self._context.targets.surfaces:
            self._note(surface, handle_of)

    def _note(self, target: Any, handle_of: Callable[[Any], int]) -> None:
        if isinstance(target, Resource):
            self._pending[handle_of(target), 0] = target, 0, target.levels[0].layers
        elif isinstance(target, Surface) and (texture := target.living_texture) is not None:
            self._pending[handle_of(texture), target.level] = (
                texture,
                target.first_layer,
                target.last_layer - target.first_layer + 1,
            )

    def _show_all(self, moment: str, only: Resource | None = None) -> None:
        keys = [key for key, (resource, *_) in self._pending.items() if only is None or resource is only]
        if keys:
            self._context.order.synchronize()
        for handle, level in keys:
            resource, first, count = self._pending.pop((handle, level))
            if not resource.is_destroyed:
                self._show(ShownTarget(moment, handle, resource, level, (first, count)))
