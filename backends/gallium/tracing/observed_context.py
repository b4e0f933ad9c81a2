"""Shared parts of contexts whose calls are recorded, in a file or in memory as a history."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_uint64
from typing import Any, ClassVar

from backends.gallium.context.context import Context
from backends.gallium.resource.transfer import TransferMap
from backends.gallium.tracing.tracer import Tracer


class ObservedContext(Context):
    """A context with a tracer.

    native_cell: of the class, for `BoundRecord.python`; see `Device.install_entries`. _tracer: records the calls.
    """

    is_observed = True
    native_cell: ClassVar[c_uint64]
    _tracer: Tracer

    def destroy(self) -> None:
        """End the recording, carry out pending work and release everything."""
        if not self.is_destroyed:
            self._tracer.close()
        super().destroy()

    def _mapping_ended(self, mapped: TransferMap) -> None:
        """Note the end of a mapping, and record what was written to it."""
        self.order.mapping_ended(mapped)
        self._tracer.mapping_ended(mapped)


def plain_method(name: str) -> Callable[..., Any]:
    """The underlying method of a part of the context, without the lock of the context and without generated code."""
    return next(vars(part)[name] for part in Context.__mro__[1:] if name in vars(part))  # type: ignore[no-any-return]
