"""Results of task and mesh programs: the memory of a workgroup's rows, and the meaning of the numbers that a program sets.

The limit along an axis is that of OpenGL (GL_MAX_MESH_WORK_GROUP_COUNT of GL_EXT_mesh_shader).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from backends.pipe.limits import MAX_GRID, MAX_MESH_GROUPS
from backends.run.result import Bits, Mask, Mesh
from passes.analysis import facts
from tgsi.language.facts.stages import STAGES
from tgsi.language.mesh import MeshLayout, mesh_layout
from tgsi.language.program import Program
from tgsi.language.record import record

MAX_TASK_AXIS = MAX_GRID
"""Most mesh workgroups along an axis that a task workgroup launches."""

MAX_TASK_GROUPS = MAX_MESH_GROUPS
"""Most mesh workgroups that a task workgroup launches."""

_VEC4 = 16
_ALIGN = 64


@record(kw_only=True)
class MeshMemory:
    """Memory of the rows that one workgroup of a mesh program writes: rows of vertices, rows of primitives, a scrap row.

    All numbers are bytes. vertex_bytes, primitive_bytes: from one row to the next. primitives: offset of the first primitive's row. scrap:
    offset of 16 bytes that are never read, as a target for the stores of inactive lanes. clear: bytes that are 0 at the start. size:
    total, a multiple of 64.
    """

    layout: MeshLayout
    vertex_bytes: int
    primitives: int
    primitive_bytes: int

    @property
    def clear(self) -> int:
        """Bytes from the start that hold rows."""
        return self.primitives + self.layout.max_primitives * self.primitive_bytes

    @property
    def scrap(self) -> int:
        """Offset of the scrap row."""
        return self.clear

    @property
    def size(self) -> int:
        """Bytes of a workgroup."""
        return -(-(self.scrap + _VEC4) // _ALIGN) * _ALIGN


def writes_meshes(program: Program) -> bool:
    """True if each workgroup outputs vertices and primitives."""
    stage = STAGES[program.processor]
    return stage.is_mesh and stage.feeds_rasterizer


def writes_payload(program: Program) -> bool:
    """True if each workgroup writes its own payload. The workgroups of a mesh program read one."""
    stage = STAGES[program.processor]
    return stage.is_mesh and not stage.feeds_rasterizer


def _make_memory(program: Program) -> MeshMemory:
    layout = mesh_layout(program)
    row = layout.vertex_registers * _VEC4
    return MeshMemory(
        layout=layout,
        vertex_bytes=row,
        primitives=row * layout.max_vertices,
        primitive_bytes=layout.primitive_registers * _VEC4,
    )


def mesh_memory(program: Program) -> MeshMemory:
    """Memory of a mesh program's workgroups, computed once a program."""
    return facts.of(program, _make_memory)


def rows_of(memory: MeshMemory, words: Bits) -> tuple[Bits, Bits]:
    """Views of one workgroup's memory (size / 4 words): all rows of vertices, (rows, registers, 4), and all rows of primitives."""
    layout, start = memory.layout, memory.primitives // 4
    vertices = words[:start].reshape(layout.max_vertices, layout.vertex_registers, 4)
    primitives = words[start : memory.clear // 4].reshape(layout.max_primitives, layout.primitive_registers, 4)
    return vertices, primitives


def make_mesh(layout: MeshLayout, counts: Sequence[int], vertices: Bits, primitives: Bits) -> Mesh:
    """The output of one workgroup. counts: the numbers of vertices and primitives that it set; vertices, primitives: all rows."""
    faults: list[str] = []
    numbers = []
    for name, count, most in zip(("vertices", "primitives"), counts, (layout.max_vertices, layout.max_primitives)):
        if count > most:
            faults.append(f"SET_MESH_OUTPUTS: {count} {name}, at most {most}: cut")
        numbers.append(min(count, most))
    rows = primitives[: numbers[1]].copy()
    if layout.indices >= 0:
        indices = rows[:, layout.indices - layout.first_primitive, : layout.corners].copy()
    else:
        indices = np.zeros((numbers[1], layout.corners), np.uint32)
    for number in np.flatnonzero((indices >= numbers[0]).any(axis=1)).tolist():
        named = ", ".join(map(str, indices[number].tolist()))
        faults.append(f"primitive {number}: its indices are {named}, the vertices are {_numbers(numbers[0])}: not drawn")
    return Mesh(vertices[: numbers[0]].copy(), indices, rows, tuple(faults))


def _numbers(count: int) -> str:
    return f"0 to {count - 1}" if count else "none"


def refused(sizes: Bits) -> Mask:
    """Mask of the rows of (groups, 3) numbers, emitted by task workgroups, that are too large: nothing is launched for them."""
    wide: NDArray[np.uint64] = sizes.astype(np.uint64)
    too_long: Mask = np.asarray((wide > MAX_TASK_AXIS).any(axis=1))
    too_many: Mask = np.asarray(np.where(too_long[:, None], 0, wide).prod(axis=1) > MAX_TASK_GROUPS)
    return too_long | too_many


def launched(sizes: Bits) -> tuple[Bits, list[tuple[int, str]]]:
    """Sizes of the grids that task workgroups launch, from the (groups, 3) numbers that they emitted: 0, 0, 0 where these are too large.

    Second, a text for each such workgroup, with its number.
    """
    too_large = refused(sizes)
    launches = []
    for number in np.flatnonzero(too_large).tolist():
        x, y, z = sizes[number].tolist()
        limit = (
            f"an axis has at most {MAX_TASK_AXIS}"
            if max(x, y, z) > MAX_TASK_AXIS
            else f"{x * y * z} workgroups are more than {MAX_TASK_GROUPS}"
        )
        launches.append((number, f"EMIT_MESH_TASKS: {x} x {y} x {z}, {limit}: nothing is launched"))
    return np.where(too_large[:, None], np.uint32(0), sizes), launches
