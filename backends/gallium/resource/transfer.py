"""Mappings: a box of a resource as an array, in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from backends.device.interface import Device
from backends.formats import AnyFormat, CompressedFormat
from backends.formats.arrays import texel_type
from backends.gallium.resource.layout import address_of
from backends.gallium.resource.multisampled import make_staging, part
from backends.gallium.resource.reference import Reference
from backends.gallium.resource.resource import Box, Resource
from backends.pipe.enums import Bind, TextureTarget
from backends.pipe.enums import Transfer as TransferFlags

_WRITE = TransferFlags.WRITE.value


class MappingOrder(Protocol):
    """The order of a context's work."""

    def finish_uses(self, resource: Resource) -> None:
        """Carry out pending work that reads or writes the resource."""
        ...


class MappingOwner(Protocol):
    """The context of a mapping: it carries out pending work, and keeps the list of living mappings."""

    device: Device

    @property
    def order(self) -> MappingOrder:
        """The order of its work."""
        ...

    def transfer_unmap(self, transfer: TransferMap) -> None:
        """End a mapping."""
        ...

    def _mapping_ended(self, mapped: TransferMap) -> None:
        """Take the mapping off the context's list and show its bytes to the owner of user memory."""
        ...


class TransferMap:
    """A mapped box; also a context manager that unmaps at its end.

    `data` is a numpy view of the texels (bytes, for buffers), cropped to the box: (height, width, channels) of a 2D texture,
    with a leading axis for layers or slices if the target has them, without the last axis for packed formats. `stride` and
    `layer_stride` are in bytes.

    A mapping of a multisampled resource is a copy of resolved texels (see `multisampled`), and so is one with FLUSH_EXPLICIT. At the end
    of a WRITE mapping every sample of the box gets the texels of `data`; with FLUSH_EXPLICIT only those in regions of
    `transfer_flush_region`. Memory of the caller is mapped itself. `bits` is the number of `usage`.
    """

    def __init__(self, context: MappingOwner, resource: Resource, level: int, usage: TransferFlags, box: Box) -> None:
        self.context = context
        self._reference = Reference(resource)
        self.level = level
        self.usage, self.bits = usage, usage.value
        self.box = box
        self.staging: Resource | None = None
        if resource.samples > 1:
            self.staging = make_staging(context.device, resource, level, box)
        elif usage & TransferFlags.FLUSH_EXPLICIT:
            self.staging = make_copy(resource, level, box)
        if self.staging is not None:
            resource, level, box = self.staging, 0, Box(0, 0, 0, box.width, box.height, box.depth)
        self.layer_stride, self.stride = resource.texels(level).strides[:2]
        data = resource.region(level, box).view()
        data.setflags(write=bool(self.bits & _WRITE))
        self._data: NDArray[Any] | None = data

    def __repr__(self) -> str:
        state = "mapped" if self._data is not None else "unmapped"
        return f"<TransferMap {self.box} of {self._reference.resource or 'a resource that is gone'!r}, {state}>"

    @property
    def resource(self) -> Resource:
        """The resource. After the end of the mapping this is an empty resource, unless it has other references."""
        return self._reference.last

    @property
    def data(self) -> NDArray[Any]:
        """The mapped texels. ValueError after the end of the mapping."""
        if self._data is None:
            raise ValueError("data: the transfer was unmapped; copy data that is needed later")
        return self._data

    @property
    def address(self) -> int:
        """Address of the first mapped byte."""
        return address_of(self.data)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        array = self.data if dtype is None else self.data.astype(dtype, copy=False)
        return np.array(array) if copy else array

    def unmap(self) -> None:
        """End the mapping; written texels become the resource's content. A second call does nothing."""
        if self._data is not None:
            self.context.transfer_unmap(self)

    def end(self) -> None:
        """End the mapping, for the context."""
        if self._data is None:
            return
        self._data = None
        if self.staging is not None:
            if self.usage & TransferFlags.WRITE and not self.usage & TransferFlags.FLUSH_EXPLICIT:
                self.context.order.finish_uses(self.resource)
                self._store(Box(0, 0, 0, self.box.width, self.box.height, self.box.depth))
            self.staging.destroy()
        self.context._mapping_ended(self)
        self._reference.release()

    def flush(self, box: Box | Sequence[int] | None, argument: str) -> None:
        """Make a box of the mapped texels, relative to the mapped box, the resource's content. `argument` names the method in errors."""
        data, copy = self.data, self.staging
        assert copy is not None, data
        region = copy.box(0, box, argument)
        if not self.usage & TransferFlags.UNSYNCHRONIZED:
            self.context.order.finish_uses(self.resource)
        self.resource.pull()
        self._store(region)

    def _store(self, box: Box) -> None:
        """Copy a box of the staging copy into every sample of the resource."""
        copy, resource = self.staging, self.resource
        assert copy is not None
        target = Box(self.box.x + box.x, self.box.y + box.y, self.box.z + box.z, box.width, box.height, box.depth)
        for k in range(resource.samples):
            part(resource.blocks(self.level, k), resource.in_blocks(target))[...] = part(copy.blocks(), copy.in_blocks(box))
        resource.changed(self.level, target)

    def __enter__(self) -> TransferMap:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.unmap()


def make_copy(resource: Resource, level: int, box: Box) -> Resource:
    """A resource with the texels of a box of a level with one sample."""
    depth, layers = (box.depth, 1) if resource.target is TextureTarget.TEXTURE_3D else (1, box.depth)
    template = replace(
        resource.template, width0=box.width, height0=box.height, depth0=depth, array_size=layers, last_level=0, bind=Bind.NONE
    )
    copy = Resource(resource.screen, template)
    copy.blocks()[...] = part(resource.blocks(level), resource.in_blocks(box))
    return copy


def as_bytes(data: Any, argument: str) -> NDArray[np.uint8]:
    """Any buffer as a flat uint8 array; arrays that are not contiguous are copied."""
    if isinstance(data, np.ndarray):
        if data.dtype.hasobject:
            raise TypeError(f"{argument}: expected an array of numbers, not of {data.dtype}")
        return np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    try:
        return np.frombuffer(data, np.uint8)
    except (TypeError, ValueError, BufferError):
        hint = "; numpy.array makes one, with the type of its numbers" if isinstance(data, (list, tuple)) else ""
        raise TypeError(f"{argument}: expected bytes or an array, not {type(data).__name__}{hint}") from None


def check_floats(format: AnyFormat, actual: np.dtype[Any], argument: str) -> None:
    """TypeError for an array of floats whose bytes are not texels of the format."""
    dtype, channels = (np.dtype(np.uint8), 0) if isinstance(format, CompressedFormat) else texel_type(format)
    if dtype != actual:
        ways = f"; convert it with {conversion(dtype, actual)}" if channels or dtype.kind == "f" else ""
        raise TypeError(f"{argument}: {format} takes {dtype}, not {actual}{ways}; .view(numpy.uint8) gives its unchanged bytes")


def conversion(wanted: np.dtype[Any], actual: np.dtype[Any]) -> str:
    """An expression that converts an array of colors of one type to another."""
    if actual.kind == "f" and wanted.kind in "ui" and wanted.itemsize < 4:
        return f"({np.iinfo(wanted).max} * array.clip({-1 if wanted.kind == 'i' else 0}, 1)).round().astype(numpy.{wanted})"
    return f".astype(numpy.{wanted})"


def writable_bytes(data: Any, argument: str) -> NDArray[np.uint8]:
    """The caller's memory as a flat uint8 array, in place. Raises TypeError or ValueError, naming the argument."""
    if isinstance(data, np.ndarray):
        if data.dtype.hasobject:
            raise TypeError(f"{argument}: expected an array of numbers, not of {data.dtype}")
        if not data.flags.c_contiguous:
            raise ValueError(f"{argument}: the array has gaps; give one that begins at its first byte and ends at its last, and strides")
        flat = data.reshape(-1).view(np.uint8)
    else:
        try:
            flat = np.frombuffer(data, np.uint8)
        except (TypeError, ValueError, BufferError):
            raise TypeError(f"{argument}: expected a contiguous array or a buffer such as a bytearray, not {type(data).__name__}") from None
    if not flat.flags.writeable:
        raise ValueError(f"{argument}: it is read-only; give an array that can be written, or a bytearray")
    return flat
