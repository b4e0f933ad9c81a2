"""Workgroups of a lowered task program: the words and the payload that they leave in output ATTR."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from backends.nvk.emulator.expand import CANARY, INPUT, MAP, MARGIN, OUTPUT, Sizes, expand
from backends.nvk.emulator.memory import Bytes, Resources, Triple
from backends.nvk.isbe.regions import LINE_BYTES, WORD_BYTES, IsbeError
from backends.nvk.isbe.task_output import TaskWord
from backends.nvk.lower.code import LoweredTask
from backends.run.meshes import launched
from tgsi.language.record import record

ANYTHING = 0xCD
"""Byte that fills ISBE before a program runs: it holds anything then."""

CHUNK_BYTES = 1 << 24
"""Bytes of ISBE that one run holds, about; at least one workgroup runs."""

CHUNK_GROUPS = 1 << 12


@record(eq=False)
class TaskGroups:
    """Results of task workgroups, numbered along x first.

    sizes: (groups, 3) uint32, the mesh workgroups that each launches; 0, 0, 0 where they are too many. handed: (groups, bytes) uint8, the
    lines of output ATTR that mesh workgroups see. faults: texts with the number of the workgroup.
    """

    sizes: NDArray[np.uint32]
    handed: Bytes
    faults: tuple[str, ...]


def run_tasks(lowered: LoweredTask, grid: Triple, resources: Resources, draw_id: int = 0) -> TaskGroups:
    """Run all task workgroups of a grid.

    Raises:
        IsbeError: the program used an address outside of its memory.
    """
    output, groups = lowered.output, grid[0] * grid[1] * grid[2]
    program = expand(lowered.code, Sizes(input_bytes=LINE_BYTES, output_bytes=output.size))
    handed = np.zeros((groups, output.output_lines * LINE_BYTES), np.uint8)
    for first, count in chunks(groups, output.size):
        own = {INPUT: numbered_input(first, count), OUTPUT: anything(count, output.size), MAP: anything(count, 0)}
        result = resources.run_lowered(
            lowered.code, program, count, grid, draw_id, {number: data.reshape(-1) for number, data in own.items()}
        )
        words_of = regions(result[OUTPUT], count, output.size, WORD_BYTES)
        handed[first : first + count] = words_of.view(np.uint8)[:, : handed.shape[1]]
    words = handed.view(np.uint32)
    emitted = np.ascontiguousarray(words[:, TaskWord.X // 4 : TaskWord.Z // 4 + 1])
    sizes, faults = launched(emitted)
    return TaskGroups(sizes, handed, tuple(f"task workgroup {number}: {text}" for number, text in faults))


def chunks(groups: int, group_bytes: int) -> list[tuple[int, int]]:
    """First workgroup and number of workgroups of each run."""
    step = max(1, min(CHUNK_GROUPS, CHUNK_BYTES // max(1, group_bytes)))
    return [(first, min(step, groups - first)) for first in range(0, groups, step)]


def numbered_input(first: int, count: int) -> NDArray[np.uint32]:
    """Input ATTR of workgroups that no task launches: a line each, with the number of the workgroup as vertex id at byte 0."""
    words = anything(count, LINE_BYTES)
    words[:, 0] = np.arange(first, first + count)
    return words


def anything(count: int, size: int, unit: int = WORD_BYTES) -> NDArray[np.uint32]:
    """Regions of `count` workgroups that hold anything, with their margins: (count, words). A word represents `unit` bytes."""
    return np.full((count, (size + MARGIN) // unit), ANYTHING * 0x01010101, np.uint32)


def regions(memory: Bytes, count: int, size: int, unit: int) -> NDArray[np.uint32]:
    """Regions after a run, without their margins: (count, words).

    Raises:
        IsbeError: a write outside of a region changed its margin. The lowering guards every computed address, so none should.
    """
    words: NDArray[np.uint32] = memory.view(np.uint32).reshape(count, -1)
    canaries = words[:, (size + CANARY) // unit]
    if (canaries != ANYTHING * 0x01010101).any():
        group = int(np.flatnonzero(canaries != ANYTHING * 0x01010101)[0])
        raise IsbeError(f"a write of workgroup {group} of the run lies outside of the workgroup's memory in ISBE")
    return np.ascontiguousarray(words[:, : size // unit])
