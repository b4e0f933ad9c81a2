"""Inverse and hyperbolic functions of 32-bit floats.

The polynomials are our own fits at the nodes of Chebyshev: atan(x) / x over x^2 up to 1 (error 1.6e-8), acos(x) / sqrt(1 - x) up to 1
(2.5e-8), asin(x) / x over x^2 up to 1/4 (1.2e-8).
"""

from __future__ import annotations

import math

from frontends.spirv.emit.code import Ref, Refs, immediate
from frontends.spirv.emit.floats import Floats

_ATAN = (
    1.0,
    -0.3333306610584259,
    0.19992484152317047,
    -0.14202570915222168,
    0.10636754333972931,
    -0.07495445758104324,
    0.042587608098983765,
    -0.016005029901862144,
    0.0028340641874819994,
)
_ACOS = (
    1.570796251296997,
    -0.21459849178791046,
    0.08897409588098526,
    -0.05014502629637718,
    0.030808253213763237,
    -0.01696547120809555,
    0.006580885034054518,
    -0.0012370048789307475,
)
_ASIN = (1.0, 0.1666678637266159, 0.0749453455209732, 0.0455390103161335, 0.02390936389565468, 0.042553599923849106)
_SIGN = 0x80000000


def exponential(f: Floats, x: Refs) -> list[Ref]:
    """e to the power of x."""
    return f.s.code.each("EX2", f.multiply(x, f.number(math.log2(math.e), len(x))))


def logarithm(f: Floats, x: Refs) -> list[Ref]:
    """The natural logarithm."""
    return f.multiply(f.s.code.each("LG2", x), f.number(math.log(2), len(x)))


def tangent(f: Floats, x: Refs) -> list[Ref]:
    """sin / cos."""
    return f.divide(f.s.code.each("SIN", x), f.s.code.each("COS", x))


def arc_cosine(f: Floats, x: Refs) -> list[Ref]:
    """The angle from 0 to pi."""
    positive = _arc_cosine(f, f.absolute(x))
    return f.choose(f.test("lt", x, f.number(0, len(x))), f.subtract(f.number(math.pi, len(x)), positive), positive)


def _arc_cosine(f: Floats, a: Refs) -> list[Ref]:
    root = f.each("SQRT", f.subtract(f.number(1, len(a)), a))
    return f.multiply(root, f.polynomial(a, _ACOS))


def arc_sine(f: Floats, x: Refs) -> list[Ref]:
    """The angle from -pi/2 to pi/2."""
    a = f.absolute(x)
    small = f.multiply(x, f.polynomial(f.multiply(x, x), _ASIN))
    large = signed(f, f.subtract(f.number(math.pi / 2, len(x)), _arc_cosine(f, a)), x)
    return f.choose(f.test("lt", a, f.number(0.5, len(x))), small, large)


def signed(f: Floats, value: Refs, sign: Refs) -> list[Ref]:
    """A positive value with the sign of another one."""
    code = f.s.code
    bit = code.lanes("AND", code.plain(sign), immediate(_SIGN) * len(sign))
    return code.lanes("XOR", code.plain(value), bit)


def arc_tangent(f: Floats, x: Refs) -> list[Ref]:
    """The angle from -pi/2 to pi/2."""
    a = f.absolute(x)
    one = f.number(1, len(x))
    inverted = f.test("lt", one, a)
    ratio = f.choose(inverted, f.s.code.each("RCP", f.maximum(a, one)), f.s.code.plain(a))
    angle = f.multiply(ratio, f.polynomial(f.multiply(ratio, ratio), _ATAN))
    angle = f.choose(inverted, f.subtract(f.number(math.pi / 2, len(x)), angle), angle)
    return signed(f, angle, x)


def arc_tangent_two(f: Floats, y: Refs, x: Refs) -> list[Ref]:
    """The angle of the point (x, y), from -pi to pi."""
    code, zero = f.s.code, f.number(0, len(y))
    across, up = f.absolute(x), f.absolute(y)
    low, high = f.minimum(across, up), f.maximum(across, up)
    equal = f.test("eq", low, high)
    ratio = f.choose(equal, f.number(1, len(y)), f.divide(low, high))
    ratio = f.choose(f.test("eq", high, zero), zero, ratio)
    angle = f.multiply(ratio, f.polynomial(f.multiply(ratio, ratio), _ATAN))
    angle = f.choose(f.test("lt", across, up), f.subtract(f.number(math.pi / 2, len(y)), angle), angle)
    left = code.lanes("ISLT", code.plain(x), immediate(0) * len(x))
    angle = f.choose(left, f.subtract(f.number(math.pi, len(y)), angle), angle)
    return signed(f, angle, y)


def hyperbolic(f: Floats, name: str, x: Refs) -> list[Ref]:
    """Sinh, Cosh or Tanh. Near 0 the first and last follow their series, which cancels nothing."""
    count = len(x)
    if name == "Tanh":
        a = f.minimum(f.absolute(x), f.number(10, count))
        grown = exponential(f, f.multiply(a, f.number(2, count)))
        large = f.divide(f.subtract(grown, f.number(1, count)), f.add(grown, f.number(1, count)))
        square = f.multiply(x, x)
        small = f.multiply(f.absolute(x), f.polynomial(square, (1.0, -1 / 3, 2 / 15, -17 / 315, 62 / 2835)))
        return signed(f, f.choose(f.test("lt", a, f.number(0.25, count)), small, large), x)
    grown = exponential(f, f.absolute(x))
    half = f.number(0.5, count)
    shrunk = f.multiply(half, f.s.code.each("RCP", grown))
    if name == "Cosh":
        return f.multiply_add(half, grown, shrunk)
    large = f.subtract(f.multiply(half, grown), shrunk)
    small = f.multiply(f.absolute(x), f.polynomial(f.multiply(x, x), (1.0, 1 / 6, 1 / 120, 1 / 5040)))
    return signed(f, f.choose(f.test("lt", f.absolute(x), f.number(0.5, count)), small, large), x)


def inverse_hyperbolic(f: Floats, name: str, x: Refs) -> list[Ref]:
    """Asinh, Acosh or Atanh."""
    count = len(x)
    one = f.number(1, count)
    a = f.absolute(x)
    if name == "Acosh":
        return logarithm(f, f.add(x, f.each("SQRT", f.multiply(f.subtract(x, one), f.add(x, one)))))
    square = f.multiply(x, x)
    if name == "Asinh":
        large = logarithm(f, f.add(a, f.each("SQRT", f.add(square, one))))
        small = f.multiply(a, f.polynomial(square, (1.0, -1 / 6, 3 / 40, -15 / 336, 105 / 3456)))
    else:
        large = f.multiply(f.number(0.5, count), logarithm(f, f.divide(f.add(one, a), f.subtract(one, a))))
        small = f.multiply(a, f.polynomial(square, (1.0, 1 / 3, 1 / 5, 1 / 7, 1 / 9)))
    return signed(f, f.choose(f.test("lt", a, f.number(0.25, count)), small, large), x)
