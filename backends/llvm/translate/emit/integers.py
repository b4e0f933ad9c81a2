"""Integer arithmetic, shifts, bit fields, and conversions between integers and floats."""

from __future__ import annotations

from backends.llvm.builder.function import BOOL, F32, F64, I32, I64, Function, Val
from backends.llvm.builder.merge import merge_bits
from backends.llvm.library import math
from backends.llvm.translate.emit import Context, emits
from backends.llvm.translate.emit.floats import float_to_i32


@emits("UADD")
def emit_uadd(c: Context, a: Val, b: Val) -> Val:
    """a + b."""
    return a + b


@emits("UMUL")
def emit_umul(c: Context, a: Val, b: Val) -> Val:
    """Low half of a * b."""
    return a * b


@emits("UMAD")
def emit_umad(c: Context, a: Val, b: Val, e: Val) -> Val:
    """a * b + e."""
    return a * b + e


@emits("IMUL_HI")
def emit_imul_hi(c: Context, a: Val, b: Val) -> Val:
    """High half of the signed product."""
    return math.imul_hi(a, b)


@emits("UMUL_HI")
def emit_umul_hi(c: Context, a: Val, b: Val) -> Val:
    """High half of the unsigned product."""
    return math.umul_hi(a, b)


@emits("INEG")
def emit_ineg(c: Context, a: Val) -> Val:
    """-a."""
    return -a


@emits("IABS")
def emit_iabs(c: Context, a: Val) -> Val:
    """|a|."""
    return c.f.select(a < 0, -a, a)


@emits("ISSG")
def emit_issg(c: Context, a: Val) -> Val:
    """Sign: -1, 0 or 1."""
    return c.f.select(a > 0, c.f.const(a.type, 1), a >> 31)


@emits("IMIN")
def emit_imin(c: Context, a: Val, b: Val) -> Val:
    """Signed minimum."""
    return c.f.min(a, b)


@emits("IMAX")
def emit_imax(c: Context, a: Val, b: Val) -> Val:
    """Signed maximum."""
    return c.f.max(a, b)


@emits("UMIN")
def emit_umin(c: Context, a: Val, b: Val) -> Val:
    """Unsigned minimum."""
    return c.f.select(a.ult(b), a, b)


@emits("UMAX")
def emit_umax(c: Context, a: Val, b: Val) -> Val:
    """Unsigned maximum."""
    return c.f.select(a.ugt(b), a, b)


@emits("NOT")
def emit_not(c: Context, a: Val) -> Val:
    """Bitwise complement."""
    return (~a.truth).sext(I32) if a.truth is not None else ~a


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


@emits("XOR")
def emit_xor(c: Context, a: Val, b: Val) -> Val:
    """Bitwise exclusive or."""
    return a ^ b


@emits("SHL")
def emit_shl(c: Context, a: Val, b: Val) -> Val:
    """a << (b & 31)."""
    return a << (b & 31)


@emits("ISHR")
def emit_ishr(c: Context, a: Val, b: Val) -> Val:
    """a >> (b & 31), sign filled."""
    return a >> (b & 31)


@emits("USHR")
def emit_ushr(c: Context, a: Val, b: Val) -> Val:
    """a >> (b & 31), zero filled."""
    return a.lshr(b & 31)


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
    """Quotient rounded toward zero; the least integer divided by -1 gives itself."""
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


@emits("BREV")
def emit_brev(c: Context, a: Val) -> Val:
    """Bits in reverse order."""
    return c.f.intrinsic("bitreverse", a)


@emits("POPC")
def emit_popc(c: Context, a: Val) -> Val:
    """Number of one bits."""
    return c.f.popcount(a)


@emits("LSB")
def emit_lsb(c: Context, a: Val) -> Val:
    """Number of the lowest one bit, -1 if none."""
    return c.f.select(a.eq(0), -1, _zeros(c.f, "cttz", a))


@emits("UMSB")
def emit_umsb(c: Context, a: Val) -> Val:
    """Number of the highest one bit, -1 if none."""
    return c.f.const(a.type, 31) - _zeros(c.f, "ctlz", a)


@emits("IMSB")
def emit_imsb(c: Context, a: Val) -> Val:
    """Number of the highest bit that differs from the sign, -1 if none."""
    return c.f.const(a.type, 31) - _zeros(c.f, "ctlz", a ^ (a >> 31))


def _is_whole(offset: Val, width: Val) -> Val:
    """True for 32 bits from bit 0 on, although widths count modulo 32: OpenGL's bitfieldExtract and bitfieldInsert know such fields."""
    return width.eq(32) & offset.eq(0)


def _extract(c: Context, a: Val, offset: Val, width: Val, signed: bool) -> Val:
    f, offset = c.f, offset & 31
    whole, width = _is_whole(offset, width), width & 31
    reach = offset + width
    # If the field ends inside of the word, both counts are 0 to 31. They are 0 for a whole word and for no bits, which give 0 at the end.
    left = (a << ((32 - reach) & 31)) >> ((32 - width) & 31) if signed else (a << ((32 - reach) & 31)).lshr((32 - width) & 31)
    right = a >> offset if signed else a.lshr(offset)
    return f.select(width.eq(0) & ~whole, 0, f.select(reach < 32, left, right))


@emits("IBFE")
def emit_ibfe(c: Context, a: Val, offset: Val, width: Val) -> Val:
    """Bits [offset, offset + width), sign extended."""
    return _extract(c, a, offset, width, signed=True)


@emits("UBFE")
def emit_ubfe(c: Context, a: Val, offset: Val, width: Val) -> Val:
    """Bits [offset, offset + width), zero extended."""
    return _extract(c, a, offset, width, signed=False)


@emits("BFI")
def emit_bfi(c: Context, a: Val, b: Val, offset: Val, width: Val) -> Val:
    """a with bits [offset, offset + width) replaced by the low bits of b."""
    offset = offset & 31
    ones = (c.f.const(width.type, 1) << (width & 31)) - 1
    field = c.f.select(_is_whole(offset, width), -1, ones << offset)
    return merge_bits(c.f, ~field, a, b << offset)


# -- conversions ------------------------------------------------------------------------------------------------------


@emits("F2I")
def emit_f2i(c: Context, a: Val) -> Val:
    """Round toward zero; 0x80000000 for NaN and for values out of range."""
    return float_to_i32(c.f, a)


@emits("F2U")
def emit_f2u(c: Context, a: Val) -> Val:
    """Round toward zero, saturated to 0 and 2^32 - 1; 0 for NaN."""
    f = c.f
    upper = a >= 2147483648.0
    low = f.select(upper, a - 2147483648.0, f.select(a > 0.0, a, 0.0))
    inside = low < 2147483648.0
    whole = f.select(inside, low, 0.0).cast("fptosi", I32)
    return f.select(inside, f.select(upper, whole ^ -0x80000000, whole), -1)


@emits("I2F")
def emit_i2f(c: Context, a: Val) -> Val:
    """The nearest float of a signed integer."""
    return a.to_float()


@emits("U2F")
def emit_u2f(c: Context, a: Val) -> Val:
    """The nearest float of an unsigned integer."""
    return a.cast("uitofp", F32)


@emits("ARL")
def emit_arl(c: Context, a: Val) -> Val:
    """int(floor(a))."""
    return float_to_i32(c.f, c.f.floor(a))


@emits("ARR")
def emit_arr(c: Context, a: Val) -> Val:
    """int(floor(a + 0.5))."""
    return float_to_i32(c.f, c.f.floor(a + 0.5))


@emits("UARL")
def emit_uarl(c: Context, a: Val) -> Val:
    """Copy the bits."""
    return a
