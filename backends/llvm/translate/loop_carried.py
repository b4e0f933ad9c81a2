"""Loop-carried operations: a sum or product at the end of a round is reused in the next round instead of computed again."""

from __future__ import annotations

import re
from collections.abc import Mapping

from backends.llvm.builder.function import Function, Val, Var
from backends.llvm.program.access import Key

_OPERATION = re.compile(r"  (%v\d+) = (f(?:add|sub|mul)) (.+) (%v\d+), (%v\d+)")


def carry(f: Function, begin: int, heads: Mapping[str, Key], variables: Mapping[Key, Var], known: Mapping[Key, Val]) -> int:
    """Carry the results of operations from the end of a round to the next round. Call it at the end of a loop's body.

    The end must be the only jump to the loop's head. The body is the lines of `f` from `begin` on, including the jump back. heads: values
    that were read from variables before any write in the round, by LLVM name. known: the current values of variables. Returns
    the number of lines that were inserted before the body.
    """
    before: list[str] = []
    for index in range(begin, len(f.body)):
        match = _OPERATION.fullmatch(f.body[index])
        if match is None:
            continue
        name, operation, type, *operands = match.groups()
        keys = [heads.get(operand) for operand in operands]
        ends = [known.get(key) if key is not None else None for key in keys]
        if None in ends:
            continue
        last = f.computed(f"{operation} {type} {', '.join(value.name for value in ends if value is not None)}")
        if last is None or last.name == name:
            continue
        carried = Var(f, last.type)
        carried.set(last)
        f.body[index] = f"  {name} = load {type}, ptr {carried.slot.name}"
        first = [f.fresh() for _ in operands]
        before += [f"  {v} = load {type}, ptr {variables[key].slot.name}" for v, key in zip(first, keys) if key is not None]
        result = f.fresh()
        before += [f"  {result} = {operation} {type} {', '.join(first)}", f"  store {type} {result}, ptr {carried.slot.name}"]
    f.body[begin:begin] = before
    return len(before)
