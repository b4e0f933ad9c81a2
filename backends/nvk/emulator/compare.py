"""Comparison of lowered programs with the original ones: same launches, payloads, primitives and memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from backends.nvk.emulator.memory import Resources, Run, Triple
from backends.nvk.emulator.meshes import EmulatedMesh, run_meshes, run_meshes_of_tasks
from backends.nvk.emulator.tasks import TaskGroups, run_tasks
from backends.nvk.isbe.attributes import attribute_address
from backends.nvk.isbe.task_output import PAYLOAD_START
from backends.nvk.lower.attributes import CULL, MASK, VIEWPORT
from backends.nvk.lower.code import LoweredMesh
from backends.nvk.lower.lowering import lower_mesh, lower_task
from backends.pipe.limits import MAX_VIEWPORTS
from backends.run.result import Mesh
from tgsi.language.program import Program
from tgsi.language.record import record


@record(eq=False, kw_only=True)
class Comparison:
    """Both executions of a draw, and their differences as texts.

    tasks: results of the lowered task program, None without one. meshes: results of the lowered mesh program. direct: results of the
    original mesh program. invocations: threads of task and mesh workgroups that the lowered programs counted. faults: mistakes of the
    programs, such as launches of too many workgroups, or endless loops. primitives: number of primitives that were compared.
    """

    tasks: TaskGroups | None
    meshes: Sequence[EmulatedMesh]
    direct: Sequence[Mesh]
    invocations: tuple[int, int]
    faults: tuple[str, ...]
    primitives: int
    differences: tuple[str, ...]


def compare(mesh: Program, task: Program | None, run: Run, grid: Triple = (1, 1, 1), draw_id: int = 0, **resources: Any) -> Comparison:
    """Run a mesh program, with or without a task program, both directly and lowered. `resources` are as for `tgsi.run`.

    Raises:
        UnsupportedError: the programs have no lowering.
        ValueError: the mesh workgroups are more than the emulator runs.
    """
    lowered = lower_mesh(mesh, task)
    values = {"DRAWID": np.array([draw_id], np.uint32)}
    ours, theirs = Resources(run, resources), Resources(run, resources)
    tasks: TaskGroups | None = None
    differences: list[str] = []
    faults: tuple[str, ...] = ()
    if task is None:
        meshes = run_meshes(lowered, grid, ours, draw_id)
        direct = list(theirs.run(mesh, grid=grid, system_values=_draw_ids(mesh, values, grid)).meshes)
    else:
        tasks = run_tasks(lower_task(task), grid, ours, draw_id)
        faults = tasks.faults
        meshes = run_meshes_of_tasks(lowered, tasks, ours, draw_id)
        result = theirs.run(task, grid=grid, system_values=_draw_ids(task, values, grid))
        payload = tasks.handed[:, PAYLOAD_START : PAYLOAD_START + result.payload.shape[1]]
        if not np.array_equal(result.tasks, tasks.sizes):
            differences.append("the launches of task workgroups differ")
        if not np.array_equal(result.payload, payload):
            differences.append("the payloads of task workgroups differ")
        direct = []
        for sizes, handed in zip(result.tasks.tolist(), result.payload):
            launch = (sizes[0], sizes[1], sizes[2])
            if 0 not in launch:
                options = {"system_values": _draw_ids(mesh, values, launch), "payload": handed.tobytes()}
                direct += theirs.run(mesh, grid=launch, **options).meshes
    if len(direct) != len(meshes):
        differences.append(f"{len(meshes)} mesh workgroups ran lowered, {len(direct)} otherwise")
    for number, (expected, actual) in enumerate(zip(direct, meshes)):
        differences += [f"mesh workgroup {number}: {text}" for text in _mesh_differences(lowered, expected, actual)]
    differences += _memory_differences(theirs.given, ours.given)
    for name, resources_of in (("lowered", ours), ("original", theirs)):
        if resources_of.exhausted:
            faults += (f"a loop of the {name} programs ended because its fuel had run out",)
    return Comparison(
        tasks=tasks,
        meshes=meshes,
        direct=direct,
        invocations=ours.invocations,
        faults=faults,
        primitives=sum(len(item.indices) for item in direct),
        differences=tuple(differences),
    )


def _draw_ids(program: Program, values: Mapping[str, Any], grid: Triple) -> dict[str, Any]:
    """DRAWID of every invocation."""
    axes = ("WIDTH", "HEIGHT", "DEPTH")
    threads = int(np.prod([program.property(f"CS_FIXED_BLOCK_{axis}", 1) for axis in axes], dtype=np.int64))
    return {name: np.repeat(value, threads * grid[0] * grid[1] * grid[2]) for name, value in values.items()}


def _mesh_differences(lowered: LoweredMesh, expected: Mesh, actual: EmulatedMesh) -> Iterator[str]:
    """Differences of one workgroup. Primitives with an index that is not a vertex are dropped, because MAP does not have the number of
    vertices."""
    if len(expected.indices) != len(actual.indices):
        yield f"{len(actual.indices)} primitives, {len(expected.indices)} expected"
        return
    drawn = np.flatnonzero((expected.indices < len(expected.vertices)).all(axis=1))
    indices = expected.indices[drawn]
    if not np.array_equal(indices, actual.indices[drawn]):
        yield "the vertex numbers differ"
        return
    used = np.unique(indices)
    for word in lowered.vertex_words:
        column = lowered.output.vertex.offset(word.attribute) // 4
        if not np.array_equal(expected.vertices[used, word.register, word.component], actual.vertices[used, column]):
            yield f"attribute 0x{word.attribute:03x} of vertices (OUT[{word.register}], channel {word.component}) differs"
    first = lowered.layout.first_primitive
    for word in lowered.primitive_words:
        column = lowered.output.primitive.offset(word.attribute) // 4
        if not np.array_equal(expected.primitives[drawn, word.register - first, word.component], actual.primitives[drawn, column]):
            yield f"attribute 0x{word.attribute:03x} of primitives (OUT[{word.register}], channel {word.component}) differs"
    if lowered.mask:
        column = lowered.output.primitive.offset(attribute_address(MASK)) // 4
        if not np.array_equal(viewport_masks(lowered, expected)[drawn], actual.primitives[drawn, column]):
            yield "the masks of viewports differ"


def viewport_masks(lowered: LoweredMesh, mesh: Mesh) -> Any:
    """(primitives,) uint32: the mask of viewports from VIEWPORT_INDEX, VIEWPORT_MASK and CULL_PRIMITIVE of a mesh."""
    rows = {name: mesh.primitives[:, register - lowered.layout.first_primitive, 0] for name, register in lowered.mask}
    masks = np.ones(len(mesh.primitives), np.uint32)
    if MASK in rows:
        masks = rows[MASK].copy()
    elif VIEWPORT in rows:
        numbers = np.where(rows[VIEWPORT] < MAX_VIEWPORTS, rows[VIEWPORT], 0)
        masks = np.uint32(1) << numbers.astype(np.uint32)
    if CULL in rows:
        masks[rows[CULL] != 0] = 0
    return masks


def _memory_differences(expected: Mapping[str, Any], actual: Mapping[str, Any]) -> Iterator[str]:
    for name in ("buffers", "counters"):
        for number, data in expected.get(name, {}).items():
            if np.asarray(data).tobytes() != np.asarray(actual[name][number]).tobytes():
                yield f"{name} {number} differ"
    for unit, data in expected.get("images", {}).items():
        if not np.array_equal(data.levels[0], actual["images"][unit].levels[0]):
            yield f"image {unit} differs"
