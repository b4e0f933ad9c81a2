"""The data that a context hands to a dispatcher: compute shaders, bound memory, which is read and written in place, and grids. Draws of
meshes have a grid, too. No code is generated here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, field
from math import prod

from backends.device.bound import Shader, StageState
from backends.device.memory import Memory, Range
from backends.device.tables import BufferTable
from backends.system import cpu_count
from tgsi.language.program import Program
from tgsi.language.record import record

DEFAULT_PRIVATE = 4096
"""Default size of a thread's PRIVATE memory, in bytes."""

Triple = tuple[int, int, int]


@record(frozen=False, eq=False, kw_only=True)
class ComputeShader(Shader):
    """The handle that create_compute_state returns. Memory is counted in bytes; see `Context.create_compute_state`."""

    req_local_mem: int = 0
    req_private_mem: int = 0
    req_input_mem: int = 0
    entries: dict[int, Program] = field(default_factory=dict, repr=False)  # programs by entry point (pc), except 0

    __repr__ = Shader.__repr__


class ComputeBindings:
    """Everything bound to the compute stage. `stage` holds constants, views, samplers, buffers and images; draws share the counters."""

    def __init__(self, stage: StageState, counters: BufferTable) -> None:
        self.stage, self.counters = stage, counters
        self.buffers, self.images = stage.buffers, stage.images

    def ranges(self) -> Iterator[Range]:
        """Return all memory that a grid may read or write."""
        yield from self.read_ranges()
        yield from self.written_ranges()

    def read_ranges(self) -> Iterator[Range]:
        """Return the memory that a grid may read but not write."""
        yield from self.stage.residents.texture_ranges()
        for memory in self.stage.constants:
            if memory is not None:
                yield memory.address, memory.size
        for view in self.stage.views:
            if view is not None:
                yield view.record.base or 0, view.record.size

    def written_ranges(self) -> Iterator[Range]:
        """Return the memory that a grid may write."""
        yield from self.stage.residents.image_ranges()
        yield from self.buffers.ranges()
        yield from self.counters.ranges()
        yield from self.images.ranges()


@record
class Grid:
    """A launch of blocks of threads.

    grid: number of blocks on each axis. block: number of threads of a block on each axis. last: threads of the last block on each axis, 0
    for a full one. shared_bytes: SHARED memory of a block. inputs, memory: the memory that INPUT and GLOBAL address.
    """

    grid: Triple
    block: Triple
    last: Triple = (0, 0, 0)
    work_dim: int = 3
    shared_bytes: int = 0
    _: KW_ONLY
    inputs: Memory | None = None
    memory: Memory | None = None

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return prod(self.grid)

    @property
    def is_trimmed(self) -> bool:
        """True if the last block of some axis has fewer threads."""
        return any(last not in (0, size) for last, size in zip(self.last, self.block))

    @property
    def invocations(self) -> int:
        """The number of threads of all blocks."""
        if not self.blocks:
            return 0
        return prod(size * (count - 1) + (last or size) for size, count, last in zip(self.block, self.grid, self.last))


@record
class MeshDraw:
    """One draw of meshes.

    grid: number of workgroups on each axis, of the task shader, or of the mesh shader if there is no task shader. number: DRAWID.
    """

    grid: Triple
    number: int = 0

    @property
    def groups(self) -> int:
        """The number of workgroups."""
        return prod(self.grid)


def compute_units(threads: int | None) -> int:
    """Return the number of threads that run blocks: the caller and `threads` helpers (None: any number), at most one for each CPU."""
    cpus = cpu_count()
    return max(1, min(cpus, cpus if threads is None else threads + 1))
