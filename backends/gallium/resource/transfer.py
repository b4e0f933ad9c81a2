"""Transfers: a box of a resource as an array, in place. Nothing is copied; what has to be finished first is flushed first."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.gallium.context.core import ContextCore
from backends.gallium.resource.multisampled import finish_staging, make_staging, part
from backends.gallium.resource.resource import Box, Resource, address_of
from backends.pipe.checks import flags as as_flags
from backends.pipe.checks import integer
from backends.pipe.enums import ResourceFlags
from backends.pipe.enums import Transfer as TransferFlags

_NOT_WITH_READ = (
    TransferFlags.DISCARD_RANGE | TransferFlags.DISCARD_WHOLE_RESOURCE | TransferFlags.UNSYNCHRONIZED | TransferFlags.FLUSH_EXPLICIT
)


class TransferMap:
    """A mapped box; also a context manager that unmaps at its end.

    `data` is a numpy view of the texels (bytes, for buffers), cropped to the box: (height, width, channels) of a 2D texture,
    with a leading axis for layers or slices where the target has them, without the last axis for packed formats. `stride` and
    `layer_stride` are in bytes.

    Of a multisampled resource a copy is mapped: resolved texels (see `multisampled`); at the end of a WRITE mapping every sample of
    the box is what `data` holds.
    """

    def __init__(self, context: ContextCore, resource: Resource, level: int, usage: TransferFlags, box: Box) -> None:
        self.context = context
        self.resource = resource
        self.level = level
        self.usage = usage
        self.box = box
        self.staging = make_staging(context.renderer, resource, level, box) if resource.samples > 1 else None
        if self.staging is not None:
            resource, level, box = self.staging, 0, Box(0, 0, 0, box.width, box.height, box.depth)
        info = resource.levels[level]
        self.stride = info.row_stride
        self.layer_stride = info.layer_stride
        data = resource.region(level, box).view()
        data.flags.writeable = bool(usage & TransferFlags.WRITE)
        self._data: NDArray[Any] | None = data

    def __repr__(self) -> str:
        state = "mapped" if self._data is not None else "unmapped"
        return f"<TransferMap {self.box} of {self.resource!r}, {state}>"

    @property
    def data(self) -> NDArray[Any]:
        """The mapped texels. ValueError after the end of the mapping."""
        if self._data is None:
            raise ValueError("data: the transfer was unmapped; keep a copy of what is needed later")
        return self._data

    @property
    def address(self) -> int:
        """Address of the first mapped byte."""
        return address_of(self.data)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        array = self.data if dtype is None else self.data.astype(dtype, copy=False)
        return np.array(array) if copy else array

    def unmap(self) -> None:
        """End the mapping; what was written is the resource's content."""
        if self._data is not None:
            self._data = None
            if self.staging is not None:
                is_written = bool(self.usage & TransferFlags.WRITE)
                if is_written:
                    self.context.finish_uses(self.resource)
                finish_staging(self.resource, self.level, self.box, self.staging, is_written)
            self.context.mapping_ended(self)

    def __enter__(self) -> TransferMap:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.unmap()


class Transfers(ContextCore):
    """CPU access to resources."""

    def transfer_map(
        self,
        resource: Resource,
        *,
        level: int = 0,
        usage: TransferFlags | int | str | Sequence[str] | None = None,
        box: Box | Sequence[int] | None = None,
    ) -> TransferMap:
        """Map a box of a level; see `TransferMap`. Rendering that reads or writes the resource is finished first.

        Args:
            resource: what to map.
            level: mip level.
            usage: READ, WRITE, both (the default), and the other PIPE_TRANSFER flags. UNSYNCHRONIZED waits for nothing,
                PERSISTENT lets draws happen while mapped, the DISCARD flags are promises that cost nothing here.
            box: a Box or x, y, z, width, height, depth; the whole level when omitted.

        Raises:
            TypeError, ValueError: an argument is wrong; READ came with DISCARD_*, UNSYNCHRONIZED or FLUSH_EXPLICIT.
            BlockingIOError: DONTBLOCK was given and rendering would have to be finished first.
        """
        name = "transfer_map"
        self.check_open()
        self.check_resource(resource, f"{name}: resource")
        how = TransferFlags.READ_WRITE if usage is None else as_flags(TransferFlags, usage, f"{name}: usage")
        if not how & TransferFlags.READ_WRITE:
            raise ValueError(f"{name}: usage: READ or WRITE is needed")
        if usage is not None and how & TransferFlags.READ and how & _NOT_WITH_READ:
            raise ValueError(f"{name}: usage: READ does not go with {(how & _NOT_WITH_READ).name}")
        if how & TransferFlags.PERSISTENT and not resource.flags & ResourceFlags.MAP_PERSISTENT:
            raise ValueError(f"{name}: usage: PERSISTENT needs a resource that was made with MAP_PERSISTENT")
        if how & TransferFlags.PERSISTENT and resource.samples > 1:
            raise ValueError(f"{name}: usage: a mapping of {resource.samples} samples a pixel cannot be PERSISTENT")
        region = resource.box(level, box, name)
        if not how & TransferFlags.UNSYNCHRONIZED:
            if how & TransferFlags.DONTBLOCK and self.is_busy(resource):
                raise BlockingIOError(f"{name}: the resource is busy")
            self.finish_uses(resource)
        resource.pull()
        mapped = TransferMap(self, resource, level, how, region)
        self.mapping_began(mapped)
        return mapped

    def transfer_unmap(self, transfer: TransferMap) -> None:
        """End a mapping."""
        self._check_transfer(transfer, "transfer_unmap")
        transfer.unmap()

    def transfer_flush_region(self, transfer: TransferMap, *, box: Box | Sequence[int] | None = None) -> None:
        """Say that a part of a FLUSH_EXPLICIT mapping was written; the box is relative to the mapped one."""
        self._check_transfer(transfer, "transfer_flush_region")
        if not transfer.usage & TransferFlags.FLUSH_EXPLICIT:
            raise ValueError("transfer_flush_region: transfer: it was not mapped with FLUSH_EXPLICIT")
        if box is not None:
            x, y, z, *_ = (box.x, box.y, box.z) if isinstance(box, Box) else (*box, 0, 0, 0)
            if min(x, y, z) < 0:
                raise ValueError("transfer_flush_region: box: it starts before the mapped region")
        transfer.resource.push()

    def buffer_subdata(
        self, resource: Resource, data: Any, *, offset: int = 0, usage: TransferFlags | int | str | Sequence[str] = 0
    ) -> None:
        """Write bytes (or any contiguous array) into a buffer from `offset` on."""
        name = "buffer_subdata"
        self.check_resource(resource, f"{name}: resource")
        if not resource.is_buffer:
            raise ValueError(f"{name}: resource: it is a texture; use texture_subdata")
        values = as_bytes(data, f"{name}: data")
        begin = integer(offset, f"{name}: offset", 0, resource.size)
        end = begin + values.size
        if end > resource.size:
            raise ValueError(f"{name}: data: {values.size} bytes at {begin} do not fit into {resource.size}")
        if not usage or not as_flags(TransferFlags, usage, f"{name}: usage") & TransferFlags.UNSYNCHRONIZED:
            self.finish_uses(resource)
        resource.pull()
        resource.storage[begin:end] = values
        resource.push()

    def texture_subdata(
        self,
        resource: Resource,
        data: Any,
        *,
        level: int = 0,
        box: Box | Sequence[int] | None = None,
        stride: int | None = None,
        layer_stride: int | None = None,
        usage: TransferFlags | int | str | Sequence[str] = 0,
    ) -> None:
        """Write texels into a box of a level, into every sample of multisampled ones.

        `data` is an array whose bytes are the texels in the resource's format, or bytes in which rows are `stride` and layers
        `layer_stride` bytes apart (tight when omitted).
        """
        name = "texture_subdata"
        self.check_resource(resource, f"{name}: resource")
        if resource.is_buffer:
            return self.buffer_subdata(resource, data, offset=resource.box(0, box, name).x, usage=usage)
        region = resource.box(level, box, name)
        size = resource.format.block_bytes
        row = size * region.width if stride is None else stride
        layer = row * region.height if layer_stride is None else layer_stride
        values = as_bytes(data, f"{name}: data")
        needed = layer * (region.depth - 1) + row * (region.height - 1) + size * region.width
        if min(row, layer) < 0 or values.size < needed:
            raise ValueError(f"{name}: data: {needed} bytes are needed, {values.size} are there")
        source = np.ndarray((region.depth, region.height, region.width, size), np.uint8, values.data, 0, (layer, row, size, 1))
        how = as_flags(TransferFlags, usage, f"{name}: usage")
        if not how & TransferFlags.UNSYNCHRONIZED:
            self.finish_uses(resource)
        resource.pull()
        for k in range(resource.samples):
            part(resource.blocks(level, k), region)[...] = source
        resource.push()
        return None

    def _check_transfer(self, transfer: TransferMap, name: str) -> None:
        if not isinstance(transfer, TransferMap):
            raise TypeError(f"{name}: transfer: what transfer_map returned is wanted, not {type(transfer).__name__}")
        if transfer.context is not self:
            raise ValueError(f"{name}: transfer: it belongs to another context")


def as_bytes(data: Any, argument: str) -> NDArray[np.uint8]:
    """Any buffer as a flat uint8 array; arrays that are not contiguous are copied."""
    if isinstance(data, np.ndarray):
        return np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    try:
        return np.frombuffer(data, np.uint8)
    except (TypeError, ValueError, BufferError):
        raise TypeError(f"{argument}: bytes or an array is wanted, not {type(data).__name__}") from None
