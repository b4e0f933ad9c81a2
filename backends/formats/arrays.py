"""Pack and unpack pixels with numpy: the reference implementation for tests of generated code.

Shapes: bytes are (n * block_bytes,) uint8, colors (n, 4) of float32, uint32 or int32 as `Format.kind` says, depth (n,)
float32, stencil (n,) uint8. Rules: OpenGL 4.6 core profile, sections 2.3.5 (normalized numbers; ties round to even), 2.3.4 and 8.25
(packed floats: R11G11B10 clamps to its finite range, the exponent of R9G9B9E5 is that of the largest channel).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.formats.format import Format
from backends.formats.layout import SWIZZLE_ONE, Channel, ChannelType

Array = NDArray[Any]

F32_ONE = 0x3F800000
CANONICAL_NAN = 0x7FC00000


# -- words: the raw bits of each channel --------------------------------------------------------------------------------
def _split(format: Format, data: Array) -> list[NDArray[np.uint32]]:
    """Raw bits of each channel, zero-extended."""
    block = np.ascontiguousarray(data, np.uint8).reshape(-1, format.block_bytes)
    parts = []
    for c in format.channels:
        first, last = c.shift // 8, (c.shift + c.size + 7) // 8
        word = np.zeros(len(block), np.uint64)
        for k in range(first, last):
            word |= block[:, k].astype(np.uint64) << np.uint64(8 * (k - first))
        word >>= np.uint64(c.shift - 8 * first)
        parts.append((word & np.uint64((1 << c.size) - 1)).astype(np.uint32))
    return parts


def _join(format: Format, parts: list[NDArray[np.uint32]]) -> NDArray[np.uint8]:
    """The inverse of `_split`."""
    block = np.zeros((len(parts[0]), format.block_bytes), np.uint8)
    for c, part in zip(format.channels, parts):
        word = (part.astype(np.uint64) & np.uint64((1 << c.size) - 1)) << np.uint64(c.shift % 8)
        for k in range(c.shift // 8, (c.shift + c.size + 7) // 8):
            block[:, k] |= (word >> np.uint64(8 * (k - c.shift // 8)) & np.uint64(0xFF)).astype(np.uint8)
    return block.reshape(-1)


def _signed(bits: NDArray[np.uint32], size: int) -> NDArray[np.int32]:
    shift = np.uint32(32 - size)
    return (bits << shift).view(np.int32) >> np.int32(32 - size)


# -- small floats -------------------------------------------------------------------------------------------------------
def half_to_float(bits: NDArray[np.uint32]) -> NDArray[np.float32]:
    """binary16 bits to float32, exact; a signalling NaN becomes quiet."""
    with np.errstate(invalid="ignore"):
        wide = bits.astype(np.uint16).view(np.float16).astype(np.float32)
    words = wide.view(np.uint32)
    return np.where(np.isnan(wide), words | np.uint32(0x400000), words).astype(np.uint32).view(np.float32)


def float_to_half(x: NDArray[np.float32]) -> NDArray[np.uint32]:
    """float32 to binary16 bits, to nearest even; any NaN becomes 0x7e00."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        bits = x.astype(np.float16).view(np.uint16).astype(np.uint32)
    return np.where(np.isnan(x), np.uint32(0x7E00), bits).astype(np.uint32)


def small_to_float(bits: NDArray[np.uint32], size: int) -> NDArray[np.float32]:
    """Bits of an unsigned 11- or 10-bit float (5 bits of exponent) to float32, exact."""
    return half_to_float(bits << np.uint32(15 - size))


def float_to_small(x: NDArray[np.float32], size: int) -> NDArray[np.uint32]:
    """float32 to an unsigned 11- or 10-bit float: negatives become 0, finite values beyond the range the largest one; NaN stays NaN.

    Rounds to nearest even, as the GL documents allow and recommend.
    """
    mantissa = size - 5
    top = np.float64((2.0 - 2.0**-mantissa) * 2.0**15)
    wide = np.clip(_wide(x), 0.0, float(top))
    exponent = np.where(wide == 0.0, -14, np.maximum(np.frexp(wide)[1] - 1, -14))
    step = np.ldexp(1.0, exponent - mantissa)
    units = np.rint(wide / step).astype(np.int64)  # up to 2 << mantissa: a carry goes into the exponent, as it must
    bits = np.minimum(units + ((exponent + 14).astype(np.int64) << mantissa), (31 << mantissa) - 1)
    bits = np.where(np.isposinf(x), 31 << mantissa, bits)
    return np.where(np.isnan(x), (31 << mantissa) | (1 << (mantissa - 1)), bits).astype(np.uint32)


def _unpack_shared_exponent(parts: list[NDArray[np.uint32]]) -> list[NDArray[np.float32]]:
    scale = np.ldexp(np.float32(1.0), parts[3].astype(np.int32) - 24).astype(np.float32)
    return [part.astype(np.float32) * scale for part in parts[:3]]


def _pack_shared_exponent(rgb: NDArray[np.float32]) -> list[NDArray[np.uint32]]:
    """Parts of R9G9B9E5 as in OpenGL 4.6, section 8.5.2: N = 9 bits, bias B = 15, Emax = 31; floor(x + 0.5)."""
    largest = 65408.0
    wide = np.clip(_wide(rgb), 0.0, largest)
    top = wide.max(axis=1)
    preliminary = np.maximum(-16, np.frexp(top)[1] - 1) + 16  # floor(log2 x) is exact from frexp; 0 has exponent 0
    preliminary = np.where(top == 0.0, 0, preliminary)
    carried = np.floor(top / np.ldexp(1.0, preliminary - 24) + 0.5) == 512.0
    shared = preliminary + carried
    units = np.floor(wide / np.ldexp(1.0, shared - 24)[:, None] + 0.5)
    return [*(units[:, k].astype(np.uint32) for k in range(3)), shared.astype(np.uint32)]


# -- sRGB ---------------------------------------------------------------------------------------------------------------
@cache
def srgb_to_linear() -> NDArray[np.float32]:
    """Linear value of each of the 256 sRGB codes."""
    x = np.arange(256) / 255.0
    return np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4).astype(np.float32)


def linear_to_srgb(x: NDArray[Any]) -> NDArray[np.float64]:
    """Encode linear values in [0, 1] with the sRGB curve, in float64."""
    wide = x.astype(np.float64)
    return np.where(wide < 0.0031308, 12.92 * wide, 1.055 * np.maximum(wide, 0.0031308) ** (1.0 / 2.4) - 0.055)


@cache
def srgb_thresholds() -> NDArray[np.float32]:
    """Entry k: the smallest float32 that is stored as k or more (entry 0 is -inf). Encoding is a search in it, with no power function."""
    low = np.zeros(256, np.uint32)
    high = np.full(256, F32_ONE, np.uint32)
    want = np.arange(256)
    while np.any(low < high):  # bisection over the bits, whose order is that of the (positive) floats
        middle = low + (high - low) // np.uint32(2)
        reached = np.rint(linear_to_srgb(middle.view(np.float32)) * 255.0) >= want
        high = np.where(reached, middle, high)
        low = np.where(reached, low, middle + np.uint32(1)).astype(np.uint32)
        low = np.minimum(low, high)
    edges = high.view(np.float32).copy()
    edges[0] = -np.inf
    return edges


# -- one channel --------------------------------------------------------------------------------------------------------
def _decode(c: Channel, bits: NDArray[np.uint32], srgb: bool) -> Array:
    """Raw bits of a channel to float32, or to uint32 / int32 for integers."""
    if srgb:
        return srgb_to_linear()[bits]
    match c.type:
        case ChannelType.UNORM:
            return (bits.astype(np.float64) / ((1 << c.size) - 1)).astype(np.float32)
        case ChannelType.SNORM:
            return np.maximum(_signed(bits, c.size).astype(np.float64) / ((1 << (c.size - 1)) - 1), -1.0).astype(np.float32)
        case ChannelType.USCALED:
            return bits.astype(np.float32)
        case ChannelType.SSCALED:
            return _signed(bits, c.size).astype(np.float32)
        case ChannelType.UINT:
            return bits
        case ChannelType.SINT:
            return _signed(bits, c.size)
        case ChannelType.FIXED:
            return (bits.view(np.int32).astype(np.float64) / 65536.0).astype(np.float32)
        case ChannelType.FLOAT if c.size == 32:
            return bits.view(np.float32)
        case ChannelType.FLOAT if c.size == 16:
            return half_to_float(bits)
        case ChannelType.FLOAT:
            return small_to_float(bits, c.size)
        case ChannelType.VOID:
            return np.zeros(len(bits), np.float32)


def _encode(c: Channel, value: Array, srgb: bool) -> NDArray[np.uint32]:
    """The inverse of `_decode`, rounding to nearest even, clamping, NaN to 0 (a NaN in float formats)."""
    if c.type is ChannelType.VOID:
        return np.zeros(len(value), np.uint32)
    if c.type is ChannelType.UINT:
        return np.minimum(value.astype(np.uint32), np.uint32((1 << c.size) - 1))
    if c.type is ChannelType.SINT:
        top = (1 << (c.size - 1)) - 1
        return np.clip(value.astype(np.int32), -top - 1, top).view(np.uint32)
    x = value.astype(np.float32)
    if c.type is ChannelType.FLOAT:
        if c.size == 32:
            return np.where(np.isnan(x), np.uint32(CANONICAL_NAN), x.view(np.uint32)).astype(np.uint32)
        return float_to_half(x) if c.size == 16 else float_to_small(x, c.size)
    if srgb:
        return (np.searchsorted(srgb_thresholds(), np.nan_to_num(x, nan=0.0), side="right") - 1).astype(np.uint32)
    top = (1 << c.size) - 1
    half = (1 << (c.size - 1)) - 1
    match c.type:
        case ChannelType.UNORM if c.size <= 16:
            scaled = np.rint(np.clip(_product(x, top), 0, top))
        case ChannelType.UNORM:
            scaled = np.rint(np.clip(_wide(x), 0.0, 1.0) * top)
        case ChannelType.SNORM if c.size <= 16:
            scaled = np.rint(np.clip(_product(x, half), -half, half))
        case ChannelType.SNORM:
            scaled = np.rint(np.clip(_wide(x), -1.0, 1.0) * half)
        case ChannelType.USCALED:
            scaled = np.trunc(np.clip(_wide(x), 0, top))
        case ChannelType.SSCALED:
            scaled = np.trunc(np.clip(_wide(x), -half - 1, half))
        case _:
            scaled = np.rint(np.clip(_wide(x) * 65536.0, -(2.0**31), 2.0**31 - 1))
    return scaled.astype(np.int64).astype(np.uint32)


def _wide(x: NDArray[np.float32]) -> NDArray[np.float64]:
    """`x` in float64, with NaN as 0."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isnan(x), 0.0, x.astype(np.float64))


def _product(x: NDArray[np.float32], top: int) -> NDArray[np.float64]:
    """x * top with one float32 rounding, as generated code multiplies for channels of up to 16 bits; NaN becomes 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _wide(x * np.float32(top))


# -- colors -------------------------------------------------------------------------------------------------------------
def unpack(format: Format, data: Array) -> Array:
    """Bytes to (n, 4): float32, or uint32 / int32 for integer formats. Absent channels are 0, alpha 1.

    Depth formats give (z, z, z, z), stencil alone (s, 0, 0, 1).
    """
    dtype = {"float": np.float32, "uint": np.uint32, "sint": np.int32}[format.kind]
    parts = _split(format, data)
    out = np.zeros((len(parts[0]), 4), dtype)
    if format.is_shared_exponent:
        decoded: list[Array] = [*_unpack_shared_exponent(parts), np.zeros(len(out), np.float32)]
    else:
        decoded = [_decode(c, bits, format.is_srgb and c.letter != "A") for c, bits in zip(format.channels, parts)]
    for k, source in enumerate(format.swizzle):
        out[:, k] = decoded[source] if source < len(decoded) else 1 if source == SWIZZLE_ONE else 0
    return out


def pack(format: Format, color: Array) -> NDArray[np.uint8]:
    """(n, 4) of float32 (uint32 or int32 for integer formats) to bytes; padding is 0. ValueError for depth and stencil formats.

    Luminance and intensity take red.
    """
    if format.is_depth_stencil:
        raise ValueError(f"{format.name} holds depth or stencil, not color")
    values = np.asarray(color).reshape(-1, 4)
    if format.is_shared_exponent:
        return _join(format, _pack_shared_exponent(values[:, :3].astype(np.float32)))
    column = {"R": 0, "G": 1, "B": 2, "A": 3}
    return _join(format, [_encode(c, values[:, column.get(c.letter, 0)], format.is_srgb and c.letter != "A") for c in format.channels])


# -- depth and stencil --------------------------------------------------------------------------------------------------
def unpack_depth(format: Format, data: Array) -> NDArray[np.float32]:
    """Depth of each pixel. ValueError if there is none."""
    if format.depth is None:
        raise ValueError(f"{format.name} has no depth")
    index = format.channels.index(format.depth)
    return np.asarray(_decode(format.depth, _split(format, data)[index], False), np.float32)


def unpack_stencil(format: Format, data: Array) -> NDArray[np.uint8]:
    """Stencil of each pixel. ValueError if there is none."""
    if format.stencil is None:
        raise ValueError(f"{format.name} has no stencil")
    return _split(format, data)[format.channels.index(format.stencil)].astype(np.uint8)


def pack_depth_stencil(format: Format, depth: Array | None, stencil: Array | None, old: Array | None = None) -> NDArray[np.uint8]:
    """Bytes of pixels with this depth (clamped to [0, 1] and rounded to nearest for UNORM) and stencil.

    If a part is None, its bits come from `old`, or are 0. In formats with depth but no stencil, padding becomes 0.
    """
    count = len(depth) if depth is not None else len(stencil) if stencil is not None else 0
    before = _split(format, old) if old is not None else [np.zeros(count, np.uint32) for _ in format.channels]
    parts = []
    for c, old_bits in zip(format.channels, before):
        if c.letter == "Z" and depth is not None:
            parts.append(_encode(c, np.asarray(depth, np.float32), False))
        elif c.letter == "S" and stencil is not None:
            parts.append(np.asarray(stencil).astype(np.uint32) & np.uint32(0xFF))
        elif c.letter == "X" and format.stencil is None:
            parts.append(np.zeros(count, np.uint32))
        else:
            parts.append(old_bits)
    return _join(format, parts)


# -- arrays of texels ---------------------------------------------------------------------------------------------------
_FLOATS: dict[int, np.dtype[Any]] = {2: np.dtype(np.float16), 4: np.dtype(np.float32), 8: np.dtype(np.float64)}
_SIGNED = (ChannelType.SNORM, ChannelType.SINT, ChannelType.SSCALED, ChannelType.FIXED)


def texel_type(format: Format) -> tuple[np.dtype[Any], int]:
    """Element type and channel count of arrays of a format; 0 channels: one number for a whole pixel.

    R8G8B8A8_UNORM is (uint8, 4), R16_FLOAT (float16, 1), Z32_FLOAT (float32, 0), B5G6R5_UNORM (uint16, 0).
    """
    size = format.channels[0].size // 8
    kinds = {c.type for c in format.channels if c.type is not ChannelType.VOID}
    if format.is_array and len(kinds) == 1:
        kind = kinds.pop()
        if kind is ChannelType.FLOAT and size in _FLOATS:
            dtype: np.dtype[Any] = _FLOATS[size]
        else:
            dtype = np.dtype(f"<{'i' if kind in _SIGNED else 'u'}{size}")
        return dtype, 0 if format.is_depth_stencil else len(format.channels)
    if format.block_bytes in (1, 2, 4, 8):
        return np.dtype(f"<u{format.block_bytes}"), 0
    return np.dtype(np.uint8), format.block_bytes
