"""Numbered buffers and images of shaders, with the records that kernels read. Bindings change them in place; draws copy the records."""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from backends.abi.records import BufferRecord, TextureRecord
from backends.device.memory import BoundImage, Memory, Range
from backends.pipe.limits import MAX_SHADER_BUFFERS, MAX_SHADER_IMAGES

if TYPE_CHECKING:
    from backends.abi.keys import ImageKey


Item = TypeVar("Item")


class _Table(ABC, Generic[Item]):
    """Numbered items, and an array with a record for each."""

    def __init__(self, record: type[ctypes.Structure], count: int) -> None:
        self.items: list[Item | None] = [None] * count
        self._record = record
        self._records: Any = (record * count)()

    @property
    def address(self) -> int:
        """Address of the records."""
        return ctypes.addressof(self._records)

    @property
    def size(self) -> int:
        """Bytes of the records."""
        return ctypes.sizeof(self._records)

    def put(self, number: int, item: Item | None) -> None:
        """Bind an item; None unbinds and zeroes the record."""
        self.items[number] = item
        self._records[number] = self._record() if item is None else self._record_of(item)

    def clear(self) -> None:
        """Unbind all items."""
        self.items[:] = [None] * len(self.items)
        ctypes.memset(self.address, 0, self.size)

    @abstractmethod
    def _record_of(self, item: Item) -> ctypes.Structure:
        """The record of an item."""

    def ranges(self) -> Iterator[Range]:
        """Memory of the bound items."""
        return (self._range_of(item) for item in self.items if item is not None)

    @abstractmethod
    def _range_of(self, item: Item) -> Range:
        """The memory of an item."""


class BufferTable(_Table[Memory]):
    """Numbered buffers and their BufferRecords."""

    def __init__(self, count: int = MAX_SHADER_BUFFERS) -> None:
        super().__init__(BufferRecord, count)

    def _record_of(self, item: Memory) -> BufferRecord:
        return BufferRecord(item.address, item.size // 4)

    def _range_of(self, item: Memory) -> Range:
        return item.address, item.size


class ImageTable(_Table[BoundImage]):
    """Numbered images and their TextureRecords."""

    def __init__(self) -> None:
        super().__init__(TextureRecord, MAX_SHADER_IMAGES)

    def _record_of(self, item: BoundImage) -> TextureRecord:
        return item.record

    def _range_of(self, item: BoundImage) -> Range:
        return item.record.base or 0, item.record.size

    def keys(self, count: int) -> tuple[tuple[int, ImageKey], ...]:
        """Unit and key of the images that the first `count` units hold."""
        return tuple((unit, item.key) for unit, item in enumerate(self.items[:count]) if item is not None)
