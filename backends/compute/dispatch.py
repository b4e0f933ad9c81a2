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
from backends.device.environment import StageKeys, make_environment, stage_keys
from backends.device.grid import ComputeBindings, ComputeShader, Grid, compute_units
from backends.device.hazards import entangled, meet
from backends.device.region import Region, aligned
from backends.device.tables import BufferTable
from backends.device.threads import Helpers
from backends.llvm.engine.engine import Entry, Library
from backends.llvm.engine.kernel_cache import KernelCache
from backends.llvm.kernels.grid_layout import Layout, layout_of
from backends.llvm.kernels.grids import PLACE_ROWS, GridKey, GridRecord
from backends.llvm.kernels.primitives import GRID_MEMORY
from backends.llvm.kernels.time_slices import TimeSlices, has_loops
from backends.llvm.library.polling import make_watch
from backends.llvm.program.plan import fitting_lanes, plan_of
from backends.llvm.targets.machines import native_lanes
from tgsi.language import budgets
from tgsi.language.facts.enums import MemoryType
from tgsi.language.program import Program
from tgsi.language.record import record

CHUNK = 1 << 18
"""Most invocations of one call."""

FIRST = 1 << 12
"""Invocations of a thread's first call; a sixteenth for programs with loops. See `backends.llvm.kernels.time_slices`."""

MANY = 1 << 14
"""Least invocations of a grid that several threads share; a sixteenth for programs with loops."""


LOCKED, LOCKED_THREADS = 64, 6
"""Least instructions for each atomic, or least number of threads, for which several threads share a grid without loops.

The CPU's atomic takes five times as long as a load and a store, and only several threads need it."""


MOST_PLANS = 256
"""Largest number of cached plans of launches."""


@record(eq=False, kw_only=True)
class _Plan:
    """Everything about a launch except its memory.

    Attributes:
        program: kept, because its identity is a part of the key. kernel, entry: the code, and its function.
        lanes: width of vectors. workers: threads that run blocks.
        record: arguments of the code; each launch writes its memory into it.
        layout: kept, because the record has the addresses of its tables.
        grid, blocks: blocks on each axis, and in all.
        is_watched: the code may run long, or reads the clock.
        shared_by: blocks of a unit, which share a vector.
        most, first: units of the largest and of the first piece; see `TimeSlices`.
    """

    program: Program
    kernel: Library
    entry: Entry
    needs: Needs
    lanes: int
    workers: int
    record: GridRecord
    layout: Layout
    grid: tuple[int, int, int]
    blocks: int
    shared_by: int
    most: int
    first: int
    is_watched: bool

    @property
    def is_short(self) -> bool:
        """True if the first piece is the whole launch."""
        return self.workers == 1 and self.blocks <= max(1, self.first) * self.shared_by

    @property
    def is_fixed(self) -> bool:
        """True if a launch is one call of code that does not depend on bindings, and reads everything except constants from lasting
        tables."""
        needs = self.needs.bindings
        return self.is_short and not (needs.units or needs.images or needs.handles)


@record(eq=False, kw_only=True)
class _Latest:
    """The latest launch, whose plan is fixed."""

    shader: ComputeShader
    bindings: ComputeBindings
    grid: Grid
    plan: _Plan


class _Scratch:
    """Memory that one thread writes while it runs blocks; it grows as needed."""

    def __init__(self) -> None:
        self.record = GridRecord()
        self.address = ctypes.addressof(self.record)
        self._arrays: dict[str, tuple[NDArray[np.uint8], int]] = {}

    def provide(self, name: str, size: int) -> None:
        """Make a field of the record the address of at least `size` bytes."""
        held = self._arrays.get(name)
        if held is None or held[0].size < size:
            array = aligned(size)
            held = self._arrays[name] = array, array.ctypes.data
        setattr(self.record, name, held[1])


class _Pieces:
    """The blocks of a launch, which threads take piece by piece, in order."""

    def __init__(self, blocks: int) -> None:
        self._next, self._blocks, self._lock = 0, blocks, Lock()

    def take(self, count: int) -> tuple[int, int] | None:
        """Return the first block and the number of blocks of the next piece, or None when all blocks are taken."""
        with self._lock:
            start = self._next
            self._next = min(start + count, self._blocks)
            return (start, self._next - start) if start < self._next else None

    def end(self) -> None:
        """Drop the remaining blocks."""
        with self._lock:
            self._next = self._blocks


class Dispatcher:
    """Dispatcher of the grids of one context.

    threads: number of helpers in addition to the caller (None: as many as there are CPUs). lanes: vector width; None picks one. kernels:
    those of the target machine. None of them changes results, unless the threads of a grid race for memory.
    """

    def __init__(self, threads: int | None, lanes: int | None, kernels: KernelCache) -> None:
        self.workers = compute_units(threads)
        self.lanes, self._native = lanes, max(native_lanes(kernels.cpu), 4)
        self._kernels = kernels
        self._watch = make_watch(self._kernels)
        self._region = Region(1 << 16, watch=self._watch.address)
        self._scratch = [_Scratch() for _ in range(self.workers)]
        self._helpers = Helpers(self.workers - 1, "compute")
        self._plans: dict[object, _Plan] = {}
        self._latest: _Latest | None = None
        self._fixed = ShaderEnv(watch=self._watch.address)
        self._fixed_at = ctypes.addressof(self._fixed)
        self._no_memory = BufferTable(len(GRID_MEMORY))

    def launch(self, shader: ComputeShader, program: Program, bindings: ComputeBindings, grid: Grid) -> None:
        """Run every block of a grid; on return all its bytes are in memory.

        UnsupportedError, before anything ran, if the kernel cannot be built. Signal handlers that raise, and TimeLimitError, end the grid.
        """
        latest = self._latest
        if latest is not None and latest.grid is grid and latest.shader is shader and latest.bindings is bindings:
            self._launch_again(latest.plan, bindings)
            return
        self._latest = None
        plan = self._plan_of(shader, program, bindings, grid)
        if not plan.blocks:
            return
        needs, is_fixed = plan.needs, plan.is_fixed and grid.memory is None and grid.inputs is None
        try:
            env = self._environment(needs, bindings)
            memory = self._no_memory
            if grid.memory is not None or grid.inputs is not None:
                memory = BufferTable(len(GRID_MEMORY))
                memory.put(GRID_MEMORY.index(MemoryType.GLOBAL), grid.memory)
                memory.put(GRID_MEMORY.index(MemoryType.INPUT), grid.inputs)
            filled = plan.record
            filled.env, filled.grid_memory, filled.counters = env, memory.address, bindings.counters.address
            for scratch in self._scratch[: plan.workers]:
                self._prepare(scratch, plan)
            self._run(plan)
            if is_fixed:
                self._latest = _Latest(shader=shader, bindings=bindings, grid=grid, plan=plan)
        finally:
            self._region.reset()

    def make(self, shader: ComputeShader, program: Program, bindings: ComputeBindings, grid: Grid) -> None:
        """Make the kernel of a launch without running it. UnsupportedError as from `launch`."""
        needs = needs_of(program)
        self._make_plan(shader, program, bindings, grid, needs, stage_keys(bindings.stage, needs.bindings))

    def _environment(self, needs: Needs, bindings: ComputeBindings) -> int:
        """Address of the environment of a launch."""
        address = make_environment(self._region, needs.bindings, bindings.stage, [])
        env = ShaderEnv.from_address(address)
        env.buffers = bindings.buffers.address
        if not needs.bindings.handles:
            env.images = bindings.images.address
        return address

    def _launch_again(self, plan: _Plan, bindings: ComputeBindings) -> None:
        """Run the latest launch once more: the first thread's memory has everything except the constants."""
        mine, constants = self._scratch[0], plan.needs.bindings.constants
        try:
            if constants:
                mine.record.env = self._environment(plan.needs, bindings)
            else:
                self._fixed.buffers, self._fixed.images = bindings.buffers.address, bindings.images.address
                mine.record.env = self._fixed_at
            if plan.is_watched:
                self._run(plan)
            else:
                budgets.check()
                plan.entry(mine.address)
        finally:
            if constants:
                self._region.reset()

    def _plan_of(self, shader: ComputeShader, program: Program, bindings: ComputeBindings, grid: Grid) -> _Plan:
        """The plan of a launch. It is cached if it does not depend on the bound memory, because the next launch is often the same."""
        needs = needs_of(program)
        keys = stage_keys(bindings.stage, needs.bindings)
        may_race = bool(needs.bindings.effects.atomics) and grid.blocks * prod(grid.block) >= MANY // 16
        shape = (grid.grid, grid.block, grid.last, grid.work_dim, grid.shared_bytes, shader.req_private_mem)
        known = None if may_race else (id(program), shape, keys)
        plan = self._plans.get(known)
        if plan is None:
            plan = self._make_plan(shader, program, bindings, grid, needs, keys)
            if known is not None:
                if len(self._plans) >= MOST_PLANS:
                    self._plans.clear()
                self._plans[known] = plan
        return plan

    def _make_plan(
        self, shader: ComputeShader, program: Program, bindings: ComputeBindings, grid: Grid, needs: Needs, keys: StageKeys
    ) -> _Plan:
        lanes = self.lanes_for(program)
        layout = layout_of(grid.block, lanes)
        views, samplers, images = keys
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
        size, blocks, loops = prod(grid.block) * layout.shared_by, grid.blocks, has_loops(program)
        share = -(-blocks // (8 * workers)) if workers > 1 else blocks
        return _Plan(
            program=program,
            kernel=kernel,
            entry=kernel.entry("launch"),
            needs=needs,
            lanes=lanes,
            workers=workers,
            record=self._record(shader, grid, layout),
            layout=layout,
            grid=grid.grid,
            blocks=blocks,
            shared_by=layout.shared_by,
            most=min(share // layout.shared_by, CHUNK // size),
            first=(FIRST // 16 if loops else FIRST) // size,
            is_watched=loops or needs.waits,
        )

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
    def _record(shader: ComputeShader, grid: Grid, layout: Layout) -> GridRecord:
        record = GridRecord()
        record.threads, record.groups = layout.threads.ctypes.data, layout.groups.ctypes.data
        record.grid[:], record.block[:] = grid.grid, grid.block
        record.last[:] = [last or size for last, size in zip(grid.last, grid.block)]
        record.vectors, record.shared_by, record.quads = layout.vectors, layout.shared_by, layout.quads
        record.shared_words, record.private_words = grid.shared_bytes // 4, shader.req_private_mem // 4
        record.work_dim = grid.work_dim
        return record

    @staticmethod
    def _prepare(scratch: _Scratch, plan: _Plan) -> None:
        """Copy the record for one thread, with separate scratch memory."""
        record, needs, lanes = plan.record, plan.needs, plan.lanes
        ctypes.memmove(scratch.address, ctypes.addressof(record), ctypes.sizeof(GridRecord))
        scratch.provide("places", PLACE_ROWS * lanes * 4)
        if MemoryType.SHARED in needs.memory:
            scratch.provide("shared", record.shared_by * record.shared_words * 4)
        if MemoryType.PRIVATE in needs.memory:
            scratch.provide("private", record.vectors * lanes * record.private_words * 4)
        if needs.waits:
            scratch.provide("state", record.vectors * _state_bytes(plan.kernel))
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

    def _run(self, plan: _Plan) -> None:
        """Run the blocks in pieces of whole units; each thread adapts the size of its pieces."""
        pieces, watch, launch = _Pieces(plan.blocks), self._watch, plan.entry
        width, height, _ = plan.grid

        def work(worker: int) -> None:
            scratch, pace = self._scratch[worker], TimeSlices(plan.most, plan.first)
            mine, address = scratch.record, scratch.address
            while not watch.look() and (piece := pieces.take(pace.begin() * plan.shared_by)) is not None:
                start, mine.blocks = piece
                mine.first[:] = (start % width, start // width % height, start // (width * height))
                launch(address)
                pace.end()

        def end() -> None:
            watch.stop()
            pieces.end()

        try:
            watch.begin()
            if not plan.is_short:
                self._helpers.run(plan.workers, work, end)
            elif not watch.look():
                self._scratch[0].record.blocks = plan.blocks
                launch(self._scratch[0].address)
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
