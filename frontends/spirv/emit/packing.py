"""Functions of GLSL.std.450 for parts of numbers: packing, fractions, exponents."""

from __future__ import annotations

import math
from collections.abc import Callable

from frontends.spirv.emit import chain
from frontends.spirv.emit.code import Ref, Refs, destination, immediate
from frontends.spirv.emit.floats import Floats
from frontends.spirv.emit.state import State
from frontends.spirv.module.errors import Op
from frontends.spirv.module.types import Struct

Function = Callable[[State, Op, Floats, list[list[Ref]]], list[Ref]]
"""A function of GLSL.std.450: maps the words of its operands to those of its result."""


def packed(bits: int, is_signed: bool) -> Function:
    """A function that packs numbers from 0 or -1 to 1 as whole numbers of some bits, by the formula of GLSL in floats of 32 bits."""
    low, most = (-1, (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)

    def function(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
        count = len(values[0])
        value = f.minimum(f.maximum(values[0], f.number(low, count)), f.number(1, count))
        whole = s.code.lanes("F2I", s.code.lanes("ROUND", f.multiply(value, f.number(most, count))))
        word = whole[:1] if not is_signed else s.code.lanes("AND", whole[:1], immediate((1 << bits) - 1))
        for place in range(1, count):
            word = s.code.lanes("BFI", word, whole[place : place + 1], immediate(place * bits), immediate(bits))
        return word

    return function


def pack_halves(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    """PackHalf2x16, with IEEE 754's infinity for finite numbers out of range, for which PK2H gives the greatest half."""
    value = s.code.plain(values[0])
    beyond = f.test("ge", f.absolute(value), f.number(65536, 2))
    return s.code.one("PK2H", s.code.packed(f.choose(beyond, f.multiply(value, f.number(math.inf, 2)), value), "float"))


def unpacked(opcode: str) -> Function:
    """A function that unpacks the scalars of a word."""
    return lambda s, op, f, values: s.code.one(opcode, s.code.source(values[0]), words=s.result(op).words)


def unpack_signed(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    """UnpackSnorm2x16."""
    whole = s.code.lanes("IBFE", values[0] * 2, immediate(0, 16), immediate(16, 16))
    value = f.divide(s.code.lanes("I2F", whole), f.number(32767, 2))
    return f.maximum(value, f.number(-1, 2))


def modf(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    """Modf and ModfStruct: the fraction, and the whole number in memory or after it."""
    whole = f.truncate(values[0])
    rest = f.subtract(values[0], whole)
    if op.operands[3:]:
        chain.store(s, chain.place_of(s, op.id(3), op), whole, op)
        return rest
    return [*rest, *whole]


def frexp(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    """Frexp and FrexpStruct: the significand from 1/2 to 1, and the exponent in memory or after it."""
    value = values[0]
    if f.wide:
        pairs = [_frexp_pair(s, value[place : place + 2]) for place in range(0, len(value), 2)]
        significand, exponent = [ref for item, _ in pairs for ref in item], [item for _, item in pairs]
    else:
        significand, exponent = _frexp_words(s, f, value)
    if op.operands[3:]:
        chain.store(s, chain.place_of(s, op.id(3), op), exponent, op)
        return significand
    if not isinstance(s.result(op), Struct):
        s.fail("M006", "the result is a struct of significand and exponent", op)
    return [*significand, *exponent]


def _frexp_words(s: State, f: Floats, value: Refs) -> tuple[list[Ref], list[Ref]]:
    """Significands and exponents of 32-bit floats. An infinity or a NaN is its own significand; its exponent is 0."""
    code, count = s.code, len(value)
    bits = code.plain(value)
    exponents = code.lanes("UBFE", bits, immediate(23) * count, immediate(8) * count)
    is_tiny = code.lanes("USEQ", exponents, immediate(0) * count)  # 0 and denormals, which are scaled by 2^24
    normal = f.choose(is_tiny, f.multiply(value, f.number(2.0**24, count)), bits)
    raw = code.lanes("UBFE", normal, immediate(23) * count, immediate(8) * count)
    bias = f.choose(is_tiny, immediate(-150) * count, immediate(-126) * count)
    mantissa = code.lanes("OR", code.lanes("AND", normal, immediate(0x807FFFFF) * count), immediate(0x3F000000) * count)
    is_special = code.lanes("OR", f.test("eq", value, f.number(0, count)), code.lanes("USEQ", exponents, immediate(255) * count))
    return f.choose(is_special, bits, mantissa), f.choose(is_special, immediate(0) * count, code.lanes("UADD", raw, bias))


def _frexp_pair(s: State, value: Refs) -> tuple[list[Ref], Ref]:
    significand, exponent = s.code.new(2), s.code.new(1)
    s.code.emit("DFRACEXP", (destination(significand), destination(exponent)), s.code.source([*value, *value]))
    return significand, exponent[0]
