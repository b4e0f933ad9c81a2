"""The kernels of calls, by the names and keys that TGSI_DUMP gives them, without carrying the calls out.

The parts of a renderer and of a dispatcher that request kernels get a cache that notes the requests. They are made anew for each call,
because they request nothing for what they have met before. Draws of a vertex and a fragment shader, which are many, are remembered here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from backends.abi.records import Watch
from backends.device.bound import DrawState
from backends.device.framebuffer import Framebuffer
from backends.device.grid import ComputeBindings, ComputeShader, Grid, MeshDraw, compute_units
from backends.device.hazards import Reach, reach_of
from backends.device.region import Region
from backends.llvm.engine.kernel_cache import KernelCache, Key
from backends.pipe.state import DrawInfo
from backends.raster.draw.builder import DrawBuilder
from backends.raster.draw.cache import identity
from backends.raster.draw.packet import Packet
from backends.raster.draw.writer import DrawWriter
from backends.raster.kernels import Kernels
from tgsi.language.program import Program
from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.geometry.pipeline import Pipeline
    from backends.llvm.builder.function import Module
    from backends.llvm.engine.engine import Library

_MOST_KNOWN = 900
"""Draws whose kernels are remembered by their state."""


@record(frozen=False, eq=False)
class ListedKernel:
    """See `backends.device.interface.ListedKernel`. cpu: its target. make: builds its module."""

    key: Key
    cpu: str
    make: Callable[[], Module]
    of_program: bool

    @property
    def name(self) -> str:
        """The name of its files in TGSI_DUMP."""
        from backends.llvm.engine.dumps import kernel_name  # loads LLVM

        return kernel_name(self.key, self.cpu)

    @property
    def parts(self) -> str:
        """The parts of its key, one a line; programs have several lines."""
        return "\n".join(part if isinstance(part, str) else repr(part) for part in self.key)

    def assembly(self) -> str:
        """Its code as text. ValueError, MemoryError or RuntimeError if that cannot be made."""
        from backends.llvm.engine.codegen import assembly
        from backends.llvm.engine.linking import lock

        with lock:  # LLVM's calls must not overlap
            return assembly(self.make().text(), self.cpu)


class NotingCache(KernelCache):
    """The kernels of another cache. `requests` has the latest requests."""

    def __init__(self, inner: KernelCache) -> None:
        super().__init__(inner.cpu, inner.cache)
        self._inner = inner
        self._all: dict[Key, ListedKernel] = {}
        self.requests: list[ListedKernel] = []

    def get(self, key: Key, exports: Sequence[str], make: Callable[[], Module], of_program: bool = True) -> Library:
        """See KernelCache."""
        self._note(key, make, of_program)
        return self._inner.get(key, exports, make, of_program)

    def keep(self, key: Key, exports: Sequence[str], write: Callable[[Module], None]) -> Library:
        """See KernelCache."""
        self._note(key, self.module(key, write), of_program=False)
        return self._inner.keep(key, exports, write)

    def _note(self, key: Key, make: Callable[[], Module], of_program: bool) -> None:
        self.requests.append(self._all.setdefault(key, ListedKernel(key, self.cpu, make, of_program)))


class _NoSink:
    """The rasterizer of stages that do not run."""

    def enqueue(self, packet: Packet) -> None:
        """See Sink."""

    def carry_out(self) -> None:
        """See Sink."""

    def settle(self, reads: object, writes: object) -> None:
        """See Sink."""


class KernelLister:
    """See `backends.device.interface.KernelLister`. The arguments are those of a renderer or a dispatcher."""

    def __init__(self, threads: int | None, lanes: int | None, kernels: KernelCache) -> None:
        self._threads, self._lanes, self._setup_lanes = threads, lanes, None if lanes is None else min(lanes, 32)
        self._cache, self._region = NotingCache(kernels), Region()
        self._kernels = Kernels(self._cache)
        self._writer = DrawWriter(self._kernels, self._region, lanes, self._setup_lanes)
        self._known: dict[tuple[int, ...], tuple[object, Sequence[ListedKernel]]] = {}
        self._infos: dict[DrawInfo, DrawInfo] = {}

    def of_draw(self, state: DrawState, info: DrawInfo, framebuffer: Framebuffer) -> Sequence[ListedKernel]:
        """See `Device.draw`."""
        reach = _reach_of(state)
        if state.has_stages or (reach is not None and reach.is_early):
            return self._requested(lambda: self._make_staged(state, info, framebuffer))
        info = self._infos.setdefault(info, info)  # the same object for equal draws, as the state is known by its objects
        known = identity(state, info, framebuffer)
        key = tuple(map(id, known))
        if key not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
                self._infos = {info: info}
            self._known[key] = known, self._requested(lambda: self._writer.write(state, info, framebuffer))
        return self._known[key][1]

    def of_mesh(self, state: DrawState, draw: MeshDraw, framebuffer: Framebuffer) -> Sequence[ListedKernel]:
        """See `Device.draw_mesh`."""
        return self._requested(lambda: self._pipeline().make_mesh(state, draw, framebuffer, _reach_of(state)))

    def of_grid(self, shader: ComputeShader, program: Program, bindings: ComputeBindings, grid: Grid) -> Sequence[ListedKernel]:
        """See `Dispatcher.launch`."""
        from backends.compute.dispatch import Dispatcher

        dispatcher = Dispatcher(self._threads, self._lanes, self._cache)
        return self._requested(lambda: dispatcher.make(shader, program, bindings, grid))

    def _make_staged(self, state: DrawState, info: DrawInfo, framebuffer: Framebuffer) -> None:
        if self._pipeline().make(state, info, framebuffer) and framebuffer.width and framebuffer.height:
            self._writer.write(state, info, framebuffer)

    def _pipeline(self) -> Pipeline:
        """Stages that have met no draw before."""
        from backends.geometry.pipeline import Pipeline

        maker = DrawBuilder(self._kernels, self._region, self._lanes, self._setup_lanes)
        return Pipeline(maker, _NoSink(), compute_units(self._threads), Watch(0))

    def _requested(self, make: Callable[[], object]) -> Sequence[ListedKernel]:
        """The kernels that a function requests, each once."""
        self._cache.requests.clear()
        try:
            make()
        finally:
            self._region.reset()
        return list(dict.fromkeys(self._cache.requests))


def _reach_of(state: DrawState) -> Reach | None:
    """The memory that the programs of a draw may access, as the renderer asks for it."""
    return reach_of(state) if state.memory is not None else None
