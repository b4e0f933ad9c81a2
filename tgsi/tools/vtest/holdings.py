"""A client's resource: ours, the memory that it shares with the client in protocol 2, and the blocks of a compressed one."""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tgsi.tools.vtest.boxes import read_box, write_box

if TYPE_CHECKING:
    from backends.gallium.context.context import Context
    from backends.gallium.resource.resource import Box, Resource
    from tgsi.tools.vtest.compressed import Blocks


_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL


def shared_memory(size: int) -> int:
    """A descriptor of `size` zero bytes whose size nobody can change: a client that shrinks what we have mapped would kill us."""
    descriptor = os.memfd_create("tgsi-vtest", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(descriptor, size)
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


@dataclass(slots=True, eq=False)
class Holding:
    """A resource and, where there are some, the client's memory of it, and the blocks of which it shows the texels."""

    resource: Resource
    bind: int
    blocks: Blocks | None = None
    memory: mmap.mmap | None = None

    def strides(self, level: int) -> tuple[int, int]:
        """Bytes of a row and of a layer in the client's memory of a whole level. ValueError if there is no such level."""
        if self.resource.is_buffer:
            return 0, 0
        info = self.resource.level(level, "level")
        if self.blocks is not None:
            return self.blocks.strides(level)
        row = info.width * self.resource.format.block_bytes
        return row, row * info.height

    def write(self, context: Context, level: int, box: Box, data: memoryview, stride: int, layer_stride: int) -> None:
        """Bytes of the client into a box. Rows and layers are tight where their stride is 0 or there is one."""
        if self.blocks is not None:
            self.blocks.move(context, self.resource, level, box, data, (stride, layer_stride), reads=False)
        else:
            write_box(context, self.resource, level, box, data, stride, layer_stride)

    def read(self, context: Context, level: int, box: Box, data: memoryview, stride: int, layer_stride: int) -> None:
        """Bytes of a box to the client; as `write`. What lies between rows is not written."""
        if self.blocks is not None:
            self.blocks.move(context, self.resource, level, box, data, (stride, layer_stride), reads=True)
        else:
            read_box(context, self.resource, level, box, data, stride, layer_stride)

    def share(self, size: int) -> int:
        """Make `size` bytes of memory that both sides see; returns a descriptor that the caller closes. OSError if there is none."""
        descriptor = shared_memory(size)
        try:
            self.memory = mmap.mmap(descriptor, size)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def close(self) -> None:
        """Let go of both."""
        self.resource.destroy()
        memory, self.memory = self.memory, None
        if memory is not None:
            with contextlib.suppress(BufferError):  # an array still looks at it; it goes when that does
                memory.close()
