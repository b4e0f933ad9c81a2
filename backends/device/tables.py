"""Numbered buffers and images of shaders, with the records that kernels read. Bindings change them in place; draws copy the records."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from backends.abi.records import BufferRecord, TextureRecord
from backends.pipe.limits import MAX_SHADER_BUFFERS, MAX_SHADER_IMAGES

if TYPE_CHECKING:
    from backends.abi.keys import ImageKey
    from backends.device.memory import BoundImage, Memory, Range


class BufferTable:
    """Numbered buffers and their BufferRecords."""

    def __init__(self, count: int = MAX_SHADER_BUFFERS) -> None:
        self.items: list[Memory | None] = [None] * count
        self._records: Any = (BufferRecord * count)()

    @property
    def address(self) -> int:
        """Where the records lie."""
        return ctypes.addressof(self._records)

    @property
    def size(self) -> int:
        """Bytes of the records."""
        return ctypes.sizeof(self._records)

    def put(self, number: int, item: Memory | None) -> None:
        """Bind or unbind."""
        self.items[number] = item
        self._records[number] = BufferRecord() if item is None else BufferRecord(item.address, item.size // 4)

    def ranges(self) -> Iterator[Range]:
        """Memory that is bound."""
        return ((item.address, item.size) for item in self.items if item is not None)


class ImageTable:
    """Numbered images and their TextureRecords."""

    def __init__(self) -> None:
        self.items: list[BoundImage | None] = [None] * MAX_SHADER_IMAGES
        self._records: Any = (TextureRecord * MAX_SHADER_IMAGES)()

    @property
    def address(self) -> int:
        """Where the records lie."""
        return ctypes.addressof(self._records)

    @property
    def size(self) -> int:
        """Bytes of the records."""
        return ctypes.sizeof(self._records)

    def put(self, unit: int, item: BoundImage | None) -> None:
        """Bind or unbind."""
        self.items[unit] = item
        self._records[unit] = TextureRecord() if item is None else item.record

    def keys(self, count: int) -> tuple[tuple[int, ImageKey], ...]:
        """Unit and static part of what the first `count` units hold."""
        return tuple((unit, item.key) for unit, item in enumerate(self.items[:count]) if item is not None)

    def ranges(self) -> Iterator[Range]:
        """Memory that is bound."""
        return ((item.record.base or 0, item.record.size) for item in self.items if item is not None)
