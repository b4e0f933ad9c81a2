"""Constant buffers that callers give as arrays: each is copied once, to the place from which kernels read it."""

from __future__ import annotations

from typing import Any

from backends.device.memory import Constants
from backends.gallium.resource.layout import LINE
from backends.gallium.resource.resource import address_of, allocate
from tgsi.language.facts.limits import SOFTWARE

MAX_BYTES = SOFTWARE.constants * 16
"""Largest constant buffer."""

_CHUNK = 1 << 17


class ConstantMemory:
    """An append-only store of constants. A chunk lives as long as a binding or a pending draw refers to it."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._chunk = allocate(_CHUNK)
        self._view, self._base, self._used = self._chunk.data, address_of(self._chunk), 0

    def put(self, data: Any) -> Constants | None:
        """Copy the first MAX_BYTES of a contiguous buffer. Returns None for an object that is no such buffer."""
        try:
            source = memoryview(data).cast("B")
        except (TypeError, ValueError, BufferError):
            return None
        size = len(source)
        if size > MAX_BYTES:
            source, size = source[:MAX_BYTES], MAX_BYTES
        room = size + LINE - 1 & -LINE
        at = self._used
        if at + room > _CHUNK:
            self._begin()
            at = 0
        self._used = at + room
        self._view[at : at + size] = source
        return Constants(self._base + at, size, 0 if size & 3 else room, self._chunk)
