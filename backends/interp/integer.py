"""32-bit integers, modulo 2^32. Shift counts, field widths and offsets are taken modulo 32."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from backends.interp.registry import implement_each, implements
from backends.interp.values import ALL_ONES, I32, U32

BITS = np.uint32(31)
ONE = np.uint32(1)
ZERO = np.uint32(0)


def _truncating(a: I32, b: I32) -> tuple[I32, I32]:
    """Quotient toward 0 and remainder with a's sign, for b not 0; the smallest integer by -1 gives itself and 0."""
    wide, divisor = a.astype(np.int64), np.where(b == 0, np.int32(1), b).astype(np.int64)
    quotient = np.abs(wide) // np.abs(divisor) * np.where((wide < 0) != (divisor < 0), -1, 1)
    return quotient.astype(np.int32), (wide - quotient * divisor).astype(np.int32)


def _field(offset: U32, width: U32) -> tuple[U32, U32]:
    """Offset and width modulo 32, the width cut at the top of the word; 32 bits from bit 0 on are the whole word."""
    offset = offset & BITS
    width = np.where((width == 32) & (offset == 0), width, width & BITS)
    return offset, np.minimum(width, np.uint32(32) - offset)


def _ones(count: U32) -> U32:
    """`count` ones, up to 32."""
    return np.where(count == 32, ~np.uint32(0), (ONE << (count & BITS)) - ONE)


@implements("UBFE")
def ubfe(a: U32, offset: U32, width: U32) -> U32:
    """`width` bits from `offset` on, zero extended."""
    offset, width = _field(offset, width)
    return (a >> offset) & _ones(width)


@implements("IBFE")
def ibfe(a: I32, offset: I32, width: I32) -> I32:
    """`width` bits from `offset` on, sign extended; 0 for no bits."""
    start, count = _field(offset.view(np.uint32), width.view(np.uint32))
    unused = np.uint32(32) - count
    top = (a.view(np.uint32) << ((unused - start) & BITS)).view(np.int32)
    return np.where(count == 0, np.int32(0), top >> (unused & BITS).view(np.int32))


@implements("BFI")
def bfi(a: U32, insert: U32, offset: U32, width: U32) -> U32:
    """a with `width` bits from `offset` on taken from the low bits of `insert`."""
    offset, width = _field(offset, width)
    field = _ones(width) << offset
    inserted: U32 = (insert << offset) & field
    return inserted | (a & ~field)


@implements("BREV")
def brev(a: U32) -> U32:
    """Bits in reverse order."""
    for shift, pattern in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF), (16, 0x0000FFFF)):
        mask, by = np.uint32(pattern), np.uint32(shift)
        a = (a >> by) & mask | (a & mask) << by
    return a


@implements("POPC")
def popc(a: U32) -> U32:
    """Number of bits that are set."""
    total = np.zeros_like(a)
    for bit in range(32):
        total += (a >> np.uint32(bit)) & ONE
    return total


@implements("UMSB")
def umsb(a: U32) -> I32:
    """Index of the highest bit that is set, -1 if none is."""
    _, exponent = np.frexp(a.astype(np.float64))
    return np.asarray(exponent - 1, dtype=np.int32)


UINT_UNARY: dict[str, Callable[[U32], U32]] = {
    "NOT": lambda a: ~a,
}
UINT_TERNARY: dict[str, Callable[[U32, U32, U32], U32]] = {
    "UMAD": lambda a, b, e: a * b + e,
}
UINT_UNARY_TO_INT: dict[str, Callable[[U32], I32]] = {
    "LSB": lambda a: umsb(a & (ZERO - a)),  # index of the lowest bit that is set, -1 if none is
}
UINT_BINARY: dict[str, Callable[[U32, U32], U32]] = {
    "UADD": lambda a, b: a + b,
    "UMUL": lambda a, b: a * b,  # low half of the product
    # high half of the unsigned product
    "UMUL_HI": lambda a, b: (a.astype(np.uint64) * b.astype(np.uint64) >> np.uint64(32)).astype(np.uint32),
    "UDIV": lambda a, b: np.where(b == 0, ALL_ONES, a // np.where(b == 0, ONE, b)),  # all ones for division by 0
    "UMOD": lambda a, b: np.where(b == 0, ALL_ONES, a % np.where(b == 0, ONE, b)),  # all ones for division by 0
    "UMIN": np.minimum,
    "UMAX": np.maximum,
    "AND": lambda a, b: a & b,
    "OR": lambda a, b: a | b,
    "XOR": lambda a, b: a ^ b,
    "SHL": lambda a, b: a << (b & BITS),
    "USHR": lambda a, b: a >> (b & BITS),  # shifted right, filled with zeros
}
INT_BINARY: dict[str, Callable[[I32, I32], I32]] = {
    "IMUL_HI": lambda a, b: (a.astype(np.int64) * b.astype(np.int64) >> np.int64(32)).astype(np.int32),  # high half of the signed product
    "IDIV": lambda a, b: np.where(b == 0, np.int32(0), _truncating(a, b)[0]),  # 0 for division by 0
    "MOD": lambda a, b: np.where(b == 0, np.int32(-1), _truncating(a, b)[1]),  # all ones for division by 0
    "IMIN": np.minimum,
    "IMAX": np.maximum,
    "ISHR": lambda a, b: a >> (b & np.int32(31)),  # shifted right, filled with the sign
}
INT_UNARY: dict[str, Callable[[I32], I32]] = {
    "INEG": np.negative,
    "IABS": lambda a: np.where(a < 0, np.negative(a), a),  # the smallest integer stays
    "ISSG": np.sign,  # sign: -1, 0 or 1
    # index of the highest bit that differs from the sign, -1 if none does
    "IMSB": lambda a: umsb((a ^ (a >> np.int32(31))).view(np.uint32)),
}

implement_each(UINT_UNARY, UINT_BINARY, UINT_TERNARY, UINT_UNARY_TO_INT, INT_BINARY, INT_UNARY)
