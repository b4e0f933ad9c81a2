"""Functions in the module under construction, for code that several instructions of a program share."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from backends.llvm.builder.function import Function, Type, Val
from backends.llvm.translate.emit import Context

SYMBOL_PREFIX = "part_"


def call_part(
    c: Context, name: str, returns: Sequence[Type], values: Sequence[Val], write: Callable[[Function, list[Val]], Sequence[Val]]
) -> list[Val]:
    """Call a function whose body `write` generates from its arguments.

    The body is generated once for each `name`, so `name` must contain everything that the body depends on. values: the arguments, vectors
    of 32-bit words and pointers; masks are passed as integers.
    """
    module = c.f.module
    symbol = SYMBOL_PREFIX + hashlib.sha256(name.encode()).hexdigest()[:16]
    if not any(function.name == symbol for function in module.functions):
        f = Function(module, symbol, [value.type for value in values], list(returns) or None, shared=True, internal=True)
        results = write(f, f.args)
        if returns:
            f.ret_many(results)
        else:
            f.ret()
    if returns:
        return c.f.call_many(list(returns), symbol, *values)
    c.f.call(None, symbol, *values)
    return []
