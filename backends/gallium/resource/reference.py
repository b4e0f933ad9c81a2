"""References to resources, counted as Gallium counts them: a resource lives while its creator or an object over it holds one."""

from __future__ import annotations

from backends.gallium.resource.resource import Resource


class Reference:
    """A reference that a view, a surface, a target, a mapping or a binding holds to its resource, until `release` or its own end."""

    __slots__ = ("_resource",)

    def __init__(self, resource: Resource) -> None:
        self._resource: Resource | None = resource
        resource.take()

    def release(self) -> None:
        """Let go of the resource. A second call does nothing."""
        resource, self._resource = self._resource, None
        if resource is not None:
            resource.drop()

    def __del__(self) -> None:
        self.release()
