"""The rendering context: every method of Gallium's pipe_context under its own name."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from backends.gallium.context.bindless import Bindless
from backends.gallium.context.clears import Clears
from backends.gallium.context.compute import Compute
from backends.gallium.context.constants import ConstantMemory
from backends.gallium.context.copies import Copies
from backends.gallium.context.draws import Draws
from backends.gallium.context.extras import Extras
from backends.gallium.context.fence import Fence
from backends.gallium.context.queries import Queries
from backends.pipe.checks import flags as as_flags
from backends.pipe.enums import FlushFlags

if TYPE_CHECKING:
    from backends.device.interface import Device
    from backends.gallium.resource.screen_core import ScreenCore


class Context(Queries, Draws, Clears, Copies, Compute, Bindless, Extras):
    """A context of a screen: bound state, and what is drawn with it. Made by `Screen.context_create`.

    Arguments behind the first are keywords. Enumerations are taken as members, numbers or names, with or without PIPE_ prefix.
    Misuse raises TypeError or ValueError naming the argument; what is not supported yet raises UnsupportedError naming it. Every
    ``destroy_`` method of a triplet is also there as ``delete_``. One owner at a time; use it as a context manager or call
    `destroy`.
    """

    def __init__(self, screen: ScreenCore, device: Device, *, priv: Any = None, flags: int = 0) -> None:
        super().__init__(screen, device)
        self.priv = priv
        self.flags = flags
        self._interned = {}
        self._halves = {}
        self._constants = ConstantMemory()
        self._active = set()
        self._checked = {}
        self._made = {}

    def __repr__(self) -> str:
        return f"<Context of {self.screen.get_name()!r}{', destroyed' if self.is_destroyed else ''}>"

    def flush(self, flags: FlushFlags | int | str | Sequence[str] = FlushFlags.NONE) -> Fence:
        """Carry out everything so far and return a fence behind it. DEFERRED leaves the work to whoever finishes the fence."""
        self.check_open()
        how = as_flags(FlushFlags, flags, "flush: flags")
        fence = self.new_fence()
        if not how & FlushFlags.DEFERRED:
            self.synchronize()
        return fence

    def destroy(self) -> None:
        """Carry out what is pending and let go of everything. Further calls raise ValueError; destroying twice is allowed."""
        if self.is_destroyed:
            return
        try:
            self.synchronize()
        finally:
            self.is_destroyed = True
            self.device.close()
            self.close_compute()

    def __enter__(self) -> Context:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.destroy()
