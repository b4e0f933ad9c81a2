"""The part of an Interface that task and mesh programs add to that of a grid: sizes, payload and output rows of workgroups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from backends.llvm.builder.function import I64, Function, Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.translate.mesh_rows import MeshRows
from backends.run.meshes import mesh_memory
from tgsi.language.facts.enums import File
from tgsi.language.program import Program

SIZES = 3
"""Most numbers that a workgroup sets: x, y and z of the grid that a task launches; vertices and primitives of a mesh."""


class GroupResults(ABC):
    """The memory that workgroups write; subclasses locate it.

    Each workgroup has a part of each memory, all of the same size. `offset_of` returns the byte offset of the part of each lane's
    workgroup.
    """

    __slots__ = ()

    f: Function
    lane_map: LaneMap
    program: Program

    @abstractmethod
    def group_memory(self, name: str) -> Val:
        """Pointer to a memory: "sizes" or "rows"."""

    @abstractmethod
    def offset_of(self, name: str, size: int) -> Val | None:
        """Byte offset of each lane's workgroup in a memory with `size` bytes a workgroup, i64 lanes; None if it is 0 for all lanes."""

    @abstractmethod
    def thread_numbers(self) -> Val:
        """Number of each lane in its workgroup, i32 lanes."""

    @abstractmethod
    def present(self) -> Val:
        """Lanes that are threads, as an i1 vector."""

    def set_sizes(self, numbers: Sequence[Val], mask: Val) -> None:
        """Store the numbers from the workgroup's thread 0, if it is in `mask`."""
        f, lanes = self.f, self.lane_map.lanes
        first = mask & self.thread_numbers().eq(0)
        with f.if_(f.any(first)):
            offset, pointer = self.offset_of("sizes", 4 * SIZES), self.group_memory("sizes")
            if offset is None:
                offset = f.const(I64.wide(lanes), 0)
            for place, number in enumerate(numbers):
                f.scatter(f.splat(number, lanes), pointer, offset + 4 * place, first)

    def row_file(self, file: File) -> MeshRows:
        """OUT registers, which have rows of vertices and of primitives."""
        memory = mesh_memory(self.program)
        return MeshRows(
            f=self.f,
            memory=memory,
            registers=self.program.file_size(file),
            pointer=self.group_memory("rows"),
            base=self.offset_of("rows", memory.size),
            own=self.thread_numbers(),
            present=self.present(),
        )
