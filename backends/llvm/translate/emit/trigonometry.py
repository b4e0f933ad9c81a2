"""SIN and COS.

Compilers emit consecutive instructions for the channels of a vector, so their results are computed together, at the first of them.
"""

from __future__ import annotations

from backends.llvm.builder.function import Val
from backends.llvm.library import math
from backends.llvm.program.access import access, is_indirect
from backends.llvm.program.tree import Leaf
from backends.llvm.translate.emit import Context, Vector, emits

_NAMES = ("SIN", "COS")
_REACH = 12
"""Number of following instructions that are searched."""

_MOST = 4
"""Most instructions that are computed together, as more would not fit into the CPU's registers."""


def _together(leaf: Leaf) -> list[Leaf]:
    """`leaf` and the following SIN and COS leaves whose arguments are already computed at its place."""
    items = leaf.region.items
    start = items.index(leaf)
    leaves, written = [leaf], set(access(leaf.instruction).writes)
    for item in items[start + 1 : start + 1 + _REACH]:
        if not isinstance(item, Leaf) or item.instruction.opcode.name == "BARRIER" or len(leaves) == _MOST:
            break
        used = access(item.instruction)
        if item.instruction.opcode.name in _NAMES and not is_indirect(item.instruction.src[0].register) and written.isdisjoint(used.reads):
            leaves.append(item)
        if any(is_indirect(d.register) for d in item.instruction.dst):
            break
        written.update(used.writes)
    return leaves


def _result(c: Context) -> Val:
    if c.leaf not in c.ahead:
        leaves = _together(c.leaf)
        arguments = [c.operands.fetch(x.instruction, x.instruction.src[0], 0, "float") for x in leaves]
        alike = [(x, a) for x, a in zip(leaves, arguments) if a.type is arguments[0].type]
        cosine = [x.instruction.opcode.name == "COS" for x, _ in alike]
        c.ahead |= zip((x for x, _ in alike), math.trigonometry(c.f, [a for _, a in alike], cosine, c.execution_mask()))
    return c.ahead.pop(c.leaf)


@emits("SIN")
def emit_sin(c: Context, a: Vector) -> Val:
    """sin(a.x)."""
    return _result(c)


@emits("COS")
def emit_cos(c: Context, a: Vector) -> Val:
    """cos(a.x)."""
    return _result(c)
