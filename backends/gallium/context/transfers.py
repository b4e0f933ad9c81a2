"""Transfers: CPU access to resources, in place. Pending work that uses a resource is flushed before it is mapped or written."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from backends.device.commands.bound_record import TextureSlot
from backends.device.commands.known_objects import Kind
from backends.device.copy_job import Copy
from backends.formats import CompressedFormat, Format
from backends.gallium.context.core import ContextCore
from backends.gallium.resource.layout import address_of
from backends.gallium.resource.multisampled import make_staging, part
from backends.gallium.resource.resource import Box, Resource
from backends.gallium.resource.room import with_room
from backends.gallium.resource.transfer import TransferMap, as_bytes, check_floats, writable_bytes
from backends.pipe.checks import flags as as_flags
from backends.pipe.checks import integer
from backends.pipe.enums import ResourceFlags
from backends.pipe.enums import Transfer as TransferFlags
from backends.pipe.limits import LARGE_COPY, MAX_TEXTURE_BYTES

_NO_MAP = cast(TransferMap, None)
_NOT_WITH_READ = (
    TransferFlags.DISCARD_RANGE | TransferFlags.DISCARD_WHOLE_RESOURCE | TransferFlags.UNSYNCHRONIZED | TransferFlags.FLUSH_EXPLICIT
)
_RARE = (TransferFlags.PERSISTENT | TransferFlags.COHERENT | TransferFlags.MAP_DIRECTLY | TransferFlags.DONTBLOCK).value
_READ, _WRITE, _UNSYNCHRONIZED = TransferFlags.READ.value, TransferFlags.WRITE.value, TransferFlags.UNSYNCHRONIZED.value
# Operations on members of a Flag take over a microsecond each; those on plain numbers take nothing.


class Transfers(ContextCore):
    """CPU access to resources: transfer_map and transfer_unmap, buffer_subdata, texture_subdata, buffer_read, texture_read."""

    def is_resource_referenced(self, resource: Resource, *, level: int = 0, layer: int = 0) -> bool:
        """Return True if pending work reads or writes the resource. (context.rst, "Resource Busy Queries")"""
        return self.order.is_busy(self.checks.resource(resource, "is_resource_referenced: resource"))

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
            resource: the resource to map.
            level: mip level.
            usage: READ, WRITE, both (the default), and other PIPE_TRANSFER flags. UNSYNCHRONIZED waits for nothing,
                PERSISTENT lets draws happen while mapped, COHERENT needs a resource made with MAP_COHERENT, the DISCARD flags are
                promises that change nothing here.
            box: a Box or x, y, z, width, height, depth; the whole level when omitted.

        Returns:
            The mapping. None (which the type leaves out, because no other call gets it) if DONTBLOCK was given and rendering would have
            to be finished first, or if MAP_DIRECTLY was given and the mapping would be a copy.

        Raises:
            TypeError, ValueError: an argument is wrong; READ came with DISCARD_*, UNSYNCHRONIZED or FLUSH_EXPLICIT.

        (context.rst, "Transfers")
        """
        name = "transfer_map"
        self.checks.resource(resource, f"{name}: resource")
        how = TransferFlags.READ_WRITE if usage is None else as_flags(TransferFlags, usage, f"{name}: usage")
        bits = how.value
        for_reading, is_rare = not bits & _WRITE, bits & _RARE
        if usage is not None:
            self._check_usage(how, resource)
        region = resource.box(level, box, name)
        if is_rare and how & TransferFlags.MAP_DIRECTLY and (how & TransferFlags.FLUSH_EXPLICIT or resource.samples > 1):
            return _NO_MAP
        if not bits & _UNSYNCHRONIZED:
            if is_rare and how & TransferFlags.DONTBLOCK and self.order.is_busy(resource, for_reading=for_reading):
                return _NO_MAP
            if resource.is_buffer and not (is_rare and how & TransferFlags.PERSISTENT):
                self.order.finish_part(resource, region.x, region.width, for_reading=for_reading)
            else:
                self.order.finish_uses(resource, for_reading=for_reading)
        resource.pull()
        mapped = with_room(self, lambda: TransferMap(self, resource, level, how, region))
        self.order.mapping_began(mapped)
        return mapped

    @staticmethod
    def _check_usage(how: TransferFlags, resource: Resource) -> None:
        """ValueError for flags of transfer_map that do not go together, or not with the resource."""
        name, bits = "transfer_map", how.value
        if not bits & (_READ | _WRITE):
            raise ValueError(f"{name}: usage: READ or WRITE is needed")
        if bits & _READ and bits & _NOT_WITH_READ.value:
            raise ValueError(f"{name}: usage: READ does not go with {(how & _NOT_WITH_READ).name}")
        if bits & _RARE:
            if how & TransferFlags.PERSISTENT and not resource.flags & ResourceFlags.MAP_PERSISTENT:
                raise ValueError(f"{name}: usage: PERSISTENT needs a resource that was made with MAP_PERSISTENT")
            if how & TransferFlags.PERSISTENT and resource.samples > 1:
                raise ValueError(f"{name}: usage: a mapping of {resource.samples} samples a pixel cannot be PERSISTENT")
            if how & TransferFlags.COHERENT and not resource.flags & ResourceFlags.MAP_COHERENT:
                raise ValueError(f"{name}: usage: COHERENT needs a resource that was made with MAP_COHERENT")
        if bits & _WRITE and resource.user is not None and not resource.user.flags.writeable:
            raise ValueError(f"{name}: usage: the memory of the resource is read-only")

    def transfer_unmap(self, transfer: TransferMap) -> None:
        """End a mapping. (context.rst, "Transfers")"""
        self._check_transfer(transfer, "transfer_unmap")
        transfer.end()

    def transfer_flush_region(self, transfer: TransferMap, *, box: Box | Sequence[int] | None = None) -> None:
        """Write a part of a FLUSH_EXPLICIT mapping to the resource; the box is relative to the mapped one, and inside of it.

        (context.rst, "Transfers")
        """
        name = "transfer_flush_region"
        self._check_transfer(transfer, name)
        if not transfer.usage & TransferFlags.FLUSH_EXPLICIT:
            raise ValueError(f"{name}: transfer: it was not mapped with FLUSH_EXPLICIT")
        transfer.flush(box, name)

    def buffer_subdata(
        self, resource: Resource, data: Any, *, offset: int = 0, usage: TransferFlags | int | str | Sequence[str] = 0
    ) -> None:
        """Write bytes (or any contiguous array) into a buffer from `offset` on. (p_context.h)"""
        self.checks.resource(resource, "buffer_subdata: resource")
        if not resource.is_buffer:
            raise ValueError("buffer_subdata: resource: it is a texture; use texture_subdata")
        self._write_bytes("buffer_subdata", resource, data, offset, usage)

    def _write_bytes(self, name: str, resource: Resource, data: Any, offset: int, usage: TransferFlags | int | str | Sequence[str]) -> None:
        """buffer_subdata for a method of any name, which messages begin with."""
        values = as_bytes(data, f"{name}: data")
        begin = integer(offset, f"{name}: offset", 0, resource.size)
        end = begin + values.size
        if end > resource.size:
            raise ValueError(f"{name}: data: {values.size} bytes at {begin} do not fit into {resource.size}")
        if (type(usage) is int and not usage) or not as_flags(TransferFlags, usage, f"{name}: usage").value & _UNSYNCHRONIZED:
            if self.state.known.is_second(resource):
                self._learn_buffer(resource)
            if self._upload(resource, begin, values, (0, 0), values.size, 1):
                return
            self.order.finish_part(resource, begin, values.size)
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
        """Write texels into a box of a level, into every sample of multisampled ones. (p_context.h)

        `data` is an array whose bytes are the texels in the resource's format, or bytes in which rows are `stride` and layers
        `layer_stride` bytes apart. Without these, rows are tight, and there are exactly as many bytes as the box has. Texels of compressed
        formats are blocks, and rows are rows of blocks.
        TypeError, among others, for an array of floats where the format has none, or floats of another size.
        """
        self._write_texels("texture_subdata", resource, data, level, box, stride, layer_stride, usage)

    def transfer_inline_write(
        self,
        resource: Resource,
        data: Any,
        *,
        level: int = 0,
        usage: TransferFlags | int | str | Sequence[str] = 0,
        box: Box | Sequence[int] | None = None,
        stride: int | None = None,
        layer_stride: int | None = None,
    ) -> None:
        """Write only the bytes or texels of a box: `texture_subdata` by its former name. (context.rst, "Transfers")"""
        self._write_texels("transfer_inline_write", resource, data, level, box, stride, layer_stride, usage)

    def _write_texels(
        self,
        name: str,
        resource: Resource,
        data: Any,
        level: int,
        box: Box | Sequence[int] | None,
        stride: int | None,
        layer_stride: int | None,
        usage: TransferFlags | int | str | Sequence[str],
    ) -> None:
        """texture_subdata for a method of any name, which messages begin with."""
        self.checks.resource(resource, f"{name}: resource")
        if resource.is_buffer:
            if box is None:
                return self._write_bytes(name, resource, data, 0, usage)
            raw, line = as_bytes(data, f"{name}: data"), resource.box(level, box, name)
            if raw.size != line.width:
                raise ValueError(f"{name}: data: {line.width} bytes are needed, {raw.size} are there")
            return self._write_bytes(name, resource, raw, line.x, usage)
        region = resource.box(level, box, name)
        if type(data) is np.ndarray and data.dtype.kind == "f":
            check_floats(resource.format, data.dtype, f"{name}: data")
        size, blocks = resource.format.block_bytes, resource.in_blocks(region)
        row = size * blocks.width if stride is None else integer(stride, f"{name}: stride", 0, MAX_TEXTURE_BYTES)
        layer = row * blocks.height if layer_stride is None else integer(layer_stride, f"{name}: layer_stride", 0, MAX_TEXTURE_BYTES)
        values = as_bytes(data, f"{name}: data")
        needed = layer * (blocks.depth - 1) + row * (blocks.height - 1) + size * blocks.width
        if values.size < needed or (values.size > needed and stride is layer_stride is None):
            raise ValueError(f"{name}: data: {needed} bytes are needed, {values.size} are there")
        source = np.ndarray((blocks.depth, blocks.height, blocks.width, size), np.uint8, values.data, 0, (layer, row, size, 1))
        if (type(usage) is int and not usage) or not as_flags(TransferFlags, usage, f"{name}: usage").value & _UNSYNCHRONIZED:
            if blocks.depth == 1:
                info = resource.levels[level]
                first = info.offset + blocks.z * info.layer_stride + blocks.y * info.row_stride + blocks.x * size
                if self._upload(resource, first, values, (info.row_stride, row), size * blocks.width, blocks.height):
                    return None
            self.order.finish_uses(resource)
        resource.pull()
        for k in range(resource.samples):
            part(resource.blocks(level, k), blocks)[...] = source
        resource.changed(level, region)
        return None

    def buffer_read(self, resource: Resource, into: Any, *, offset: int = 0) -> None:
        """Copy bytes of a buffer, from `offset` on, into the caller's memory: as many as fit into it. (an extension)

        Args:
            resource: a buffer.
            into: a contiguous, writable array, or a writable buffer such as a bytearray.
            offset: the first byte.

        Raises:
            TypeError, ValueError: an argument is wrong, or the buffer has fewer bytes from `offset` on. Nothing was copied.

        Pending work that writes the buffer is carried out first. Gallium's auxiliary library has this as pipe_buffer_read.
        """
        name = "buffer_read"
        self.checks.resource(resource, f"{name}: resource")
        if not resource.is_buffer:
            raise ValueError(f"{name}: resource: it is a texture; use texture_read")
        values = writable_bytes(into, f"{name}: into")
        begin = integer(offset, f"{name}: offset", 0, resource.size)
        end = begin + values.size
        if end > resource.size:
            raise ValueError(f"{name}: into: it takes {values.size} bytes; from {begin} on the buffer has {resource.size - begin}")
        self.order.finish_part(resource, begin, values.size, for_reading=True)
        resource.pull()
        self._copy_texels(resource, 0, Box(begin, 0, 0, values.size), values, (values.size, values.size))

    def texture_read(
        self,
        resource: Resource,
        into: Any,
        *,
        level: int = 0,
        box: Box | Sequence[int] | None = None,
        stride: int | None = None,
        layer_stride: int | None = None,
    ) -> None:
        """Copy the texels of a box of a level into the caller's memory: the way back of `texture_subdata`. (an extension)

        Args:
            resource: a texture; multisampled ones are resolved, as for `transfer_map`. A buffer is read from the first byte of `box` on.
            into: a contiguous, writable array, or a writable buffer such as a bytearray. It gets the texels in the resource's format.
                Bytes between rows, between layers, and after the last texel are not changed.
            level: mip level.
            box: a Box or x, y, z, width, height, depth; the whole level when omitted.
            stride: bytes from a row to the next in `into`, at least those of a row (the default).
            layer_stride: bytes from a layer to the next in `into`, at least those of its rows (the default).

        Raises:
            TypeError, ValueError: an argument is wrong, or the texels do not fit. Nothing was copied.

        Pending work that writes the resource is carried out first. Large copies are made by the device, faster than one of the array that
        `transfer_map` gives.
        """
        name = "texture_read"
        self.checks.resource(resource, f"{name}: resource")
        region = resource.box(level, box, name)
        if resource.is_buffer:
            values = writable_bytes(into, f"{name}: into")
            if values.size < region.width:
                raise ValueError(f"{name}: into: {region.width} bytes are needed, {values.size} are there")
            return self.buffer_read(resource, values[: region.width], offset=region.x)
        size, region = resource.format.block_bytes, resource.in_blocks(region)
        tight = size * region.width
        row = tight if stride is None else integer(stride, f"{name}: stride", tight, MAX_TEXTURE_BYTES)
        rows = row * (region.height - 1) + tight
        layer = row * region.height if layer_stride is None else integer(layer_stride, f"{name}: layer_stride", rows, MAX_TEXTURE_BYTES)
        values, needed = writable_bytes(into, f"{name}: into"), layer * (region.depth - 1) + rows
        if values.size < needed or (values.size > needed and stride is layer_stride is None):
            raise ValueError(f"{name}: into: {needed} bytes are needed, {values.size} are there")
        self.order.finish_uses(resource, for_reading=True)
        resource.pull()
        if box is None and level == 0 and stride is layer_stride is None:
            self._learn_texture(resource)
        if resource.samples == 1:
            self._copy_texels(resource, level, region, values, (layer, row))
        else:
            staging = with_room(self, lambda: make_staging(self.device, resource, level, region))
            self._copy_texels(staging, 0, Box(0, 0, 0, region.width, region.height, region.depth), values, (layer, row))
            staging.destroy()
        return None

    def _learn_texture(self, texture: Resource) -> None:
        """Let native entries read all texels of a texture for the second time, if they are rows of bytes without other copies.

        Entries keep known textures alive, and programs may make a new one for each frame.
        """
        if not texture.was_read:
            texture.was_read = True
            return
        is_plain = texture.user is None and not texture.decoded and isinstance(texture.format, Format)
        if is_plain and texture.samples == texture.levels[0].layers == 1:
            info, size = texture.levels[0], texture.format.block_bytes
            slot = TextureSlot(texture.address + info.offset, info.row_stride, size * info.width, info.height, id(texture.storage))
            self.state.known.learn(texture, Kind.TEXTURE, ctypes.addressof(slot), slot, texture.ended)

    def _upload(
        self, resource: Resource, first: int, values: NDArray[np.uint8], strides: tuple[int, int], row_bytes: int, rows: int
    ) -> bool:
        """Have the device write rows of bytes from byte `first` of a resource on. False: the caller has to wait and write.

        strides: bytes from row to row in the resource and in `values`.
        """
        if (
            resource.user is not None
            or resource.samples > 1
            or resource.decoded
            or resource.rendered
            or isinstance(resource.format, CompressedFormat)
        ):
            return False  # the bytes have copies
        if not row_bytes or not rows:
            return True
        job = Copy(address_of(values), strides[1], resource.address + first, strides[0], row_bytes, rows)
        return not np.may_share_memory(values, resource.storage) and self.device.upload(job, resource.storage)

    def _copy_texels(self, resource: Resource, level: int, box: Box, into: NDArray[np.uint8], strides: tuple[int, int]) -> None:
        """Copy a box of a level, counted in blocks, into memory of the caller in which layers and rows are `strides` bytes apart."""
        info, size = resource.levels[level], resource.format.block_bytes if not resource.is_buffer else 1
        tight, first, last = size * box.width, address_of(into), resource.address + resource.size
        if tight * box.height < LARGE_COPY or (first < last and first + into.size > resource.address):
            target = np.ndarray((box.depth, box.height, box.width, size), np.uint8, into.data, 0, (*strides, size, 1))
            target[...] = part(resource.blocks(level), box)
            return
        source = resource.address + info.offset + box.z * info.layer_stride + box.y * info.row_stride + box.x * size
        for k in range(box.depth):
            self.device.copy(Copy(source + k * info.layer_stride, info.row_stride, first + k * strides[0], strides[1], tight, box.height))

    def _check_transfer(self, transfer: TransferMap, name: str) -> None:
        if not isinstance(transfer, TransferMap):
            raise TypeError(f"{name}: transfer: expected an object from transfer_map, not {type(transfer).__name__}")
        if transfer.context is not self:
            raise ValueError(f"{name}: transfer: it belongs to another context")
