"""The registers of an instruction, and the files that are resources."""

from __future__ import annotations

from tgsi.language.facts.enums import File
from tgsi.language.ir import Instruction, RegisterRef

RESOURCES = frozenset({File.SAMP, File.SVIEW, File.IMAGE, File.BUFFER, File.MEMORY, File.CONSTBUF, File.HWATOMIC})


def registers_of(instruction: Instruction) -> list[RegisterRef]:
    """Return the registers of all operands, sources first."""
    return [operand.register for operand in instruction.src] + [operand.register for operand in instruction.dst]
