"""Interfaces of run kernels for stages whose lanes share primitives, patches or blocks."""

from __future__ import annotations

import ctypes
from dataclasses import field

from backends.abi.records import BufferRecord
from backends.llvm.builder.function import I32, I64, Val
from backends.llvm.builder.record import Record
from backends.llvm.kernels.mesh_stages import GroupResults
from backends.llvm.kernels.registers import RunRegisters
from backends.llvm.translate.emission import EmissionBuffer
from backends.llvm.translate.interface import Words
from backends.llvm.translate.rows import RowFile
from backends.run.meshes import writes_payload
from backends.run.shapes import output_vertices, patch_registers
from tgsi.language.facts.enums import File, MemoryType, Processor
from tgsi.language.facts.stages import BLOCK_STAGES, ROW_STAGES, STAGES
from tgsi.language.record import record

GRID_MEMORY = (MemoryType.GLOBAL, MemoryType.INPUT)
"""Kinds of the BufferRecords at RunRecord.grid_memory, in this order."""


@record(kw_only=True)
class PrimitiveRegisters(RunRegisters):
    """Interface of stages with rows: inputs, and in some stages outputs, have one for each vertex of a primitive."""

    def row_file(self, file: File) -> RowFile:
        """Registers of a file with rows."""
        f, program = self.f, self.program
        words, count = ("vertices", "vertex_rows") if file is File.IN else ("patches", "patch_rows")
        rows, registers = self.record.get(count), program.file_size(file)
        base = self.numbers("primitives").zext(I64) * (rows.zext(I64) * (16 * registers))
        own = self.numbers("members") if File.OUT in STAGES[program.processor].vertex_rows else None
        return RowFile(
            f=f,
            pointer=self.record.get(words),
            rows=rows,
            base=base,
            own=own,
            registers=registers,
            once=patch_registers(program, file),
            present=self.present(),
        )


@record(kw_only=True)
class GeometryRegisters(PrimitiveRegisters):
    """Interface of geometry programs (GEOM), which emit vertices."""

    emission: EmissionBuffer = field(init=False)

    def __post_init__(self) -> None:
        lanes, registers, limit = self.lane_map.lanes, self.program.file_size(File.OUT), output_vertices(self.program)
        emitted, marks = self.part("emitted", lanes * limit * registers * 16), self.part("marks", lanes * limit * 4)
        object.__setattr__(self, "emission", EmissionBuffer(self.f, lanes, registers, limit, emitted, marks))


@record(kw_only=True)
class GridRegisters(RunRegisters):
    """Interface of compute programs (COMP): memory of blocks, of invocations and of the grid."""

    def memory(self, kind: MemoryType) -> Words:
        """Words of a kind of MEMORY."""
        f, lanes = self.f, self.lane_map.lanes
        if kind in GRID_MEMORY:
            place = GRID_MEMORY.index(kind) * ctypes.sizeof(BufferRecord)
            record = Record(f, f.at(self.record.get("grid_memory"), place), BufferRecord)
            return Words(record.get("base"), record.get("words"))
        count = self.record.get("shared_words")
        if kind is MemoryType.SHARED:
            return Words(self.record.get("shared"), count, self.numbers("groups") * (count << 2))
        number = f.lanes_const(I32.wide(lanes), list(range(lanes))) + self.index * lanes
        return Words(self.record.get("private"), count, number * (count << 2))


@record(kw_only=True)
class MeshRegisters(GridRegisters, GroupResults):
    """Interface of task and mesh programs (TASK, MESH): memory of blocks, payload, sizes and rows of the blocks."""

    def group_memory(self, name: str) -> Val:
        """Pointer to the sizes of all blocks, or to the rows of the blocks of this call."""
        return self.record.get(name)

    def offset_of(self, name: str, size: int) -> Val | None:
        """Byte offset of the block of each lane."""
        return self.numbers("groups" if name == "rows" else "primitives").zext(I64) * size

    def thread_numbers(self) -> Val:
        """Number of each lane in its block."""
        return self.numbers("members")

    def memory(self, kind: MemoryType) -> Words:
        """Words of a kind of MEMORY. Each block of a task has its own payload; the blocks of a mesh program share one."""
        if kind is not MemoryType.PAYLOAD:
            return GridRegisters.memory(self, kind)
        words, count = self.record.get("payload"), self.record.get("payload_words")
        return Words(words, count, self.numbers("primitives") * (count << 2) if writes_payload(self.program) else None)


KINDS: dict[Processor, type[RunRegisters]] = {
    **dict.fromkeys(ROW_STAGES, PrimitiveRegisters),
    Processor.GEOM: GeometryRegisters,
    **{stage: MeshRegisters if STAGES[stage].is_mesh else GridRegisters for stage in BLOCK_STAGES},
}
