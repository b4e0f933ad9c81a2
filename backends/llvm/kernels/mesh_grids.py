"""Kernels of task and mesh programs in draws. One call runs many workgroups, of one grid or of several, and leaves their results in order.

A workgroup is a block of `backends.llvm.kernels.grids`, whose record and units these kernels have, too.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from math import prod
from typing import ClassVar

from backends.llvm.builder.environment import default_environment
from backends.llvm.builder.function import BOOL, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.llvm.kernels.grids import BeginUnit, GridKey, GridRecord, GridRegisters, build_blocks, clear_words
from backends.llvm.kernels.mesh_stages import SIZES, GroupResults
from backends.llvm.kernels.system_values import Channel
from backends.llvm.translate.interface import Words
from backends.run.meshes import mesh_memory, writes_meshes, writes_payload
from tgsi.language.facts.enums import MemoryType
from tgsi.language.program import Program
from tgsi.language.record import record

_NOW = ("rows", "sizes", "payload")
"""Memory of the current unit's workgroups, by its place in MeshRecord.now."""


class MeshRecord(GridRecord):
    """Arguments of one call of a task or mesh kernel: those of a grid, and memory for the results of workgroups.

    Workgroups are numbered from 0 through all runs of a call; results lie in the order of the numbers.

    outputs: of mesh programs, rows of vertices and primitives as `backends.run.meshes.MeshMemory` says, `size` bytes a workgroup; aligned
    to 64 bytes. counts: three words a workgroup, set by the program: the size of the grid that a task launches, or the numbers of vertices
    and primitives, and 0. They may exceed the limits. payload: `payload_words` words, which each workgroup of a task program has, and which
    all workgroups of a mesh program read. The kernel clears outputs, counts, and a payload that it writes.
    runs: `run_count` MeshRuns, for `launch_runs`. draw_id: the system value DRAWID. now, number: memory of the current unit, and number of
    its first workgroup, which the kernel writes.
    """

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("outputs", "counts", "payload", "runs")),
        ("now", ctypes.c_void_p * len(_NOW)),
        *((name, ctypes.c_int32) for name in ("run_count", "draw_id", "payload_words", "number")),
    ]


class MeshRun(ctypes.Structure):
    """Workgroups of one grid: `blocks` of them in the order of x, y, z, from workgroup `first` on.

    payload: written by the task that launched a mesh's grid. grid: the whole grid's size. draw_id: as in MeshRecord.
    """

    _fields_ = [
        ("payload", ctypes.c_void_p),
        ("first", ctypes.c_int32 * 3),
        ("blocks", ctypes.c_int32),
        ("grid", ctypes.c_int32 * 3),
        ("draw_id", ctypes.c_int32),
    ]


@record(kw_only=True)
class MeshGridRegisters(GridRegisters, GroupResults):
    """The Interface of one vector of threads of a task or mesh program."""

    SYSTEM_VALUES: ClassVar[Mapping[str, Channel]] = {
        **GridRegisters.SYSTEM_VALUES,
        "DRAWID": lambda self, channel: self.f.splat(self.more.get("draw_id"), self.lane_map.lanes),
    }

    @property
    def more(self) -> Record:
        """The part of the record beyond that of grids."""
        return Record(self.f, self.record.pointer, MeshRecord)

    def find_present(self) -> Val:
        """Compute the lanes that are threads; all lanes if the blocks fill their vectors."""
        lanes = self.lane_map.lanes
        if not self.key.packed and block_threads(self.program) % lanes == 0:
            return self.f.const(BOOL.wide(lanes), 1)
        return GridRegisters.find_present(self)

    def thread_numbers(self) -> Val:
        """Number of each lane in its block, i32 lanes."""
        return self.thread(3)

    def group_memory(self, name: str) -> Val:
        """Pointer to memory of the unit's blocks."""
        return self.more.get("now", _NOW.index(name))

    def offset_of(self, name: str, size: int) -> Val | None:
        """Byte offset of each lane's block in the unit, i64 lanes; None if the unit is one block."""
        return self._groups().zext(I64) * size if self.key.packed else None

    def _groups(self) -> Val:
        return self.vector(self.record.get("groups"), 0, integer=True)

    def memory(self, kind: MemoryType) -> Words:
        """Words of a kind of MEMORY."""
        if kind is not MemoryType.PAYLOAD:
            return GridRegisters.memory(self, kind)
        count = self.more.get("payload_words")
        is_own = self.key.packed and writes_payload(self.program)
        return Words(self.group_memory("payload"), count, self._groups() * (count << 2) if is_own else None)


def block_threads(program: Program) -> int:
    """Threads of a workgroup of a task or mesh program."""
    return prod(program.property(f"CS_FIXED_BLOCK_{axis}") for axis in ("WIDTH", "HEIGHT", "DEPTH"))


def build_mesh_kernel(program: Program, key: GridKey, cpu: str = "host") -> Module:
    """Module with the functions `launch(record)`, `launch_runs(record)` and `state_bytes()`; `record` is a MeshRecord.

    `launch` runs the workgroups of one grid, `launch_runs` those of all runs. Both set the mode themselves. Raises UnsupportedError for
    instructions and resources that the generator does not support.
    """
    module = Module("mesh", cpu)
    build_blocks(module, program, key, MeshGridRegisters, _begin_unit(program))
    f = Function(module, "launch", [PTR])
    with default_environment(f):
        Record(f, f.args[0], MeshRecord).set("number", 0)
        f.call(None, "drive", *f.args)
    f.ret()
    _build_launch_runs(module, writes_payload(program))
    return module


def _begin_unit(program: Program) -> BeginUnit:
    """A function that writes code to locate and clear the memory of a unit's blocks."""

    def write(f: Function, remaining: Val) -> None:
        grid, record = Record(f, f.args[0], GridRecord), Record(f, f.args[0], MeshRecord)
        blocks = grid.get("shared_by")
        blocks = f.select(remaining < blocks, remaining, blocks)
        number = (record.get("number") + grid.get("blocks") - remaining).zext(I64)
        sizes = f.at(record.get("counts"), number * (4 * SIZES))
        record.set("now", sizes, _NOW.index("sizes"))
        clear_words(f, sizes, blocks * SIZES)
        payload = record.get("payload")
        if writes_payload(program):
            words = record.get("payload_words")
            payload = f.at(payload, number * (words.zext(I64) << 2))
            clear_words(f, payload, blocks * words)
        record.set("now", payload, _NOW.index("payload"))
        if writes_meshes(program):
            size = mesh_memory(program).size
            rows = f.at(record.get("outputs"), number * size)
            record.set("now", rows, _NOW.index("rows"))
            clear_words(f, rows, blocks * (size // 4))

    return write


def _build_launch_runs(module: Module, own_payloads: bool) -> None:
    f = Function(module, "launch_runs", [PTR])
    grid, record = Record(f, f.args[0], GridRecord), Record(f, f.args[0], MeshRecord)
    with default_environment(f):
        record.set("number", 0)
        with f.range(0, record.get("run_count")) as place:
            run = Record(f, f.at(record.get("runs"), place * ctypes.sizeof(MeshRun)), MeshRun)
            blocks = run.get("blocks")
            with f.if_(blocks > 0):
                for axis in range(3):
                    grid.set("first", run.get("first", axis), axis)
                    grid.set("grid", run.get("grid", axis), axis)
                grid.set("blocks", blocks)
                record.set("draw_id", run.get("draw_id"))
                if not own_payloads:
                    record.set("payload", run.get("payload"))
                f.call(None, "drive", f.args[0])
                record.set("number", record.get("number") + blocks)
    f.ret()
