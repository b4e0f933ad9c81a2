"""The functions of `math` that are called instead of written out: one module a lane count."""

from __future__ import annotations

from backends.llvm import math
from backends.llvm.builder import F32, I32, PTR, Function, Module


def lanes_of(symbol: str) -> int:
    """The lane count in a symbol's name; ValueError for a name that is not one of ours."""
    name, _, lanes = symbol.rpartition("_")
    if not symbol.startswith(math.SYMBOL_PREFIX) or not name or not lanes.isdigit():
        raise ValueError(f"{symbol} is no function of the mathematics library")
    return int(lanes)


def exports(symbol: str) -> tuple[str, ...]:
    """All functions of the module that holds `symbol`."""
    lanes = lanes_of(symbol)
    return math.pow_symbol(lanes), math.reduce_symbol(lanes)


def _pow(f: Function) -> None:
    """The power; 0 at once where every lane is 0 to a positive power, as on surfaces that face away from a light."""
    x, y = f.args
    is_zero = x.as_int().eq(0) & (y.as_int() - 1).ult(math.INF - 1)
    result = f.var(x.type, 0.0)
    with f.if_(f.any(~is_zero)):
        result.set(math.pow_inline(f, x, y))
    f.ret(result.get())


def build(symbol: str, cpu: str) -> Module:
    """The module that holds `symbol`: power and argument reduction for vectors of as many lanes as it names (1: scalars)."""
    lanes = lanes_of(symbol)
    module = Module(f"math{lanes}", cpu)
    f = Function(module, math.pow_symbol(lanes), [F32.wide(lanes)] * 2, F32.wide(lanes))
    _pow(f)
    f = Function(module, math.reduce_symbol(lanes), [I32.wide(lanes), PTR])
    quadrant, rest = math.reduce_slow_inline(f, f.args[0])
    f.store(quadrant, f.args[1])
    f.store(rest, f.args[1], 4 * lanes)
    f.ret()
    return module
