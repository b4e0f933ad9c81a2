"""References to resources, counted as Gallium counts them: a resource lives while its creator or an object over it holds one."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial

from backends.gallium.resource.resource import Resource


class Reference:
    """A reference that a view, a surface, a target, a mapping or a binding holds to its resource, until `release` or its own end."""

    __slots__ = ("_released", "_resource")

    def __init__(self, resource: Resource) -> None:
        self._resource: Resource | None = resource
        self._released: Callable[[], Resource | None] | None = None
        resource.take()

    @property
    def resource(self) -> Resource | None:
        """The resource. After `release` it is found as long as somebody else keeps it alive, or if it lies over memory of the caller."""
        if self._resource is not None:
            return self._resource
        return None if self._released is None else self._released()

    def resource_of(self, handle: str) -> Resource:
        """The resource. ValueError, naming the kind of handle, if the handle was destroyed and nobody keeps the resource alive."""
        found = self.resource
        if found is None:
            raise ValueError(f"the {handle} was destroyed, and nobody has kept its resource")
        return found

    def release(self) -> None:
        """Let go of the resource. A second call does nothing."""
        resource, self._resource = self._resource, None
        if resource is not None:
            # A binding still shows what is drawn to the owner of user memory.
            self._released = weakref.ref(resource) if resource.user is None else partial(_same, resource)
            resource.drop()

    def __del__(self) -> None:
        self.release()


def _same(resource: Resource) -> Resource:
    return resource
