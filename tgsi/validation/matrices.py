"""Matrices that look transposed, or whose near and far plane look swapped: four constants that a vertex shader uses as rows or columns."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Iterator, Sequence

from backends.device.bound import DrawState
from backends.device.shader import Shader
from backends.device.stage_state import StageState
from backends.pipe.enums import CompareFunc
from passes.analysis import facts
from tgsi.language.channels import source_channels
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import Reads, Trait
from tgsi.language.ir import IDENTITY, XYZW, Instruction, SrcOperand
from tgsi.language.program import Program
from tgsi.validation.declared import uniform_at
from tgsi.validation.findings import Finding

Matrix = Sequence[Sequence[float]]
"""Its rows."""
_SMALL = 1e-3
_NUMBERS = struct.Struct("<16f")


def findings(state: DrawState, stage: StageState, shader: Shader, who: str, *, has_depth: bool) -> Iterator[Finding]:
    """Findings about the matrices of a vertex shader. has_depth: a depth buffer is bound."""
    for (buffer, first), by_rows in facts.of(shader.program, _matrices).items():
        memory = stage.constant(buffer)
        if memory is None or memory.size < 16 * (first + 4):
            continue
        numbers = _NUMBERS.unpack(ctypes.string_at(memory.address + 16 * first, 64))
        words = [numbers[k : k + 4] for k in range(0, 16, 4)]
        matrix = words if by_rows else list(zip(*words))
        is_transposed = looks_transposed(matrix)
        planes = swapped_planes(state, matrix) if has_depth and not is_transposed else None
        if not is_transposed and planes is None:
            continue
        known = uniform_at(shader.program, buffer, first)
        name = repr(known) if known else f"in CONST[{buffer}][{first}..{first + 3}]" if buffer else f"in CONST[{first}..{first + 3}]"
        if planes is None:
            kind, other = ("rows", "columns") if by_rows else ("columns", "rows")
            text = f"the matrix {name} of {who} looks transposed: it is used as four {kind}, and holds {other}; .T of a numpy matrix"
            yield Finding("transposed", (shader.serial, buffer, first), text)
        else:
            func = CompareFunc(state.depth_stencil_alpha.depth.func).name
            text = (
                f"the projection {name} of {who} gives nearer things larger depths, so that depth test {func} keeps the farthest: "
                f"its near plane is at {planes[0]:.4g} and its far plane at {planes[1]:.4g}; are they swapped?"
            )
            yield Finding("planes", (shader.serial, buffer, first), text)


def swapped_planes(state: DrawState, m: Matrix) -> tuple[float, float] | None:
    """Distances of the near and the far plane of a projection, given by its rows, if they make near things lose the depth test.

    A transform in the matrix changes neither the factor between z and w nor what z has beyond that: these two give the planes.
    """
    depth = state.depth_stencil_alpha.depth
    if not depth.enabled or depth.func not in (CompareFunc.LESS, CompareFunc.LEQUAL) or not _is_perspective(m):
        return None
    z, w = m[2], m[3]
    factor = -sum(a * b for a, b in zip(z[:3], w[:3])) / sum(b * b for b in w[:3])
    beyond = z[3] + factor * w[3]
    scale = state.viewports[0].scale[2] if state.viewports else 1.0
    if beyond * scale <= _SMALL * _SMALL * max(abs(value) for row in m for value in row):
        return None
    divisors = (factor if state.rasterizer.clip_halfz else factor - 1, factor + 1)
    near, far = (beyond / divisor if divisor else math.inf for divisor in divisors)
    return (near, far) if 0 < far < near else None


def _matrices(program: Program) -> dict[tuple[int, int], bool]:
    """Matrices of a program; True: see `uses`."""
    return {**_named(program), **uses(program)}


def _named(program: Program) -> dict[tuple[int, int], bool]:
    """Matrices that a program multiplies by others, which it uses as columns; empty where vectors are multiplied from the left, too."""
    interface = program.interface
    products = [item for item in program.instructions if Trait.PRODUCT in item.opcode.traits]
    if interface is None or any(_is_dot(item, 0) for item in products):
        return {}
    read = {place for item in products for operand in item.src if (place := _place(operand)) is not None}
    blocks = [*interface.blocks.values(), *([interface.uniforms] if interface.uniforms else [])]
    variables = [(block.binding, item) for block in blocks for item in block.members.values()]
    return {
        (binding, item.offset // 16): False
        for binding, item in variables
        if item.type == "mat4" and not item.sizes and not item.row_major and {(binding, item.offset // 16 + k) for k in range(4)} <= read
    }


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
    return _place(operand) if operand.swizzle == IDENTITY else None


def _place(operand: SrcOperand) -> tuple[int, int] | None:
    """Constant buffer and row of an operand."""
    register = operand.register
    if register.file is not File.CONST or register.indirect is not None:
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
    last = m[3][:3]
    if max(map(abs, last)) < _SMALL * max(1.0, *(abs(value) for row in m for value in row)):
        return abs(m[3][3]) > _SMALL
    return _is_perspective(m) and abs(math.hypot(*last) - 1) < _SMALL


def _is_perspective(m: Matrix) -> bool:
    """True if w differs from place to place, and z is a multiple of it but for a constant."""
    last, z = m[3][:3], m[2][:3]
    most, most_z = max(map(abs, last)), max(map(abs, z))
    values = [abs(value) for row in m for value in row]
    if not all(map(math.isfinite, values)) or most < _SMALL * max(1.0, *values):
        return False
    cross = z[1] * last[2] - z[2] * last[1], z[2] * last[0] - z[0] * last[2], z[0] * last[1] - z[1] * last[0]
    return max(map(abs, cross)) <= _SMALL * max(1.0, most_z) * most
