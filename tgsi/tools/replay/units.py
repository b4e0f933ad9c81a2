"""Distances between stored pixels, channel by channel, in the unit of each format (docs/scenes.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.formats import Channel, ChannelType, Format
from tgsi.language.record import record

Array = NDArray[Any]

RELATIVE, ABSOLUTE = 1e-5, 1e-6
"""Factors of one unit of a float32, which is the larger of RELATIVE times the reference, and ABSOLUTE."""

DEPTH_UNIT = 2.0**-22
"""Smallest unit of a depth value."""

SIGNED = frozenset({ChannelType.SNORM, ChannelType.SSCALED, ChannelType.SINT, ChannelType.FIXED})


@record
class Distance:
    """Distances of one channel. `unit` is the unit's name; with `is_exact` every distance is a difference, regardless of the tolerance.

    The distance between two NaNs is 0; values that cannot be compared are infinitely far apart.
    """

    letter: str
    unit: str
    values: NDArray[np.float64]
    is_exact: bool


def distances(format: Format, ours: bytes, reference: bytes) -> list[Distance]:
    """Distance of each channel of each pixel between two buffers of equal length. Padding is ignored."""
    a, b = _channel_bits(format, ours), _channel_bits(format, reference)
    if format.is_shared_exponent:
        return list(_shared_exponent(format, a, b))
    return [_distance(c, x, y) for c, x, y in zip(format.channels, a, b) if c.type is not ChannelType.VOID]


def spell_pixel(format: Format, pixel: bytes) -> str:
    """Text of one pixel's channels for a message: floats as numbers, other types as stored."""
    if format.is_shared_exponent:
        return pixel.hex()
    return " ".join(_spell(c, bits) for c, bits in zip(format.channels, _channel_bits(format, pixel)) if c.type is not ChannelType.VOID)


def _spell(c: Channel, bits: NDArray[np.int64]) -> str:
    if c.type is not ChannelType.FLOAT:
        return str(int((_signed(bits, c.size) if c.type in SIGNED else bits)[0]))
    if c.size == 32:
        wide = bits.astype(np.uint32).view(np.float32)
    else:  # an unsigned float of 11 or 10 bits is a half without sign and low mantissa bits
        wide = (bits << max(0, 15 - c.size)).astype(np.uint16).view(np.float16).astype(np.float32)
    return f"{float(wide[0]):.7g}"


def float_distance(ours: Array, reference: Array) -> NDArray[np.float64]:
    """Distance of float32 values in units of max(RELATIVE * reference, ABSOLUTE)."""
    with np.errstate(invalid="ignore", over="ignore"):
        a, b = ours.astype(np.float64), reference.astype(np.float64)
        far = np.abs(a - b) / np.maximum(RELATIVE * np.abs(b), ABSOLUTE)
    return _settle(far, a, b)


def _settle(far: Array, a: Array, b: Array) -> NDArray[np.float64]:
    """Replace distances of special values: 0 for equal values and for two NaNs, infinity for any other pair with an infinity or a NaN."""
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    wild = ~(np.isfinite(a) & np.isfinite(b))
    settled: NDArray[np.float64] = np.where(same, 0.0, np.where(wild, np.inf, far))
    return settled


def _channel_bits(format: Format, data: bytes) -> list[NDArray[np.int64]]:
    """Bits of each channel as a nonnegative number."""
    block = np.frombuffer(data, np.uint8).reshape(-1, format.block_bytes)
    bits = []
    for c in format.channels:
        first, last = c.shift // 8, (c.shift + c.size + 7) // 8
        word = np.zeros(len(block), np.int64)
        for k in range(first, last):
            word |= block[:, k].astype(np.int64) << 8 * (k - first)
        bits.append(word >> c.shift % 8 & (1 << c.size) - 1)
    return bits


def _signed(bits: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    return np.where(bits >> (size - 1) != 0, bits - (1 << size), bits)


def _distance(c: Channel, a: NDArray[np.int64], b: NDArray[np.int64]) -> Distance:
    if c.letter == "Z":
        return _depth(c, a, b)
    match c.type:
        case ChannelType.FLOAT if c.size == 32:
            x, y = (v.astype(np.uint32).view(np.float32) for v in (a, b))
            return Distance(c.letter, "x 1e-5", float_distance(x, y), False)
        case ChannelType.FLOAT:
            return Distance(c.letter, "ULP", _small_float(c, a, b), False)
        case ChannelType.UINT | ChannelType.SINT:
            steps = _steps(c, a, b)
            return Distance(c.letter, "steps", steps, True)
        case _:
            return Distance(c.letter, "steps", _steps(c, a, b), False)


def _steps(c: Channel, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
    if c.type in SIGNED:
        a, b = _signed(a, c.size), _signed(b, c.size)
    if c.type is ChannelType.SNORM:  # the two lowest values both mean -1
        least = 1 - (1 << (c.size - 1))
        a, b = np.maximum(a, least), np.maximum(b, least)
    far: NDArray[np.float64] = np.abs(a - b).astype(np.float64)
    return far


def _small_float(c: Channel, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
    """Distance of 16-bit floats, or unsigned 11-bit or 10-bit floats, in representable numbers (ULP)."""
    mantissa = {16: 10, 11: 6, 10: 5}[c.size]
    infinity = 31 << mantissa
    if c.size == 16:
        size_a, size_b = a & 0x7FFF, b & 0x7FFF
        order_a, order_b = np.where(a >> 15 != 0, -size_a, size_a), np.where(b >> 15 != 0, -size_b, size_b)
    else:
        size_a = order_a = a
        size_b = order_b = b
    nan_a, nan_b = size_a > infinity, size_b > infinity
    far = np.abs(order_a - order_b).astype(np.float64)
    distance: NDArray[np.float64] = np.where(nan_a & nan_b, 0.0, np.where(nan_a | nan_b, np.inf, far))
    return distance


def _shared_exponent(format: Format, a: list[NDArray[np.int64]], b: list[NDArray[np.int64]]) -> Iterator[Distance]:
    """Distances of R9G9B9E5 pixels, in units in the last place of the larger of the two exponents."""
    unit = np.ldexp(1.0, np.maximum(a[3], b[3]) - 24)
    for k, c in enumerate(format.channels[:3]):
        x, y = np.ldexp(a[k].astype(np.float64), a[3] - 24), np.ldexp(b[k].astype(np.float64), b[3] - 24)
        yield Distance(c.letter, "ULP", np.abs(x - y) / unit, False)


def _depth(c: Channel, a: NDArray[np.int64], b: NDArray[np.int64]) -> Distance:
    if c.type is ChannelType.FLOAT:
        x, y = (v.astype(np.uint32).view(np.float32).astype(np.float64) for v in (a, b))
        with np.errstate(invalid="ignore"):
            return Distance("Z", "x 2^-22", _settle(np.abs(x - y) / DEPTH_UNIT, x, y), False)
    unit = max(1, (1 << c.size) >> 22)  # one unit in steps of the format
    return Distance("Z", "steps" if unit == 1 else "x 2^-22", np.abs(a - b) / unit, False)
