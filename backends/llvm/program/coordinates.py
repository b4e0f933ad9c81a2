"""The part of a fragment program that computes the coordinates of texture samples.

Levels of detail come from differences of coordinates within a quad. Where the lanes of a vector are unrelated pixels, a kernel runs this
part again at the other pixels of each lane's quad.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from backends.llvm.program.access import Access, Key, access, is_indirect
from backends.llvm.program.plan import plan_of
from passes.analysis.operands import RESOURCES, registers_of
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import CLOSERS, JUMPS, OPENERS, QUAD, Flow, Trait
from tgsi.language.ir import Instruction
from tgsi.language.program import Program

MOST_INSTRUCTIONS = 24
"""Longest part that is computed again, in instructions."""

_ARITHMETIC = frozenset({Trait.COPY, Trait.PICKS, Trait.EXACT_NAN, Trait.COMMUTATIVE, Trait.DIVIDES, Trait.PRODUCT})
_SOURCES = frozenset({File.TEMP, File.OUT, File.IN, File.CONST, File.IMM})
_REPEATED = frozenset({Flow.LOOP, Flow.SUBROUTINE, Flow.CALL})

Needs = Callable[[int, int], bool]
"""Test if a sample, with a view unit and a sampler unit, needs derivatives of its coordinates."""


def coordinate_part(program: Program, needs: Needs) -> Program | None:
    """A program with only the texture samples that need derivatives, and before them the instructions that compute their coordinates.

    None if other instructions need derivatives, or if the coordinates need anything but branch-free arithmetic on inputs and constants. The
    instructions are those of the program's plan.
    """
    instructions = plan_of(program).instructions
    if any(i.opcode.flow in _REPEATED or i.opcode.flow in JUMPS or any(is_indirect(d.register) for d in i.dst) for i in instructions):
        return None
    needed: set[Key] = set()
    kept: list[Instruction] = []
    depth = 0
    for instruction in reversed(instructions):
        flow = instruction.opcode.flow
        depth += (flow in CLOSERS) - (flow in OPENERS)
        there = access(instruction)
        if not QUAD.isdisjoint(instruction.opcode.traits):
            units = _units(instruction)
            if units is None or not needed.isdisjoint(there.writes):
                return None
            if not needs(*units):
                continue
        elif needed.isdisjoint(there.writes):
            continue
        elif depth or not _is_arithmetic(instruction):
            return None
        if not _reads_values(instruction, there):
            return None
        needed -= set(there.writes)
        needed |= set(there.reads)
        kept.append(instruction)
    ends = [i for i in instructions if i.opcode.flow is Flow.END]
    arithmetic = sum(QUAD.isdisjoint(i.opcode.traits) for i in kept)
    return replace(program, instructions=(*reversed(kept), *ends[-1:])) if arithmetic <= MOST_INSTRUCTIONS else None


def _units(instruction: Instruction) -> tuple[int, int] | None:
    """The view unit and the sampler unit of an instruction that samples; None for others, and for units that are chosen at run time."""
    traits = instruction.opcode.traits
    if Trait.QUERY in traits or traits.isdisjoint({Trait.TEX, Trait.SAMPLE}):
        return None
    resources = [s.register for s in instruction.src if s.register.file in RESOURCES]
    if len(resources) != (1 if Trait.TEX in traits else 2) or any(map(is_indirect, resources)):
        return None
    return resources[0].index, resources[-1].index


def _is_arithmetic(instruction: Instruction) -> bool:
    return instruction.opcode.traits <= _ARITHMETIC and not instruction.opcode.uses_64bit and instruction.opcode.flow is None


def _reads_values(instruction: Instruction, there: Access) -> bool:
    """True if the instruction names its registers directly, and reads nothing but values of the fragment."""
    return not any(map(is_indirect, registers_of(instruction))) and all(file in _SOURCES for file, _, _ in there.reads)
