"""The interface between Gallium and a device that draws: everything that a context needs from a device, as Protocols.

`backends.gallium` and `tgsi.tools` use a device only through this module. `backends.software` is the device made of CPUs; tests plug in
one that records calls and draws nothing.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar, cast

from backends.device.bound import DrawState
from backends.device.commands.many_draws import ManyDraws
from backends.device.copy_job import Copy
from backends.device.counters import FlushReason, Intervals, Statistics
from backends.device.framebuffer import Framebuffer
from backends.device.grid import ComputeBindings, ComputeShader, Grid, MeshDraw
from backends.device.resolve_job import Resolve
from backends.pipe.state import DrawInfo
from tgsi.language.program import Program

if TYPE_CHECKING:
    from backends.device.scale_job import Scale

P = ParamSpec("P")
R = TypeVar("R")


class Settings(Protocol):
    """The settings of a device, from its Screen.

    threads: native workers in addition to the caller, None for the device's own choice. lanes: width of vectors, None likewise.
    cpu: "host" or an x86-64 level. cache_dir: directory of compiled kernels, None for none.
    time_limit: not None if calls of contexts may have a budget (`tgsi.language.budgets`).
    """

    threads: int | None
    lanes: int | None
    cpu: str
    cache_dir: Path | None
    time_limit: float | None


class TargetTable(Protocol):
    """Render targets that generated code can bind, because they were bound before."""

    def prepare(self, framebuffer: Framebuffer) -> int:
        """An address for `BoundRecord.targets`; 0: the device has no generated code."""
        ...

    def end(self, address: int) -> None:
        """Release targets that no `BoundRecord` names any more."""
        ...


class Device(Protocol):
    """Draws for one context. Work is accepted in order and may wait until `flush`; all calls come from the thread that owns the context.

    runs: number of times that render targets were written; it grows at flushes, and when the device flushes by itself.
    """

    @property
    def runs(self) -> int:
        """See above."""
        ...

    @property
    def targets(self) -> TargetTable:
        """The table of targets for generated code."""
        ...

    @property
    def intervals(self) -> Intervals:
        """Samples that passed in each interval of occlusion queries; draws count in the `interval` of the bound record."""
        ...

    @property
    def pending(self) -> bool:
        """True if some work waits for a flush."""
        ...

    def attach(self, state: DrawState) -> None:
        """Attach the state of the context. A device with generated code writes `executor` and `draw_entry` of `state.record`."""
        ...

    def install_entries(self, owner: type, *, is_observed: bool = False) -> None:
        """Replace hot methods of the context class by native entries, if the device has any; see `backends.entries`.

        is_observed: entries append each call that they carry out to the memory at `recorded_at` of the context's `BoundRecord`.
        """
        ...

    def reader_entry(self, name: str = "read") -> int:
        """Address of generated code for a client's messages, or 0.

        name: "read" for that of `backends.device.commands.reader`, "answer_waits" for that of `backends.device.commands.waits`.
        """
        ...

    def note_compilations(self, note: Callable[[bool], None]) -> None:
        """Call `note(True)` when the compilation of a kernel begins and `note(False)` when it ends, from any thread."""
        ...

    def set_framebuffer(self, framebuffer: Framebuffer) -> None:
        """Bind render targets. ValueError for more or larger ones than the device has."""
        ...

    def draw(self, state: DrawState, info: DrawInfo) -> None:
        """Take one draw. UnsupportedError, before anything is drawn, for state that the device does not have."""
        ...

    def draw_many(self, state: DrawState, many: ManyDraws) -> None:
        """Take rows of draws from `many.record.next` on, incrementing it, up to the first that needs Python. Zero rows are allowed."""
        ...

    def draw_mesh(self, state: DrawState, draw: MeshDraw) -> Sequence[str]:
        """Take one draw of meshes. `state` has a mesh shader; its vertex, tessellation and geometry shaders are ignored.

        Returns the faults of its programs, with their counts: outputs beyond their limits, vertices that do not exist. Nothing of a
        fault is drawn. UnsupportedError, before anything is drawn, for state that the device does not have.
        """
        ...

    def clear(self, buffers: int, color: Sequence[int], depth: float, stencil: int) -> None:
        """Take a clear of whole bound targets, all layers, without scissor or masks.

        buffers: PIPE_CLEAR bits. color: four 32-bit words, float bits or, for integer formats, integers.
        """
        ...

    def resolve(self, job: Resolve, *, waits: bool = True) -> None:
        """Take a multisample resolve; without `waits`, resolve at once, before pending work."""
        ...

    def scale(self, job: Scale) -> None:
        """Scale a box of texels at once; the context has flushed pending work that uses its memory."""
        ...

    def copy(self, job: Copy) -> None:
        """Copy rows of bytes at once; the context has flushed pending work that uses their memory."""
        ...

    def upload(self, job: Copy, owner: object) -> bool:
        """Write rows of bytes after pending work, and before later work. The bytes of the source are read at once.

        owner: keeps the target's memory alive. Returns False, with nothing done, if the context has to flush the work that uses the target
        and write the rows itself.
        """
        ...

    def uses(self, address: int, size: int, *, for_reading: bool = False) -> bool:
        """Return whether pending work reads or writes any of `size` bytes at `address`; if the caller only reads, whether it writes any."""
        ...

    def flush(self, reason: FlushReason = FlushReason.ASKED) -> None:
        """Carry out all pending work; on return all bytes are in memory. A device may count the reasons."""
        ...

    def let_go(self) -> None:
        """Release cached memory of resources that neither pending work nor bindings use."""
        ...

    def use_pause(self) -> None:
        """Carry out pending work while the caller is idle, if no result depends on when this happens."""
        ...

    def statistics(self, *, flushes: bool = True) -> Statistics:
        """Return the counters since the device was made. Without a preceding flush, only the counters of stream output are up to date."""
        ...

    def close(self) -> None:
        """Flush, then end the threads."""
        ...


class Dispatcher(Protocol):
    """Runs compute grids for one context."""

    def lanes_for(self, program: Program) -> int:
        """Return the number of invocations that run side by side, which is the size of a subgroup."""
        ...

    def launch(self, shader: ComputeShader, program: Program, bindings: ComputeBindings, grid: Grid) -> None:
        """Run every block of a grid; on return all its bytes are in memory."""
        ...

    def close(self) -> None:
        """End the threads."""
        ...


class ListedKernel(Protocol):
    """A kernel that calls use. Equal kernels of a lister are the same object.

    Attributes: of_program: it is generated from a shader.
    """

    of_program: bool

    @property
    def name(self) -> str:
        """The name of its files in TGSI_DUMP."""
        ...

    @property
    def parts(self) -> str:
        """All that its code depends on, one part a line; programs have several lines."""
        ...

    def assembly(self) -> str:
        """Its code as text. ValueError, MemoryError or RuntimeError if that cannot be made."""
        ...


class KernelLister(Protocol):
    """Lists the kernels of calls without carrying them out, each once. UnsupportedError and ValueError as from the call."""

    def of_draw(self, state: DrawState, info: DrawInfo, framebuffer: Framebuffer) -> Sequence[ListedKernel]:
        """The kernels of `Device.draw`."""
        ...

    def of_mesh(self, state: DrawState, draw: MeshDraw, framebuffer: Framebuffer) -> Sequence[ListedKernel]:
        """The kernels of `Device.draw_mesh`."""
        ...

    def of_grid(self, shader: ComputeShader, program: Program, bindings: ComputeBindings, grid: Grid) -> Sequence[ListedKernel]:
        """The kernels of `Dispatcher.launch`."""
        ...


class DeviceFactory(Protocol):
    """Makes the devices of a screen's contexts; `Screen(device=...)` takes one."""

    def make_device(self, settings: Settings) -> Device:
        """Make the device of a new context. ValueError if this machine does not support the settings."""
        ...

    def make_dispatcher(self, settings: Settings) -> Dispatcher:
        """Make the dispatcher that runs the grids of a context; called at a context's first compute call."""
        ...

    def make_kernel_lister(self, settings: Settings) -> KernelLister | None:
        """Make an object that lists the kernels of calls; None if the device has no kernels."""
        ...


def weak_method(method: Callable[P, R]) -> Callable[[], Callable[P, R] | None]:
    """Return a function that returns the bound method, or None once its object is gone: for callbacks from a device.

    `weakref.WeakMethod` does the same, but prints "Exception ignored" at the end of a process whose last traceback holds its object.
    """
    owner = weakref.ref(getattr(method, "__self__"))  # noqa: B009 (a Callable has none for mypy)
    name = method.__name__

    def bound() -> Callable[P, R] | None:
        return cast("Callable[P, R] | None", getattr(owner(), name, None))

    return bound
