"""Flushes, barriers and fences: the points at which pending work is carried out."""

from __future__ import annotations

from collections.abc import Sequence

from backends.device.commands.bound_record import Hindrance
from backends.device.counters import FlushReason
from backends.gallium.context.core import ContextCore
from backends.gallium.resource.resource import Box, Resource
from backends.gallium.threads.fence import Fence
from backends.pipe.checks import flags as as_flags
from backends.pipe.enums import Barrier, FlushFlags, TextureBarrier


class Flushing(ContextCore):
    """The end of pending work: flush, barriers, fence_server_sync, lack of memory; and hints about the content of resources."""

    def flush(self, flags: FlushFlags | int | str | Sequence[str] = FlushFlags.NONE) -> Fence:
        """Carry out everything so far and return a fence after it. DEFERRED leaves the work to the caller that finishes the fence.

        (context.rst, "Flushing")
        """
        how = as_flags(FlushFlags, flags, "flush: flags")
        fence = Fence(self, self.order.next_fence(), self.screen)
        if not how & FlushFlags.DEFERRED:
            self.order.synchronize()
        return fence

    def texture_barrier(self, flags: TextureBarrier | int | str = TextureBarrier.SAMPLER) -> None:
        """Make everything rendered so far visible to samples of later draws, even if a bound target is sampled.

        (context.rst, "Transfers")
        """
        as_flags(TextureBarrier, flags, "texture_barrier: flags")
        self.order.synchronize()

    def memory_barrier(self, flags: Barrier | int | str | Sequence[str] = Barrier.ALL) -> None:
        """Make writes visible for the uses in PIPE_BARRIER flags: pending work is carried out. Mappings are the memory itself and need
        nothing.

        (context.rst, "Transfers")
        """
        as_flags(Barrier, flags, "memory_barrier: flags")
        self.order.synchronize()

    def flush_resource(self, resource: Resource) -> None:
        """Carry out pending uses of a resource, so that its memory may be used elsewhere. (context.rst, "Flushing")"""
        self.order.finish_uses(self.checks.resource(resource, "flush_resource: resource"))

    def invalidate_resource(self, resource: Resource) -> None:
        """Declare the content of a resource void: a hint, the bytes stay. (p_context.h)"""
        self.checks.resource(resource, "invalidate_resource: resource")

    def resource_commit(self, resource: Resource, *, level: int = 0, box: Box | Sequence[int] | None = None, commit: bool = True) -> bool:
        """Commit memory of a sparse resource. Always False: this driver never resets. (p_context.h)"""
        self.checks.resource(resource, "resource_commit: resource")
        return False

    def fence_server_sync(self, fence: Fence) -> None:
        """Make later work wait for a fence: the fence is finished at once. (p_context.h)"""
        name = "fence_server_sync"
        if self.is_destroyed:
            raise ValueError(f"{name}: the context was destroyed")
        if not isinstance(fence, Fence):
            raise TypeError(f"{name}: fence: expected a Fence, not {type(fence).__name__}")
        if fence.screen is not self.screen:
            raise ValueError(f"{name}: fence: it belongs to another screen")
        fence.finish()

    def _make_room(self) -> None:
        """Carry out pending work, and release cached memory."""
        if self.device.pending:
            self.order.synchronize(FlushReason.MEMORY)
        if self.state.record.hindrances & Hindrance.TARGETS:  # otherwise the device keeps objects of the latest draw
            self.device.set_framebuffer(self.targets.framebuffer)
            self.state.hinder(Hindrance.TARGETS, False)
        for forget in self._memories:
            forget()
        self.state.let_go()
        self.device.let_go()
