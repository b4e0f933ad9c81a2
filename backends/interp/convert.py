"""Conversions between 32-bit types, and packing of small numbers into words.

Floats become integers by their integer part. Signed results that do not fit, and NaN, give the smallest integer; unsigned ones
are clamped, NaN giving 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from backends.interp.registry import implement_each, implements
from backends.interp.values import F32, F64, I32, INT_MIN, U32


def to_int(values: F64) -> I32:
    """Integer part as int32."""
    whole = np.trunc(values)
    fits = (whole >= -(2.0**31)) & (whole < 2.0**31)
    return np.where(fits, np.where(fits, whole, 0).astype(np.int32), INT_MIN)


def to_uint(values: F64) -> U32:
    """Integer part as uint32."""
    return np.where(np.isnan(values), 0, np.clip(np.trunc(values), 0, 2.0**32 - 1)).astype(np.uint32)


def half_bits(values: F32) -> U32:
    """A half, as Mesa 18.1 makes it: nearest, ties away from 0; from 65536 on the largest finite one; the canonical NaN.

    Scaled by 2^-112 a float has a half's exponent, 13 places up. Twelve of those bits are dropped before, the last one rounds. Values that
    round up to exactly 65536 give infinity.
    """
    words = values.view(np.uint32)
    size = words & np.uint32(0x7FFFFFFF)
    scaled = (size & np.uint32(0x7FFFF000)).view(np.float32) * np.float32(2.0**-112)
    rounded = scaled.view(np.uint32) + np.uint32(0x1000)
    infinity = np.uint32(0x1F << 23)
    half = np.where(rounded > infinity, infinity - np.uint32(1), rounded) >> np.uint32(13)
    half = np.where(size == 0x7F800000, np.uint32(0x7C00), half) | (words >> np.uint32(16)) & np.uint32(0x8000)
    return np.where(size > 0x7F800000, np.uint32(0x7E00), half)


def half_values(words: U32) -> F32:
    """The value of the half in the low 16 bits."""
    return words.astype(np.uint16).view(np.float16).astype(np.float32)


@implements("UP2H")
def up2h(a: U32) -> F32:
    """The two halves of x, twice."""
    low, high = half_values(a[:, 0] & np.uint32(0xFFFF)), half_values(a[:, 0] >> np.uint32(16))
    return np.stack([low, high, low, high], axis=1)


def _normalized(values: F32, low: float, scale: float) -> I32:
    """The float clamped to [low, 1], scaled, nearest integer (ties to even); NaN counts as 0."""
    number = np.where(np.isnan(values), np.float32(0), np.clip(values, np.float32(low), np.float32(1)))
    return np.rint(number.astype(np.float64) * scale).astype(np.int32)


def _packed(values: I32, bits: int) -> U32:
    """Channels side by side, the first lowest."""
    word = np.zeros(values.shape[0], np.uint32)
    for channel in range(32 // bits):
        word |= (values[:, channel].view(np.uint32) & np.uint32((1 << bits) - 1)) << np.uint32(channel * bits)
    return word


def _unpacked(a: U32, bits: int) -> U32:
    """The parts of x, the lowest first."""
    return np.stack([(a[:, 0] >> np.uint32(shift)) & np.uint32((1 << bits) - 1) for shift in range(0, 32, bits)], axis=1)


@implements("UP2US")
def up2us(a: U32) -> F32:
    """The two unsigned normalized 16-bit numbers of x, twice."""
    parts = _unpacked(a, 16).astype(np.float32) / np.float32(65535)
    return np.concatenate([parts, parts], axis=1)


@implements("UP4B")
def up4b(a: U32) -> F32:
    """The four signed normalized bytes of x; -128 is -1 as well."""
    signed = _unpacked(a, 8).astype(np.uint8).view(np.int8).astype(np.float32)
    return np.asarray(np.maximum(signed / np.float32(127), np.float32(-1)), dtype=np.float32)


INT_UNARY: dict[str, Callable[[I32], I32]] = {
    "UARL": lambda a: a,  # bits unchanged
}
TO_FLOAT: dict[str, Callable[[I32 | U32], F32]] = {
    "I2F U2F": lambda a: a.astype(np.float32),
}
UNPACKED: dict[str, Callable[[U32], F32]] = {
    "UP4UB": lambda a: np.asarray(_unpacked(a, 8).astype(np.float32) / np.float32(255), dtype=np.float32),
}
FLOAT_UNARY_TO_INT: dict[str, Callable[[F32], I32]] = {
    "F2I": lambda a: to_int(a.astype(np.float64)),
    "ARL": lambda a: to_int(np.floor(a.astype(np.float64))),
    "ARR": lambda a: to_int(np.floor(a + np.float32(0.5)).astype(np.float64)),  # floor(a + 0.5), the sum rounded to float32
}
FLOAT_UNARY_TO_UINT: dict[str, Callable[[F32], U32]] = {
    "F2U": lambda a: to_uint(a.astype(np.float64)),
    "PK2H": lambda a: half_bits(a[:, 0]) | half_bits(a[:, 1]) << np.uint32(16),  # x and y as halves
    # x and y as unsigned normalized 16-bit numbers
    "PK2US": lambda a: _packed(_normalized(np.ascontiguousarray(a[:, :2]), 0.0, 65535.0), 16),
    "PK4UB": lambda a: _packed(_normalized(a, 0.0, 255.0), 8),
    "PK4B": lambda a: _packed(_normalized(a, -1.0, 127.0), 8),
}

implement_each(INT_UNARY, TO_FLOAT, UNPACKED, FLOAT_UNARY_TO_INT, FLOAT_UNARY_TO_UINT)
