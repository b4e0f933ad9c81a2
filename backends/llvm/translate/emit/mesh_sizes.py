"""EMIT_MESH_TASKS and SET_MESH_OUTPUTS: sizes of a workgroup's launch and of its output."""

from __future__ import annotations

from backends.llvm.builder.function import Val
from backends.llvm.translate.emit import Context, Vector, emits
from backends.llvm.translate.interface import GroupSizes
from tgsi.language.diagnostics import UnsupportedError


def _set(c: Context, a: Vector, channels: int) -> list[Val]:
    if not isinstance(c.interface, GroupSizes):
        name = c.instruction.opcode.name
        raise UnsupportedError.at("B004", f"{name} in this kind of kernel is not supported by the code generator", c.instruction.span)
    c.interface.set_sizes([a[channel].as_int() for channel in range(channels)], c.execution_mask())
    return []


@emits("EMIT_MESH_TASKS")
def emit_emit_mesh_tasks(c: Context, a: Vector) -> list[Val]:
    """Launch a.x * a.y * a.z workgroups, for thread 0."""
    return _set(c, a, 3)


@emits("SET_MESH_OUTPUTS")
def emit_set_mesh_outputs(c: Context, a: Vector) -> list[Val]:
    """Output a.x vertices and a.y primitives, for thread 0."""
    return _set(c, a, 2)
