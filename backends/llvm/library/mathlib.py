"""Functions of `math` that shaders call instead of repeating their code: one module for each function and number of lanes."""

from __future__ import annotations

from collections.abc import Callable

from backends.llvm.builder.function import F32, Function, Module, Val
from backends.llvm.library import math


def lanes_of(symbol: str) -> int:
    """Number of lanes in a symbol's name; ValueError for a name that is no function of this library."""
    name, _, lanes = symbol.rpartition("_")
    if name.removeprefix(math.SYMBOL_PREFIX) not in _BODIES or not symbol.startswith(math.SYMBOL_PREFIX) or not lanes.isdigit():
        raise ValueError(f"{symbol} is no function of the mathematics library")
    return int(lanes)


def exports(symbol: str) -> tuple[str, ...]:
    """Functions of the module that defines `symbol`: only `symbol`."""
    lanes_of(symbol)
    return (symbol,)


def _pow(f: Function) -> Val:
    """x^y. If every lane is 0 to a positive power, as on surfaces that face away from a light, nothing is computed."""
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
    """Module that defines `symbol`, for vectors of the number of lanes in its name (1: scalars)."""
    lanes = lanes_of(symbol)
    parameters, body = _BODIES[symbol.removeprefix(math.SYMBOL_PREFIX).rpartition("_")[0]]
    module = Module(symbol, cpu)
    f = Function(module, symbol, [F32.wide(lanes)] * parameters, F32.wide(lanes))
    f.ret(body(f))
    return module
