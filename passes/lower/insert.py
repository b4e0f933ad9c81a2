"""Insertion of instructions between those of a program; branch labels move along."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import Flow
from tgsi.language.ir import Instruction
from tgsi.language.program import Program


def insert(program: Program, before: Mapping[int, Sequence[Instruction]]) -> Program:
    """Return the program with instructions put before some of its own; a jump to a place runs the instructions inserted there.

    Args:
        program: the program to change.
        before: by number of an instruction, the instructions to put before it.
    """
    shift, moved = 0, []
    for index in range(len(program.instructions) + 1):
        moved.append(index + shift)
        shift += len(before.get(index, ()))
    code: list[Instruction] = []
    for index, item in enumerate(program.instructions):
        code += before.get(index, ())
        if item.label is not None and item.label < len(moved):
            item = replace(item, label=moved[item.label])
        code.append(item)
    return replace(program, instructions=tuple(code))


def exits(program: Program) -> Iterator[int]:
    """Yield the places where the main program ends: END, and each RET before it. Subroutines come after END."""
    for index, item in enumerate(program.instructions):
        if item.opcode.flow in (Flow.END, Flow.RETURN):
            yield index
        if item.opcode.flow is Flow.END:
            return


def next_register(program: Program, file: File) -> int:
    """Return the first register number that no declaration of a file uses."""
    return program.file_size(file)
