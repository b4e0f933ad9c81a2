"""Lints of what has no use: declarations that nothing names, results that nothing reads."""

from __future__ import annotations

from collections.abc import Iterator

from passes.analysis.access import indices_of
from passes.analysis.uses import runs
from passes.lint.context import Context
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import Declaration, DstOperand, Instruction, RegisterRef, SrcOperand, TexOffset

_KEPT = frozenset({File.OUT, File.MEMORY, File.HWATOMIC})
"""Files that have lints of their own, or whose declarations set aside memory that other programs may see."""


def check(context: Context) -> None:
    """Check L010 and L011."""
    _check_declarations(context)
    for place, item in enumerate(context.program.instructions):
        if context.is_reached(place) and context.needed(place, item) == 0 and not _writes_nothing(item):
            is_output = any(operand.register.file is File.OUT for operand in item.dst)
            message = f"the result of {item.opcode.name} is {'overwritten before it is' if is_output else 'never'} read"
            context.warn("L011", message, item, 0, "leave the instruction out")


def _writes_nothing(item: Instruction) -> bool:
    return all(operand.register.file is File.NULL for operand in item.dst)


def _registers(item: Instruction) -> Iterator[RegisterRef]:
    operands: tuple[DstOperand | SrcOperand | TexOffset, ...] = (*item.dst, *item.src, *item.offsets)
    for operand in operands:
        yield operand.register
        for inner in indices_of(operand.register):
            yield RegisterRef(inner.file, inner.index)


def _check_declarations(context: Context) -> None:
    named: set[tuple[File, int, int]] = set()
    whole: set[tuple[File, int]] = set()
    arrays: set[tuple[File, int]] = set()
    for item in context.program.instructions:
        for register in _registers(item):
            buffer = register.dimension.index if register.dimension is not None and register.file is File.CONST else 0
            any_buffer = register.dimension is not None and register.dimension.indirect is not None
            if register.indirect is not None and register.array_id:
                arrays.add((register.file, register.array_id))
            elif register.indirect is not None or (any_buffer and register.file is File.CONST):
                whole.add((register.file, -1 if any_buffer else buffer))
            else:
                named.add((register.file, buffer, register.index))
        if item.opcode.is_texture and item.src and item.src[-1].register.file is File.SAMP:
            unit = item.src[-1].register  # the view of a sampler's number
            if unit.indirect is not None:
                whole.add((File.SVIEW, 0))
            else:
                named.add((File.SVIEW, 0, unit.index))
    fetches = any(Trait.FRAMEBUFFER in item.opcode.traits for item in context.program.instructions)
    for declared in context.program.declarations:
        file, buffer = declared.file, declared.dimension or 0
        if file in _KEPT or (file is File.SAMP and fetches):
            continue
        if (file, buffer) in whole or (file, -1) in whole or (declared.array_id and (file, declared.array_id) in arrays):
            continue
        unused = [index for index in range(declared.first, declared.last + 1) if (file, buffer, index) not in named]
        if unused:
            _report(context, declared, unused)
    for number, immediate in enumerate(context.program.immediates):
        if (File.IMM, 0, number) not in named and (File.IMM, 0) not in whole:
            context.warn("L010", f"IMM[{number}] is never used", immediate, hint="leave it out, and count the later ones anew")


def _report(context: Context, declared: Declaration, unused: list[int]) -> None:
    file, count = declared.file, declared.last - declared.first + 1
    bracket = f"[{declared.dimension}]" if declared.dimension is not None else ""
    meaning = f" ({declared.semantic})" if declared.semantic is not None else ""
    if len(unused) == count:
        shown = f"{declared.first}" if count == 1 else f"{declared.first}..{declared.last}"
        is_are = "is" if count == 1 else "are"
        context.warn("L010", f"{file.name}{bracket}[{shown}]{meaning} {is_are} never used", declared, hint="leave the declaration out")
    elif file not in (File.CONST, File.IN):  # a range of inputs or constants is often the layout of a buffer
        shown = ", ".join(f"{file.name}[{_ranges(part)}]" for part in runs(unused)[:4])
        context.note("L010", f"{shown} {'is' if len(unused) == 1 else 'are'} never used", declared, hint="shorten the range")


def _ranges(run: tuple[int, int]) -> str:
    return f"{run[0]}" if run[0] == run[1] else f"{run[0]}..{run[1]}"
