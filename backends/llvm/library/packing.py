"""Pixels as generated code: raw words to channels and back, derived from a format's row.

A pixel is a list of i32 vectors, its `block_words`, lowest bits first; a channel is an f32 vector, which for integer formats
holds the integer's bits. Every result equals `backends.formats.arrays` bit for bit, on every target and for any number of
lanes (ARCHITECTURE.md, "Determinism"). Memory access is in `pixels`.
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.formats import SWIZZLE_ONE, Channel, ChannelType, Format
from backends.formats.arrays import srgb_thresholds, srgb_to_linear
from backends.llvm.builder.bytes import can_pack_bytes, pack_bytes
from backends.llvm.builder.function import F32, F64, I32, I64, PTR, Function, Val
from backends.llvm.builder.merge import place_bits
from backends.llvm.builder.rounding import scaled_unorm
from backends.llvm.library.math import canonical, float_to_half, half_to_float

_TWO23 = 2.0**23
_TWO23_BITS = 0x4B000000
_ONE_BITS = 0x3F800000


def raw_bits(c: Channel, words: Sequence[Val]) -> Val:
    """Bits of a channel, zero-extended to i32. No channel crosses a word."""
    word = words[c.shift // 32]
    shift = c.shift % 32
    if shift:
        word = word.lshr(shift)
    return word if shift + c.size >= 32 else word & ((1 << c.size) - 1)


def _signed(bits: Val, size: int) -> Val:
    return bits if size == 32 else (bits << (32 - size)) >> (32 - size)


# -- decoding -----------------------------------------------------------------------------------------------------------
def normalized(f: Function, x: Val, bits: int, shift: int = 0) -> Val:
    """x / (2^bits - 1) / 2^shift, correctly rounded, for integral floats |x| < 2^bits times 2^shift, from two products and no division.

    x * 2^-bits is exact and the other product is 2^bits times smaller, so only the rounding of the sum matters. With 24 bits, quotients of
    powers of two are just above a tie, so the second factor is one ULP larger to make the sum round up. A fused sum and product gives the
    same result.
    """
    rest = 1.0 / ((1 << bits) - 1) - 2.0**-bits
    small = x * ((rest if bits <= 16 else 2.0 ** (-2 * bits) * (1.0 + 2.0**-23)) * 2.0**-shift)
    if f.module.has("fma"):
        return f.intrinsic("fma", x, f.const(x.type, 2.0 ** -(bits + shift)), small)
    return x * 2.0 ** -(bits + shift) + small


def _wide_normalized(f: Function, bits: Val, size: int, signed: bool) -> Val:
    """Quotient as of `normalized`, for channels of up to 32 bits, through f64."""
    x = bits.cast("sitofp" if signed else "uitofp", F64)
    return (x / float((1 << (size - signed)) - 1)).cast("fptrunc", F32)


def decode(f: Function, c: Channel, bits: Val, srgb: bool = False) -> Val:
    """Value of a channel's raw bits as f32; integers keep their bits."""
    if srgb:
        table = Val(f, PTR, f.module.constant("srgb_to_linear", F32, [float(v) for v in srgb_to_linear()]))
        return f.gather(F32, table, bits << 2)
    match c.type:
        case ChannelType.UNORM if c.size <= 24:
            return normalized(f, bits.to_float(), c.size)
        case ChannelType.UNORM:
            return _wide_normalized(f, bits, c.size, False)
        case ChannelType.SNORM if c.size <= 16:
            return f.max(normalized(f, _signed(bits, c.size).to_float(), c.size - 1), -1.0)
        case ChannelType.SNORM:
            return f.max(_wide_normalized(f, _signed(bits, c.size), c.size, True), -1.0)
        case ChannelType.USCALED:
            return bits.cast("uitofp", F32) if c.size == 32 else bits.to_float()
        case ChannelType.SSCALED:
            return _signed(bits, c.size).to_float()
        case ChannelType.UINT:
            return bits.as_float()
        case ChannelType.SINT:
            return _signed(bits, c.size).as_float()
        case ChannelType.FIXED:
            return bits.to_float() * 2.0**-16
        case ChannelType.FLOAT if c.size == 32:
            return bits.as_float()
        case ChannelType.FLOAT if c.size == 16:
            return half_to_float(f, bits)
        case ChannelType.FLOAT:
            return half_to_float(f, bits << (15 - c.size))
        case ChannelType.VOID:
            return f.const(F32.wide(bits.lanes), 0.0)


def one_bits(format: Format) -> int:
    """Word of an absent alpha channel: 1.0, or 1 in integer formats."""
    return 1 if format.is_integer else _ONE_BITS


def unpack(f: Function, format: Format, words: Sequence[Val]) -> list[Val]:
    """R, G, B, A of a pixel (f32; bits of integers in integer formats) from its words.

    Absent channels are 0, alpha 1. Depth formats give (z, z, z, z), stencil alone (s, 0, 0, 1).
    """
    vec = F32.wide(words[0].lanes)
    decoded: dict[int, Val] = {}
    for index in format.swizzle:
        if index >= len(format.channels) or index in decoded:
            continue
        c = format.channels[index]
        if c.type is ChannelType.UNORM and c.shift % 32 > 0 and c.shift % 32 + c.size <= 24 and not format.is_srgb:
            # the bits stay in place, without a shift
            word = words[c.shift // 32] & ((1 << c.size) - 1 << c.shift % 32)
            decoded[index] = normalized(f, word.to_float(), c.size, c.shift % 32)
            continue
        bits = raw_bits(c, words)
        if format.is_shared_exponent:
            exponent = raw_bits(format.channels[3], words)
            decoded[index] = bits.to_float() * ((exponent + (127 - 24)) << 23).as_float()
        else:
            decoded[index] = decode(f, c, bits, format.is_srgb and c.letter != "A")
    if SWIZZLE_ONE in format.swizzle:
        decoded[SWIZZLE_ONE] = f.word(one_bits(format), vec.lanes)
    zero = f.const(vec, 0.0)
    return [decoded.get(i, zero) for i in format.swizzle]


# -- encoding -----------------------------------------------------------------------------------------------------------
def _encode_srgb(f: Function, x: Val) -> Val:
    """Stored sRGB byte of a linear value: an estimate within one step, corrected by comparison with the two thresholds around it."""
    x = f.min(f.max(x, 0.0), 1.0)
    s1 = f.sqrt(x)
    s2 = f.sqrt(s1)
    s3 = f.sqrt(s2)
    curve = s1 * 0.662002687 + s2 * 0.684122060 - s3 * 0.323583601 - x * 0.0225411470
    guess = f.select(x < 0.0031308, x * 12.92, curve) * 255.0 + 0.5
    k = f.to_int(f.min(f.max(guess, 0.0), 255.0))
    edges = [float(v) for v in srgb_thresholds()] + [float("inf")]
    table = Val(f, PTR, f.module.constant("srgb_thresholds", F32, edges))
    below, above = f.gather(F32, table, k << 2), f.gather(F32, table, (k << 2) + 4)
    return k + (x < below).sext(I32) - (x >= above).sext(I32)


def _encode_small(f: Function, x: Val, size: int) -> Val:
    """Bits of an unsigned 11- or 10-bit float: to nearest even, negatives as 0, finite values clamped to the largest."""
    mantissa = size - 5
    drop = 23 - mantissa
    largest = (2.0 - 2.0**-mantissa) * 2.0**15
    finite = f.min(f.max(x, 0.0), largest)
    a = finite.as_int()
    normal = (a - 0x38000000 + ((1 << (drop - 1)) - 1) + (a.lshr(drop) & 1)).lshr(drop)
    # Below 2^-14 the addition itself rounds to the step 2^-(14 + mantissa).
    rounder = 2.0 ** (9 - mantissa)
    tiny = (finite + rounder).as_int() - f.const(F32.wide(x.lanes), rounder).as_int()
    bits = f.select(a < 0x38800000, tiny, normal)
    bits = f.select(x.eq(float("inf")), 31 << mantissa, bits)
    return f.select(x.eq(x), bits, (31 << mantissa) | (1 << (mantissa - 1)))


def _encode_wide(f: Function, c: Channel, x: Val) -> Val:
    """Bits of a channel of more than 16 bits, or of a scaled or fixed one: through f64, whose sum with 2^52 rounds to an integer."""
    wide = f.select(x.eq(x), x, 0.0).cast("fpext", F64)
    top, half = float((1 << c.size) - 1), float((1 << (c.size - 1)) - 1)
    match c.type:
        case ChannelType.UNORM:
            wide = f.min(f.max(wide, 0.0), 1.0) * top
        case ChannelType.SNORM:
            wide = f.min(f.max(wide, -1.0), 1.0) * half
        case ChannelType.USCALED:
            wide = f.truncate(f.min(f.max(wide, 0.0), top))
        case ChannelType.SSCALED:
            wide = f.truncate(f.min(f.max(wide, -half - 1.0), half))
        case _:
            wide = f.min(f.max(wide * 65536.0, -half - 1.0), half)
    bits = (wide + 1.5 * 2.0**52).bits_as(I64.wide(x.lanes)).trunc(I32)
    return bits if c.size == 32 else bits & ((1 << c.size) - 1)


def encode(f: Function, c: Channel, x: Val, srgb: bool = False) -> Val:
    """Bits of a channel (i32, zero-extended) from its value: clamped, rounded to nearest even, NaN as 0 (as a NaN in float formats)."""
    mask = (1 << c.size) - 1
    if c.type is ChannelType.UINT:
        bits = x.as_int()
        return bits if c.size == 32 else f.select(bits.ult(mask), bits, mask)
    if c.type is ChannelType.SINT:
        bits = x.as_int()
        return bits if c.size == 32 else f.max(f.min(bits, mask >> 1), -(mask >> 1) - 1) & mask
    if c.type is ChannelType.FLOAT:
        if c.size == 32:
            return canonical(f, x).as_int()
        return f.select(x.eq(x), float_to_half(f, x), 0x7E00) if c.size == 16 else _encode_small(f, x, c.size)
    if srgb:
        return _encode_srgb(f, x)
    if c.type is ChannelType.UNORM and c.size <= 16:
        return _rounded_unorm(f, c, x) & mask
    if c.type is ChannelType.SNORM and c.size <= 16:
        half = float(mask >> 1)
        y = f.select(x.eq(x), x, 0.0) * half
        return (f.min(f.max(y, -half), half) + 1.5 * _TWO23).as_int() & mask
    if c.type is ChannelType.UNORM and c.size == 24 and f.module.has("fma"):
        return _encode_unorm24(f, x)
    return _encode_wide(f, c, x)


def _encode_unorm24(f: Function, x: Val) -> Val:
    """UNORM of 24 bits without f64: both branches round the exact product once, to a float whose unit is 1."""
    top = float((1 << 24) - 1)
    x = f.min(f.max(x, 0.0), 1.0)  # NaN becomes 0
    low = f.intrinsic("fma", x, f.const(x.type, top), f.const(x.type, _TWO23)).as_int() - _TWO23_BITS  # for sums up to 2^24
    return f.select(x <= 0.5, low, (x * top).cast("fptosi", I32))


def _rounded_unorm(f: Function, c: Channel, x: Val) -> Val:
    """UNORM integer in the low bits of a float of at least 2^23 (0x4B000000): the product is clamped (NaN to 0), and the sum with 2^23
    rounds it.
    """
    top = float((1 << c.size) - 1)
    return (scaled_unorm(f, x, top) + _TWO23).as_int()


def _pack_shared_exponent(f: Function, channels: Sequence[Val]) -> Val:
    """Word of R9G9B9E5 as in OpenGL 4.6, section 8.5.2, in exact f32 steps."""
    x = [f.min(f.max(v, 0.0), 65408.0) for v in channels[:3]]
    top = f.max(f.max(x[0], x[1]), x[2])
    preliminary = f.max(top.as_int().lshr(23) - 127, -16) + 16

    def units(v: Val, exponent: Val) -> Val:
        scaled = v * (((127 + 24) - exponent) << 23).as_float()
        whole = f.to_int(scaled)
        return whole - (scaled - whole.to_float() >= 0.5).sext(I32)

    shared = preliminary - units(top, preliminary).eq(512).sext(I32)
    r, g, b = (units(v, shared) for v in x)
    return r | (g << 9) | (b << 18) | (shared << 27)


def _by_byte(format: Format, channels: Sequence[Val]) -> list[Val | None]:
    """Channel of each byte of a four-byte format; None for padding."""
    by_byte: list[Val | None] = [None] * 4
    for c in format.channels:
        if c.type is not ChannelType.VOID:
            by_byte[c.shift // 8] = channels["RGBA".index(c.letter) if c.letter in "RGBA" else 0]
    return by_byte


def pack(f: Function, format: Format, channels: Sequence[Val]) -> list[Val]:
    """Words of a pixel from R, G, B, A (f32; bits of integers in integer formats); padding is 0.

    Luminance and intensity take red. ValueError for depth and stencil formats.
    """
    if format.is_depth_stencil:
        raise ValueError(f"{format.name} holds depth or stencil, not color")
    if format.is_shared_exponent:
        return [_pack_shared_exponent(f, channels)]
    if format.is_plain_unorm8 and format.block_bits == 32 and can_pack_bytes(f, channels[0].lanes):
        return [pack_bytes(f, _by_byte(format, channels))]
    vec = I32.wide(channels[0].lanes)
    words: list[Val | None] = [None] * format.block_words
    excess = [0] * len(words)
    for c in format.channels:
        if c.type is ChannelType.VOID:
            continue
        x = channels["RGBA".index(c.letter) if c.letter in "RGBA" else 0]
        srgb = format.is_srgb and c.letter != "A"
        index, shift = divmod(c.shift, 32)
        if c.type is ChannelType.UNORM and c.size <= 16 and not srgb:
            # One subtraction from the sum of channels removes the bits of 2^23, instead of a mask for each channel.
            bits = _rounded_unorm(f, c, x)
            excess[index] += _TWO23_BITS << shift
        else:
            bits = encode(f, c, x, srgb)
        if shift:
            bits = bits << shift
        word = words[index]
        words[index] = bits if word is None else word + bits
    done = [w if w is not None else f.const(vec, 0) for w in words]
    return [w - (e & 0xFFFFFFFF) if e & 0xFFFFFFFF else w for w, e in zip(done, excess)]


# -- depth and stencil --------------------------------------------------------------------------------------------------
def unpack_depth(f: Function, format: Format, words: Sequence[Val]) -> Val:
    """Depth as f32. ValueError if there is none."""
    if format.depth is None:
        raise ValueError(f"{format.name} has no depth")
    return decode(f, format.depth, raw_bits(format.depth, words))


def unpack_stencil(f: Function, format: Format, words: Sequence[Val]) -> Val:
    """Stencil as i32. ValueError if there is none."""
    if format.stencil is None:
        raise ValueError(f"{format.name} has no stencil")
    return raw_bits(format.stencil, words)


def encode_depth(f: Function, format: Format, depth: Val) -> Val:
    """Raw bits of a depth value, in the low bits of an i32: UNORM clamped to [0, 1], to nearest; a float's NaN becomes canonical."""
    if format.depth is None:
        raise ValueError(f"{format.name} has no depth")
    return encode(f, format.depth, depth)


def pack_depth_stencil(f: Function, format: Format, depth: Val | None, stencil: Val | None, old: Sequence[Val]) -> list[Val]:
    """Words with this depth (raw bits, as `encode_depth` returns them) and stencil (i32, 0 to 255). A part that is None is kept from `old`.

    Padding next to depth alone becomes 0.
    """
    words = list(old)
    for c, bits in ((format.depth, depth), (format.stencil, stencil)):
        if c is None or bits is None:
            continue
        index, shift = divmod(c.shift, 32)
        if c.size == 32:
            words[index] = bits
            continue
        placed = bits << shift if shift else bits
        alone = c is format.depth and (format.stencil is None or format.stencil.shift // 32 != index)
        words[index] = placed if alone else place_bits(f, ~(((1 << c.size) - 1) << shift), words[index], placed)
    return words
