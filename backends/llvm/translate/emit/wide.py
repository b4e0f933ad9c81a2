"""64-bit arithmetic. Each emitter sees one pair of channels: f64 lanes for doubles, i64 for integers."""

from __future__ import annotations

from collections.abc import Callable

from backends.llvm.builder.function import F32, F64, I32, I64, Function, Val
from backends.llvm.library.fma import fma_by_integers
from backends.llvm.translate.emit import Context, emit_each, emits


@emits("DMAD")
def emit_dmad(c: Context, a: Val, b: Val, e: Val) -> Val:
    """Product, rounded, then sum."""
    return a * b + e


@emits("DFMA")
def emit_dfma(c: Context, a: Val, b: Val, e: Val) -> Val:
    """Product and sum, rounded once."""
    f = c.f
    a, b = f.same(a, b)
    a, e = f.same(a, e)
    b, e = f.same(b, e)
    return f.intrinsic("fma", a, b, e) if f.module.has("fma") else fma_by_integers(f, a, b, e)


def _power(n: Val) -> Val:
    """2^n for -1022 <= n <= 1023."""
    return ((n.sext(I64) + 1023) << 52).bits_as(F64.wide(n.lanes))


@emits("DLDEXP")
def emit_dldexp(c: Context, a: Val, n: Val) -> Val:
    """a * 2^n, rounded once: the first steps down stay above the denormals and keep all 53 bits, so only the last step rounds."""
    f = c.f
    a, n = _same_lanes(f, a, n)
    for _ in range(2):
        low, high = n < -1022, n > 1023
        a = f.select(low, a * 2.0**-969, f.select(high, a * 2.0**1023, a))
        n = f.select(low, n + 969, f.select(high, n - 1023, n))
    return a * _power(f.min(f.max(n, -1022), 1023))


def _same_lanes(f: Function, a: Val, b: Val) -> tuple[Val, Val]:
    lanes = max(a.lanes, b.lanes)
    return f.splat(a, lanes), f.splat(b, lanes)


@emits("DFRACEXP")
def emit_dfracexp(c: Context, a: Val) -> tuple[Val, Val]:
    """Fraction in [0.5, 1), and exponent. Zeros, infinities and NaN are their own fraction, with exponent 0."""
    f = c.f
    tiny = f.abs(a) < 2.0**-1022
    bits = f.select(tiny, a * 2.0**54, a).bits_as(I64.wide(a.lanes))
    exponent = (bits.lshr(52) & 0x7FF).trunc(I32) - f.select(tiny, f.const(I32.wide(a.lanes), 1022 + 54), 1022)
    fraction = ((bits & -0x7FF0000000000001) | 0x3FE0000000000000).bits_as(a.type)
    special = a.eq(0.0) | ~(f.abs(a) < float("inf"))
    return f.select(special, a, fraction), f.select(special, 0, exponent)


def _count(c: Context, a: Val, n: Val) -> tuple[Val, Val]:
    a, n = _same_lanes(c.f, a, n)
    return a, (n & 63).zext(I64)


@emits("U64SHL")
def emit_u64shl(c: Context, a: Val, n: Val) -> Val:
    """a << (n & 63)."""
    a, n = _count(c, a, n)
    return a << n


@emits("U64SHR")
def emit_u64shr(c: Context, a: Val, n: Val) -> Val:
    """a >> (n & 63), zero filled."""
    a, n = _count(c, a, n)
    return a.lshr(n)


@emits("I64SHR")
def emit_i64shr(c: Context, a: Val, n: Val) -> Val:
    """a >> (n & 63), sign filled."""
    a, n = _count(c, a, n)
    return a >> n


@emits("U64DIV")
def emit_u64div(c: Context, a: Val, b: Val) -> Val:
    """Unsigned quotient, all ones for a divisor 0."""
    zero = b.eq(0)
    return c.f.select(zero, -1, a.udiv(c.f.select(zero, 1, b)))


@emits("U64MOD")
def emit_u64mod(c: Context, a: Val, b: Val) -> Val:
    """Unsigned remainder, all ones for a divisor 0."""
    zero = b.eq(0)
    return c.f.select(zero, -1, a.urem(c.f.select(zero, 1, b)))


def _sizes(f: Function, a: Val, b: Val) -> tuple[Val, Val]:
    """Magnitudes as unsigned integers (that of the least integer is 2^63), with a divisor of 0 replaced by 1."""
    divisor = f.select(b.eq(0), 1, b)
    return f.select(a < 0, -a, a), f.select(divisor < 0, -divisor, divisor)


@emits("I64DIV")
def emit_i64div(c: Context, a: Val, b: Val) -> Val:
    """Quotient toward zero, 0 for a divisor 0."""
    f = c.f
    a, b = f.same(a, b)
    top, bottom = _sizes(f, a, b)
    quotient = top.udiv(bottom)
    return f.select(b.eq(0), 0, f.select((a ^ b) < 0, -quotient, quotient))


@emits("I64MOD")
def emit_i64mod(c: Context, a: Val, b: Val) -> Val:
    """Remainder with the sign of a, all ones for a divisor 0."""
    f = c.f
    a, b = f.same(a, b)
    top, bottom = _sizes(f, a, b)
    rest = top.urem(bottom)
    return f.select(b.eq(0), -1, f.select(a < 0, -rest, rest))


@emits("D2I")
def emit_d2i(c: Context, a: Val) -> Val:
    """Round toward zero; 0x80000000 for NaN and for values out of range."""
    f = c.f
    inside = (a > -2147483649.0) & (a < 2147483648.0)
    return f.select(inside, f.select(inside, a, 0.0).cast("fptosi", I32), -0x80000000)


def _to_int64(f: Function, a: Val) -> Val:
    """Round toward zero; the least integer for NaN and for values out of range."""
    inside = (a >= -(2.0**63)) & (a < 2.0**63)
    return f.select(inside, f.select(inside, a, 0.0).cast("fptosi", I64), -(1 << 63))


@emits("F2U64", "D2U64")
def emit_d2u64(c: Context, a: Val) -> Val:
    """Integer part by the usual sequence: negative numbers wrap; NaN and values far below 0 give 2^63; 2^64 and above give 0."""
    f = c.f
    a = a.cast("fpext", F64)
    upper = a >= 2.0**63
    part = _to_int64(f, f.select(upper, a - 2.0**63, a))
    return f.select(upper, part ^ -(1 << 63), part)


BINARY: dict[str, Callable[[Context, Val, Val], Val]] = {
    "DADD U64ADD": lambda c, a, b: a + b,
    "DMUL U64MUL": lambda c, a, b: a * b,
    "DDIV": lambda c, a, b: a / b,
    "DMIN I64MIN": lambda c, a, b: c.f.min(a, b),  # a < b ? a : b, signed
    "DMAX I64MAX": lambda c, a, b: c.f.max(a, b),  # a > b ? a : b, signed
    "U64MIN": lambda c, a, b: c.f.select(a.ult(b), a, b),
    "U64MAX": lambda c, a, b: c.f.select(a.ugt(b), a, b),
    "DSLT I64SLT": lambda c, a, b: (a < b).sext(I32),
    "DSGE I64SGE": lambda c, a, b: (a >= b).sext(I32),
    "DSEQ U64SEQ": lambda c, a, b: a.eq(b).sext(I32),
    "DSNE U64SNE": lambda c, a, b: a.ne(b).sext(I32),
    "U64SLT": lambda c, a, b: a.ult(b).sext(I32),
    "U64SGE": lambda c, a, b: a.uge(b).sext(I32),
}
UNARY: dict[str, Callable[[Context, Val], Val]] = {
    "DRCP": lambda c, a: c.f.const(a.type, 1.0) / a,
    "DSQRT": lambda c, a: c.f.sqrt(a),  # NaN for negatives
    "DRSQ": lambda c, a: c.f.const(a.type, 1.0) / c.f.sqrt(a),  # reciprocal of the square root, with two roundings
    "DABS": lambda c, a: c.f.select(a >= 0.0, a, c.f.neg_bits(a)),
    "DNEG": lambda c, a: c.f.neg_bits(a),
    "DSSG": lambda c, a: c.f.select(a > 0.0, 1.0, c.f.select(a < 0.0, c.f.const(a.type, -1.0), 0.0)),  # 0 for NaN
    "DTRUNC": lambda c, a: c.f.truncate(a),
    "DFLR": lambda c, a: c.f.floor(a),
    "DCEIL": lambda c, a: c.f.ceil(a),
    "DROUND": lambda c, a: c.f.round(a),  # round to nearest, ties to even
    "DFRAC": lambda c, a: a - c.f.floor(a),
    "I64ABS": lambda c, a: c.f.select(a < 0, -a, a),
    "I64SSG": lambda c, a: c.f.select(a > 0, c.f.const(a.type, 1), a >> 63),  # sign: -1, 0 or 1
    "I64NEG": lambda c, a: -a,
    "F2D": lambda c, a: a.cast("fpext", F64),
    "D2F": lambda c, a: a.cast("fptrunc", F32),
    "I2D I642D": lambda c, a: a.cast("sitofp", F64),  # signed integer to nearest double
    "U2D U642D": lambda c, a: a.cast("uitofp", F64),  # unsigned integer to nearest double
    "I642F": lambda c, a: a.cast("sitofp", F32),  # signed integer to nearest float
    "U642F": lambda c, a: a.cast("uitofp", F32),  # unsigned integer to nearest float
    "D2U": lambda c, a: _to_int64(c.f, a).trunc(I32),  # low word of the 64-bit integer part
    "F2I64 D2I64": lambda c, a: _to_int64(c.f, a.cast("fpext", F64)),
    "I2I64": lambda c, a: a.sext(I64),  # signed 32-bit integer, sign extended
    "U2I64": lambda c, a: a.zext(I64),  # unsigned 32-bit integer, zero extended
}

emit_each(BINARY, UNARY)
