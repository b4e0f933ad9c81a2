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
from backends.gallium.resource.screen_core import ScreenCore
from backends.gallium.threads.gate import one_at_a_time
from backends.gallium.tracing.observed_context import ObservedContext, plain_method
from backends.gallium.tracing.trace_file import TraceFile
from backends.gallium.tracing.tracer import OF_CONTEXT, Tracer


class TracedContext(ObservedContext):
    """A context made by ``Screen.context_create(trace=PATH)``.

    Every call goes into the file: objects, shaders, resources with their bytes, draws, and digests of everything read. Resources over
    memory of the caller, and objects of other contexts, are refused with TypeError, because a trace cannot record their changes.
    Writes to a resource in another way (by another context, or through an array of its memory) are missed; when the trace is played, the
    digests differ, and the player names the resource.
    """

    native_cell = c_uint64(0)

    def __init__(self, screen: ScreenCore, device: Device, *, trace: str | os.PathLike[str], priv: Any = None, flags: int = 0) -> None:
        super().__init__(screen, device, priv=priv, flags=flags)
        device.install_entries(TracedContext, is_observed=True)
        self._tracer = Tracer(self, TraceFile(trace, self.state.record, self.native_cell))


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
