"""The mesh workgroups of a draw: a thread runs a chunk of them and leaves packed vertices, primitives and primitive rows."""

from __future__ import annotations

import ctypes
from collections import Counter
from dataclasses import replace

from backends.device.region import Region
from backends.geometry.mesh.gather import GatherKey
from backends.geometry.mesh.groups import Groups
from backends.geometry.mesh.kernels import gather_kernel
from backends.geometry.mesh.records import NOWHERE, GatherRecord
from backends.geometry.mesh.tasks import Runs
from backends.geometry.shaded import KEPT_BYTES, Worker
from backends.geometry.waves import Waves
from backends.llvm.engine.kernel_cache import KernelCache
from backends.llvm.kernels.mesh_stages import SIZES
from backends.llvm.kernels.time_slices import TimeSlices
from backends.pipe.limits import MAX_VIEWPORTS
from backends.run.meshes import mesh_memory
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.language.record import record

BATCH_BYTES = 1 << 17
"""Bytes of output after which it is packed, so that it stays in the cache."""

_SLACK = 4096
"""Bytes of a region's chunk that are reserved for the ends of arrays."""
_NAMES = {"cull": "CULL_PRIMITIVE", "mask": "VIEWPORT_MASK", "viewport": "VIEWPORT_INDEX", "number": "PRIM_ID"}
_PACKED = frozenset({"PRIMITIVE_INDICES", "CULL_PRIMITIVE", "PRIM_ID"})
"""Outputs of primitives that the rasterizer does not read from their rows."""


@record(kw_only=True)
class Piece:
    """Vertices and primitives that the rasterizer draws; addresses, except for `count` (of primitives) and `row_size` (bytes).

    generated: primitives that the workgroups output, including those that are not drawn. numbers, rows: 0 without a reader.
    """

    vertices: int
    corners: int
    numbers: int
    rows: int
    row_size: int
    count: int
    generated: int


@record(kw_only=True)
class Output:
    """The output of a mesh program in the form for the packing kernel: its key, and the fields of GatherRecord that depend on the program.

    row_size: bytes of a primitive's row; 0 if the rasterizer reads no part of it.
    """

    key: GatherKey
    record: GatherRecord
    row_size: int

    @staticmethod
    def of(program: Program) -> Output:
        """Derive the layout from declarations and properties."""
        memory = mesh_memory(program)
        layout = memory.layout
        own = {d.semantic.name: d.first for d in program.declared(File.OUT) if d.per_primitive and d.semantic is not None}
        places = {field: 16 * (own[name] - layout.first_primitive) if name in own else NOWHERE for field, name in _NAMES.items()}
        others = any(d.per_primitive and (d.semantic is None or d.semantic.name not in _PACKED) for d in program.declared(File.OUT))
        r = GatherRecord()
        r.size, r.vertex_bytes, r.primitives, r.primitive_bytes = (
            memory.size,
            memory.vertex_bytes,
            memory.primitives,
            memory.primitive_bytes,
        )
        r.max_vertices, r.max_primitives = layout.max_vertices, layout.max_primitives
        r.indices_at = 16 * (layout.indices - layout.first_primitive)
        for field, place in places.items():
            setattr(r, f"{field}_at", place)
        key = GatherKey(
            corners=layout.corners,
            culls=places["cull"] != NOWHERE,
            masks=places["mask"] != NOWHERE,
            rows=others,
            numbers=False,
            has_numbers=places["number"] != NOWHERE,
        )
        return Output(key=key, record=r, row_size=memory.primitive_bytes if others else 0)


class MeshStage:
    """The mesh shader of one draw. All threads share it; mutable state belongs to the Worker."""

    def __init__(self, kernels: KernelCache, groups: Groups, output: Output, payload_words: int, *, numbers: bool) -> None:
        """Make the stage.

        output: of the program. payload_words: size of a task's payload in words; 0 without tasks. numbers: the fragment program reads the
        numbers of primitives.
        """
        self._groups, self._words, self._numbers = groups, payload_words, numbers
        self._output = output
        self._gather = gather_kernel(kernels, replace(output.key, numbers=True) if numbers else output.key)
        together, size = groups.together, int(output.record.size)
        self._batch = max(1, min(64, BATCH_BYTES // size) // together) * together
        self._most = self._batch * int(output.record.max_primitives) * (MAX_VIEWPORTS if output.key.masks else 1)
        self.most_bytes = size

    @property
    def together(self) -> int:
        """The number of workgroups that share a vector."""
        return self._groups.together

    def run(self, waves: Waves, worker: Worker, runs: Runs, first: int, count: int, memory: Region, faults: Counter[str]) -> list[Piece]:
        """Run `count` workgroups from number `first` on. Returns the results in order, stored in `memory`."""
        groups, output = self._groups, self._output
        mesh = groups.record(worker, "mesh")
        mesh.payload_words = self._words
        mesh.outputs = worker.provide("mesh outputs", self._batch * self.most_bytes)
        mesh.counts = worker.provide("mesh counts", 4 * SIZES * self._batch)
        mesh.draw_id = int(runs.runs["draw_id"][0])
        r = GatherRecord.from_buffer_copy(output.record)
        r.launch, r.mesh, r.runs, r.run_count = (
            groups.library.address["launch"],
            ctypes.addressof(mesh),
            runs.runs.ctypes.data,
            len(runs.runs),
        )
        r.batch, r.most = self._batch, self._most
        r.run, r.done = runs.find(first)
        pieces = []
        pace = TimeSlices(count, max(groups.first, self.together))
        remaining = count
        while remaining and not waves.is_ended:
            slice_ = min(pace.begin(), remaining)
            r.left = slice_
            while r.left and not waves.is_ended:
                pieces.append(self._piece(worker, r, memory))
            remaining -= slice_
            pace.end()
        worker.counts["ms_invocations"] += r.groups * groups.threads
        faults.update({name: getattr(r, name) for name in ("cut_vertices", "cut_primitives", "lost")})
        return pieces

    def _piece(self, worker: Worker, r: GatherRecord, memory: Region) -> Piece:
        """Run as many workgroups as the memory can hold, at least a batch."""
        size, row_size = int(r.vertex_bytes), self._output.row_size
        one = self._batch * int(r.max_vertices)
        wanted = -(-r.left // self._batch) * one
        r.vertex_room = max(one, min(wanted, max(memory.room, KEPT_BYTES - _SLACK) // max(size, 1)))
        r.vertices = memory.allocate(r.vertex_room * size)
        batches = max(1, r.vertex_room // one)
        room = r.primitive_room = self._most * batches
        corner_bytes = 4 * self._output.key.corners
        r.corners = worker.provide("mesh corners", room * corner_bytes + 16)
        r.numbers = worker.provide("mesh numbers", (room + 1) * 4) if self._numbers else 0
        r.rows = worker.provide("mesh rows", (room + 1) * row_size) if row_size else 0
        r.vertex_count = r.count = r.generated = 0
        self._gather(ctypes.addressof(r))
        memory.shorten(r.vertices, (r.vertex_count + 1) * size)
        count = r.count
        corners = memory.copy(r.corners, corner_bytes * count)
        numbers = memory.copy(r.numbers, 4 * count) if self._numbers else 0
        rows = memory.copy(r.rows, row_size * count) if row_size else 0
        return Piece(
            vertices=r.vertices,
            corners=corners,
            numbers=numbers,
            rows=rows,
            row_size=row_size,
            count=count,
            generated=r.generated,
        )
