"""Matrices that look transposed: a vertex shader uses four constants as rows or as columns, and their numbers fit the other use."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Iterator, Sequence

from backends.device.shader import Shader
from backends.device.stage_state import StageState
from passes.analysis import facts
from tgsi.language.channels import source_channels
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import Reads, Trait
from tgsi.language.ir import IDENTITY, XYZW, Instruction, SrcOperand
from tgsi.language.program import Program
from tgsi.validation.findings import Finding

Matrix = Sequence[Sequence[float]]
"""Its rows."""
_SMALL = 1e-3
_NUMBERS = struct.Struct("<16f")


def transposed(stage: StageState, shader: Shader, who: str) -> Iterator[Finding]:
    """Matrices that a program uses the wrong way around."""
    for (buffer, first), by_rows in facts.of(shader.program, uses).items():
        memory = stage.constant(buffer)
        if memory is None or memory.size < 16 * (first + 4):
            continue
        numbers = _NUMBERS.unpack(ctypes.string_at(memory.address + 16 * first, 64))
        rows = [numbers[k : k + 4] for k in range(0, 16, 4)]
        if looks_transposed(rows if by_rows else list(zip(*rows))):
            name = f"CONST[{buffer}][{first}..{first + 3}]" if buffer else f"CONST[{first}..{first + 3}]"
            kind, other = ("rows", "columns") if by_rows else ("columns", "rows")
            text = f"the matrix in {name} of {who} looks transposed: it is used as four {kind}, and holds {other}; .T of a numpy matrix"
            yield Finding("transposed", (shader.serial, buffer, first), text)


def uses(program: Program) -> dict[tuple[int, int], bool]:
    """Constant buffer and first row of each matrix that a program multiplies with; True: the four constants are its rows."""
    columns: dict[tuple[int, int], set[int]] = {}
    rows: set[tuple[int, int]] = set()
    for item in program.instructions:
        if Trait.PRODUCT not in item.opcode.traits:
            continue
        for number, operand in enumerate(item.src[:2]):
            place = _constant(operand)
            if place is None:
                continue
            if _is_dot(item, number):
                rows.add(place)
            elif (channel := _channel(item.src[1 - number])) is not None:
                columns.setdefault((place[0], place[1] - channel), set()).add(channel)
    found = {place: False for place, channels in columns.items() if {0, 1, 2} <= channels}
    found |= {place: True for place in rows if {(place[0], place[1] + k) for k in range(4)} <= rows}
    return found


def _constant(operand: SrcOperand) -> tuple[int, int] | None:
    register = operand.register
    if register.file is not File.CONST or register.indirect is not None or operand.swizzle != IDENTITY:
        return None
    return (0 if register.dimension is None else register.dimension.index), register.index


def _is_dot(item: Instruction, number: int) -> bool:
    """True if an instruction adds the products of all four channels."""
    return item.opcode.reads[number] not in (Reads.WRITTEN, Reads.VARYING) and source_channels(item, number) == XYZW


def _channel(operand: SrcOperand) -> int | None:
    """The channel that an operand repeats, or None."""
    first = operand.swizzle[0]
    return first if operand.swizzle == (first,) * 4 and operand.register.file is not File.CONST else None


def looks_transposed(m: Matrix) -> bool:
    """True if a matrix, given by its rows, is neither a transform nor a projection, and its transpose is one."""
    flat = [value for row in m for value in row]
    if not all(map(math.isfinite, flat)) or not any(flat):
        return False
    return not _is_plausible(m) and _is_plausible(list(zip(*m)))


def _is_plausible(m: Matrix) -> bool:
    """True of affine transforms, and of projections of what a camera sees: z is a multiple of w, and w is a distance."""
    last, z = m[3][:3], m[2][:3]
    most, most_z = max(map(abs, last)), max(map(abs, z))
    if most < _SMALL * max(1.0, *(abs(value) for row in m for value in row)):
        return abs(m[3][3]) > _SMALL
    cross = z[1] * last[2] - z[2] * last[1], z[2] * last[0] - z[0] * last[2], z[0] * last[1] - z[1] * last[0]
    return max(map(abs, cross)) <= _SMALL * max(1.0, most_z) * most and abs(math.hypot(*last) - 1) < _SMALL
