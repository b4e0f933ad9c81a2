"""Checks of objects that callers hand to a context."""

from __future__ import annotations

from typing import Any

from backends.gallium.resource.resource import Resource
from backends.gallium.resource.screen_core import ScreenCore
from backends.gallium.resource.view import Surface, surface
from backends.pipe.state import DrawInfo

MAX_REMEMBERED = 4096
"""Checked draws and grids that a context remembers."""


class Checks:
    """Checks for the objects of one screen, and the draws that have passed theirs.

    draws: DrawInfo objects whose fields all passed unchanged, by `id`. It keeps them alive.
    """

    def __init__(self, screen: ScreenCore) -> None:
        self._screen = screen
        self.draws: dict[int, DrawInfo] = {}

    def resource(self, resource: Any, argument: str) -> Resource:
        """Return the resource. TypeError for another kind of object, ValueError for a resource of another screen or a destroyed one."""
        if not isinstance(resource, Resource):
            raise TypeError(f"{argument}: expected a Resource, not {type(resource).__name__}")
        if resource.screen is not self._screen:
            raise ValueError(f"{argument}: it belongs to another screen")
        if resource.is_destroyed:
            raise ValueError(f"{argument}: it was destroyed")
        return resource

    def surface(self, target: Any, argument: str) -> Surface:
        """The target itself if it is a surface of this screen; for a resource, a surface of its level 0."""
        if isinstance(target, Resource):
            self.resource(target, argument)
            return surface(target, argument)
        if not isinstance(target, Surface):
            raise TypeError(f"{argument}: expected a Surface or a Resource, not {type(target).__name__}")
        if target.is_destroyed:
            raise ValueError(f"{argument}: it was destroyed")
        self.resource(target.texture, argument)
        return target

    def accept_draw(self, info: DrawInfo) -> None:
        """Remember a DrawInfo as checked, for callers that have checked each of its fields as `draw_vbo` would."""
        if len(self.draws) >= MAX_REMEMBERED:
            self.draws.clear()
        self.draws[id(info)] = info
