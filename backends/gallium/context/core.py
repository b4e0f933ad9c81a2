"""What every part of a context shares: the renderer, the bound state, and who has to wait for whom."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from backends.device import bound as packet
from backends.gallium.context.fence import Fence
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.view import Surface
from backends.pipe.enums import ResourceFlags, Transfer
from backends.pipe.state import BlendState, DepthStencilAlphaState, RasterizerState

if TYPE_CHECKING:
    from backends.device.interface import Device
    from backends.gallium.resource.screen_core import ScreenCore
    from backends.gallium.resource.transfer import TransferMap

NO_TARGETS = packet.Framebuffer(0, 0)


class ContextCore:
    """The base of `Context`; its parts derive from it and see each other's work only through it."""

    def __init__(self, screen: ScreenCore, device: Device) -> None:
        self.screen = screen
        self.device = device
        self.state = packet.DrawState(RasterizerState(), BlendState(), DepthStencilAlphaState())
        self.framebuffer = NO_TARGETS
        self.cbufs: tuple[Surface | None, ...] = ()
        self.zsbuf: Surface | None = None
        self.is_framebuffer_dirty = False
        self.completed = 0
        self._issued = 0
        self._shown = 0  # runs of the renderer whose results reached user memory
        self._persistent: set[TransferMap] = set()
        self._has_user_memory = False  # something was ever bound that is in `_user_memory`
        self._user_memory: weakref.WeakSet[Resource] = weakref.WeakSet()
        self._stored: set[Resource] = set()  # user memory that waiting draws may write through their shaders
        self.is_destroyed = False

    # -- order -----------------------------------------------------------------------------------------------------------
    def check_open(self) -> None:
        """ValueError after `destroy`."""
        if self.is_destroyed:
            raise ValueError("the context was destroyed")

    def synchronize(self) -> None:
        """Carry out everything so far; afterwards all bytes are in memory."""
        self.check_open()
        self.device.flush()
        self.completed = self._issued
        self._show()

    def _show(self) -> None:
        """Bound targets in memory of the caller get what was drawn."""
        self._shown = self.device.runs
        for target in (*self.cbufs, self.zsbuf):
            if target is not None:
                target.texture.push()
        while self._stored:
            self._stored.pop().push()

    def new_fence(self) -> Fence:
        """A fence behind everything so far."""
        self._issued += 1
        return Fence(self, self._issued)

    def is_busy(self, resource: Resource) -> bool:
        """Work that is not carried out yet reads or writes the resource."""
        return self.device.uses(resource.address, resource.size)

    def finish_uses(self, resource: Resource) -> None:
        """Carry out pending work that reads or writes the resource."""
        if self.device.uses(resource.address, resource.size):
            self.synchronize()
        elif self._user_memory:
            self.show_runs()

    def begin_write(self, resource: Resource) -> None:
        """Before a part of a resource is filled at once: pending work is carried out, memory of the caller is read."""
        self.finish_uses(resource)
        resource.pull()

    def show_runs(self) -> None:
        """Before user memory is read: the renderer may have drawn into it without being asked, at a query or when it held much."""
        if self.device.runs != self._shown:
            self._show()

    def prepare(self) -> None:
        """What comes before a draw or a clear: bound targets reach the renderer, user memory is read."""
        if self.is_destroyed:
            self.check_open()
        if self.is_framebuffer_dirty:
            self.device.set_framebuffer(self.framebuffer)
            self.is_framebuffer_dirty = False
        if self._has_user_memory:
            self.prepare_user_memory()

    def prepare_user_memory(self) -> None:
        """The part of `prepare` for memory of the caller."""
        if not self.device.pending:
            self.show_runs()
            for resource in self._user_memory:
                resource.pull()

    def finish_draw(self) -> None:
        """What comes after a draw: with a persistent mapping alive, memory is read before the caller goes on."""
        if self._persistent:
            self.synchronize()

    # -- resources -------------------------------------------------------------------------------------------------------
    def check_resource(self, resource: Any, argument: str) -> Resource:
        """TypeError for another thing, ValueError for a resource of another screen or a destroyed one."""
        if not isinstance(resource, Resource):
            raise TypeError(f"{argument}: a Resource is wanted, not {type(resource).__name__}")
        if resource.screen is not self.screen:
            raise ValueError(f"{argument}: it belongs to another screen")
        if resource.is_destroyed:
            raise ValueError(f"{argument}: it was destroyed")
        return resource

    def note_use(self, resource: Resource) -> None:
        """A resource is bound: user memory is to be carried over from now on."""
        if resource.user is not None:
            self._user_memory.add(resource)
            self._has_user_memory = True
            self.show_runs()
            if not self.is_busy(resource):
                resource.pull()

    def mapping_began(self, mapped: TransferMap) -> None:
        """A mapping starts."""
        if mapped.usage & Transfer.PERSISTENT and mapped.resource.flags & ResourceFlags.MAP_PERSISTENT:
            self._persistent.add(mapped)

    def mapping_ended(self, mapped: TransferMap) -> None:
        """A mapping ends."""
        self._persistent.discard(mapped)
        if mapped.usage & Transfer.WRITE:
            mapped.resource.push()

    def allows_rendering(self) -> bool:
        """The render condition lets draws, clears and blits through. Queries override this."""
        return True
