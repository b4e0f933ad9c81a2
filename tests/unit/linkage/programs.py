"""Small programs for the linkage tests."""

from __future__ import annotations

from tgsi.language.facts.enums import File, Interpolation, Processor
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Declaration, DstOperand, IndirectRef, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program


def mov(dst: int, src: int, swizzle: tuple[int, int, int, int] = (0, 1, 2, 3), *, mask: int = 15, indirect: bool = False) -> Instruction:
    address = IndirectRef(File.ADDR, 0) if indirect else None
    source = SrcOperand(RegisterRef(File.IN, src, indirect=address), swizzle)
    return Instruction(OPCODES["MOV"], (DstOperand(RegisterRef(File.OUT, dst), mask),), (source,))


END = Instruction(OPCODES["END"])


def vert(*outputs: tuple[str, int]) -> Program:
    declarations = tuple(Declaration(File.OUT, i, i, semantic=Semantic(*s)) for i, s in enumerate(outputs))
    body = (*(mov(i, 0) for i in range(len(outputs))), END)
    return Program(Processor.VERT, (Declaration(File.IN, 0, 0), *declarations), instructions=body)


def frag(
    *inputs: tuple[str, int], unused: frozenset[int] = frozenset(), interpolation: Interpolation | None = Interpolation.LINEAR
) -> Program:
    declarations = tuple(Declaration(File.IN, i, i, semantic=Semantic(*s), interpolation=interpolation) for i, s in enumerate(inputs))
    reads = tuple(mov(0, i) for i in range(len(inputs)) if i not in unused)
    return Program(Processor.FRAG, (*declarations, Declaration(File.OUT, 0, 0, semantic=Semantic("COLOR"))), instructions=(*reads, END))
