"""Functions that are being written out: open regions, uses of ids, the order of a switch."""

from __future__ import annotations

from dataclasses import field

from frontends.spirv.emit.code import Ref
from frontends.spirv.emit.state import Uses
from frontends.spirv.module.module import Block, Function
from tgsi.language.record import record

MAX_CALLS = 32
"""Calls inside of calls."""

_BRANCH, _CONDITIONAL, _SWITCH, _KILL, _RETURN, _RETURN_VALUE, _UNREACHABLE, _TERMINATE, _EMIT_TASKS = (
    249, 250, 251, 252, 253, 254, 255, 4416, 5294,
)  # fmt: skip


@record(frozen=False, kw_only=True)
class Region:
    """A loop or switch that is open. `kind`: loop, switch, or call (the loop around a function that returns early).

    `flag` is a word that is set before a BRK that has to leave the region around, too.
    """

    kind: str
    merge: int = 0
    next: int = 0
    header: int = 0
    flag: list[Ref] = field(default_factory=list)


@record(frozen=False, kw_only=True)
class Frame:
    """A function that is being written out."""

    function: Function
    regions: list[Region] = field(default_factory=list)
    result: list[Ref] | None = None
    is_main: bool = False
    wraps: bool = False
    depth: int = 0
    visited: set[int] = field(default_factory=set)
    repeats: int = 0
    nesting: int = 0


def count_uses(function: Function) -> Uses:
    """The places where a function uses ids. A phi uses its operands at the end of the blocks they come from."""
    uses = Uses()
    for block in function.blocks.values():
        for place, op in enumerate(block.body):
            for id in op.operands:
                _add(uses, id, block.label, place)
        for id in block.end.operands if block.end is not None else ():
            _add(uses, id, block.label, len(block.body))
        for phi in block.phis:
            ids = phi.ids()
            for value, origin in zip(ids[::2], ids[1::2], strict=False):
                uses.add(value, origin, len(function.blocks[origin].body) + 1 if origin in function.blocks else 0)
    return uses


def _add(uses: Uses, id: object, block: int, place: int) -> None:
    if isinstance(id, int):
        uses.add(id, block, place)
    elif isinstance(id, dict):
        for ids in id.values():
            for inner in ids:
                uses.add(inner, block, place)


def case_order(frame: Frame, targets: list[int], merge: int) -> list[tuple[int, int]]:
    """The targets of a switch so that each stands before the one that it falls into, with that one or 0."""
    falls = {target: _falls(frame, target, set(targets) - {target}, merge) for target in targets}
    entered = {target for target in falls.values() if target}
    order: list[tuple[int, int]] = []
    done: set[int] = set()
    for target in [item for item in targets if item not in entered] + targets:
        while target and target not in done:
            done.add(target)
            following = falls[target] if falls[target] not in done else 0
            order.append((target, following))
            target = following
    return order


def _falls(frame: Frame, first: int, targets: set[int], merge: int) -> int:
    """The target that another one falls into; 0 if it leaves the switch."""
    stop = {merge, *(label for region in frame.regions for label in (region.merge, region.next, region.header))}
    stack, seen = [first], {first}
    while stack:
        block = frame.function.blocks.get(stack.pop())
        if block is None or block.end is None:
            continue
        for target in _successors(block):
            if target in targets:
                return target
            if target not in seen and target not in stop:
                seen.add(target)
                stack.append(target)
    return 0


def _successors(block: Block) -> list[int]:
    end = block.end
    assert end is not None
    if end.number == _BRANCH:
        return [end.id(0)]
    if end.number == _CONDITIONAL:
        return [end.id(1), end.id(2)]
    if end.number == _SWITCH:
        return [end.id(1), *end.ids(3)[::2]]
    return []


def returns_early(function: Function) -> bool:
    """True if a function returns from anywhere but its last block."""
    returns = [block.label for block in function.blocks.values() if block.end is not None and block.end.number in (_RETURN, _RETURN_VALUE)]
    if len(returns) != 1:
        return len(returns) > 1
    inside = [block for block in function.blocks.values() if block.merge is not None]
    label = returns[0]
    straight, current = {function.entry}, function.entry
    while current in function.blocks:
        block = function.blocks[current]
        if block.end is None:
            break
        following = block.merge[1] if block.merge is not None else block.end.id(0) if block.end.number == _BRANCH else 0
        if not following or following in straight:
            break
        straight.add(following)
        current = following
    return bool(inside) and label not in straight
