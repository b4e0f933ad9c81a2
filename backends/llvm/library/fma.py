"""Fused multiply-add, a * b + e with one rounding, for processors without such an instruction: f64 lanes, in 128-bit integers.

Product and addend are placed in windows of 128 bits with room for a carry: the product's 106 bits end 20 bits above the lowest bit, and the
addend's 53 bits 72 bits above it. So the lowest bit of the operand with the larger exponent is 0, and the bits of the other operand that
are shifted out can be combined into one sticky bit. The sticky bit lies more than 50 bits below the place of rounding, and decides ties
correctly.
"""

from __future__ import annotations

from backends.llvm.builder.function import BOOL, F64, I64, Function, Val
from tgsi.language.record import record

HIDDEN = 1 << 52
FRACTION = HIDDEN - 1
INFINITY = 0x7FF << 52
PRODUCT_SHIFT, ADDEND_SHIFT = 20, 72


@record
class _Number:
    """A finite double: mantissa times 2^exponent, with the mantissa 0 or in [2^52, 2^53)."""

    sign: Val
    mantissa: Val
    exponent: Val


@record
class _Wide:
    """An integer of 128 bits, as two i64."""

    high: Val
    low: Val


def fma_by_integers(f: Function, a: Val, b: Val, e: Val) -> Val:
    """a * b + e of f64 lanes, rounded once: to nearest, ties to even, with denormals. NaN where separate operations give NaN."""
    x, y, z = (_decode(f, value) for value in (a, b, e))
    sign = x.sign ^ y.sign
    product = _product(x.mantissa, y.mantissa)
    addend = _Wide(z.mantissa << ADDEND_SHIFT - 64, z.mantissa ^ z.mantissa)
    ours, theirs = x.exponent + y.exponent - PRODUCT_SHIFT, z.exponent - ADDEND_SHIFT
    exponent = f.select(theirs > ours, theirs, ours)
    product, addend = _shift_right(f, product, exponent - ours), _shift_right(f, addend, exponent - theirs)
    total, negative = _sum(f, product, addend, (sign ^ z.sign).ne(0))
    rounded = _encode(f, total, exponent, f.select(negative, sign ^ 1, sign))
    plain = (a * b + e).bits_as(I64.wide(a.lanes))
    zero = (total.high | total.low).eq(0)
    odd = _is_special(f, a) | _is_special(f, b) | a.eq(0.0) | b.eq(0.0) | zero
    result = f.select(odd, plain, f.select(_is_special(f, e), e.bits_as(plain.type), rounded))
    return result.bits_as(F64.wide(a.lanes))


def _is_special(f: Function, value: Val) -> Val:
    """Lanes that are infinite or NaN."""
    return ~(f.abs(value) < float("inf"))


def _decode(f: Function, value: Val) -> _Number:
    bits = value.bits_as(I64.wide(value.lanes))
    small = f.abs(value) < 2.0**-1022
    scaled = (value * 2.0**54).bits_as(bits.type)
    word = f.select(small, scaled, bits)
    biased = word.lshr(52) & 0x7FF
    mantissa = f.select(value.eq(0.0), 0, word & FRACTION | HIDDEN)
    # A zero gets the smallest exponent of all numbers, so that the other operand is not shifted.
    exponent = f.select(value.eq(0.0), -(1 << 13), biased - f.select(small, f.const(bits.type, 1075 + 54), 1075))
    return _Number(bits.lshr(63), mantissa, exponent)


def _product(a: Val, b: Val) -> _Wide:
    """Product of two mantissas, shifted left by PRODUCT_SHIFT; computed from halves of 27 bits."""
    half = (1 << 27) - 1
    a_high, a_low, b_high, b_low = a.lshr(27), a & half, b.lshr(27), b & half
    middle = a_high * b_low + a_low * b_high
    low = a_low * b_low + ((middle & half) << 27)
    high = a_high * b_high + middle.lshr(27) + low.lshr(54)
    low = low & ((1 << 54) - 1)
    return _Wide(high << 54 + PRODUCT_SHIFT - 64 | low.lshr(64 - PRODUCT_SHIFT), low << PRODUCT_SHIFT)


def _right(f: Function, x: Val, count: Val) -> Val:
    """Shift x right by `count` bits; 0 for counts above 63."""
    return f.select(count.ult(64), x.lshr(count & 63), 0)


def _left(f: Function, x: Val, count: Val) -> Val:
    """Shift x left by `count` bits; 0 for counts above 63."""
    return f.select(count.ult(64), x << (count & 63), 0)


def _sticky(f: Function, x: Val) -> Val:
    return f.select(x.ne(0), f.const(x.type, 1), 0)


def _shift_right(f: Function, x: _Wide, count: Val) -> _Wide:
    """Shift x right by any number of bits; the lowest bit is set if a lost bit was set (sticky)."""
    count = f.select(count > 127, 127, count)
    near = count.ult(64)
    rest = f.select(near, count, count - 64)
    above, below = f.select(near, x.high, 0), f.select(near, x.low, x.high)
    lost = _left(f, below, 64 - rest) | f.select(near, 0, x.low)
    return _Wide(_right(f, above, rest), _right(f, below, rest) | _left(f, above, 64 - rest) | _sticky(f, lost))


def _sum(f: Function, a: _Wide, b: _Wide, differ: Val) -> tuple[_Wide, Val]:
    """Magnitude of a + b, or of a - b where signs differ, and the lanes in which that difference is negative."""
    low, less = a.low + b.low, a.low - b.low
    high = a.high + b.high + f.select(low.ult(a.low), f.const(low.type, 1), 0)
    rest = a.high - b.high - f.select(a.low.ult(b.low), f.const(low.type, 1), 0)
    negative = differ & (rest < 0)
    turned = _Wide(~rest + f.select(less.eq(0), f.const(low.type, 1), 0), -less)
    difference = _Wide(f.select(negative, turned.high, rest), f.select(negative, turned.low, less))
    return _Wide(f.select(differ, difference.high, high), f.select(differ, difference.low, low)), negative


def _encode(f: Function, x: _Wide, exponent: Val, sign: Val) -> Val:
    """Bits of x * 2^exponent, rounded to nearest even."""
    upper = x.high.ne(0)
    zeros = f.intrinsic("ctlz", f.select(upper, x.high, x.low), f.const(BOOL, 0))
    top = _left(f, f.select(upper, x.high, x.low), zeros)
    rest = f.select(upper, x.low, 0)
    mantissa = top | _right(f, rest, 64 - zeros) | _sticky(f, _left(f, rest, zeros))
    biased = exponent + f.select(upper, f.const(zeros.type, 127), 63) - zeros + 1023
    # Keep 53 bits, or fewer if the number is denormal.
    drop = f.select(biased < 1, 12 - biased, 11)
    beyond = f.select(drop > 63, drop - 63, 0)
    significand, drop = _shift_right(f, _Wide(mantissa ^ mantissa, mantissa), beyond).low, f.select(drop > 63, 63, drop)
    quotient = _right(f, significand, drop)
    lost, half = significand - _left(f, quotient, drop), _left(f, f.const(significand.type, 1), drop - 1)
    up = lost.ugt(half) | (lost.eq(half) & (quotient & 1).ne(0))
    bits = (f.select(biased < 1, 0, biased - 1) << 52) + quotient + f.select(up, f.const(significand.type, 1), 0)
    return f.select(biased > 2046, INFINITY, bits) | sign << 63
