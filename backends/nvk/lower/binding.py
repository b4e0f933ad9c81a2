"""The methods that bind lowered programs and draw with them."""

from __future__ import annotations

from backends.nvk.lower.code import LoweredMesh, LoweredTask
from backends.nvk.methods.calls import Call
from backends.nvk.methods.lists import MeshBinding, TaskBinding, bind, draw
from backends.nvk.methods.table import Topology


def calls_of(mesh: LoweredMesh, task: LoweredTask | None = None, groups: int = 1) -> list[Call]:
    """Calls that bind the programs and start `groups` workgroups: of the task program, or without one of the mesh program.

    Raises:
        MethodError: a number does not fit its field.
    """
    bound = MeshBinding(
        threads=mesh.code.threads,
        topology=Topology(int(mesh.layout.primitive)),
        max_vertices=mesh.layout.max_vertices,
        max_primitives=mesh.layout.max_primitives,
        shared_lines=mesh.output.shared_lines,
        has_primitive_attributes=bool(mesh.output.primitive.addresses),
    )
    if task is None:
        return bind(bound) + draw(groups)
    return bind(bound, TaskBinding(task.code.threads, task.output.buffer_lines, task.output.output_lines)) + draw(groups)
