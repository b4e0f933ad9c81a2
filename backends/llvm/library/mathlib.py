"""The functions of `math` that are called instead of written out: one module a function and lane count."""

from __future__ import annotations

from collections.abc import Callable

from backends.llvm.builder.function import F32, Function, Module, Val
from backends.llvm.library import math


def lanes_of(symbol: str) -> int:
    """The lane count in a symbol's name; ValueError for a name that is not one of ours."""
    name, _, lanes = symbol.rpartition("_")
    if name.removeprefix(math.SYMBOL_PREFIX) not in _BODIES or not symbol.startswith(math.SYMBOL_PREFIX) or not lanes.isdigit():
        raise ValueError(f"{symbol} is no function of the mathematics library")
    return int(lanes)


def exports(symbol: str) -> tuple[str, ...]:
    """All functions of the module that holds `symbol`: it alone."""
    lanes_of(symbol)
    return (symbol,)


def _pow(f: Function) -> Val:
    """The power; 0 at once where every lane is 0 to a positive power, as on surfaces that face away from a light."""
    x, y = f.args
    is_zero = x.as_int().eq(0) & (y.as_int() - 1).ult(math.INF - 1)
    result = f.var(x.type, 0.0)
    with f.if_(f.any(~is_zero)):
        result.set(math.pow_inline(f, x, y))
    return result.get()


_BODIES: dict[str, tuple[int, Callable[[Function], Val]]] = {
    "pow": (2, _pow),
    "sin": (1, lambda f: math.sin_inline(f, f.args[0])),
    "cos": (1, lambda f: math.cos_inline(f, f.args[0])),
}


def build(symbol: str, cpu: str) -> Module:
    """The module that holds `symbol`, for vectors of as many lanes as it names (1: scalars)."""
    lanes = lanes_of(symbol)
    parameters, body = _BODIES[symbol.removeprefix(math.SYMBOL_PREFIX).rpartition("_")[0]]
    module = Module(symbol, cpu)
    f = Function(module, symbol, [F32.wide(lanes)] * parameters, F32.wide(lanes))
    f.ret(body(f))
    return module
