"""Carved out of backends.llvm.plan."""

from __future__ import annotations

from tgsi.language.facts.enums import File
from tgsi.language.ir import Instruction, RegisterRef

RESOURCES = frozenset({File.SAMP, File.SVIEW, File.IMAGE, File.BUFFER, File.MEMORY, File.CONSTBUF, File.HWATOMIC})


def registers_of(instruction: Instruction) -> list[RegisterRef]:
    """What the operands name, sources first."""
    return [operand.register for operand in instruction.src] + [operand.register for operand in instruction.dst]
