"""The arguments of launch_grid and draw_mesh_tasks, and their checks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from backends.device.grid import ComputeShader, Grid, Triple
from backends.device.memory import Memory
from backends.gallium.resource.layout import address_of, allocate
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.transfer import as_bytes
from backends.pipe.checks import integer
from backends.pipe.limits import MAX_BLOCK, MAX_DRAWS, MAX_GRID, MAX_INPUT, MAX_LOCAL, MAX_MESH_GROUPS
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import Flow
from tgsi.language.ir import Instruction
from tgsi.language.program import Program
from tgsi.language.record import record

NAME = "launch_grid"
MESH = "draw_mesh_tasks"
_OF_GRIDS = ("pc", "input", "work_dim", "last_block", "variable_shared_mem")
"""Fields of GridInfo that apply to launch_grid only."""
_RECORD = 12
"""Bytes of the three words of an indirect record."""


@record(kw_only=True)
class GridInfo:
    """The arguments of launch_grid and draw_mesh_tasks (pipe_grid_info).

    Attributes:
        pc: number of the instruction, a BGNSUB, at which the run begins; 0 for the program's beginning.
        input: bytes of INPUT memory.
        work_dim: the value of WORK_DIM.
        block: threads of a block by axis; None for the program's fixed size.
        last_block: threads of the last block of each axis, 0 for a full block.
        grid: blocks by axis.
        indirect: a buffer that holds `grid` instead, as three 32-bit words at byte `indirect_offset`.
        variable_shared_mem: bytes of SHARED memory in addition to the shader's req_local_mem.
        indirect_stride: bytes from one indirect record to the next; 0: they are tight, 12 bytes apart. Only of draw_mesh_tasks, as are
            the next three.
        draw_count: number of indirect records, each of which is a draw with the next DRAWID.
        indirect_draw_count: a buffer with the number of draws, a 32-bit word; draw_count is then the most that are drawn.
        indirect_draw_count_offset: the byte of that word.
    """

    pc: int = 0
    input: Any = None
    work_dim: int = 3
    block: Triple | None = None
    last_block: Triple = (0, 0, 0)
    grid: Triple = (1, 1, 1)
    indirect: Any = None
    indirect_offset: int = 0
    variable_shared_mem: int = 0
    indirect_stride: int = 0
    draw_count: int = 1
    indirect_draw_count: Any = None
    indirect_draw_count_offset: int = 0


_PLAIN = GridInfo()


@record
class ComputeStateInfo:
    """Limits of a compute shader (pipe_compute_state_object_info).

    Attributes:
        max_threads: threads of a block.
        preferred_simd_size: threads that run in one vector; no promise.
        private_memory: bytes of PRIVATE memory of each thread.
    """

    max_threads: int
    preferred_simd_size: int
    private_memory: int


def checked_grid(shader: ComputeShader, info: GridInfo, size: Triple | None) -> Grid:
    """The grid of a launch. `size` is the number of blocks from an indirect buffer. TypeError and ValueError name the argument."""
    argument, sizes = ("grid", info.grid) if size is None else ("indirect", size)
    axes = _triple(f"{NAME}: {argument}", sizes, 0, MAX_GRID)
    if info.draw_count != 1 or info.indirect_draw_count is not None:
        field = "indirect_draw_count" if info.draw_count == 1 else "draw_count"
        raise ValueError(f"{NAME}: {field}: a launch runs one grid; several are drawn by {MESH} alone")
    fixed = _fixed_block(shader.program)
    if info.block is None and not all(fixed):
        raise ValueError(f"{NAME}: block: it must be given, the program does not fix its size")
    block = _triple(f"{NAME}: block", info.block if info.block is not None else (fixed[0], fixed[1], fixed[2]), 1, MAX_BLOCK)
    if any(axis not in (0, threads) for axis, threads in zip(fixed, block)):
        raise ValueError(f"{NAME}: block: {block} is given, the program fixes {fixed}")
    if block[0] * block[1] * block[2] > MAX_BLOCK:
        raise ValueError(f"{NAME}: block: {block} are more than {MAX_BLOCK} threads")
    last = _triple(f"{NAME}: last_block", info.last_block, 0, MAX_BLOCK)
    if any(threads > whole for threads, whole in zip(last, block)):
        raise ValueError(f"{NAME}: last_block: {last} is more than a block has, {block}")
    shared = shader.req_local_mem + integer(info.variable_shared_mem, f"{NAME}: variable_shared_mem", 0, MAX_LOCAL)
    if shared > MAX_LOCAL:
        raise ValueError(f"{NAME}: variable_shared_mem: {shared} bytes in all, more than {MAX_LOCAL}")
    dimensions = integer(info.work_dim, f"{NAME}: work_dim", 1, 3)
    return Grid(axes, block, last, dimensions, shared, inputs=_inputs(shader, info.input))


def checked_mesh_grid(argument: str, sizes: Triple) -> Triple:
    """The workgroups of a mesh draw by axis. TypeError and ValueError name the argument."""
    axes = _triple(f"{MESH}: {argument}", sizes, 0, MAX_GRID)
    if axes[0] * axes[1] * axes[2] > MAX_MESH_GROUPS:
        raise ValueError(f"{MESH}: {argument}: {axes} are more than {MAX_MESH_GROUPS} workgroups")
    return axes


def check_mesh_info(info: GridInfo, first: Program) -> None:
    """Check the fields of a mesh draw other than its size. `first`: the task program, or the mesh program without one."""
    for field in _OF_GRIDS:
        if getattr(info, field) != getattr(_PLAIN, field):
            raise ValueError(f"{MESH}: {field}: it belongs to {NAME}; leave it out")
    if info.block is not None and info.block != _fixed_block(first):
        raise ValueError(f"{MESH}: block: {info.block} is given, the {first.processor.name} program fixes {_fixed_block(first)}")
    if info.indirect is None and (info.draw_count != 1 or info.indirect_draw_count is not None):
        field = "indirect_draw_count" if info.draw_count == 1 else "draw_count"
        raise ValueError(f"{MESH}: {field}: several draws need `indirect`, a buffer of records")
    integer(info.draw_count, f"{MESH}: draw_count", 0, MAX_DRAWS)


def indirect_size(buffer: Resource, offset: Any, name: str = NAME) -> Triple:
    """The three words at `offset` bytes of a buffer."""
    start = integer(offset, f"{name}: indirect_offset")
    if not buffer.is_buffer or start % 4 or start + _RECORD > buffer.size:
        raise ValueError(f"{name}: indirect: three words at {start} do not fit {buffer!r}")
    x, y, z = (int(word) for word in buffer.storage[start : start + _RECORD].view(np.uint32))
    return x, y, z


def indirect_count(info: GridInfo, buffer: Resource | None) -> int:
    """The number of draws of a mesh draw: its draw_count, or the word of a count buffer, clamped to draw_count."""
    if buffer is None:
        return info.draw_count
    start = integer(info.indirect_draw_count_offset, f"{MESH}: indirect_draw_count_offset")
    if not buffer.is_buffer or start % 4 or start + 4 > buffer.size:
        raise ValueError(f"{MESH}: indirect_draw_count: a word at {start} does not fit {buffer!r}")
    return min(info.draw_count, int(buffer.storage[start : start + 4].view(np.uint32)[0]))


def indirect_grids(info: GridInfo, buffer: Resource, count: int) -> list[Triple]:
    """The sizes of `count` mesh draws, read one by one."""
    step = integer(info.indirect_stride, f"{MESH}: indirect_stride") or _RECORD
    if step % 4 or (count > 1 and step < _RECORD):
        raise ValueError(f"{MESH}: indirect_stride: expected a multiple of 4, at least {_RECORD}, not {step}")
    places = (info.indirect_offset + number * step for number in range(count))
    return [checked_mesh_grid(f"indirect: draw {number}", indirect_size(buffer, at, MESH)) for number, at in enumerate(places)]


def _fixed_block(program: Program) -> Triple:
    width, height, depth = (program.property(f"CS_FIXED_BLOCK_{axis}") for axis in ("WIDTH", "HEIGHT", "DEPTH"))
    return width, height, depth


def _triple(argument: str, values: Triple, low: int, high: int) -> Triple:
    x, y, z = (integer(value, f"{argument}: {axis}", low, high) for axis, value in zip("xyz", values))
    return x, y, z


def _inputs(shader: ComputeShader, source: Any) -> Memory | None:
    """INPUT memory: the given bytes, and zeros up to whole words."""
    wanted = shader.req_input_mem
    data = np.zeros(0, np.uint8) if source is None else as_bytes(source, f"{NAME}: input")
    if data.size > MAX_INPUT:
        raise ValueError(f"{NAME}: input: {data.size} bytes; at most {MAX_INPUT} are possible")
    if data.size < wanted:
        raise ValueError(f"{NAME}: input: {data.size} bytes, the shader wants {wanted}")
    if not data.size:
        return None
    copy = allocate(-(-data.size // 4) * 4)
    copy[: data.size] = data
    return Memory(address_of(copy), copy.size, copy)


def entry_program(shader: ComputeShader, pc: int) -> Program:
    """The program itself, or one whose main part calls the subroutine at `pc` and ends."""
    if not pc:
        return shader.program
    entry = shader.entries.get(pc)
    if entry is None:
        program = shader.program
        if pc >= len(program.instructions) or program.instructions[pc].opcode.flow is not Flow.SUBROUTINE:
            raise ValueError(f"{NAME}: pc: instruction {pc} is not a BGNSUB")
        begin = (Instruction(OPCODES["CAL"], label=pc + 2), Instruction(OPCODES["RET"]))
        moved = (i if i.label is None else replace(i, label=i.label + len(begin)) for i in program.instructions)
        entry = shader.entries[pc] = replace(program, instructions=(*begin, *moved))
    return entry
