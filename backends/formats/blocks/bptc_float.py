"""BPTC blocks of floats (BC6H), decoded to binary16.

Source: OpenGL 4.6, appendix C.3 (ARB_texture_compression_bptc). Blocks have shape (n, 16), results (n, 16, 4) bits of binary16.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from backends.formats.blocks.bits import Bytes, Integers

# Where the bits of a block go, from the lowest on, after the mode: end points w and x of the first region, y and z of the second, each
# with a letter for its channel; rw0-9 are bits 0 to 9 of w's red, rw15-10 bits 15 down to 10; d is the partition. Then the bits of the
# first end point, the bits of red, green and blue of the other end points, and whether these are differences from w.
_TWO = "ry0-4 bz2 rz0-4 bz3 d0-4"
_MODES: dict[int, tuple[str, int, tuple[int, int, int], bool]] = {
    0b00: (f"gy4 by4 bz4 rw0-9 gw0-9 bw0-9 rx0-4 gz4 gy0-3 gx0-4 bz0 gz0-3 bx0-4 bz1 by0-3 {_TWO}", 10, (5, 5, 5), True),
    0b01: (
        "gy5 gz4 gz5 rw0-6 bz0 bz1 by4 gw0-6 by5 bz2 gy4 bw0-6 bz3 bz5 bz4 rx0-5 gy0-3 gx0-5 gz0-3 bx0-5 by0-3 ry0-5 rz0-5 d0-4",
        7,
        (6, 6, 6),
        True,
    ),
    0b00010: (f"rw0-9 gw0-9 bw0-9 rx0-4 rw10 gy0-3 gx0-3 gw10 bz0 gz0-3 bx0-3 bw10 bz1 by0-3 {_TWO}", 11, (5, 4, 4), True),
    0b00110: (
        "rw0-9 gw0-9 bw0-9 rx0-3 rw10 gz4 gy0-3 gx0-4 gw10 gz0-3 bx0-3 bw10 bz1 by0-3 ry0-3 bz0 bz2 rz0-3 gy4 bz3 d0-4",
        11,
        (4, 5, 4),
        True,
    ),
    0b01010: (
        "rw0-9 gw0-9 bw0-9 rx0-3 rw10 by4 gy0-3 gx0-3 gw10 bz0 gz0-3 bx0-4 bw10 by0-3 ry0-3 bz1 bz2 rz0-3 bz4 bz3 d0-4",
        11,
        (4, 4, 5),
        True,
    ),
    0b01110: (f"rw0-8 by4 gw0-8 gy4 bw0-8 bz4 rx0-4 gz4 gy0-3 gx0-4 bz0 gz0-3 bx0-4 bz1 by0-3 {_TWO}", 9, (5, 5, 5), True),
    0b10010: (
        "rw0-7 gz4 by4 gw0-7 bz2 gy4 bw0-7 bz3 bz4 rx0-5 gy0-3 gx0-4 bz0 gz0-3 bx0-4 bz1 by0-3 ry0-5 rz0-5 d0-4",
        8,
        (6, 5, 5),
        True,
    ),
    0b10110: (f"rw0-7 bz0 by4 gw0-7 gy5 gy4 bw0-7 gz5 bz4 rx0-4 gz4 gy0-3 gx0-5 gz0-3 bx0-4 bz1 by0-3 {_TWO}", 8, (5, 6, 5), True),
    0b11010: (f"rw0-7 bz1 by4 gw0-7 by5 gy4 bw0-7 bz5 bz4 rx0-4 gz4 gy0-3 gx0-4 bz0 gz0-3 bx0-5 by0-3 {_TWO}", 8, (5, 5, 6), True),
    0b11110: (
        "rw0-5 gz4 bz0 bz1 by4 gw0-5 gy5 by5 bz2 gy4 bw0-5 gz5 bz3 bz5 bz4 rx0-5 gy0-3 gx0-5 gz0-3 bx0-5 by0-3 ry0-5 rz0-5 d0-4",
        6,
        (6, 6, 6),
        False,
    ),
    0b00011: ("rw0-9 gw0-9 bw0-9 rx0-9 gx0-9 bx0-9", 10, (10, 10, 10), False),
    0b00111: ("rw0-9 gw0-9 bw0-9 rx0-8 rw10 gx0-8 gw10 bx0-8 bw10", 11, (9, 9, 9), True),
    0b01011: ("rw0-9 gw0-9 bw0-9 rx0-7 rw11-10 gx0-7 gw11-10 bx0-7 bw11-10", 12, (8, 8, 8), True),
    0b01111: ("rw0-9 gw0-9 bw0-9 rx0-3 rw15-10 gx0-3 gw15-10 bx0-3 bw15-10", 16, (4, 4, 4), True),
}

_SECOND = """
CCCC 8888 EEEE ECC8 C880 FEEC FEC8 EC80 C800 FFEC FE80 E800 FFE8 FF00 FFF0 F000
F710 008E 7100 08CE 008C 7310 3100 8CCE 088C 3110 6666 366C 17E8 0FF0 718E 399C
"""
"""For each partition the texels of the second region, one bit each."""

_ANCHORS = (15,) * 17 + (2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2)
"""For each partition the texel of the second region whose index lacks its highest bit, which is 0."""

_WEIGHTS = {3: np.array([0, 9, 18, 27, 37, 46, 55, 64]), 4: np.array([0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64])}
_REGIONS = np.array([[int(word, 16) >> k & 1 for k in range(16)] for word in _SECOND.split()])


@cache
def _places(mode: int) -> tuple[dict[str, tuple[tuple[int, int], ...]], int]:
    """For each field of a mode its pairs of (bit of the block, bit of the field), and the first bit after the fields."""
    at = 2 if mode < 2 else 5
    places: dict[str, list[tuple[int, int]]] = {}
    for item in _MODES[mode][0].split():
        name = item[:2] if item[0] != "d" else "d"
        first, _, last = item[len(name) :].partition("-")
        low, high = int(first), int(last or first)
        for bit in range(low, high + 1) if low <= high else range(low, high - 1, -1):
            places.setdefault(name, []).append((at, bit))
            at += 1
    return {name: tuple(pairs) for name, pairs in places.items()}, at


def _extended(value: Integers, bits: int) -> Integers:
    """Sign-extend numbers of `bits` bits."""
    return (value ^ (1 << (bits - 1))) - (1 << (bits - 1))


def _unquantized(value: Integers, bits: int, *, signed: bool) -> Integers:
    """Stretch end points of `bits` bits to 16 (or a sign and 15)."""
    if bits >= (16 if signed else 15):
        return value
    if not signed:
        numbers = (value << 16) + 0x8000 >> bits
        return np.where(value == 0, 0, np.where(value == (1 << bits) - 1, 0xFFFF, numbers))
    size = np.abs(value)
    numbers = (size << 15) + 0x4000 >> bits - 1
    numbers = np.where(size == 0, 0, np.where(size >= (1 << (bits - 1)) - 1, 0x7FFF, numbers))
    return np.where(value < 0, -numbers, numbers)


def _indices(high: NDArray[np.uint64], start: int, width: int, partition: Integers, *, is_split: bool) -> NDArray[np.uint64]:
    """The 16 indices of each block, from bit `start` of its upper half on. Indices of anchors are one bit shorter."""
    texel = np.arange(16)
    anchor = np.array(_ANCHORS)[partition][:, None] if is_split else np.full((len(high), 1), 16)
    at = start + width * texel - (texel > 0) - (texel > anchor)
    size = width - ((texel == 0) | (texel == anchor))
    mask = np.left_shift(1, size) - 1
    indices: NDArray[np.uint64] = (high[:, None] >> at.astype(np.uint64)) & mask.astype(np.uint64)
    return indices


def _decode_mode(bits: NDArray[np.uint8], mode: int, *, signed: bool) -> Integers:
    """Decode blocks of one mode to (n, 16, 3) bits of binary16."""
    _, precision, deltas, is_difference = _MODES[mode]
    places, at = _places(mode)
    zero = np.zeros(len(bits), np.int64)
    fields = {name: sum((bits[:, b].astype(np.int64) << k for b, k in pairs), zero) for name, pairs in places.items()}
    is_split = "d" in fields
    ends = "wxyz" if is_split else "wx"
    points = np.stack([np.stack([fields[c + e] for c in "rgb"], 1) for e in ends], 1)  # (n, end points, channels)
    if is_difference or signed:
        for c, size in enumerate(deltas):
            if signed:
                points[:, 0, c] = _extended(points[:, 0, c], precision)
            points[:, 1:, c] = _extended(points[:, 1:, c], size if is_difference else precision)
    if is_difference:
        points[:, 1:] = points[:, 1:] + points[:, :1] & (1 << precision) - 1
        if signed:
            points[:, 1:] = _extended(points[:, 1:], precision)
    points = _unquantized(points, precision, signed=signed)
    partition = fields.get("d", zero)
    width = 3 if is_split else 4
    high = np.packbits(bits[:, 64:], axis=1, bitorder="little").view("<u8")[:, 0]
    weight = _WEIGHTS[width][_indices(high, at - 64, width, partition, is_split=is_split)][:, :, None]
    region = _REGIONS[partition] if is_split else np.zeros((len(bits), 16), np.int64)
    row = np.arange(len(bits))[:, None]
    a, b = points[row, 2 * region], points[row, 2 * region + 1]
    value = a * (64 - weight) + b * weight + 32 >> 6
    halves: Integers = np.where(value < 0, (-value * 31 >> 5) | 0x8000, value * 31 >> 5) if signed else value * 31 >> 6
    return halves


def bptc_float(blocks: Bytes, *, signed: bool) -> NDArray[np.uint16]:
    """Decode blocks to RGBA; alpha is 1. Blocks of a reserved mode are black."""
    texels = np.zeros((len(blocks), 16, 4), np.uint16)
    texels[:, :, 3] = 0x3C00
    bits = np.unpackbits(blocks, axis=1, bitorder="little")
    modes = np.where(blocks[:, 0] & 3 < 2, blocks[:, 0] & 3, blocks[:, 0] & 31)
    for mode in _MODES:
        chosen = np.flatnonzero(modes == mode)
        if len(chosen):
            texels[chosen, :, :3] = _decode_mode(bits[chosen], mode, signed=signed)
    return texels
