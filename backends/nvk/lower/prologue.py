"""The start of a lowered program: number of the workgroup, ids, counters, and memory that begins as 0.

The number is read first, before anything is written: input and output may be one space. It becomes a 3D id by the sizes of the grid,
which a task hands over or the driver gives as constants. ISBE holds anything at the start, so the lanes clear the whole output.
"""

from __future__ import annotations

from math import prod

from backends.nvk.isbe.regions import Region, Side
from backends.nvk.isbe.task_output import TaskOutput, TaskWord
from backends.nvk.lower.code import Access, Address
from backends.nvk.lower.context import Context
from backends.nvk.lower.driver import CONSTANTS, COUNTERS, MESH_COUNTER, TASK_COUNTER
from backends.nvk.lower.outputs import initialise_mask
from backends.nvk.lower.writer import Writer, channel_of
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import Dimension, DstOperand, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program

BLOCK_AXES = ("CS_FIXED_BLOCK_WIDTH", "CS_FIXED_BLOCK_HEIGHT", "CS_FIXED_BLOCK_DEPTH")


def block_of(program: Program) -> tuple[int, int, int]:
    """Threads of a workgroup along x, y and z."""
    x, y, z = (max(1, program.property(name)) for name in BLOCK_AXES)
    return x, y, z


def driver_constant(channel: int) -> SrcOperand:
    """One of the driver's words: size of the grid along x, y, z, or DRAWID."""
    return channel_of(RegisterRef(File.CONST, 0, Dimension(CONSTANTS)), channel)


def read_group(c: Context, by_semantic: dict[str, RegisterRef]) -> None:
    """Read the number of the workgroup, and fill those of BLOCK_ID, GRID_SIZE, BLOCK_SIZE and DRAWID that are used."""
    w = c.writer
    index = w.read(Access(side=Side.I, address=Address(TaskWord.INDEX), skew=not c.behind_task))
    grid = [driver_constant(axis) for axis in range(3)]
    if c.behind_task and ("BLOCK_ID" in by_semantic or "GRID_SIZE" in by_semantic):
        grid = [w.read(Access(side=Side.I, address=Address(word))) for word in (TaskWord.X, TaskWord.Y, TaskWord.Z)]
    if "BLOCK_ID" in by_semantic:
        split(w, index, grid[0], grid[1], by_semantic["BLOCK_ID"])
    if "GRID_SIZE" in by_semantic:
        fill(w, by_semantic["GRID_SIZE"], [*grid, w.constant(0)])
    if "BLOCK_SIZE" in by_semantic:
        fill(w, by_semantic["BLOCK_SIZE"], [*map(w.constant, block_of(c.program)), w.constant(0)])
    if "DRAWID" in by_semantic:
        fill(w, by_semantic["DRAWID"], [driver_constant(3)] * 4)


def number_threads(c: Context, by_semantic: dict[str, RegisterRef]) -> None:
    """Fill THREAD_ID and INVOCATIONID from the number of the thread."""
    w = c.writer
    if "INVOCATIONID" in by_semantic:
        fill(w, by_semantic["INVOCATIONID"], [c.number] * 4)
    if "THREAD_ID" in by_semantic:
        x, y, _ = block_of(c.program)
        split(w, c.number, w.constant(x), w.constant(y), by_semantic["THREAD_ID"])


def split(w: Writer, number: SrcOperand, width: SrcOperand, height: SrcOperand, target: RegisterRef) -> None:
    """Write the 3D id of `number` in a grid of `width` x `height` x any to a register; w is 0."""
    with w.scratch():
        row = w.op("UDIV", number, width)
        fill(w, target, [w.op("UMOD", number, width), w.op("UMOD", row, height), w.op("UDIV", row, height), w.constant(0)])


def fill(w: Writer, target: RegisterRef, values: list[SrcOperand]) -> None:
    """Write a scalar to each channel of a register."""
    for channel, value in enumerate(values):
        w.set(channel_of(target, channel), value)


def count_invocations(c: Context) -> None:
    """Lane 0 adds the threads of the workgroup to the driver's counter: the hardware does not count them."""
    w = c.writer
    counter = w.constant(MESH_COUNTER if c.mesh is not None else TASK_COUNTER)
    w.flow("UIF", w.op("USEQ", c.lane, w.constant(0)))
    target = w.scalar()
    resource = SrcOperand(RegisterRef(File.BUFFER, COUNTERS))
    sources = (resource, counter, w.constant(prod(block_of(c.program))))
    w.items.append(Instruction(OPCODES["ATOMUADD"], (DstOperand(target.register, 1 << target.swizzle[0]),), sources))
    w.flow("ENDIF")


def clear_output(c: Context, task: TaskOutput | None, map_bytes: int) -> None:
    """Write 0 to output ATTR and MAP, each lane a word at a time, then the masks of viewports; wait until all lanes are here."""
    assert task is not None or c.mesh is not None
    w = c.writer
    size = task.size if task is not None else c.mesh.output.size if c.mesh is not None else 0
    for region, end in ((Region.ATTR, size), (Region.MAP, map_bytes)):
        if end:
            place = w.op("SHL", c.lane, w.constant(2))
            with w.loop(place, end, 4 * c.warp):
                # the output MAP takes a write from its highest byte down
                w.write(Access(side=Side.O, region=region, address=Address(3 if region is Region.MAP else 0, place)), w.constant(0))
    if c.warp > 1:
        w.flow("BARRIER")
    if c.mesh is not None and c.mesh.mask:
        initialise_mask(c)
        if c.warp > 1:
            w.flow("BARRIER")
