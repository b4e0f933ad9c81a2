"""Staging and execution of a run's vectors, one chunk at a time."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.abi.records import ALIVE, EXHAUSTED, BufferRecord, RunRecord, Watch
from backends.llvm.engine.engine import Entry
from backends.llvm.kernels.fragments import asks, stage_fragments
from backends.llvm.kernels.placement import Placement, place
from backends.llvm.kernels.primitives import GRID_MEMORY
from backends.llvm.kernels.time_slices import TimeSlices, has_loops
from backends.llvm.program.plan import plan_of
from backends.pipe.limits import MAX_SHADER_BUFFERS
from backends.run.arguments import Arguments
from backends.run.meshes import make_mesh, mesh_memory, rows_of, writes_meshes
from backends.run.result import Bits, Emission, Mask, Mesh
from backends.run.shapes import output_vertices, patch_registers
from passes.analysis.operands import registers_of
from tgsi.language import budgets
from tgsi.language.facts.enums import File, MemoryType, Processor
from tgsi.language.program import Program
from tgsi.language.record import record

CHUNK_BYTES = 4 << 20
"""Most bytes of staged memory in a call, except that a call has at least one unit."""

FIRST = 1 << 10
"""Lanes in the first call of a program with loops; see `time_slices`."""


@record(frozen=False, eq=False, kw_only=True)
class Run:
    """One run of a compiled kernel.

    environment: address of the ShaderEnv. entry: the function `run`. inputs, system: register files, (registers, lanes, 4).
    watch: interrupts long loops; None for a program without loops.
    outputs, alive, exhausted: results of each lane, valid after `run`. meshes: results of each group of a mesh program.
    """

    program: Program
    arguments: Arguments
    lanes: int
    environment: int
    entry: Entry
    watch: Watch | None
    inputs: Bits
    system: Bits
    outputs: Bits = field(init=False)
    alive: Mask = field(init=False)
    exhausted: Mask = field(init=False)
    _placement: Placement = field(init=False)
    meshes: list[Mesh] = field(init=False, default_factory=list)
    _emitted: list[_Emitted] = field(init=False, default_factory=list)
    _record: RunRecord = field(init=False, default_factory=RunRecord)
    _kept: list[Any] = field(init=False, default_factory=list)  # memory that the record points to

    def __post_init__(self) -> None:
        shape = self.arguments.shape
        self._placement = place(shape, self.program.processor, self.lanes)
        self.outputs = np.zeros((shape.lanes, self._registers(), 4), np.uint32)
        self.alive, self.exhausted = np.zeros(shape.lanes, np.bool_), np.zeros(shape.lanes, np.bool_)

    def run(self) -> None:
        """Execute all vectors, one unit after the other."""
        arguments, record, unit = self.arguments, self._record, self._placement.unit
        record.env, record.shared_words = self.environment, arguments.shared_words
        record.counters = self._buffers([arguments.counters.get(number) for number in range(MAX_SHADER_BUFFERS)])
        record.grid_memory = self._buffers([arguments.memory.get(kind) for kind in GRID_MEMORY])
        record.sizes = self._keep(arguments.sizes)
        record.payload, record.payload_words = self._keep(arguments.payload), arguments.payload.shape[1]
        patches = self._bind_rows()
        if plan_of(self.program).waits:
            self._call()
            record.state = self._keep(_aligned(record.state_bytes * unit))
        step = max(1, CHUNK_BYTES // max(1, self._unit_bytes())) * unit
        start, count = 0, len(self._placement.order)
        pace = TimeSlices(step // unit, FIRST // (unit * self.lanes) if has_loops(self.program) else step)
        while start < count:
            stop = min(start + pace.begin() * unit, count)
            self._run_chunk(start, stop)
            pace.end()
            start = stop
        if patches is not None:
            self._take_patches(patches)

    def emission(self) -> Emission:
        """Vertices that a geometry program emitted; call it after `run`."""
        most = max((chunk.marks.shape[1] for chunk in self._emitted), default=0)
        lanes, registers = len(self.alive), self.program.file_size(File.OUT)
        counts = np.zeros(lanes, np.int64)
        words, marks = np.zeros((lanes, most, registers, 4), np.uint32), np.zeros((lanes, most), np.uint32)
        for chunk in self._emitted:
            counts[chunk.lanes] = chunk.counts
            marks[chunk.lanes, : chunk.marks.shape[1]] = chunk.marks
            words[chunk.lanes, : chunk.marks.shape[1]] = chunk.words
        places = self.arguments.places
        return Emission(counts[places], words[places].transpose(1, 2, 0, 3), marks[places].T)

    # -- memory shared by all vectors ---------------------------------------------------------------------------------
    def _keep(self, array: NDArray[Any]) -> int:
        self._kept.append(array)
        return array.ctypes.data

    def _buffers(self, contents: list[Bits | None]) -> int:
        records = (BufferRecord * len(contents))()
        for buffer, words in zip(records, contents):
            if words is not None:
                buffer.base, buffer.words = words.ctypes.data, words.size
        self._kept.append(records)
        return ctypes.addressof(records)

    def _bind_rows(self) -> Bits | None:
        """Bind inputs by vertex. Returns the outputs by vertex if there are any."""
        record, vertices = self._record, self.arguments.vertices
        record.vertices, record.vertex_rows = self._keep(np.ascontiguousarray(vertices)), vertices.shape[1] if len(vertices) else 0
        if File.OUT not in plan_of(self.program).rows or writes_meshes(self.program):
            return None
        shape = self.arguments.shape
        patches = np.zeros((shape.groups, shape.members, self.program.file_size(File.OUT), 4), np.uint32)
        record.patches, record.patch_rows = patches.ctypes.data, shape.members
        return patches

    def _take_patches(self, patches: Bits) -> None:
        """Copy outputs by vertex to the lanes: each lane's own vertex, and the registers that exist once per patch."""
        for register in patch_registers(self.program, File.OUT):
            patches[:, :, register] = patches[:, :1, register]
        self.outputs[self.arguments.places] = patches.reshape(-1, *patches.shape[2:])

    def _take_meshes(self, rows: Bits, first: int) -> None:
        """Collect the outputs of a chunk's groups, starting with number `first`."""
        memory, sizes = mesh_memory(self.program), self.arguments.sizes[first : first + len(rows), :2].tolist()
        self.meshes += [make_mesh(memory.layout, size, *rows_of(memory, words)) for size, words in zip(sizes, rows)]

    # -- memory of a chunk ------------------------------------------------------------------------------------------
    def _registers(self) -> int:
        """Number of OUT registers that each lane has. The outputs of a mesh program belong to its groups."""
        return 0 if writes_meshes(self.program) else self.program.file_size(File.OUT)

    def _limit(self) -> int:
        return output_vertices(self.program) if self.program.processor is Processor.GEOM else 0

    def _has_memory(self, *kinds: MemoryType) -> bool:
        """True if the program may use MEMORY of these kinds; a register without declaration is SHARED."""
        declared = {MemoryType.SHARED if d.memory is None else d.memory for d in self.program.declared(File.MEMORY)}
        used = any(r.file is File.MEMORY for i in self.program.instructions for r in registers_of(i))
        return used and (MemoryType.SHARED in kinds or not declared.isdisjoint(kinds))

    def _unit_bytes(self) -> int:
        placement, program, words = self._placement, self.program, self.arguments.shared_words
        registers = sum(program.file_size(file) for file in (File.IN, File.OUT, File.SV)) + 1
        a_lane = registers * 16 + self._limit() * (program.file_size(File.OUT) * 16 + 4)
        a_lane += 4 * words if self._has_memory(MemoryType.PRIVATE) else 0
        a_group = 4 * words + (mesh_memory(program).size if writes_meshes(self.program) else 0)
        return a_lane * self.lanes * placement.unit + placement.shared_by * a_group

    def _run_chunk(self, start: int, stop: int) -> None:
        placement, record, shape = self._placement, self._record, self.arguments.shape
        program, vectors = self.program, stop - start
        record.units, record.vectors = vectors // placement.unit, placement.unit
        alive = placement.stage_numbers(self.arguments.present.astype(np.int64), start, stop)
        outputs = np.zeros((vectors, self._registers(), 4, self.lanes), np.uint32)
        unit = np.arange(vectors)[:, None] // placement.unit
        staged: dict[str, NDArray[Any]] = {
            "inputs": placement.stage(self.inputs, start, stop),
            "system": placement.stage(self.system, start, stop),
            "outputs": outputs,
            "alive": alive,
            "primitives": placement.stage_numbers(shape.primitive, start, stop),
            "members": placement.stage_numbers(shape.member, start, stop),
            "groups": (unit * placement.shared_by + placement.groups[start:stop]).astype(np.int32),
            "stops": np.zeros(vectors, np.int32),
        }
        staged |= self._memory(vectors)
        for name, array in staged.items():
            setattr(record, name, array.ctypes.data)
        fragments = stage_fragments(program, self.arguments, placement, start, stop) if asks(program) else None
        record.fragments = fragments.address if fragments is not None else None
        self._call()
        order = placement.order[start:stop]
        here = order >= 0
        self.outputs[order[here]] = outputs.transpose(0, 3, 1, 2)[here]
        self.alive[order[here]] = alive[here] & ALIVE != 0
        self.exhausted[order[here]] = alive[here] & EXHAUSTED != 0
        if self._limit():
            self._emitted.append(_Emitted.of(order, staged))
        if "rows" in staged:
            self._take_meshes(staged["rows"], start // placement.unit * placement.shared_by)

    def _memory(self, vectors: int) -> Mapping[str, NDArray[Any]]:
        """Memory that the vectors of a chunk write, apart from registers. The system provides its pages only when they are written."""
        words, lanes, registers = self.arguments.shared_words, self.lanes, self.program.file_size(File.OUT)
        groups = vectors // self._placement.unit * self._placement.shared_by
        result: dict[str, NDArray[Any]] = {}
        if self._has_memory(MemoryType.SHARED):
            result["shared"] = np.zeros(groups * words, np.uint32)
        if writes_meshes(self.program):
            result["rows"] = np.zeros((groups, mesh_memory(self.program).size // 4), np.uint32)
        if self._has_memory(MemoryType.PRIVATE):
            result["private"] = np.zeros(vectors * lanes * words, np.uint32)
        if limit := self._limit():
            result["emitted"] = np.empty((vectors, lanes, limit, registers, 4), np.uint32)
            result["marks"] = np.empty((vectors, lanes, limit), np.uint32)
            result["counts"] = np.zeros((vectors, lanes), np.int32)
        return result

    def _call(self) -> None:
        budgets.check()
        watch = self.watch
        if watch is None:
            self.entry(ctypes.addressof(self._record))
            return
        watch.begin()
        self.entry(ctypes.addressof(self._record))
        watch.end()


@record(eq=False)
class _Emitted:
    """Vertices that the lanes of one chunk emitted, with room for the largest number in any lane."""

    lanes: NDArray[np.int64]
    counts: NDArray[np.int64]
    words: Bits
    marks: Bits

    @staticmethod
    def of(order: NDArray[np.int64], staged: Mapping[str, NDArray[Any]]) -> _Emitted:
        here = order >= 0
        counts = staged["counts"][here].astype(np.int64)
        most = int(counts.max(initial=0))
        return _Emitted(order[here], counts, staged["emitted"][:, :, :most][here], staged["marks"][:, :, :most][here])


def _aligned(size: int) -> NDArray[np.uint8]:
    """Array of zeros whose address is a multiple of 64."""
    memory = np.zeros(size + 64, np.uint8)
    return memory[-memory.ctypes.data % 64 :][:size]
