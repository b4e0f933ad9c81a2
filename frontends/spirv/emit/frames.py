"""Functions that are being written out: open regions, uses of ids, the order of a switch."""

from __future__ import annotations

from dataclasses import field

from frontends.spirv.emit.code import Ref
from frontends.spirv.emit.state import Uses
from frontends.spirv.module.errors import Op
from frontends.spirv.module.module import Block, Function, Tables
from frontends.spirv.module.types import Array, Pointer, Type
from tgsi.language.record import record

MAX_CALLS = 32
"""Maximum depth of calls."""

_BRANCH, _CONDITIONAL, _SWITCH, _RETURN, _RETURN_VALUE = 249, 250, 251, 253, 254


@record(frozen=False, kw_only=True)
class Region:
    """A loop or switch that is open. `kind`: loop, switch, call (the loop around a function that returns early), or round (the loop around
    the body of a loop whose continue construct is written once).

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


def tables_of(module: Tables, entry: int) -> dict[int, int]:
    """Variables that hold a constant array, are only read, and are indexed while the program runs: variable -> constant.

    `entry` is the function from which all reachable functions are called.
    """
    tables: dict[int, int] = {}
    called = [entry]
    for id in called:
        function = module.functions.get(id)
        known = _Tables(module)
        for block in function.blocks.values() if function is not None else ():
            for op in [*block.phis, *block.body, *([block.end] if block.end is not None else [])]:
                known.read(op)
                if op.name == "OpFunctionCall" and op.id(0) not in called:
                    called.append(op.id(0))
        tables |= {id: value for id, value in known.values.items() if id in known.indexed and id not in known.changed}
    return tables


class _Tables:
    """Array variables of one function: those stored as a whole (`values`), `indexed` ones, and those that may change otherwise."""

    def __init__(self, module: Tables) -> None:
        self.module = module
        self.pointers: dict[int, int] = {}  # to an array or its parts -> the variable
        self.kinds: dict[int, Type] = {}
        self.values: dict[int, int] = {}
        self.indexed: set[int] = set()
        self.changed: set[int] = set()

    def read(self, op: Op) -> None:
        """Record the effects of an instruction on arrays."""
        match op.name:
            case "OpVariable":
                pointer = self.module.types.get(op.type, op)
                if isinstance(pointer, Pointer) and isinstance(self.module.types.get(pointer.target, op), Array):
                    self.pointers[op.result] = op.result
                    self.kinds[op.result] = self.module.types.get(pointer.target, op)
                    if len(op.operands) > 1:
                        self._store(op.result, op.id(1))
            case "OpAccessChain" | "OpInBoundsAccessChain" if op.id(0) in self.pointers:
                self.pointers[op.result] = variable = self.pointers[op.id(0)]
                if any(index not in self.module.constants.known for index in op.ids(1)):
                    self.indexed.add(variable)
            case "OpStore" if op.id(0) in self.pointers:
                self._store(op.id(0), op.id(1))
            case "OpLoad":
                pass
            case _:
                self.changed |= {self.pointers[id] for id in op.operands if isinstance(id, int) and id in self.pointers}

    def _store(self, pointer: int, value: int) -> None:
        variable = self.pointers[pointer]
        is_known = value in self.module.constants.known and self.module.types.get(self.module.type_of[value]) == self.kinds[variable]
        if pointer != variable or not is_known or self.values.setdefault(variable, value) != value:
            self.changed.add(variable)


def _add(uses: Uses, id: object, block: int, place: int) -> None:
    if isinstance(id, int):
        uses.add(id, block, place)
    elif isinstance(id, dict):
        for ids in id.values():
            for inner in ids:
                uses.add(inner, block, place)


def case_order(frame: Frame, targets: list[int], merge: int) -> list[tuple[int, int]]:
    """The targets of a switch with the target that each falls through to, or 0. Targets precede those they fall through to."""
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


_JOINS = ("OpControlBarrier", "OpGroup", "OpDP", "OpFwidth", "OpFunctionCall", "OpImageQueryLod", "OpSubgroup")
"""Prefixes of the names of instructions that may depend on other invocations at the same place; calls count, because called functions
may."""


def joins_before_next(function: Function, header: Block) -> bool:
    """True if several branches lead to a loop's continue construct and an instruction in it depends on other invocations.

    All invocations of a round come together at the continue target (SPIR-V, 2.11), so such a construct must be written once.
    """
    assert header.merge is not None
    _, merge, following = header.merge
    if following == header.label:
        return False
    inside = _reached(function, following, {merge, header.label})
    if not any(_sees_others(op.name) for label in inside for op in function.blocks[label].body):
        return False
    body = _reached(function, header.label, {merge, following})
    return sum(_successors(function.blocks[label]).count(following) for label in body) > 1


def _sees_others(name: str) -> bool:
    return name.startswith(_JOINS) or ("ImplicitLod" in name and name.startswith("OpImage"))


def _reached(function: Function, first: int, stop: set[int]) -> set[int]:
    """Labels of the blocks that control can reach from a block, including it, without entering one of `stop`."""
    stack, seen = [first], {first}
    while stack:
        block = function.blocks.get(stack.pop())
        for target in _successors(block) if block is not None and block.end is not None else ():
            if target not in seen and target not in stop:
                seen.add(target)
                stack.append(target)
    return seen & function.blocks.keys()


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
