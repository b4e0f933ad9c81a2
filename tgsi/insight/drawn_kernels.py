"""The kernels of recorded draws, by the names and keys that TGSI_DUMP gives them.

Draws share kernels, and a draw whose state was seen before requests none. So each draw with new state gets its record written a second
time, by a writer that notes the requests; nothing is drawn. Only `backends.software` compiles kernels, so this module imports it; all
others use `backends.device.interface`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from backends.device.region import Region
from backends.gallium.context.buffers import index_memory
from backends.gallium.tracing.printing import Handle
from backends.llvm.engine.kernel_cache import KernelCache, Key, kernels_for
from backends.pipe.enums import Prim, lookup
from backends.pipe.state import DrawInfo
from backends.raster.draw.cache import identity
from backends.raster.draw.writer import DrawWriter
from backends.raster.kernels import Kernels
from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.gallium.screen.screen import Screen
    from backends.llvm.builder.function import Module
    from backends.llvm.engine.engine import Library

_MOST_KNOWN = 900
"""Most states of draws whose kernels are remembered."""
_FIELDS = {item.name for item in fields(DrawInfo)}
_UNKNOWN = ("indirect", "count_from_stream_output")
"""Arguments of draws that read their number of vertices from memory."""
_REFUSALS = (ValueError, TypeError, MemoryError, RuntimeError)


@record(frozen=False, eq=False)
class DrawnKernel:
    """A kernel of draws.

    Attributes: cpu: the target. make: builds the LLVM module. of_program: the kernel is generated from a shader. draws: number of draws
    that use it.
    """

    key: Key
    cpu: str
    make: Callable[[], Module]
    of_program: bool
    draws: int = 0

    @property
    def name(self) -> str:
        """The name of its files in TGSI_DUMP."""
        from backends.llvm.engine.dumps import kernel_name  # loads LLVM

        return kernel_name(self.key, self.cpu)

    @property
    def parts(self) -> str:
        """The parts of the key, one per line; programs take several lines."""
        return "\n".join(part if isinstance(part, str) else repr(part) for part in self.key)

    def assembly(self) -> str:
        """The machine code as text. ValueError, MemoryError or RuntimeError if it cannot be compiled."""
        from backends.llvm.engine.codegen import assembly
        from backends.llvm.engine.linking import lock

        with lock:  # LLVM's calls must not overlap
            return assembly(self.make().text(), self.cpu)


class NotingCache(KernelCache):
    """A cache that passes requests on to another one and notes them: `requests` has the latest, `all` every kernel by its key."""

    def __init__(self, inner: KernelCache) -> None:
        super().__init__(inner.cpu, inner.cache)
        self._inner = inner
        self.requests: list[DrawnKernel] = []
        self.all: dict[Key, DrawnKernel] = {}

    def get(self, key: Key, exports: Sequence[str], make: Callable[[], Module], of_program: bool = True) -> Library:
        """See KernelCache."""
        self._note(key, make, of_program)
        return self._inner.get(key, exports, make, of_program)

    def keep(self, key: Key, exports: Sequence[str], write: Callable[[Module], None]) -> Library:
        """See KernelCache."""
        self._note(key, self.module(key, write), of_program=False)
        return self._inner.keep(key, exports, write)

    def _note(self, key: Key, make: Callable[[], Module], of_program: bool) -> None:
        self.requests.append(self.all.setdefault(key, DrawnKernel(key, self.cpu, make, of_program)))


class DrawnKernels:
    """The kernels of the draws of a recording."""

    def __init__(self, screen: Screen) -> None:
        """screen: its settings choose the kernels."""
        lanes, cache = screen.lanes, screen.cache_dir
        self._cache, self._region = NotingCache(kernels_for(screen.cpu, False if cache is None else cache)), Region()
        self._writer = DrawWriter(Kernels(self._cache), self._region, lanes, None if lanes is None else min(lanes, 32))
        self._known: dict[tuple[int, ...], tuple[object, list[DrawnKernel]]] = {}
        self._infos: dict[DrawInfo, DrawInfo] = {}
        self._numbers: dict[Key, int] = {}

    @property
    def listed(self) -> list[DrawnKernel]:
        """The kernels of all draws so far, in the order of their numbers."""
        return [self._cache.all[key] for key in self._numbers]

    def of_draw(self, context: Any, named: Mapping[str, Any], find: Callable[[int], Any]) -> list[int] | None:
        """Numbers of the kernels of a draw with the state that is bound to a context, without drawing.

        named: the recorded arguments. find: returns the object of a handle. The result is None if the kernels are unknown: with more than
        two stages, with counts in memory, and for calls that raise.
        """
        state: Any = context.state
        if state.has_stages or any(named.get(name) is not None for name in _UNKNOWN):
            return None
        bound = state.index_buffer
        try:
            info, index = _info(named), named.get("index")
            if index is not None:
                index = find(index.number) if isinstance(index, Handle) else index
                state.index_buffer = index_memory(context, index, named.get("index_offset") or 0, "kernels")
            info = self._infos.setdefault(info, info)  # equal draws share one object, because states are compared by identity
            kernels = self._requested(context, state, info)
        except _REFUSALS:
            return None
        finally:
            state.index_buffer = bound
        for kernel in kernels:
            kernel.draws += 1
        return [self._numbers.setdefault(kernel.key, len(self._numbers)) for kernel in kernels]

    def _requested(self, context: Any, state: Any, info: DrawInfo) -> list[DrawnKernel]:
        """The kernels that a draw's record names, without duplicates."""
        framebuffer = context.targets.framebuffer
        known = identity(state, info, framebuffer)
        key = tuple(map(id, known))
        if key in self._known:
            return self._known[key][1]
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._cache.requests.clear()
        try:
            self._writer.write(state, info, framebuffer)
        finally:
            self._region.reset()
        kernels = list(dict.fromkeys(self._cache.requests))
        self._known[key] = known, kernels
        return kernels


def _info(named: Mapping[str, Any]) -> DrawInfo:
    """The DrawInfo of a recorded call."""
    positional, index = named.get("info"), named.get("index")
    values = {name: value for name, value in named.items() if name in _FIELDS}
    info = positional if isinstance(positional, DrawInfo) else DrawInfo(**values | {"mode": lookup(Prim, values.get("mode", 0), "mode")})
    if isinstance(index, np.ndarray):  # the array's size replaces missing fields
        info = replace(info, index_size=index.itemsize, count=info.count or max(0, index.size - info.start))
    return info
