"""References to resources, counted as Gallium counts them: a resource lives while its creator or an object over it holds one."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from backends.gallium.resource.resource import NOTHING, Resource


class Reference:
    """A reference that a view, a surface, a target, a mapping or a binding holds to its resource, until `release` or its own end."""

    __slots__ = ("_husk", "_released", "_resource")

    def __init__(self, resource: Resource) -> None:
        self._resource: Resource | None = resource
        self._released: Callable[[], Resource | None] | None = None
        self._husk: Resource | None = None
        resource.take()

    @property
    def resource(self) -> Resource | None:
        """The resource. After `release` it is found as long as it has other references, or if it lies over memory of the caller."""
        if self._resource is not None:
            return self._resource
        return None if self._released is None else self._released()

    @property
    def last(self) -> Resource:
        """The resource; once it is gone after `release`, a destroyed one like it."""
        resource = self.resource or self._husk
        assert resource is not None
        return resource

    def release(self) -> None:
        """Release the resource. A second call does nothing. MemoryError, with the resource still held, if there is no memory."""
        resource = self._resource
        if resource is not None:
            husk = _husk_of(resource)
            # A binding still copies drawn pixels to user memory.
            released = weakref.ref(resource) if resource.user is None else partial(_same, resource)
            self._husk, self._released, self._resource = husk, released, None
            resource.drop()

    def __del__(self) -> None:
        if self._resource is not None:
            self._resource.drop()


def _same(resource: Resource) -> Resource:
    return resource


def _husk_of(resource: Resource) -> Resource:
    """A copy of a resource after its end: without memory."""
    husk: Resource = object.__new__(Resource)
    ended: dict[str, Any] = {"storage": NOTHING, "user": None, "decoded": {}, "rendered": (), "ended": ctypes.c_int32(1)}
    vars(husk).update(vars(resource), **ended, _whole={}, _references=0, _is_given_up=True, _is_owned=False)
    return husk
