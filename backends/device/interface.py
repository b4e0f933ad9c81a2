"""What a context asks of a device: the border between Gallium and whatever draws."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from backends.device.bound import DrawState, Framebuffer
from backends.device.counters import Statistics
from backends.device.grid import ComputeBindings, ComputeShader, Grid
from backends.device.resolve_job import Resolve
from backends.pipe.state import DrawInfo
from tgsi.language.program import Program


class Settings(Protocol):
    """What a device is made from; a Screen has it."""

    threads: int | None
    lanes: int | None
    cpu: str
    cache_dir: Path | None


class Device(Protocol):
    """Draws for one context. Work is taken at once and carried out by `flush`."""

    runs: int
    kernels: Any

    @property
    def pending(self) -> bool:
        """Some work waits for a flush."""
        ...

    def set_framebuffer(self, framebuffer: Framebuffer) -> None:
        """Bind render targets."""
        ...

    def draw(self, state: DrawState, info: DrawInfo) -> None:
        """Take one draw."""
        ...

    def clear(self, buffers: int, color: Sequence[int], depth: float, stencil: int) -> None:
        """Take a clear of whole targets."""
        ...

    def resolve(self, job: Resolve, *, waits: bool = True) -> None:
        """Take a multisample resolve."""
        ...

    def uses(self, address: int, size: int) -> bool:
        """Pending work reads or writes one of these bytes."""
        ...

    def flush(self) -> None:
        """Carry out everything that was taken."""
        ...

    def statistics(self) -> Statistics:
        """Counters since the device was made."""
        ...

    def close(self) -> None:
        """Flush, then end the threads."""
        ...


class Dispatcher(Protocol):
    """Runs compute grids for one context."""

    def lanes_for(self, program: Program) -> int:
        """Invocations that run side by side, which is the size of a subgroup."""
        ...

    def launch(self, shader: ComputeShader, program: Program, bindings: ComputeBindings, grid: Grid) -> None:
        """Run every block of a grid."""
        ...

    def close(self) -> None:
        """End the threads."""
        ...
