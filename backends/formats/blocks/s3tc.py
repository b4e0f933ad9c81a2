"""S3TC (DXT1, DXT3, DXT5) and RGTC blocks, decoded with integers as Mesa does.

Source: EXT_texture_compression_s3tc; OpenGL 4.6, appendix C.1 (RGTC). Blocks have shape (n, bytes), results (n, 16, channels).
"""

from __future__ import annotations

import numpy as np

from backends.formats.blocks.bits import Bytes, Integers, codes, pick


def _divide(value: Integers, by: int) -> Integers:
    """Divide, truncating toward 0."""
    quotient: Integers = np.sign(value) * (np.abs(value) // by)
    return quotient


def _ramp(blocks: Bytes, *, signed: bool = False) -> Bytes:
    """Decode one channel of eight bytes: two end points, and for each texel the number of a step between them."""
    kind = np.int8 if signed else np.uint8
    ends = np.ascontiguousarray(blocks[:, :2]).view(kind).astype(np.int32)
    a, b = ends[:, 0], ends[:, 1]
    low, high = (-127, 127) if signed else (0, 255)
    eight = [a, b, *(_divide(a * (7 - k) + b * k, 7) for k in range(1, 7))]
    six = [a, b, *(_divide(a * (5 - k) + b * k, 5) for k in range(1, 5)), np.full_like(a, low), np.full_like(a, high)]
    table = np.where((a > b)[:, None], np.stack(eight, 1), np.stack(six, 1))
    return pick(np.maximum(table, low).astype(np.uint8)[:, :, None], codes(blocks[:, 2:8], 3))[:, :, 0]


def ramps(blocks: Bytes, *, signed: bool = False) -> Bytes:
    """Decode RGTC: a channel for every eight bytes. Signed channels are returned as their bytes."""
    return np.stack([_ramp(blocks[:, k : k + 8], signed=signed) for k in range(0, blocks.shape[1], 8)], 2)


def _colors(blocks: Bytes, *, may_be_clear: bool, is_four: bool = False) -> Bytes:
    """Decode color blocks of eight bytes to RGBA. `is_four`: four colors in any case, as DXT3 and DXT5 require."""
    words = np.ascontiguousarray(blocks[:, :4]).view("<u2").astype(np.int32)
    ends = []
    for k in range(2):
        r, g, b = words[:, k] >> 11, words[:, k] >> 5 & 63, words[:, k] & 31
        ends.append(np.stack([r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2], 1))
    c0, c1 = ends
    four = np.stack([c0, c1, (2 * c0 + c1) // 3, (c0 + 2 * c1) // 3], 1)
    three = np.stack([c0, c1, (c0 + c1) // 2, np.zeros_like(c0)], 1)
    is_opaque = np.full(len(blocks), True) if is_four else words[:, 0] > words[:, 1]
    table = np.where(is_opaque[:, None, None], four, three)
    alpha = np.full((len(blocks), 4, 1), 255, np.uint8)
    if may_be_clear:
        alpha[~is_opaque, 3] = 0
    return pick(np.concatenate([table.astype(np.uint8), alpha], 2), codes(blocks[:, 4:8], 2))


def dxt1(blocks: Bytes, *, may_be_clear: bool) -> Bytes:
    """Decode DXT1. `may_be_clear`: the fourth of three colors is transparent, not opaque black."""
    return _colors(blocks, may_be_clear=may_be_clear)


def dxt3(blocks: Bytes) -> Bytes:
    """Decode DXT3: four bits of alpha a texel, then colors."""
    colors = _colors(blocks[:, 8:], may_be_clear=False, is_four=True)
    colors[:, :, 3] = codes(blocks[:, :8], 4) * 17
    return colors


def dxt5(blocks: Bytes) -> Bytes:
    """Decode DXT5: alpha as a ramp, then colors."""
    colors = _colors(blocks[:, 8:], may_be_clear=False, is_four=True)
    colors[:, :, 3] = _ramp(blocks[:, :8])
    return colors
