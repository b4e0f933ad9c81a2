"""Lists of calls: the binding of mesh shaders, and a draw.

Task programs sit in the vertex slot. Mesh programs sit there, too, or in the slot of tessellation control programs after a task. With
attributes of primitives the geometry slot is on: a program in pass-through form, of which only the header exists. The driver decides where
programs lie in memory, and how many registers they use. Source: Mesa's NVK notes ("Draw", "Stages", "Task", "Mesh").
"""

from __future__ import annotations

from backends.nvk.methods.calls import Call, call
from backends.nvk.methods.table import InstanceId, MethodError, PrimitiveId, ProgramSlot, SplitMode, Switch, Topology
from tgsi.language.record import record

WARP = 32
"""Threads of a workgroup: one warp, by the notes."""


@record
class TaskBinding:
    """Facts of a task program: threads, lines of its output ATTR, and how many of these mesh shaders can read."""

    threads: int
    buffer_lines: int
    output_lines: int


@record(kw_only=True)
class MeshBinding:
    """Facts of a mesh program: threads, output topology, greatest counts, lines of shared memory, attributes of primitives or none."""

    threads: int
    topology: Topology
    max_vertices: int
    max_primitives: int
    shared_lines: int = 0
    has_primitive_attributes: bool = False


def mesh_slot(task: TaskBinding | None) -> ProgramSlot:
    """The slot of the mesh program."""
    return ProgramSlot.VERTEX if task is None else ProgramSlot.TESSELLATION_INIT


def bind(mesh: MeshBinding, task: TaskBinding | None = None) -> list[Call]:
    """Calls that bind a mesh program, with or without a task program. SET_MESH_CONTROL is the first.

    Raises:
        MethodError: a workgroup has no or more than 32 threads, a topology is not a list, or a number does not fit its field.
    """
    if mesh.topology not in (Topology.POINTS, Topology.LINES, Topology.TRIANGLES):
        raise MethodError(f"topology {mesh.topology.name}: mesh programs give POINTS, LINES or TRIANGLES")
    calls = [call("SET_MESH_CONTROL", ENABLE=Switch.TRUE)]
    if task is not None:
        calls.append(
            call(
                "SET_MESH_INIT_SHADER",
                THREAD_COUNT=_warp("task", task.threads),
                LOCAL_BUFFER_LINES=task.buffer_lines,
                OUTPUT_TO_M_S_LINES=task.output_lines,
            )
        )
    used = {ProgramSlot.VERTEX, mesh_slot(task)} | ({ProgramSlot.GEOMETRY} if mesh.has_primitive_attributes else set())
    for slot in (ProgramSlot.VERTEX, ProgramSlot.TESSELLATION_INIT, ProgramSlot.TESSELLATION, ProgramSlot.GEOMETRY):
        calls.append(call("SET_PIPELINE_SHADER", slot, ENABLE=slot in used, TYPE=slot))
    return calls + [
        call("SET_MESH_SHADER_A", OUTPUT_TOPOLOGY=mesh.topology, MAX_VERTEX=mesh.max_vertices, MAX_PRIMITIVE=mesh.max_primitives),
        call("SET_MESH_SHADER_B", SHARED_MEM_LINES=mesh.shared_lines, THREAD_COUNT=_warp("mesh", mesh.threads)),
    ]


def draw(groups: int) -> list[Call]:
    """Calls that start `groups` workgroups. Their numbers arrive as vertex ids. Raises MethodError beyond 32 bits."""
    return [
        call("SET_VERTEX_ID_BASE", V=0),
        call(
            "SET_DRAW_CONTROL_A",
            TOPOLOGY=Topology.POINTS,  # ignored: that of SET_MESH_SHADER_A counts
            PRIMITIVE_ID=PrimitiveId.FIRST,
            INSTANCE_ID=InstanceId.FIRST,
            SPLIT_MODE=SplitMode.NORMAL_BEGIN_NORMAL_END,
            INSTANCE_ITERATE_ENABLE=Switch.FALSE,
            IGNORE_GLOBAL_BASE_VERTEX_INDEX=Switch.TRUE,
            IGNORE_GLOBAL_BASE_INSTANCE_INDEX=Switch.TRUE,
        ),
        call("DRAW_VERTEX_ARRAY_BEGIN_END_A", START=0),
        call("DRAW_VERTEX_ARRAY_BEGIN_END_B", COUNT=groups),
    ]


def _warp(stage: str, threads: int) -> int:
    if not 1 <= threads <= WARP:
        raise MethodError(f"{stage} program with {threads} threads a workgroup: the hardware runs 1 .. {WARP}, one warp")
    return threads
