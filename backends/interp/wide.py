"""64-bit numbers. Each function sees one pair of channels: (lanes,) arrays of float64, int64 or uint64."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite

import numpy as np

from backends.interp.convert import to_int
from backends.interp.registry import implements
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


@implements("DABS")
def dabs(a: F64) -> F64:
    """Absolute value; -0 stays, being no less than 0."""
    return np.where(a >= 0, a, np.negative(a))


@implements("DNEG")
def dneg(a: F64) -> F64:
    """Negated."""
    return np.negative(a)


@implements("DADD")
def dadd(a: F64, b: F64) -> F64:
    """Sum."""
    return a + b


@implements("DMUL")
def dmul(a: F64, b: F64) -> F64:
    """Product."""
    return a * b


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


@implements("DDIV")
def ddiv(a: F64, b: F64) -> F64:
    """Quotient."""
    return a / b


@implements("DRCP")
def drcp(a: F64) -> F64:
    """Reciprocal."""
    return ONE / a


@implements("DSQRT")
def dsqrt(a: F64) -> F64:
    """Root, NaN below 0."""
    return np.sqrt(a)


@implements("DRSQ")
def drsq(a: F64) -> F64:
    """Reciprocal of the root: two roundings."""
    return ONE / np.sqrt(a)


@implements("DMIN")
def dmin(a: F64, b: F64) -> F64:
    """The smaller; b when either is NaN."""
    return np.where(a < b, a, b)


@implements("DMAX")
def dmax(a: F64, b: F64) -> F64:
    """The larger; b when either is NaN."""
    return np.where(a > b, a, b)


@implements("DSSG")
def dssg(a: F64) -> F64:
    """Sign: -1, 0 or 1; 0 for NaN and zeros."""
    return np.where(a > 0, ONE, np.where(a < 0, -ONE, np.float64(0)))


@implements("DTRUNC")
def dtrunc(a: F64) -> F64:
    """Integer part."""
    return np.trunc(a)


@implements("DFLR")
def dflr(a: F64) -> F64:
    """Largest integer not above."""
    return np.floor(a)


@implements("DCEIL")
def dceil(a: F64) -> F64:
    """Smallest integer not below."""
    return np.ceil(a)


@implements("DROUND")
def dround(a: F64) -> F64:
    """Nearest integer, the even one of two."""
    return np.rint(a)


@implements("DFRAC")
def dfrac(a: F64) -> F64:
    """Distance from the integer below."""
    return a - np.floor(a)


@implements("DLDEXP")
def dldexp(a: F64, b: I32) -> F64:
    """a scaled by a power of two, rounded once."""
    return np.ldexp(a, b)


@implements("DFRACEXP")
def dfracexp(a: F64) -> tuple[F64, I32]:
    """Fraction in [0.5, 1) and exponent; zeros, infinities and NaN are their own fraction, with exponent 0."""
    fraction, exponent = np.frexp(a)
    return fraction, np.where(np.isfinite(a), exponent, 0).astype(np.int32)


@implements("DSLT")
def dslt(a: F64, b: F64) -> U32:
    """Less."""
    return flags(a < b)


@implements("DSGE")
def dsge(a: F64, b: F64) -> U32:
    """Greater or equal."""
    return flags(a >= b)


@implements("DSEQ")
def dseq(a: F64, b: F64) -> U32:
    """Equal."""
    return flags(a == b)


@implements("DSNE")
def dsne(a: F64, b: F64) -> U32:
    """Not equal."""
    return flags(a != b)


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


@implements("U64MIN")
def u64min(a: U64, b: U64) -> U64:
    """The smaller, unsigned."""
    return np.minimum(a, b)


@implements("I64MAX")
def i64max(a: I64, b: I64) -> I64:
    """The larger, signed."""
    return np.maximum(a, b)


@implements("U64MAX")
def u64max(a: U64, b: U64) -> U64:
    """The larger, unsigned."""
    return np.maximum(a, b)


@implements("I64ABS")
def i64abs(a: I64) -> I64:
    """Absolute value; the smallest integer stays."""
    return np.where(a < 0, np.negative(a), a)


@implements("I64SSG")
def i64ssg(a: I64) -> I64:
    """Sign: -1, 0 or 1."""
    return np.sign(a)


@implements("I64NEG")
def i64neg(a: I64) -> I64:
    """Negated."""
    return np.negative(a)


@implements("U64ADD")
def u64add(a: U64, b: U64) -> U64:
    """Sum."""
    return a + b


@implements("U64MUL")
def u64mul(a: U64, b: U64) -> U64:
    """Low half of the product."""
    return a * b


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


@implements("U64DIV")
def u64div(a: U64, b: U64) -> U64:
    """Quotient; all ones for division by 0."""
    return np.where(b == 0, ALL_ONES, a // np.where(b == 0, np.uint64(1), b))


@implements("U64MOD")
def u64mod(a: U64, b: U64) -> U64:
    """Remainder; all ones for division by 0."""
    return np.where(b == 0, ALL_ONES, a % np.where(b == 0, np.uint64(1), b))


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
