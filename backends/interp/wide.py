"""64-bit numbers. Each function sees one pair of channels: (lanes,) arrays of float64, int64 or uint64."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isfinite

import numpy as np

from backends.interp.convert import to_int
from backends.interp.registry import implement_each, implements
from backends.interp.values import F32, F64, I32, I64, U32, U64, flags

ONE = np.float64(1)
SHIFT = np.uint64(63)
ALL_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
INT64_MIN = np.int64(-(2**63))


def to_int64(values: F64) -> I64:
    """Integer part as int64; what does not fit, and NaN, gives the smallest integer."""
    whole = np.trunc(values)
    fits = (whole >= -(2.0**63)) & (whole < 2.0**63)
    return np.where(fits, np.where(fits, whole, 0).astype(np.int64), INT64_MIN)


def to_uint64(values: F64) -> U64:
    """Integer part as uint64: negative numbers wrap, NaN and what int64 cannot hold give 2^63, 2^64 and more give 0.

    That is the usual sequence of a 64-bit processor with signed conversion only, and what Mesa gives.
    """
    upper = values >= 2.0**63
    part = to_int64(np.where(upper, values - 2.0**63, values)).view(np.uint64)
    return np.where(upper, part ^ np.uint64(1 << 63), part)


@implements("DMAD")
def dmad(a: F64, b: F64, e: F64) -> F64:
    """Product, rounded, then sum."""
    return a * b + e


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


@implements("DLDEXP")
def dldexp(a: F64, b: I32) -> F64:
    """a scaled by a power of two, rounded once."""
    return np.ldexp(a, b)


@implements("DFRACEXP")
def dfracexp(a: F64) -> tuple[F64, I32]:
    """Fraction in [0.5, 1) and exponent; zeros, infinities and NaN are their own fraction, with exponent 0."""
    fraction, exponent = np.frexp(a)
    return fraction, np.where(np.isfinite(a), exponent, 0).astype(np.int32)


@implements("U64SEQ")
def u64seq(a: U64, b: U64) -> U32:
    """Equal bits."""
    return flags(a == b)


@implements("U64SNE")
def u64sne(a: U64, b: U64) -> U32:
    """Different bits."""
    return flags(a != b)


@implements("I64SLT", "U64SLT")
def slt64(a: I64 | U64, b: I64 | U64) -> U32:
    """Less, by the type of the operands."""
    return flags(a < b)


@implements("I64SGE", "U64SGE")
def sge64(a: I64 | U64, b: I64 | U64) -> U32:
    """Greater or equal, by the type of the operands."""
    return flags(a >= b)


@implements("I64MIN")
def i64min(a: I64, b: I64) -> I64:
    """The smaller, signed."""
    return np.minimum(a, b)


@implements("I64MAX")
def i64max(a: I64, b: I64) -> I64:
    """The larger, signed."""
    return np.maximum(a, b)


@implements("U64SHL")
def u64shl(a: U64, count: U32) -> U64:
    """Shifted left."""
    return a << (count.astype(np.uint64) & SHIFT)


@implements("U64SHR")
def u64shr(a: U64, count: U32) -> U64:
    """Shifted right, filled with zeros."""
    return a >> (count.astype(np.uint64) & SHIFT)


@implements("I64SHR")
def i64shr(a: I64, count: U32) -> I64:
    """Shifted right, filled with the sign."""
    return a >> (count & np.uint32(63)).astype(np.int64)


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


@implements("F2D")
def f2d(a: F32) -> F64:
    """The same number as a double."""
    return a.astype(np.float64)


@implements("D2F")
def d2f(a: F64) -> F32:
    """Nearest float."""
    return a.astype(np.float32)


@implements("I2D")
def i2d(a: I32) -> F64:
    """The same number as a double."""
    return a.astype(np.float64)


@implements("U2D")
def u2d(a: U32) -> F64:
    """The same number as a double."""
    return a.astype(np.float64)


@implements("D2I")
def d2i(a: F64) -> I32:
    """Integer part, signed."""
    return to_int(a)


@implements("D2U")
def d2u(a: F64) -> U32:
    """Low word of the integer part as int64."""
    return (to_int64(a).view(np.uint64) & np.uint64(0xFFFFFFFF)).astype(np.uint32)


@implements("F2I64", "D2I64")
def f2i64(a: F32 | F64) -> I64:
    """Integer part, signed."""
    return to_int64(a.astype(np.float64))


@implements("F2U64", "D2U64")
def f2u64(a: F32 | F64) -> U64:
    """Integer part, unsigned."""
    return to_uint64(a.astype(np.float64))


@implements("I2I64")
def i2i64(a: I32) -> I64:
    """Sign extended."""
    return a.astype(np.int64)


@implements("U2I64")
def u2i64(a: U32) -> I64:
    """Zero extended."""
    return a.astype(np.int64)


@implements("I642F", "U642F")
def i642f(a: I64 | U64) -> F32:
    """Nearest float."""
    return a.astype(np.float32)


@implements("I642D", "U642D")
def i642d(a: I64 | U64) -> F64:
    """Nearest double."""
    return a.astype(np.float64)


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

implement_each(DOUBLE_UNARY, DOUBLE_BINARY, DOUBLE_BINARY_TO_UINT, UINT64_BINARY, INT64_UNARY)
