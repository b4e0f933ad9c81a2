"""Opcodes whose channels differ: dot products, coefficients of old fixed functions, packed numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from backends.spirv.arithmetic import product, signs, store, written
from backends.spirv.state import State
from tgsi.language.ir import Instruction

_NAN = 0x7FC00000


def channel(s: State, item: Instruction, number: int, place: int, kind: str = "float") -> int:
    """One channel of a source."""
    return s.registers.source(item.src[number], kind, [place], signs(item, number))


def _dot(size: int) -> Callable[[State, Instruction], None]:
    def write(s: State, item: Instruction) -> None:
        channels = written(item.dst[0])
        places = list(range(size))
        a, b = (s.registers.source(operand, "float", places) for operand in item.src)
        terms = s.parts(product(s, a, b, size), "float", size)
        total = terms[0]
        for term in terms[1:]:
            total = s.exact("FAdd", "float", 1, total, term)
        if channels:
            store(s, item, s.splat(total, "float", len(channels)), "float")

    return write


def _columns(make: Callable[[State, Instruction, int], int]) -> Callable[[State, Instruction], None]:
    """Each written channel has its own value."""

    def write(s: State, item: Instruction) -> None:
        channels = written(item.dst[0])
        if channels:
            store(s, item, s.vector("float", [make(s, item, c) for c in channels]), "float")

    return write


def _computed(s: State, value: int) -> int:
    """A float that passes through arithmetic: NaNs get the canonical bits."""
    is_number = s.test("FOrdEqual", value, value)
    return s.choose(is_number, value, s.cast(s.module.uint(_NAN), "uint", "float", 1), "float", 1)


def _dst(s: State, item: Instruction, c: int) -> int:
    if c == 0:
        return s.number(1)
    if c == 1:
        return product(s, channel(s, item, 0, 1), channel(s, item, 1, 1))
    return _computed(s, channel(s, item, c - 2, c))


def _lit(s: State, item: Instruction, c: int) -> int:
    if c in (0, 3):
        return s.number(1)
    x, zero = channel(s, item, 0, 0), s.number(0)
    lit = s.test("FOrdGreaterThan", x, zero)
    if c == 1:
        return s.choose(lit, x, zero, "float", 1)
    y, w = channel(s, item, 0, 1), channel(s, item, 0, 3)
    base = s.choose(s.test("FOrdGreaterThan", y, zero), y, zero, "float", 1)
    high, low = s.number(128), s.number(-128)
    above = s.choose(s.test("FOrdGreaterThan", w, low), w, low, "float", 1)
    power = s.choose(s.test("FOrdLessThan", w, high), above, high, "float", 1)
    raised = s.module.call("Pow", s.module.scalar("float"), base, power)
    one = s.choose(s.test("FOrdEqual", power, zero), s.number(1), raised, "float", 1)  # SPIR-V leaves 0^0 open
    return s.choose(lit, one, zero, "float", 1)


def _exp(s: State, item: Instruction, c: int) -> int:
    float = s.module.scalar("float")
    x = channel(s, item, 0, 0)
    if c == 3:
        return s.number(1)
    if c == 2:
        return s.module.call("Exp2", float, x)
    whole = s.module.call("Floor", float, x)
    return s.module.call("Exp2", float, whole) if c == 0 else s.exact("FSub", "float", 1, x, whole)


def _log(s: State, item: Instruction, c: int) -> int:
    m = s.module
    float = m.scalar("float")
    x = m.call("FAbs", float, channel(s, item, 0, 0))
    if c == 3:
        return s.number(1)
    logarithm = m.call("Log2", float, x)
    if c == 2:
        return logarithm
    pair = m.call("FrexpStruct", m.type("Struct", float, m.scalar("int")), x)
    ordinary = s.test("FOrdNotEqual", x, s.number(0))
    infinite = m.op("IsInf", m.scalar("bool"), x)
    special = m.op("LogicalOr", m.scalar("bool"), m.op("LogicalNot", m.scalar("bool"), ordinary), infinite)
    if c == 0:
        exponent = m.op("ISub", m.scalar("int"), m.op("CompositeExtract", m.scalar("int"), pair, 1), m.constant("int", 1))
        return s.choose(special, logarithm, m.op("ConvertSToF", float, exponent), "float", 1)
    mantissa = s.exact("FMul", "float", 1, m.op("CompositeExtract", float, pair, 0), s.number(2))
    other = s.choose(s.test("FOrdEqual", x, s.number(0)), x, s.cast(m.uint(_NAN), "uint", "float", 1), "float", 1)
    return s.choose(special, other, mantissa, "float", 1)


def _unpack(name: str, size: int) -> Callable[[State, Instruction], None]:
    def write(s: State, item: Instruction) -> None:
        word = s.registers.source(item.src[0], "uint", [0])
        value = s.module.call(name, s.module.vector("float", size), word)
        channels = written(item.dst[0])
        if channels:
            parts = s.parts(value, "float", size)
            store(s, item, s.vector("float", [parts[c % size] for c in channels]), "float")

    return write


EMITTERS: Mapping[str, Callable[[State, Instruction], None]] = MappingProxyType(
    {
        "DP2": _dot(2),
        "DP3": _dot(3),
        "DP4": _dot(4),
        "DST": _columns(_dst),
        "LIT": _columns(_lit),
        "EXP": _columns(_exp),
        "LOG": _columns(_log),
        "UP2H": _unpack("UnpackHalf2x16", 2),
        "UP2US": _unpack("UnpackUnorm2x16", 2),
        "UP4B": _unpack("UnpackSnorm4x8", 4),
        "UP4UB": _unpack("UnpackUnorm4x8", 4),
    }
)
"""Emitters by opcode."""
