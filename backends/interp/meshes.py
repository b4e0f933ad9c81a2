"""EMIT_MESH_TASKS and SET_MESH_OUTPUTS: launches and outputs of the workgroups of task and mesh programs."""

from __future__ import annotations

import numpy as np

from backends.interp.registry import performs
from backends.interp.state import State
from backends.run.meshes import make_mesh
from backends.run.result import Mask, Mesh
from tgsi.language.facts.enums import File
from tgsi.language.ir import Instruction
from tgsi.language.mesh import mesh_layout


def _keep(state: State, instruction: Instruction, active: Mask, channels: int) -> None:
    shape = state.arguments.shape
    words = state.source(instruction, 0, "uint")
    first = np.flatnonzero(active & (shape.member == 0))
    state.arguments.sizes[shape.primitive[first], :channels] = words[first, :channels]


@performs("EMIT_MESH_TASKS")
def emit_mesh_tasks(state: State, instruction: Instruction, active: Mask) -> None:
    """Launch a.x * a.y * a.z workgroups for each block whose thread 0 is active, replacing its earlier launch."""
    _keep(state, instruction, active, 3)


@performs("SET_MESH_OUTPUTS")
def set_mesh_outputs(state: State, instruction: Instruction, active: Mask) -> None:
    """Output a.x vertices and a.y primitives of each block whose thread 0 is active, replacing earlier numbers."""
    _keep(state, instruction, active, 2)


def meshes_of(state: State) -> list[Mesh]:
    """The outputs of every block of a mesh program, from the rows of OUT: rows of vertices, then rows of primitives."""
    layout, shape = mesh_layout(state.program), state.arguments.shape
    count = layout.max_vertices + layout.max_primitives
    rows = state.registers.files[File.OUT].transpose(1, 0, 2).reshape(shape.groups, count, state.program.file_size(File.OUT), 4)
    first = layout.first_primitive
    vertices = rows[:, : layout.max_vertices, : layout.vertex_registers]
    primitives = rows[:, layout.max_vertices :, first : first + layout.primitive_registers]
    sizes = state.arguments.sizes[:, :2].tolist()
    return [make_mesh(layout, sizes[group], vertices[group], primitives[group]) for group in range(shape.groups)]
