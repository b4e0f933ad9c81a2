"""Products and sums that a loop computes at its end and again, from the same values, when the next round begins: computed once."""

from __future__ import annotations

import re
from collections.abc import Mapping

from backends.llvm.builder.function import Function, Val, Var
from backends.llvm.program.access import Key

_OPERATION = re.compile(r"  (%v\d+) = (f(?:add|sub|mul)) (.+) (%v\d+), (%v\d+)")


def carry(f: Function, begin: int, heads: Mapping[str, Key], variables: Mapping[Key, Var], known: Mapping[Key, Val]) -> None:
    """Called where the body of a loop ends on its only way back to the head; its lines are those from `begin` on, the jump to it included.

    heads: by name, values that were read from variables before anything in the round could write them; known: what variables hold now.
    """
    before: list[str] = []
    for index in range(begin, len(f.body)):
        found = _OPERATION.fullmatch(f.body[index])
        if found is None:
            continue
        name, operation, type, *operands = found.groups()
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
