"""GLOBAL memory of compute shaders: buffers mapped into one space of 32-bit addresses."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from backends.device.memory import Memory, Range
from backends.gallium.resource.layout import address_of, allocate
from backends.gallium.resource.reference import Reference
from backends.gallium.resource.resource import Resource
from backends.pipe.limits import MAX_BUFFER_BYTES

ALIGNMENT = 256
"""Multiple that addresses are rounded up to."""


class GlobalMemory:
    """The mapped buffers by slot, each with its address."""

    def __init__(self, count: int) -> None:
        self._slots: list[tuple[Resource, int] | None] = [None] * count
        self._references: list[Reference | None] = [None] * count

    @property
    def is_empty(self) -> bool:
        """True if no buffer is mapped."""
        return not any(self._slots)

    def clear(self) -> None:
        """Unmap all buffers."""
        self.put(0, [None] * len(self._slots))

    def _mapped(self) -> list[tuple[Resource, int]]:
        """Each mapped buffer once, in the order of addresses."""
        return sorted({entry[1]: entry for entry in self._slots if entry is not None}.values(), key=lambda entry: entry[1])

    def put(self, first: int, items: Sequence[Resource | None]) -> tuple[int, ...]:
        """Map checked buffers to slots, None for an empty slot. Returns the address of each. ValueError if they do not fit."""
        before, slots = list(self._slots), slice(first, first + len(items))
        self._slots[slots] = [None] * len(items)
        try:
            for slot, item in enumerate(items, first):
                if item is not None:
                    known = next((address for resource, address in self._mapped() if resource is item), None)
                    self._slots[slot] = (item, self._free(item.size) if known is None else known)
        except ValueError:
            self._slots = before
            raise
        self._references[slots] = [None if item is None else Reference(item) for item in items]
        return tuple(0 if entry is None else entry[1] for entry in self._slots[slots])

    def _free(self, size: int) -> int:
        """The lowest address with `size` free bytes."""
        address = 0
        for resource, taken in self._mapped():
            if address + size <= taken:
                break
            address = -(-(taken + resource.size) // ALIGNMENT) * ALIGNMENT
        if address + size > MAX_BUFFER_BYTES:
            raise ValueError(f"set_global_binding: resources: more than {MAX_BUFFER_BYTES} bytes in all")
        return address

    def ranges(self) -> Iterator[Range]:
        """Ranges of mapped memory."""
        return ((resource.address, resource.size) for resource, _ in self._mapped())

    @contextmanager
    def bound(self, elsewhere: Collection[Resource] = ()) -> Iterator[Memory | None]:
        """The memory of a launch: a single buffer at address 0 in place, otherwise a copy of all, written back at the end.

        `elsewhere`: resources that the launch may also write in another way; of those only bytes that changed in the copy are written back.
        """
        mapped = self._mapped()
        if not mapped:
            yield None
            return
        if len(mapped) == 1 and mapped[0][1] == 0:
            resource = mapped[0][0]
            yield Memory(resource.address, resource.size, resource.storage)
            return
        copy = allocate(mapped[-1][1] + mapped[-1][0].size)
        for resource, address in mapped:
            copy[address : address + resource.size] = resource.storage
        before = {address: resource.storage.copy() for resource, address in mapped if resource in elsewhere}
        yield Memory(address_of(copy), copy.size, copy)
        for resource, address in mapped:
            result, old = copy[address : address + resource.size], before.get(address)
            np.copyto(resource.storage, result, where=True if old is None else result != old)
