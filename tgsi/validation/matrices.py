"""Matrices that look transposed: a vertex shader uses four constants as rows or as columns, and their numbers fit the other use."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from backends.device.shader import Shader
from backends.device.stage_state import StageState
from tgsi.language.channels import source_channels
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import Reads, Trait
from tgsi.language.ir import IDENTITY, XYZW, Instruction, SrcOperand
from tgsi.language.program import Program
from tgsi.validation.findings import Finding

Matrix = NDArray[np.float64]
_SMALL = 1e-3


def transposed(stage: StageState, shader: Shader, who: str) -> Iterator[Finding]:
    """Matrices that a program uses the wrong way around."""
    for (buffer, first), by_rows in uses(shader.program).items():
        memory = stage.constants[buffer] if buffer < len(stage.constants) else None
        if memory is None or memory.size < 16 * (first + 4):
            continue
        words = np.frombuffer(ctypes.string_at(memory.address + 16 * first, 64), np.float32).reshape(4, 4).astype(np.float64)
        if looks_transposed(words if by_rows else words.T):
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
    if not np.isfinite(m).all() or not m.any():
        return False
    return not _is_plausible(m) and _is_plausible(m.T)


def _is_plausible(m: Matrix) -> bool:
    """True of affine transforms, and of projections of what a camera sees: z is a multiple of w, and w is a distance."""
    last = m[3]
    if np.abs(last[:3]).max() < _SMALL * max(1.0, np.abs(m).max()):
        return bool(abs(last[3]) > _SMALL)
    z = m[2, :3]
    parallel = np.abs(np.cross(z, last[:3])).max() <= _SMALL * max(1.0, np.abs(z).max()) * np.abs(last[:3]).max()
    return bool(parallel and abs(np.linalg.norm(last[:3]) - 1) < _SMALL)
