"""The dispatcher of compute grids: blocks are laid out in vectors, and threads run them in pieces, each piece one call of a kernel."""

from __future__ import annotations

import ctypes
from math import prod
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from backends.abi.records import ShaderEnv
from backends.compute.kernels import grid_kernel
from backends.compute.needs import Needs, needs_of
from backends.device.environment import make_environment, stage_keys
from backends.device.grid import ComputeBindings, ComputeShader, Grid, compute_units
from backends.device.hazards import entangled, meet
from backends.device.region import Region, aligned
from backends.device.tables import BufferTable
from backends.device.threads import Helpers
from backends.llvm.engine.engine import Library
from backends.llvm.engine.kernel_cache import kernels_for
from backends.llvm.engine.object_cache import Cache
from backends.llvm.kernels.grid_layout import Layout, layout_of
from backends.llvm.kernels.grids import PLACE_ROWS, GridKey, GridRecord
from backends.llvm.kernels.primitives import GRID_MEMORY
from backends.llvm.kernels.time_slices import TimeSlices, has_loops
from backends.llvm.library.polling import make_watch
from backends.llvm.program.plan import fitting_lanes, plan_of
from backends.llvm.targets.machines import native_lanes
from tgsi.language.facts.enums import MemoryType
from tgsi.language.program import Program

CHUNK = 1 << 18
"""Most invocations of one call."""

FIRST = 1 << 12
"""Invocations of a thread's first call; a sixteenth for programs with loops. See `backends.llvm.kernels.time_slices`."""

MANY = 1 << 14
"""Least invocations of a grid that several threads share; a sixteenth for programs with loops."""


LOCKED, LOCKED_THREADS = 64, 6
"""Least instructions for each atomic, or least number of threads, for which a program without loops is shared by several threads.

The CPU's atomic takes five times as long as a load and a store, and only several threads need it."""


class _Scratch:
    """Memory that one thread writes while it runs blocks; it grows as needed."""

    def __init__(self) -> None:
        self.record = GridRecord()
        self._arrays: dict[str, NDArray[np.uint8]] = {}

    def provide(self, name: str, size: int) -> None:
        """Make a field of the record the address of at least `size` bytes."""
        held = self._arrays.get(name)
        if held is None or held.size < size:
            held = self._arrays[name] = aligned(size)
        setattr(self.record, name, held.ctypes.data)


class _Pieces:
    """The blocks of a launch, which threads take piece by piece, in order."""

    def __init__(self, blocks: int) -> None:
        self._next, self._blocks, self._lock = 0, blocks, Lock()

    def take(self, count: int) -> tuple[int, int] | None:
        """Return the first block and the number of blocks of the next piece, or None if no block is left."""
        with self._lock:
            start = self._next
            self._next = min(start + count, self._blocks)
            return (start, self._next - start) if start < self._next else None

    def end(self) -> None:
        """Drop the blocks that are left."""
        with self._lock:
            self._next = self._blocks


class Dispatcher:
    """Dispatcher of the grids of one context.

    threads: number of helpers in addition to the caller (None: as many as there are CPUs). lanes: vector width; None picks one. cpu, cache:
    as of the renderer. None of them changes results, unless the threads of a grid race for memory.
    """

    def __init__(self, threads: int | None, lanes: int | None, cpu: str, cache: Cache) -> None:
        self.workers = compute_units(threads)
        self.lanes, self._native = lanes, max(native_lanes(cpu), 4)
        self._kernels = kernels_for(cpu, cache)
        self._watch = make_watch(self._kernels)
        self._region = Region(1 << 16, watch=self._watch.address)
        self._scratch = [_Scratch() for _ in range(self.workers)]
        self._helpers = Helpers(self.workers - 1, "compute")

    def launch(self, shader: ComputeShader, program: Program, bindings: ComputeBindings, grid: Grid) -> None:
        """Run every block of a grid; on return all its bytes are in memory.

        UnsupportedError, before anything ran, if the kernel cannot be built. Signal handlers that raise, and TimeLimitError, end the grid.
        """
        needs = needs_of(program)
        lanes = self.lanes_for(program)
        layout = layout_of(grid.block, lanes)
        views, samplers, images = stage_keys(bindings.stage, needs.bindings)
        workers = self._workers_for(program, needs, bindings, grid, layout)
        key = GridKey(
            lanes=lanes,
            packed=layout.shared_by > 1,
            trimmed=grid.is_trimmed,
            textures=tuple((unit, view) for unit, view in enumerate(views) if view is not None),
            samplers=tuple((unit, sampler) for unit, sampler in enumerate(samplers) if sampler is not None),
            images=images,
            is_threaded=workers > 1 and bool(needs.bindings.effects.atomics),
        )
        kernel = grid_kernel(self._kernels, program, key)
        blocks = grid.blocks
        if not blocks:
            return
        try:
            env = make_environment(self._region, needs.bindings, bindings.stage, [])
            record = ShaderEnv.from_address(env)
            record.buffers = bindings.buffers.address
            if not needs.bindings.handles:
                record.images = bindings.images.address
            memory = BufferTable(len(GRID_MEMORY))
            memory.put(GRID_MEMORY.index(MemoryType.GLOBAL), grid.memory)
            memory.put(GRID_MEMORY.index(MemoryType.INPUT), grid.inputs)
            filled = self._record(shader, bindings, grid, layout)
            filled.env, filled.grid_memory = env, memory.address
            for scratch in self._scratch[:workers]:
                self._prepare(scratch, filled, kernel, needs, lanes)
            self._run(kernel, workers, layout.shared_by, grid, has_loops(program))
        finally:
            self._region.reset()

    def lanes_for(self, program: Program) -> int:
        """Return the width of vectors.

        A value takes two machine registers, or one where barriers keep values in memory. Programs whose registers take too much stack get
        narrower vectors.
        """
        return fitting_lanes(program, self.lanes or max(self._native if plan_of(program).waits else 2 * self._native, 8))

    def close(self) -> None:
        """End the threads."""
        self._helpers.close()

    # -- one launch --------------------------------------------------------------------------------------------------
    @staticmethod
    def _record(shader: ComputeShader, bindings: ComputeBindings, grid: Grid, layout: Layout) -> GridRecord:
        record = GridRecord()
        record.counters = bindings.counters.address
        record.threads, record.groups = layout.threads.ctypes.data, layout.groups.ctypes.data
        record.grid[:], record.block[:] = grid.grid, grid.block
        record.last[:] = [last or size for last, size in zip(grid.last, grid.block)]
        record.vectors, record.shared_by, record.quads = layout.vectors, layout.shared_by, layout.quads
        record.shared_words, record.private_words = grid.shared_bytes // 4, shader.req_private_mem // 4
        record.work_dim = grid.work_dim
        return record

    def _prepare(self, scratch: _Scratch, record: GridRecord, kernel: Library, needs: Needs, lanes: int) -> None:
        """Copy the record for one thread, and give it scratch memory of its own."""
        ctypes.memmove(ctypes.addressof(scratch.record), ctypes.addressof(record), ctypes.sizeof(GridRecord))
        scratch.provide("places", PLACE_ROWS * lanes * 4)
        if MemoryType.SHARED in needs.memory:
            scratch.provide("shared", record.shared_by * record.shared_words * 4)
        if MemoryType.PRIVATE in needs.memory:
            scratch.provide("private", record.vectors * lanes * record.private_words * 4)
        if needs.waits:
            scratch.provide("state", record.vectors * _state_bytes(kernel))
            scratch.provide("stops", record.vectors * 4)

    def _workers_for(self, program: Program, needs: Needs, bindings: ComputeBindings, grid: Grid, layout: Layout) -> int:
        """Return the number of threads that run blocks: one if the order of blocks can be observed, or if there is little work."""
        loops, atomics = has_loops(program), len(needs.bindings.effects.atomics)
        is_large = grid.blocks * prod(grid.block) >= (MANY // 16 if loops else MANY)
        if not is_large or needs.meets or (atomics and _is_entangled(bindings, grid)):
            return 1
        workers = min(self.workers, -(-grid.blocks // layout.shared_by))
        is_worth_it = loops or workers >= LOCKED_THREADS or len(program.instructions) >= LOCKED * atomics
        return workers if is_worth_it else 1

    def _run(self, kernel: Library, workers: int, shared_by: int, grid: Grid, loops: bool) -> None:
        """Run the blocks in pieces of whole units; each thread adapts the size of its pieces."""
        size = prod(grid.block) * shared_by
        share = -(-grid.blocks // (8 * workers)) if workers > 1 else grid.blocks
        most = min(share // shared_by, CHUNK // size)
        first = (FIRST // 16 if loops else FIRST) // size
        pieces, watch = _Pieces(grid.blocks), self._watch
        width, height, _ = grid.grid

        launch = kernel.entry("launch")

        def work(worker: int) -> None:
            mine, pace = self._scratch[worker].record, TimeSlices(most, first)
            address = ctypes.addressof(mine)
            while not watch.look() and (piece := pieces.take(pace.begin() * shared_by)) is not None:
                start, mine.blocks = piece
                mine.first[:] = (start % width, start // width % height, start // (width * height))
                launch(address)
                pace.end()

        def end() -> None:
            watch.stop()
            pieces.end()

        try:
            watch.begin()
            self._helpers.run(workers, work, end)
        except BaseException:
            watch.forget()
            raise
        watch.end()


_SIZE = ctypes.CFUNCTYPE(ctypes.c_int64)


def _state_bytes(kernel: Library) -> int:
    """Return the bytes that a vector of threads keeps at a barrier."""
    return int(_SIZE(kernel.address["state_bytes"])())


def _is_entangled(bindings: ComputeBindings, grid: Grid) -> bool:
    """Return true if a write through one binding may change memory that another binding reads or writes."""
    written = [*bindings.written_ranges()]
    if grid.memory is not None:
        written.append((grid.memory.address, grid.memory.size))
    return entangled(written) or meet(bindings.read_ranges(), written)
