"""A stage of workgroups in one draw: its kernel, and the record that each thread completes with its own memory."""

from __future__ import annotations

import ctypes
from math import prod

from backends.device.bound import DrawState, StageState
from backends.device.environment import make_environment, stage_keys
from backends.device.needs import ORDERED_LANES, needs_of
from backends.geometry.mesh.kernels import group_kernel
from backends.geometry.shaded import Worker
from backends.llvm.engine.engine import Library
from backends.llvm.kernels.grid_layout import Layout, layout_of
from backends.llvm.kernels.grids import PLACE_ROWS, GridKey
from backends.llvm.kernels.mesh_grids import MeshRecord
from backends.llvm.kernels.time_slices import has_loops
from backends.llvm.program.plan import fitting_lanes, plan_of
from backends.raster.draw.builder import DrawBuilder
from passes.analysis import facts
from tgsi.language.program import Program
from tgsi.language.record import record

FIRST = 1 << 24
"""Limit of a first native call in instructions of all threads, which take some milliseconds.

A program with loops runs a single workgroup.
"""

_SIZE = ctypes.CFUNCTYPE(ctypes.c_int64)


@record(kw_only=True)
class Groups:
    """The workgroups of a task or of a mesh shader, in one draw.

    Attributes:
        library: the kernel; it must live as long as the record is used.
        template: the record, without the memory of a thread.
        lanes: lanes of a vector.
        threads: threads of a workgroup.
        state_bytes: bytes that a vector keeps at a barrier; 0 without barriers.
        first: workgroups of a thread's first native call, which measures their time.
    """

    library: Library
    template: MeshRecord
    lanes: int
    threads: int
    state_bytes: int
    first: int

    @property
    def together(self) -> int:
        """The number of workgroups that share a vector."""
        return int(self.template.shared_by)

    def record(self, worker: Worker, name: str) -> MeshRecord:
        """Return a record for one thread, with scratch memory under `name`."""
        r = MeshRecord.from_buffer_copy(self.template)
        r.places = worker.provide(f"{name} places", PLACE_ROWS * self.lanes * 4)
        r.shared = worker.provide(f"{name} shared", max(r.shared_by * r.shared_words * 4, 4))
        if self.state_bytes:
            r.state = worker.provide(f"{name} state", r.vectors * self.state_bytes)
            r.stops = worker.provide(f"{name} stops", r.vectors * 4)
        return r


@record(kw_only=True)
class _Shape:
    """Facts of a program's workgroups: threads by axis, lanes of a vector, layout in vectors, barriers, and `Groups.first`."""

    block: tuple[int, int, int]
    lanes: int
    layout: Layout
    waits: bool
    first: int

    @staticmethod
    def of(program: Program, wanted: int | None, native: int, is_ordered: bool) -> _Shape:
        """Derive the shape.

        wanted: lanes requested by the renderer. native: lanes of a machine register. is_ordered: the order of invocations can be observed,
        so vectors have the same width on every machine; otherwise they have the width for grids.
        """
        width, height, depth = (program.property(f"CS_FIXED_BLOCK_{axis}") for axis in ("WIDTH", "HEIGHT", "DEPTH"))
        waits, threads = plan_of(program).waits, width * height * depth
        lanes = fitting_lanes(program, ORDERED_LANES if is_ordered else wanted or max(native if waits else 2 * native, 8))
        return _Shape(
            block=(width, height, depth),
            lanes=lanes,
            layout=layout_of((width, height, depth), lanes),
            waits=waits,
            first=1 if has_loops(program) else max(FIRST // (len(program.instructions) * threads), 1),
        )


def make_groups(
    maker: DrawBuilder, state: DrawState, bindings: StageState, reads: list[tuple[int, int]], shared_bytes: int, *, is_threaded: bool
) -> Groups:
    """Make a stage from the shader of `bindings`.

    reads: takes the memory of textures. is_threaded: several threads run workgroups at once. UnsupportedError if the kernel cannot be
    built.
    """
    shader = bindings.shader
    assert shader is not None
    demand, cache = needs_of(shader), maker.kernels.cache
    shape = facts.of(shader.program, _Shape.of, maker.lanes, max(cache.native, 4), demand.effects.is_ordered)
    lanes, layout, block = shape.lanes, shape.layout, shape.block
    views, samplers, images = stage_keys(bindings, demand)
    key = GridKey(
        lanes=lanes,
        packed=layout.shared_by > 1,
        textures=tuple((unit, view) for unit, view in enumerate(views) if view is not None),
        samplers=tuple((unit, sampler) for unit, sampler in enumerate(samplers) if sampler is not None),
        images=images,
        is_threaded=is_threaded and bool(demand.effects.atomics),
    )
    library = group_kernel(cache, shader, key)
    r = MeshRecord()
    r.env = make_environment(maker.region, demand, bindings, reads, state.counters)
    r.counters = state.counters.address
    r.threads, r.groups = layout.threads.ctypes.data, layout.groups.ctypes.data
    maker.region.keep((library, layout))
    r.block[:], r.last[:] = block, block
    r.vectors, r.shared_by, r.quads = layout.vectors, layout.shared_by, layout.quads
    r.shared_words = -(-shared_bytes // 4)
    return Groups(
        library=library,
        template=r,
        lanes=lanes,
        threads=prod(block),
        state_bytes=int(_SIZE(library.address["state_bytes"])()) if shape.waits else 0,
        first=shape.first,
    )
