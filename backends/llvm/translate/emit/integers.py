"""Integer arithmetic, shifts, bit fields, and conversions between integers and floats."""

from __future__ import annotations

from collections.abc import Callable

from backends.llvm.builder.function import BOOL, F32, F64, I32, I64, Function, Val
from backends.llvm.builder.merge import merge_bits
from backends.llvm.library import math
from backends.llvm.translate.emit import Context, emit_each, emits
from backends.llvm.translate.emit.floats import float_to_i32


@emits("AND")
def emit_and(c: Context, a: Val, b: Val) -> Val:
    """Bitwise and; with the result of a comparison it is a selection."""
    if a.truth is not None and b.truth is not None:
        return (a.truth & b.truth).sext(I32)
    if a.truth is not None:
        return c.f.select(a.truth, b, 0)
    return c.f.select(b.truth, a, 0) if b.truth is not None else a & b


@emits("OR")
def emit_or(c: Context, a: Val, b: Val) -> Val:
    """Bitwise or."""
    if a.truth is not None and b.truth is not None:
        return (a.truth | b.truth).sext(I32)
    return a | b


# -- division ---------------------------------------------------------------------------------------------------------
# CPUs have no vector division of integers. Division in f64 gives the right integer part of quotients of 32-bit integers: a quotient that
# is not whole differs from the next whole number by at least 2^-32 of itself. Division by 0 gives an infinity, whose bits are replaced.


def _whole(f: Function, quotient: Val) -> Val:
    """floor of a non-negative f64 below 2^32, as i32 bits."""
    shifted = quotient + 2.0**52
    low = shifted.bits_as(I64.wide(quotient.lanes)).trunc(I32)
    too_big = (shifted - 2.0**52) > quotient
    return f.select(too_big, low - 1, low)


def _unsigned_quotient(f: Function, a: Val, b: Val) -> Val:
    return _whole(f, a.cast("uitofp", F64) / b.cast("uitofp", F64))


def _signed_quotient(f: Function, a: Val, b: Val) -> Val:
    """Quotient rounded toward zero; the least integer divided by -1 is itself."""
    size = _whole(f, f.abs(a.to_double() / b.to_double()))
    return f.select((a ^ b) < 0, -size, size)


@emits("UDIV")
def emit_udiv(c: Context, a: Val, b: Val) -> Val:
    """Unsigned quotient, all ones for a divisor 0."""
    a, b = c.f.same(a, b)
    return c.f.select(b.eq(0), -1, _unsigned_quotient(c.f, a, b))


@emits("UMOD")
def emit_umod(c: Context, a: Val, b: Val) -> Val:
    """Unsigned remainder, all ones for a divisor 0."""
    a, b = c.f.same(a, b)
    return c.f.select(b.eq(0), -1, a - _unsigned_quotient(c.f, a, b) * b)


@emits("IDIV")
def emit_idiv(c: Context, a: Val, b: Val) -> Val:
    """Quotient toward zero, 0 for a divisor 0."""
    a, b = c.f.same(a, b)
    return c.f.select(b.eq(0), 0, _signed_quotient(c.f, a, b))


@emits("MOD")
def emit_mod(c: Context, a: Val, b: Val) -> Val:
    """Remainder with the sign of a, all ones for a divisor 0."""
    a, b = c.f.same(a, b)
    return c.f.select(b.eq(0), -1, a - _signed_quotient(c.f, a, b) * b)


# -- bits -------------------------------------------------------------------------------------------------------------


def _zeros(f: Function, name: str, x: Val) -> Val:
    """llvm.ctlz or llvm.cttz, 32 for 0."""
    return f.intrinsic(name, x, f.const(BOOL, 0))


def _is_whole(offset: Val, width: Val) -> Val:
    """True for 32 bits from bit 0 on, which OpenGL's bitfieldExtract and bitfieldInsert allow although widths are modulo 32."""
    return width.eq(32) & offset.eq(0)


def _extract(c: Context, a: Val, offset: Val, width: Val, signed: bool) -> Val:
    f, offset = c.f, offset & 31
    whole, width = _is_whole(offset, width), width & 31
    reach = offset + width
    # If the field ends inside of the word, both counts are 0 to 31. They are 0 for a whole word and for an empty field, whose result
    # becomes 0 at the end.
    left = (a << ((32 - reach) & 31)) >> ((32 - width) & 31) if signed else (a << ((32 - reach) & 31)).lshr((32 - width) & 31)
    right = a >> offset if signed else a.lshr(offset)
    return f.select(width.eq(0) & ~whole, 0, f.select(reach < 32, left, right))


@emits("BFI")
def emit_bfi(c: Context, a: Val, b: Val, offset: Val, width: Val) -> Val:
    """a with bits [offset, offset + width) replaced by the low bits of b."""
    offset = offset & 31
    ones = (c.f.const(width.type, 1) << (width & 31)) - 1
    field = c.f.select(_is_whole(offset, width), -1, ones << offset)
    return merge_bits(c.f, ~field, a, b << offset)


# -- conversions ------------------------------------------------------------------------------------------------------


@emits("F2U")
def emit_f2u(c: Context, a: Val) -> Val:
    """Round toward zero, saturated to 0 and 2^32 - 1; 0 for NaN."""
    f = c.f
    upper = a >= 2147483648.0
    low = f.select(upper, a - 2147483648.0, f.select(a > 0.0, a, 0.0))
    inside = low < 2147483648.0
    whole = f.select(inside, low, 0.0).cast("fptosi", I32)
    return f.select(inside, f.select(upper, whole ^ -0x80000000, whole), -1)


BINARY: dict[str, Callable[[Context, Val, Val], Val]] = {
    "UADD": lambda c, a, b: a + b,
    "UMUL": lambda c, a, b: a * b,  # low half of a * b
    "IMUL_HI": lambda c, a, b: math.imul_hi(a, b),  # high half of the signed product
    "UMUL_HI": lambda c, a, b: math.umul_hi(a, b),  # high half of the unsigned product
    "IMIN": lambda c, a, b: c.f.min(a, b),
    "IMAX": lambda c, a, b: c.f.max(a, b),
    "UMIN": lambda c, a, b: c.f.select(a.ult(b), a, b),
    "UMAX": lambda c, a, b: c.f.select(a.ugt(b), a, b),
    "XOR": lambda c, a, b: a ^ b,
    "SHL": lambda c, a, b: a << (b & 31),  # a << (b & 31)
    "ISHR": lambda c, a, b: a >> (b & 31),  # a >> (b & 31), sign filled
    "USHR": lambda c, a, b: a.lshr(b & 31),  # a >> (b & 31), zero filled
}
TERNARY: dict[str, Callable[[Context, Val, Val, Val], Val]] = {
    "UMAD": lambda c, a, b, e: a * b + e,  # a * b + e
    "IBFE": lambda c, a, offset, width: _extract(c, a, offset, width, signed=True),  # bits [offset, offset + width), sign extended
    "UBFE": lambda c, a, offset, width: _extract(c, a, offset, width, signed=False),  # bits [offset, offset + width), zero extended
}
UNARY: dict[str, Callable[[Context, Val], Val]] = {
    "INEG": lambda c, a: -a,
    "IABS": lambda c, a: c.f.select(a < 0, -a, a),
    "ISSG": lambda c, a: c.f.select(a > 0, c.f.const(a.type, 1), a >> 31),  # sign: -1, 0 or 1
    "NOT": lambda c, a: (~a.truth).sext(I32) if a.truth is not None else ~a,
    "BREV": lambda c, a: c.f.intrinsic("bitreverse", a),
    "POPC": lambda c, a: c.f.popcount(a),
    "LSB": lambda c, a: c.f.select(a.eq(0), -1, _zeros(c.f, "cttz", a)),  # number of the lowest one bit, -1 if none
    "UMSB": lambda c, a: c.f.const(a.type, 31) - _zeros(c.f, "ctlz", a),  # number of the highest one bit, -1 if none
    # number of the highest bit that differs from the sign, -1 if none
    "IMSB": lambda c, a: c.f.const(a.type, 31) - _zeros(c.f, "ctlz", a ^ (a >> 31)),
    "F2I": lambda c, a: float_to_i32(c.f, a),  # 0x80000000 for NaN and for values out of range
    "I2F": lambda c, a: a.to_float(),  # the nearest float of a signed integer
    "U2F": lambda c, a: a.cast("uitofp", F32),  # the nearest float of an unsigned integer
    "ARL": lambda c, a: float_to_i32(c.f, c.f.floor(a)),
    "ARR": lambda c, a: float_to_i32(c.f, c.f.floor(a + 0.5)),
    "UARL": lambda c, a: a,
}

emit_each(BINARY, TERNARY, UNARY)
