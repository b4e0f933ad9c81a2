"""EMIT_MESH_TASKS and SET_MESH_OUTPUTS: writes of lane 0, as in Mesa's notes."""

from __future__ import annotations

from backends.nvk.isbe.index_map import COUNT_WRITE
from backends.nvk.isbe.regions import Region, Side
from backends.nvk.isbe.task_output import TaskWord
from backends.nvk.lower.code import Access, Address
from backends.nvk.lower.context import Context
from backends.nvk.lower.writer import nth_channel
from tgsi.language.ir import SrcOperand


def emit_tasks(c: Context, sizes: SrcOperand) -> None:
    """The number of workgroups and the three sizes go to the reserved words of output ATTR."""
    w = c.writer
    x, y, z = (_whole(c, nth_channel(sizes, channel)) for channel in range(3))
    count = w.op("UMUL", w.op("UMUL", x, y), z)
    for word, value in ((TaskWord.COUNT, count), (TaskWord.X, x), (TaskWord.Y, y), (TaskWord.Z, z)):
        w.write(Access(side=Side.O, address=Address(word)), value, c.is_first)


def set_outputs(c: Context, counts: SrcOperand) -> None:
    """The number of primitives, at most the greatest one, goes to MAP. The number of vertices is stored nowhere."""
    assert c.mesh is not None
    w = c.writer
    primitives = w.op("UMIN", nth_channel(counts, 1), w.constant(c.mesh.layout.max_primitives))
    w.write(Access(side=Side.O, region=Region.MAP, address=Address(COUNT_WRITE)), primitives, c.is_first)


def _whole(c: Context, operand: SrcOperand) -> SrcOperand:
    """A scalar without modifiers, which lanes other than the first read, too."""
    return c.writer.op("UADD", operand, c.writer.constant(0)) if operand.negate or operand.absolute else operand
