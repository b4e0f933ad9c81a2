"""Resource of a client, with the memory that server and client share in protocol 2."""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from tgsi.tools.vtest.protocol.boxes import needed_bytes, read_box, write_box

if TYPE_CHECKING:
    from backends.gallium.context.context import Context
    from backends.gallium.resource.resource import Box, Resource


_GAPS = 1 << 16  # bytes
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL


def shared_memory(size: int) -> int:
    """Descriptor of `size` zero bytes with a sealed size: if a client could shrink mapped memory, access to it would kill the server."""
    descriptor = os.memfd_create("tgsi-vtest", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(descriptor, size)
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


class Holding:
    """Resource of a client. `memory`: the client's memory of the resource, if shared; `address`: of its first byte.

    Args:
        bind: uses that the client named.
        resource: the resource, or a function that creates it on first use. Clients create and free a buffer in each frame that only
            represents a fence.
    """

    def __init__(self, bind: int, resource: Resource | Callable[[], Resource]) -> None:
        self.bind = bind
        self.memory: mmap.mmap | None = None
        self.address = 0
        self._make = resource if callable(resource) else None
        self._resource = None if callable(resource) else resource

    @property
    def resource(self) -> Resource:
        """The resource, created on first use. Raises MemoryError."""
        if self._resource is None:
            assert self._make is not None
            self._resource = self._make()
        return self._resource

    @property
    def is_made(self) -> bool:
        """True if the resource was created already."""
        return self._resource is not None

    def strides(self, level: int) -> tuple[int, int]:
        """Bytes of a row and of a layer in the client's memory of a whole level. Raises ValueError for a missing level."""
        if self.resource.is_buffer:
            return 0, 0
        self.resource.level(level, "level")
        _, rows, columns, size = self.resource.blocks(level).shape
        return columns * size, rows * columns * size

    @property
    def most_shared(self) -> int:
        """The most bytes that a client shares for the resource; clients may place rows and levels with gaps."""
        return 2 * (self._resource.size if self._resource is not None else 0) + _GAPS

    def needed(self, level: int, box: Box, stride: int, layer_stride: int) -> int:
        """Bytes of the client that a box takes, with strides as in `write`. ValueError for a box outside of the resource."""
        return needed_bytes(self.resource, level, box, stride, layer_stride)

    def write(self, context: Context, level: int, box: Box, data: memoryview, stride: int, layer_stride: int) -> None:
        """Copy bytes of the client into a box. A stride of 0, or one that separates nothing, means tight rows or layers."""
        write_box(context, self.resource, level, box, data, stride, layer_stride)

    def read(self, context: Context, level: int, box: Box, data: memoryview, stride: int, layer_stride: int) -> None:
        """Copy a box into the client's bytes, with strides as in `write`. Bytes between rows are not written."""
        read_box(context, self.resource, level, box, data, stride, layer_stride)

    def share(self, size: int) -> int:
        """Create `size` bytes of shared memory. Returns a descriptor that the caller closes. Raises OSError if memory runs out."""
        descriptor = shared_memory(size)
        try:
            self.memory = mmap.mmap(descriptor, size)
            self.address = int(np.frombuffer(self.memory, np.uint8).ctypes.data)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def close(self) -> None:
        """Destroy the resource and unmap the shared memory."""
        if self._resource is not None:
            self._resource.destroy()
        memory, self.memory = self.memory, None
        if memory is not None:
            with contextlib.suppress(BufferError):  # an array still refers to the mapping, and frees it at its end
                memory.close()
