"""Framebuffers that native entries recognize by the objects of their surfaces."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import c_int32, c_uint64
from typing import Protocol

from backends.device.commands.known_objects import Kept, Kind, KnownObjects
from backends.pipe.limits import MAX_COLOR_BUFFERS

MOST = 16
"""Framebuffers with the same first surface that are remembered at once; one more, and the oldest is forgotten."""
PLACES = MAX_COLOR_BUFFERS + 1
"""Surfaces of a framebuffer: color buffers by number, then the depth buffer."""


class Target(Protocol):
    """A surface. ended: not 0 once it was destroyed."""

    ended: c_int32


class TargetsKey(ctypes.Structure):
    """The surfaces of known targets. An object 0 is none; `ends` are the addresses of their `ended`, 0 for none."""

    _fields_ = [
        ("next", c_uint64),  # another key with the same first surface; 0: none
        ("targets", c_uint64),  # for `BoundRecord.targets`
        ("objects", c_uint64 * PLACES),
        ("ends", c_uint64 * PLACES),
        ("count", c_int32),  # color buffers
        ("pad", c_int32),
    ]


class KnownTargets(Kept):
    """The framebuffers whose first surface is one and the same. Their surfaces are kept alive, so that no object can have their address.

    Attributes:
        key: the latest one; the others hang on it. It stays where it is.
    """

    def __init__(self, end: Callable[[int], None]) -> None:
        """end: called with the `targets` of a key that is forgotten."""
        self.key, self._end = TargetsKey(), end
        self._known: dict[tuple[int, ...], tuple[int, Sequence[Target | None]]] = {}
        self._others: list[TargetsKey] = []

    def learn(self, colors: Sequence[Target | None], depth: Target | None, targets: int) -> None:
        """Remember a framebuffer."""
        objects = (*map(_address, colors), *[0] * (MAX_COLOR_BUFFERS - len(colors)), _address(depth), len(colors))
        for old in [objects] if objects in self._known else list(self._known)[: len(self._known) + 1 - MOST]:
            self._end(self._known.pop(old)[0])
        self._known[objects] = targets, (*colors, *[None] * (MAX_COLOR_BUFFERS - len(colors)), depth)
        keys = [self.key, *(TargetsKey() for _ in range(len(self._known) - 1))]
        for place, (known, (address, surfaces)) in enumerate(reversed(self._known.items())):
            key = keys[place]
            key.next = ctypes.addressof(keys[place + 1]) if place + 1 < len(keys) else 0
            key.targets, key.objects[:], key.count = address, known[:PLACES], known[PLACES]
            key.ends[:] = [0 if item is None else ctypes.addressof(item.ended) for item in surfaces]
        self._others = keys[1:]

    def let_go(self) -> None:
        """Forget all of them, because their first surface is forgotten."""
        for targets, _ in self._known.values():
            self._end(targets)
        self._known.clear()


def learn_targets(
    objects: KnownObjects, colors: Sequence[Target | None], depth: Target | None, targets: int, end: Callable[[int], None]
) -> None:
    """Remember a framebuffer with at least one surface. end: called with `targets` when it is forgotten."""
    first = next(item for item in (*colors, depth) if item is not None)
    known = objects.keeping(first, Kind.TARGETS)
    made = known if isinstance(known, KnownTargets) else KnownTargets(end)
    made.learn(colors, depth, targets)
    objects.learn(first, Kind.TARGETS, ctypes.addressof(made.key), made, first.ended)


def _address(thing: object) -> int:
    return 0 if thing is None else id(thing)
