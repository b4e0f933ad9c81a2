"""Workgroups of a lowered mesh program: primitives out of MAP, and their vertices and attributes out of ATTR."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from backends.nvk.emulator.expand import INPUT, MAP, MARGIN, OUTPUT, Sizes, expand
from backends.nvk.emulator.memory import Bytes, Resources, Triple
from backends.nvk.emulator.tasks import TaskGroups, anything, chunks, numbered_input, regions
from backends.nvk.isbe.attributes import Attributes
from backends.nvk.isbe.index_map import COUNT_BYTES
from backends.nvk.isbe.regions import LINE_BYTES, WORD_BYTES, IsbeError
from backends.nvk.isbe.skew import skewed
from backends.nvk.isbe.task_output import TaskWord
from backends.nvk.lower.code import LoweredMesh
from tgsi.language.program import Program
from tgsi.language.record import record

MAX_GROUPS = 1 << 16
"""Most mesh workgroups that the emulator runs; their outputs are kept."""


@record(eq=False)
class EmulatedMesh:
    """The output of one mesh workgroup, read from MAP and ATTR.

    indices: (primitives, corners) uint8. vertices: (most vertices, words) and primitives: (primitives, words) uint32, whose columns are the
    attributes of `MeshOutput.vertex` and `MeshOutput.primitive`.
    """

    indices: Bytes
    vertices: NDArray[np.uint32]
    primitives: NDArray[np.uint32]


def run_meshes(lowered: LoweredMesh, grid: Triple, resources: Resources, draw_id: int = 0) -> list[EmulatedMesh]:
    """Run all mesh workgroups of a grid, without a task.

    Raises:
        IsbeError: the program used an address outside of its memory.
        ValueError: there are more than `MAX_GROUPS` workgroups.
    """
    groups = grid[0] * grid[1] * grid[2]
    _check_number(groups)
    program = _expanded(lowered, LINE_BYTES)
    meshes: list[EmulatedMesh] = []
    for first, count in chunks(groups, lowered.output.size + 4 * lowered.index_map.size):
        meshes += _run(lowered, program, numbered_input(first, count), count, grid, resources, draw_id)
    return meshes


def run_meshes_of_tasks(lowered: LoweredMesh, tasks: TaskGroups, resources: Resources, draw_id: int = 0) -> list[EmulatedMesh]:
    """Run the mesh workgroups that tasks launch, in the order of the tasks. Raises as `run_meshes`."""
    counts = tasks.sizes.astype(np.int64).prod(axis=1)
    _check_number(int(counts.sum()))
    program = _expanded(lowered, tasks.handed.shape[1])
    owner = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    meshes: list[EmulatedMesh] = []
    for first, count in chunks(len(owner), lowered.output.size + 4 * lowered.index_map.size + tasks.handed.shape[1]):
        chosen = slice(first, first + count)
        own_input = np.pad(tasks.handed[owner[chosen]].view(np.uint32), ((0, 0), (0, MARGIN // WORD_BYTES)))
        own_input[:, TaskWord.INDEX // WORD_BYTES] = number[chosen]
        meshes += _run(lowered, program, own_input, count, (0, 0, 0), resources, draw_id)
    return meshes


def _check_number(groups: int) -> None:
    if groups > MAX_GROUPS:
        raise ValueError(f"{groups} mesh workgroups: the emulator runs at most {MAX_GROUPS}; choose a smaller grid")


def _expanded(lowered: LoweredMesh, input_bytes: int) -> Program:
    output = lowered.output
    return expand(
        lowered.code,
        Sizes(
            input_bytes=input_bytes,
            output_bytes=output.size,
            map_bytes=lowered.index_map.size,
            vertex_row=output.vertex.row_bytes,
            primitive_row=output.primitive.row_bytes,
            primitive_start=output.primitive_start,
        ),
    )


def _run(
    lowered: LoweredMesh, program: Program, own_input: NDArray[np.uint32], count: int, grid: Triple, resources: Resources, draw_id: int
) -> Iterator[EmulatedMesh]:
    map_bytes, size = lowered.index_map.size, lowered.output.size
    own = {INPUT: own_input, OUTPUT: anything(count, size), MAP: anything(count, map_bytes, unit=1)}
    result = resources.run_lowered(lowered.code, program, count, grid, draw_id, {number: data.reshape(-1) for number, data in own.items()})
    maps = regions(result[MAP], count, map_bytes, 1).astype(np.uint8)
    words = regions(result[OUTPUT], count, size, WORD_BYTES)
    for group in range(count):
        yield read_mesh(lowered, maps[group], words[group])


def read_mesh(lowered: LoweredMesh, index_map: Bytes, words: NDArray[np.uint32]) -> EmulatedMesh:
    """Primitives of one workgroup. index_map: the bytes of MAP; words: ATTR. Raises IsbeError if MAP says more than it has room for."""
    output, corners = lowered.output, lowered.layout.corners
    count = int(index_map[:COUNT_BYTES].view("<u4")[0])
    if count > output.max_primitives:
        raise IsbeError(f"MAP of a workgroup says {count} primitives, and has room for {output.max_primitives}")
    indices = index_map[COUNT_BYTES : COUNT_BYTES + count * corners].reshape(count, corners)
    vertices = _rows(words, output.vertex, output.max_vertices, 0)
    return EmulatedMesh(indices.copy(), vertices, _rows(words, output.primitive, output.max_primitives, output.primitive_start)[:count])


def _rows(words: NDArray[np.uint32], attributes: Attributes, rows: int, start: int) -> NDArray[np.uint32]:
    """Skewed rows as an array (rows, words of a row)."""
    size = attributes.row_bytes
    places = (
        np.array([(start + skewed(address, size)) // 4 for address in range(0, rows * size, 4)], np.int64)
        if size
        else np.zeros(0, np.int64)
    )
    return words[places].reshape(rows, size // 4)
