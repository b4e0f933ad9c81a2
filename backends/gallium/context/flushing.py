"""Flushes, barriers and fences: when work is carried out, and who sees its bytes."""

from __future__ import annotations

from collections.abc import Sequence

from backends.gallium.context.core import ContextCore
from backends.gallium.context.fence import Fence
from backends.gallium.resource.resource import Box, Resource
from backends.pipe.checks import flags as as_flags
from backends.pipe.enums import Barrier, FlushFlags, TextureBarrier


class Flushing(ContextCore):
    """flush, fence_server_sync, texture_barrier, memory_barrier, flush_resource and their kin."""

    def flush(self, flags: FlushFlags | int | str | Sequence[str] = FlushFlags.NONE) -> Fence:
        """Carry out everything so far and return a fence behind it. DEFERRED leaves the work to whoever finishes the fence."""
        self.check_open()
        how = as_flags(FlushFlags, flags, "flush: flags")
        fence = self.new_fence()
        if not how & FlushFlags.DEFERRED:
            self.synchronize()
        return fence

    def texture_barrier(self, flags_: TextureBarrier | int | str = TextureBarrier.SAMPLER) -> None:
        """What was rendered so far is seen by samples of later draws, of the bound targets too."""
        as_flags(TextureBarrier, flags_, "texture_barrier: flags")
        self.synchronize()

    def memory_barrier(self, flags_: Barrier | int | str | Sequence[str] = Barrier.ALL) -> None:
        """Make writes visible as PIPE_BARRIER flags say. Mapped memory is the memory that is rendered with, so only work waits."""
        as_flags(Barrier, flags_, "memory_barrier: flags")
        self.synchronize()

    def flush_resource(self, resource: Resource) -> None:
        """Finish what reads or writes a resource, so that others may use its memory."""
        self.finish_uses(self.check_resource(resource, "flush_resource: resource"))

    def invalidate_resource(self, resource: Resource) -> None:
        """The content of a resource is no longer needed (a hint; it stays as it is)."""
        self.check_resource(resource, "invalidate_resource: resource")

    def resource_commit(self, resource: Resource, *, level: int = 0, box: Box | Sequence[int] | None = None, commit: bool = True) -> bool:
        """Commit memory of a sparse resource: there are none, so False."""
        self.check_resource(resource, "resource_commit: resource")
        return False

    def fence_server_sync(self, fence: Fence) -> None:
        """Later work waits for a fence."""
        if not isinstance(fence, Fence):
            raise TypeError(f"fence_server_sync: fence: a Fence is wanted, not {type(fence).__name__}")
        fence.finish()
