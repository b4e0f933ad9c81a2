"""Shared state of the lowering of one program."""

from __future__ import annotations

from backends.nvk.isbe.regions import Side
from backends.nvk.lower.attributes import MeshParts
from backends.nvk.lower.writer import Writer
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File, MemoryType
from tgsi.language.ir import Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

WARP = 32
"""Threads that run a workgroup, at most."""


@record
class Space:
    """Bytes `start` .. `start + size - 1` of ATTR, which hold shared memory or the payload."""

    side: Side
    start: int
    size: int


@record(kw_only=True)
class Context:
    """One lowering.

    Attributes:
        writer: receives the items.
        program: the program that is lowered.
        threads: threads of a workgroup.
        lane: number of the lane in the warp.
        number: number of the thread in the workgroup; the lane, unless lanes run several threads in turn.
        is_first: not 0 in the lane that runs thread 0.
        memory: shared memory and payload.
        system_values: temporaries that replace SV registers.
        mesh: layout of outputs; None for task programs.
        behind_task: True for mesh programs that a task launches.
    """

    writer: Writer
    program: Program
    threads: int
    lane: SrcOperand
    number: SrcOperand
    is_first: SrcOperand
    memory: dict[MemoryType, Space]
    system_values: dict[int, RegisterRef]
    mesh: MeshParts | None = None
    behind_task: bool = False

    @property
    def warp(self) -> int:
        """Lanes that run a workgroup."""
        return min(self.threads, WARP)

    def space(self, instruction: Instruction, register: RegisterRef) -> Space:
        """The memory that a MEMORY register names. Raises UnsupportedError for indexed registers."""
        if register.indirect is not None:
            raise UnsupportedError.at("B070", "MEMORY registers are indexed, so the memory is unknown", instruction.span)
        for item in self.program.declared(File.MEMORY):
            if item.covers(register.index) and item.memory is not None:
                return self.memory[item.memory]
        return self.memory[MemoryType.SHARED]
