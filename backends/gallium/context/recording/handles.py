"""Objects of a context by handle, and handles by object."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from ctypes import c_int32
from typing import Any

from backends.device.bound import Shader
from backends.gallium.context.handles import StateObject
from backends.gallium.context.query_kinds import Query
from backends.gallium.context.stream_output import StreamOutputTarget
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.view import SamplerView, Surface

OBJECTS = (Resource, SamplerView, Surface, StateObject, Shader, Query, StreamOutputTarget)
"""Types of objects that have handles."""


class Handles:
    """Handles of living objects. An object that has ended gives its handle back through `ended`."""

    def __init__(self, ended: Callable[[int], None], upcoming: c_int32 | None = None) -> None:
        """upcoming: memory for the handle that the next `add` returns, which generated code reads."""
        self._ended = ended
        self._of: dict[int, tuple[int, Any]] = {}
        self._next = c_int32() if upcoming is None else upcoming
        self._next.value = 1

    def find(self, thing: object) -> int | None:
        """The handle of an object, or None."""
        known = self._of.get(id(thing))
        return known[0] if known is not None else None

    @property
    def upcoming(self) -> int:
        """The handle that the next `add` returns."""
        return self._next.value

    def add(self, thing: object) -> int:
        """A new handle. Objects that cannot be referred to weakly are kept alive until `remove`."""
        handle, key = self._next.value, id(thing)
        self._next.value = handle + 1
        kept: Any = thing
        if not isinstance(thing, (StateObject, Shader)):
            kept = weakref.ref(thing, lambda _: self._gone(key))
        self._of[key] = handle, kept
        return handle

    def living(self) -> list[object]:
        """All objects that have handles."""
        things = [kept() if isinstance(kept, weakref.ref) else kept for _, kept in self._of.values()]
        return [thing for thing in things if thing is not None]

    def remove(self, thing: object) -> None:
        """Take the handle of an object back."""
        self._gone(id(thing))

    def _gone(self, key: int) -> None:
        known = self._of.pop(key, None)
        if known is not None:
            self._ended(known[0])
