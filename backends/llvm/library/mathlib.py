"""Functions of `math` and `powers` that shaders call instead of repeating their code: one module for each function and number of lanes."""

from __future__ import annotations

from collections.abc import Callable

from backends.llvm.builder.function import F32, Function, Module, Val
from backends.llvm.library import math, powers


def lanes_of(symbol: str) -> int:
    """Number of lanes in a symbol's name; ValueError if the library has no function of this name."""
    name, _, lanes = symbol.rpartition("_")
    if name.removeprefix(math.SYMBOL_PREFIX) not in _BODIES or not symbol.startswith(math.SYMBOL_PREFIX) or not lanes.isdigit():
        raise ValueError(f"{symbol} is not a function of the mathematics library")
    return int(lanes)


_BODIES: dict[str, tuple[int, Callable[[Function], Val]]] = {
    "pow": (2, lambda f: powers.shared_pow(f, *f.args)),
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
