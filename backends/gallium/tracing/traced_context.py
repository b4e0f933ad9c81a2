"""The context whose calls are recorded in a file."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from ctypes import c_uint64
from typing import Any

from backends.device.calls.row import Does, Row
from backends.device.calls.table import ALIASES, UNRECORDED
from backends.device.interface import Device
from backends.gallium.context.context import Context
from backends.gallium.resource.screen_core import ScreenCore
from backends.gallium.resource.transfer import TransferMap
from backends.gallium.threads.gate import one_at_a_time
from backends.gallium.tracing.tracer import OF_CONTEXT, Tracer


class TracedContext(Context):
    """A context made by ``Screen.context_create(trace=PATH)``.

    Every call goes into the file: objects, shaders, resources with their bytes, draws, and digests of everything read. Resources over
    memory of the caller, and objects of other contexts, are refused with TypeError, because a trace cannot record their changes.
    Writes to a resource in another way (by another context, or through an array of its memory) are missed; when the trace is played, the
    digests differ, and the player names the resource.

    _tracer: records the calls.
    """

    is_observed = True
    native_cell = c_uint64(0)

    def __init__(self, screen: ScreenCore, device: Device, *, trace: str | os.PathLike[str], priv: Any = None, flags: int = 0) -> None:
        super().__init__(screen, device, priv=priv, flags=flags)
        device.install_entries(TracedContext, is_observed=True)
        self._tracer = Tracer(self, trace, self.native_cell)

    def destroy(self) -> None:
        """End the trace, carry out pending work and release everything."""
        if not self.is_destroyed:
            self._tracer.close()
        super().destroy()

    def _mapping_ended(self, mapped: TransferMap) -> None:
        """Note the end of a mapping, and record what was written to it."""
        super()._mapping_ended(mapped)
        self._tracer.mapping_ended(mapped)


def plain_method(name: str) -> Callable[..., Any]:
    """The underlying method of a part of the context, without the lock of the context and without generated code."""
    return next(vars(part)[name] for part in Context.__mro__[1:] if name in vars(part))  # type: ignore[no-any-return]


def _recorded(method: Row) -> Callable[..., Any]:
    function = plain_method(method.name)

    @functools.wraps(function)
    def call(self: TracedContext, /, *args: Any, **given: Any) -> Any:
        return self._tracer.call(method, function, args, given)

    return call


def _refused(name: str) -> Callable[..., Any]:
    @functools.wraps(plain_method(name))
    def call(self: TracedContext, /, *args: Any, **given: Any) -> Any:
        raise TypeError(f"trace: {name}: it takes addresses of memory, which a trace cannot record")

    return call


for _name, _method in OF_CONTEXT.items():
    setattr(TracedContext, _name, _recorded(_method))
for _alias, _name in ALIASES.items():
    setattr(TracedContext, _alias, getattr(TracedContext, _name))
for _name, _does in UNRECORDED.items():
    if _does is Does.ADDRESS:
        setattr(TracedContext, _name, _refused(_name))
one_at_a_time(TracedContext)
