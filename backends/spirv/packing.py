"""Opcodes that pack floats, with the results of TGSI where SPIR-V leaves them to the device: ties, NaN, numbers beyond the halves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from backends.spirv.state import State

Row = Callable[[State, Sequence[int], int], int]
_GREATEST_HALF = 65504.0


def _halves(s: State, v: Sequence[int], n: int) -> int:
    """PK2H: finite numbers from 65536 on become the greatest half. Those a little below round to infinity, as halves do."""
    m, type = s.module, s.module.vector("float", 2)
    near = m.call("FMax", type, m.call("FMin", type, v[0], s.number(_GREATEST_HALF, 2)), s.number(-_GREATEST_HALF, 2))
    size = m.call("FAbs", type, v[0])
    is_finite, is_large = (
        s.test("FOrdLessThan", size, s.number(math.inf, 2), 2),
        s.test("FOrdGreaterThanEqual", size, s.number(65536, 2), 2),
    )
    is_beyond = m.op("LogicalAnd", m.vector("bool", 2), is_finite, is_large)
    return m.call("PackHalf2x16", m.scalar("uint"), s.choose(is_beyond, near, v[0], "float", 2))


def _rounded_product(s: State, value: int, factor: int, size: int) -> int:
    """The exact product as the nearest whole number, ties to even. The 32-bit product may be a tie although the exact one is not."""
    m, type = s.module, s.module.vector("float", size)
    product = s.exact("FMul", "float", size, value, factor)
    rest = m.call("Fma", type, value, factor, m.op("FNegate", type, product))
    whole = m.call("RoundEven", type, product)
    above = s.exact("FSub", "float", size, product, whole)
    for half, sense in ((0.5, "FOrdGreaterThan"), (-0.5, "FOrdLessThan")):
        is_tie = s.test("FOrdEqual", above, s.number(half, size), size)
        is_other = m.op("LogicalAnd", m.vector("bool", size), is_tie, s.test(sense, rest, s.number(0, size), size))
        step = s.choose(is_other, s.number(2 * half, size), s.number(0, size), "float", size)
        whole = s.exact("FAdd", "float", size, whole, step)
    return whole


def _normalized(bits: int, is_signed: bool) -> Row:
    """Numbers from 0 or -1 to 1 as whole numbers of some bits; a NaN becomes 0."""
    size, low, most = 32 // bits, -1 if is_signed else 0, (1 << bits - is_signed) - 1

    def row(s: State, v: Sequence[int], n: int) -> int:
        m, type, kind = s.module, s.module.vector("float", size), "int" if is_signed else "uint"
        value = s.choose(s.test("FOrdEqual", v[0], v[0], size), v[0], s.number(0, size), "float", size)
        value = m.call("FMin", type, m.call("FMax", type, value, s.number(low, size)), s.number(1, size))
        whole = _rounded_product(s, value, s.number(most, size), size)
        words = m.op("ConvertFToS" if is_signed else "ConvertFToU", m.vector(kind, size), whole)
        parts = s.parts(s.cast(words, kind, "uint", size), "uint", size)
        packed = m.uint(0)
        for place, part in enumerate(parts):
            packed = m.op("BitFieldInsert", m.scalar("uint"), packed, part, m.uint(place * bits), m.uint(bits))
        return packed

    return row


PACKING: Mapping[str, Row] = MappingProxyType(
    {"PK2H": _halves, "PK2US": _normalized(16, False), "PK4B": _normalized(8, True), "PK4UB": _normalized(8, False)}
)
"""A row for each opcode."""
