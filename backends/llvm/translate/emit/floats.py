"""Float arithmetic: component-wise operations, dot products, and the fixed-function vectors LIT, DST, EXP, LOG."""

from __future__ import annotations

from collections.abc import Callable
from math import copysign

from backends.llvm.builder.function import F32, F64, I32, I64, Function, Val
from backends.llvm.builder.rounding import DENORMAL_GUARD
from backends.llvm.library import math, powers
from backends.llvm.translate.emit import Context, Vector, emit_each, emits
from backends.llvm.translate.interface import Oriented


def _zero_wins(c: Context) -> bool:
    return bool(c.program.property("MUL_ZERO_WINS") or c.program.property("LEGACY_MATH_RULES"))


def product(c: Context, a: Val, b: Val) -> Val:
    """a * b. With MUL_ZERO_WINS (also called LEGACY_MATH_RULES) the product is +0 if a factor is 0."""
    f = c.f
    if not _zero_wins(c):
        if c.plan.sums_prevail and 2.0 in (a.number, b.number):
            return (a if b.number == 2.0 else b) * f.hidden(2.0)
        return a * b
    a, b = f.same(a, b)
    return f.select(a.ne(0.0), f.select(b.ne(0.0), a * b, 0.0), 0.0)


def _product_and_sum(c: Context, a: Val, b: Val, e: Val, factor: float | None) -> Val:
    """a * b + e. factor: the value of b, if it is constant.

    If bounds of the operands are known, `DENORMAL_GUARD` replaces smaller values of a, because a product of at most 2^-80 does not change
    an addend of 2^-40 or more.
    """
    if a.floored is not None and factor is not None and e.number is not None and abs(e.number) >= 2.0**-40:
        a = a.floored if factor == 0 or 2.0**-20 <= abs(factor) <= 2.0**20 else a
    return product(c, a, b) + e


@emits("MAD")
def emit_mad(c: Context, a: Val, b: Val, e: Val) -> Val:
    """a * b + e, two roundings."""
    if b.floored is not None:
        a, b = b, a
    return _product_and_sum(c, a, b, e, b.number)


@emits("FMA")
def emit_fma(c: Context, a: Val, b: Val, e: Val) -> Val:
    """a * b + e, one rounding."""
    f = c.f
    a, b = f.same(a, b)
    if _zero_wins(c):
        counts = a.ne(0.0) & b.ne(0.0)
        a, b = f.select(counts, a, 0.0), f.select(counts, b, 0.0)
    a, e = f.same(a, e)
    b, e = f.same(b, e)
    if f.module.has("fma"):
        return f.intrinsic("fma", a, b, e)
    return _fma_by_double(f, a, b, e)


def _fma_by_double(f: Function, a: Val, b: Val, e: Val) -> Val:
    """a * b + e through f64: the product is exact, the sum is rounded to odd, so only the final rounding to f32 has an effect."""
    product, addend = a.to_double() * b.to_double(), e.to_double()
    total = product + addend
    split = total - product
    error = (product - (total - split)) + (addend - split)
    bits = total.bits_as(I64.wide(a.lanes))
    inexact = error.ne(0.0) & (bits & 1).eq(0) & (f.abs(total) < float("inf"))
    # Round to odd: one unit up in magnitude if the error has the sum's sign, otherwise one down.
    error_bits = error.bits_as(I64.wide(a.lanes))
    step = f.select((error_bits ^ bits) < 0, f.const(bits.type, -1), 1)
    return f.select(inexact, bits + step, bits).bits_as(F64.wide(a.lanes)).cast("fptrunc", F32)


@emits("LRP")
def emit_lrp(c: Context, a: Val, b: Val, e: Val) -> Val:
    """a * (b - e) + e."""
    difference = b.number - e.number if b.number is not None and e.number is not None else None
    return _product_and_sum(c, a, b - e, e, difference)


@emits("MIN")
def emit_min(c: Context, a: Val, b: Val) -> Val:
    """a < b ? a : b; of zeros, -0 if either is."""
    least = c.f.min(a, b)
    if _decides(a, 0.0) or _decides(b, -0.0):
        return least
    return c.f.select(a.eq(b), (a.as_int() | b.as_int()).as_float(), least)


@emits("MAX")
def emit_max(c: Context, a: Val, b: Val) -> Val:
    """a > b ? a : b; of zeros, +0 if either is."""
    most = c.f.max(a, b)
    if _decides(a, -0.0) or _decides(b, 0.0):
        return most
    return c.f.select(a.eq(b), (a.as_int() & b.as_int()).as_float(), most)


def _decides(x: Val, zero: float) -> bool:
    """True if x is a constant other than 0, or the same zero, so that a comparison alone gives the right sign of zero."""
    return x.number is not None and (x.number != 0 or copysign(1.0, x.number) == copysign(1.0, zero))


@emits("FRC")
def emit_frc(c: Context, a: Val) -> Val:
    """a - floor(a); 0 for an infinity, whose difference would be NaN."""
    whole = c.f.floor(a)
    return c.f.select(a.eq(whole), 0.0, a - whole)


@emits("SSG")
def emit_ssg(c: Context, a: Val) -> Val:
    """Sign: -1, 0 or 1; 0 for NaN."""
    negative = c.f.select(a < 0.0, c.f.const(a.type, -1.0), 0.0)
    return c.f.select(a > 0.0, 1.0, negative)


@emits("LDEXP")
def emit_ldexp(c: Context, a: Val, n: Val) -> Val:
    """a * 2^n, rounded once: exact in f64, whose exponent range covers every result that is not 0 or inf."""
    f = c.f
    limited = f.min(f.max(n.as_int(), -400), 400)
    power = (limited.sext(I64) + 1023) << 52
    return (a.to_double() * power.bits_as(F64.wide(n.lanes))).cast("fptrunc", F32)


@emits("EX2")
def emit_ex2(c: Context, a: Vector) -> Val:
    """2^a.x."""
    power = math.ex2(c.f, a[0])
    power.floored = c.f.max(DENORMAL_GUARD, power)
    return power


@emits("POW")
def emit_pow(c: Context, a: Vector, b: Vector) -> Val:
    """a.x^b.x."""
    x, y = c.f.same(a[0], b[0])
    return powers.pow(c.f, x, y)


def _dot(c: Context, a: Vector, b: Vector, channels: int) -> Val:
    total = product(c, a[0], b[0])
    for channel in range(1, channels):
        total = total + product(c, a[channel], b[channel])
    return total


@emits("DST")
def emit_dst(c: Context, channel: int, a: Vector, b: Vector) -> Val:
    """(1, a.y * b.y, a.z, b.w)."""
    if channel == 1:
        return product(c, a[1], b[1])
    return c.f.const(F32, 1.0) if channel == 0 else a[2] if channel == 2 else b[3]


@emits("LIT")
def emit_lit(c: Context, channel: int, a: Vector) -> Val:
    """(1, max(a.x, 0), a.x > 0 ? max(a.y, 0)^clamp(a.w, -128, 128) : 0, 1); a NaN in w becomes 128, one in y 0."""
    f = c.f
    if channel in (0, 3):
        return f.const(F32, 1.0)
    if channel == 1:
        return f.max(a[0], 0.0)
    exponent = f.max(f.min(a[3], 128.0), -128.0)
    base, exponent = f.same(f.max(a[1], 0.0), exponent)
    return f.select(a[0] > 0.0, powers.pow(f, base, exponent), 0.0)


@emits("EXP")
def emit_exp(c: Context, channel: int, a: Vector) -> Val:
    """(2^floor(a.x), a.x - floor(a.x), 2^a.x, 1)."""
    f, x = c.f, a[0]
    if channel == 3:
        return f.const(F32, 1.0)
    if channel == 2:
        return math.ex2(f, x)
    whole = f.floor(x)
    return math.ex2(f, whole) if channel == 0 else x - whole


@emits("LOG")
def emit_log(c: Context, channel: int, a: Vector) -> Val:
    """(floor(log2 v), v / 2^floor(log2 v), log2 v, 1) with v = |a.x|. The first two are exact; the second is 0 for 0, NaN for inf."""
    f = c.f
    if channel == 3:
        return f.const(F32, 1.0)
    size = f.abs(a[0])
    if channel == 2:
        return math.lg2(f, size)
    exponent, mantissa = math.exponent_and_mantissa(f, size.as_int())
    special = size.eq(0.0) | ~(size < float("inf"))
    if channel == 0:
        return f.select(special, math.lg2(f, size), exponent.to_float())
    return f.select(special, f.select(size.eq(0.0), size, math.QUIET_NAN), mantissa.as_float())


def _upward(c: Context, change: Val) -> Val:
    """Convert the change from one row to the next to the change along window y, whose direction may be opposite."""
    upward = c.interface.upward() if isinstance(c.interface, Oriented) else None
    return change if upward is None else change * upward


@emits("PK2H")
def emit_pk2h(c: Context, a: Vector) -> Val:
    """Pack two halves into one word. Finite values stay finite; every NaN is 0x7e00."""
    low, high = (_finite_half(c.f, a[channel]) for channel in (0, 1))
    return low | (high << 16)


def _finite_half(f: Function, x: Val) -> Val:
    """Round as in Mesa: drop 12 low bits, then round half up in magnitude. Finite values stay finite, except 65520, which becomes inf."""
    bits = x.as_int()
    size = bits & math.ABS
    scaled = ((size & -0x1000).as_float() * 2.0**-112).as_int() + 0x1000
    half = f.select(scaled > 0x0F800000, 0x7BFF, scaled.lshr(13))
    half = f.select(size.eq(math.INF), 0x7C00, half) | (bits.lshr(16) & 0x8000)
    return f.select(size > math.INF, 0x7E00, half)


def _fixed(f: Function, x: Val, low: float, scale: float) -> Val:
    """clamp(x, low, 1) * scale, to nearest even, as i32; NaN becomes 0. The product is exact in f64, so nothing is rounded twice."""
    known = f.select(x.eq(x), x, 0.0)
    return f.to_int(f.round(f.min(f.max(known, low), 1.0).to_double() * scale))


@emits("PK2US")
def emit_pk2us(c: Context, a: Vector) -> Val:
    """Pack two unorm16 into one word."""
    low, high = (_fixed(c.f, a[channel], 0.0, 65535.0) for channel in (0, 1))
    return low | (high << 16)


def _pack_bytes(c: Context, a: Vector, low: float, scale: float) -> Val:
    word = _fixed(c.f, a[0], low, scale) & 0xFF
    for channel in (1, 2, 3):
        word = word | ((_fixed(c.f, a[channel], low, scale) & 0xFF) << (8 * channel))
    return word


@emits("UP4B")
def emit_up4b(c: Context, channel: int, a: Vector) -> Val:
    """Byte `channel` of the word as snorm8."""
    value = (a[0] << (24 - 8 * channel)) >> 24
    return c.f.max(value.to_float() / 127.0, -1.0)


def float_to_i32(f: Function, x: Val) -> Val:
    """Round toward zero; 0x80000000 for NaN and for values out of range."""
    inside = f.abs(x) < 2147483648.0
    return f.select(inside, f.select(inside, x, 0.0).cast("fptosi", I32), -0x80000000)


BINARY: dict[str, Callable[[Context, Val, Val], Val]] = {
    "ADD": lambda c, a, b: a + b,
    "MUL": product,
    "DIV": lambda c, a, b: a / b,
}
UNARY: dict[str, Callable[[Context, Val], Val]] = {
    "FLR": lambda c, a: c.f.floor(a),
    "CEIL": lambda c, a: c.f.ceil(a),
    "TRUNC": lambda c, a: c.f.truncate(a),
    "ROUND": lambda c, a: c.f.round(a),  # round to nearest, ties to even
    "DDX": lambda c, a: c.lane_map.ddx(c.f, a),  # derivative by window x, one value for each quad
    "DDY": lambda c, a: _upward(c, c.lane_map.ddy(c.f, a)),  # derivative by window y, one value for each quad
    "DDX_FINE": lambda c, a: c.lane_map.ddx(c.f, a, fine=True),  # derivative by window x, one value for each row of the quad
    "DDY_FINE": lambda c, a: _upward(c, c.lane_map.ddy(c.f, a, fine=True)),  # derivative by window y, one value for each column of the quad
}
OF_A_VECTOR: dict[str, Callable[[Context, Vector], Val]] = {
    "RCP": lambda c, a: math.rcp(c.f, a[0]),
    "RSQ": lambda c, a: math.rsq(c.f, a[0]),
    "SQRT": lambda c, a: c.f.sqrt(a[0]),
    "LG2": lambda c, a: math.lg2(c.f, a[0]),
    "PK4B": lambda c, a: _pack_bytes(c, a, -1.0, 127.0),  # pack four snorm8 into one word
    "PK4UB": lambda c, a: _pack_bytes(c, a, 0.0, 255.0),  # pack four unorm8 into one word
}
OF_VECTORS: dict[str, Callable[[Context, Vector, Vector], Val]] = {
    "DP2": lambda c, a, b: _dot(c, a, b, 2),  # dot product of two channels, left to right
    "DP3": lambda c, a, b: _dot(c, a, b, 3),  # dot product of three channels, left to right
    "DP4": lambda c, a, b: _dot(c, a, b, 4),  # dot product of four channels, left to right
}
BY_CHANNEL: dict[str, Callable[[Context, int, Vector], Val]] = {
    # low and high half of the word as floats, (low, high, low, high)
    "UP2H": lambda c, channel, a: math.half_to_float(c.f, a[0].lshr(16) if channel & 1 else a[0] & 0xFFFF),
    # low and high half of the word as unorm16, (low, high, low, high)
    "UP2US": lambda c, channel, a: (a[0].lshr(16) if channel & 1 else a[0] & 0xFFFF).to_float() / 65535.0,
    "UP4UB": lambda c, channel, a: (a[0].lshr(8 * channel) & 0xFF).to_float() / 255.0,  # byte `channel` of the word as unorm8
}

emit_each(BINARY, UNARY, OF_A_VECTOR, OF_VECTORS, BY_CHANNEL)
