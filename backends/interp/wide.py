"""64-bit numbers. Each function sees one pair of channels: (lanes,) arrays of float64, int64 or uint64."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.interp.convert import to_int
from backends.interp.registry import implement_each, implements
from backends.interp.values import F64, I32, I64, U32, U64, flags

ONE = np.float64(1)
SHIFT = np.uint64(63)
ALL_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
INT64_MIN = np.int64(-(2**63))


def to_int64(values: F64) -> I64:
    """Integer part as int64; values that do not fit, and NaN, give the smallest integer."""
    whole = np.trunc(values)
    fits = (whole >= -(2.0**63)) & (whole < 2.0**63)
    return np.where(fits, np.where(fits, whole, 0).astype(np.int64), INT64_MIN)


def to_uint64(values: F64) -> U64:
    """Integer part as uint64: negative numbers wrap, NaN and negative numbers below the range of int64 give 2^63, 2^64 and more give 0.

    These are the results of the usual sequence on 64-bit processors with signed conversion only, and of Mesa.
    """
    upper = values >= 2.0**63
    part = to_int64(np.where(upper, values - 2.0**63, values)).view(np.uint64)
    return np.where(upper, part ^ np.uint64(1 << 63), part)


@implements("DFMA")
def dfma(a: F64, b: F64, e: F64) -> F64:
    """Product and sum with one rounding, by exact fractions where the plain formula is finite or overflows on the way."""
    plain = a * b + e
    fused = plain.copy()
    for lane, (x, y, z) in enumerate(zip(a.tolist(), b.tolist(), e.tolist())):
        if isfinite(x) and isfinite(y) and isfinite(z):
            total = Fraction(x) * Fraction(y) + Fraction(z)
            if total == 0:
                continue  # signs of zero follow the plain formula, unless the product underflowed
            try:
                fused[lane] = float(total)
            except OverflowError:
                fused[lane] = np.inf if total > 0 else -np.inf
    return fused


@implements("DFRACEXP")
def dfracexp(a: F64) -> tuple[F64, I32]:
    """Fraction in [0.5, 1) and exponent; zeros, infinities and NaN are their own fraction, with exponent 0."""
    fraction, exponent = np.frexp(a)
    return fraction, np.where(np.isfinite(a), exponent, 0).astype(np.int32)


def _magnitude(a: I64) -> U64:
    return np.where(a < 0, np.negative(a), a).view(np.uint64)


@implements("I64DIV")
def i64div(a: I64, b: I64) -> I64:
    """Quotient toward 0; 0 for division by 0; the smallest integer by -1 gives itself."""
    quotient = (_magnitude(a) // _magnitude(np.where(b == 0, np.int64(1), b))).view(np.int64)
    return np.where(b == 0, np.int64(0), np.where((a < 0) != (b < 0), np.negative(quotient), quotient))


@implements("I64MOD")
def i64mod(a: I64, b: I64) -> I64:
    """Remainder with the sign of a; all ones for division by 0."""
    remainder = (_magnitude(a) % _magnitude(np.where(b == 0, np.int64(1), b))).view(np.int64)
    return np.where(b == 0, np.int64(-1), np.where(a < 0, np.negative(remainder), remainder))


CONVERSIONS: dict[str, Callable[[Any], NDArray[Any]]] = {
    "F2D I2D U2D": lambda a: a.astype(np.float64),
    "D2F": lambda a: a.astype(np.float32),
    "D2I": to_int,
    "D2U": lambda a: (to_int64(a).view(np.uint64) & np.uint64(0xFFFFFFFF)).astype(np.uint32),  # low word of the integer part as int64
    "F2I64 D2I64": lambda a: to_int64(a.astype(np.float64)),
    "F2U64 D2U64": lambda a: to_uint64(a.astype(np.float64)),
    "I2I64 U2I64": lambda a: a.astype(np.int64),  # extended by the sign, by zeros
    "I642F U642F": lambda a: a.astype(np.float32),
    "I642D U642D": lambda a: a.astype(np.float64),
}
DOUBLE_UNARY: dict[str, Callable[[F64], F64]] = {
    "DABS": lambda a: np.where(a >= 0, a, np.negative(a)),  # -0 stays, being no less than 0
    "DNEG": np.negative,
    "DRCP": lambda a: ONE / a,
    "DSQRT": np.sqrt,
    "DRSQ": lambda a: ONE / np.sqrt(a),  # reciprocal of the root: two roundings
    "DSSG": lambda a: np.where(a > 0, ONE, np.where(a < 0, -ONE, np.float64(0))),  # 0 for NaN and zeros
    "DTRUNC": np.trunc,
    "DFLR": np.floor,
    "DCEIL": np.ceil,
    "DROUND": np.rint,  # nearest integer, the even one of two
    "DFRAC": lambda a: a - np.floor(a),  # distance from the integer below
}
DOUBLE_BINARY: dict[str, Callable[[F64, F64], F64]] = {
    "DADD": lambda a, b: a + b,
    "DMUL": lambda a, b: a * b,
    "DDIV": lambda a, b: a / b,
    "DMIN": lambda a, b: np.where(a < b, a, b),  # b when either is NaN
    "DMAX": lambda a, b: np.where(a > b, a, b),  # b when either is NaN
}
DOUBLE_BINARY_TO_UINT: dict[str, Callable[[F64, F64], U32]] = {
    "DSLT": lambda a, b: flags(a < b),
    "DSGE": lambda a, b: flags(a >= b),
    "DSEQ": lambda a, b: flags(a == b),
    "DSNE": lambda a, b: flags(a != b),
}
DOUBLE_TERNARY: dict[str, Callable[[F64, F64, F64], F64]] = {
    "DMAD": lambda a, b, e: a * b + e,  # the product is rounded, then the sum
}
DOUBLE_SCALE: dict[str, Callable[[F64, I32], F64]] = {
    "DLDEXP": np.ldexp,  # rounded once
}
COMPARED: dict[str, Callable[[I64 | U64, I64 | U64], U32]] = {
    "U64SEQ": lambda a, b: flags(a == b),
    "U64SNE": lambda a, b: flags(a != b),
    "I64SLT U64SLT": lambda a, b: flags(a < b),  # by the type of the operands
    "I64SGE U64SGE": lambda a, b: flags(a >= b),
}
SHIFTED: dict[str, Callable[[U64, U32], U64]] = {
    "U64SHL": lambda a, count: a << (count.astype(np.uint64) & SHIFT),
    "U64SHR": lambda a, count: a >> (count.astype(np.uint64) & SHIFT),
}
SHIFTED_BY_SIGN: dict[str, Callable[[I64, U32], I64]] = {
    "I64SHR": lambda a, count: a >> (count & np.uint32(63)).astype(np.int64),
}
INT64_BINARY: dict[str, Callable[[I64, I64], I64]] = {
    "I64MIN": np.minimum,
    "I64MAX": np.maximum,
}
UINT64_BINARY: dict[str, Callable[[U64, U64], U64]] = {
    "U64MIN": np.minimum,
    "U64MAX": np.maximum,
    "U64ADD": lambda a, b: a + b,
    "U64MUL": lambda a, b: a * b,  # low half of the product
    "U64DIV": lambda a, b: np.where(b == 0, ALL_ONES, a // np.where(b == 0, np.uint64(1), b)),  # all ones for division by 0
    "U64MOD": lambda a, b: np.where(b == 0, ALL_ONES, a % np.where(b == 0, np.uint64(1), b)),  # all ones for division by 0
}
INT64_UNARY: dict[str, Callable[[I64], I64]] = {
    "I64ABS": lambda a: np.where(a < 0, np.negative(a), a),  # the smallest integer stays
    "I64SSG": np.sign,  # sign: -1, 0 or 1
    "I64NEG": np.negative,
}

implement_each(CONVERSIONS, DOUBLE_UNARY, DOUBLE_BINARY, DOUBLE_BINARY_TO_UINT, DOUBLE_TERNARY, DOUBLE_SCALE)
implement_each(COMPARED, SHIFTED, SHIFTED_BY_SIGN, INT64_BINARY, UINT64_BINARY, INT64_UNARY)
