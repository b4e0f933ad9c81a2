"""A client's resource: ours, and the memory that it shares with the client in protocol 2."""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backends.gallium.resource import Resource


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
    """A resource and, where there is some, the client's memory of it."""

    resource: Resource
    bind: int
    memory: mmap.mmap | None = None

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
