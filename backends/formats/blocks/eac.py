"""EAC blocks of one or two channels of 11 bits, expanded to 16 bits by repetition of their high bits.

Source: OpenGL 4.6, appendix C.2.4 (R11 EAC), C.2.6 (signed R11 EAC). Blocks have shape (n, bytes), results (n, 16, channels).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from backends.formats.blocks.bits import Bytes

_MODIFIERS = np.array(
    [
        [-3, -6, -9, -15, 2, 5, 8, 14],
        [-3, -7, -10, -13, 2, 6, 9, 12],
        [-2, -5, -8, -13, 1, 4, 7, 12],
        [-2, -4, -6, -13, 1, 3, 5, 12],
        [-3, -6, -8, -12, 2, 5, 7, 11],
        [-3, -7, -9, -11, 2, 6, 8, 10],
        [-4, -7, -8, -11, 3, 6, 7, 10],
        [-3, -5, -8, -11, 2, 4, 7, 10],
        [-2, -6, -8, -10, 1, 5, 7, 9],
        [-2, -5, -8, -10, 1, 4, 7, 9],
        [-2, -4, -8, -10, 1, 3, 7, 9],
        [-2, -5, -7, -10, 1, 4, 6, 9],
        [-3, -4, -7, -10, 2, 3, 6, 9],
        [-1, -2, -3, -10, 0, 1, 2, 9],
        [-4, -6, -8, -9, 3, 5, 7, 8],
        [-3, -5, -7, -9, 2, 4, 6, 8],
    ],
    np.int64,
)


def _channel(blocks: Bytes, *, signed: bool) -> NDArray[np.uint16]:
    """Decode eight bytes: a base, a multiplier, a row of modifiers, and for each texel, column by column, the number of a modifier."""
    first, second = blocks[:, 0].astype(np.int64), blocks[:, 1].astype(np.int64)
    picks = np.unpackbits(blocks[:, 2:8], axis=1).reshape(-1, 16, 3).astype(np.int64) @ np.array([4, 2, 1])
    step = np.where(second >> 4 == 0, 1, (second >> 4) * 8)[:, None]
    change = np.take_along_axis(_MODIFIERS[second & 15], picks, 1) * step
    if signed:
        base = np.maximum(np.where(first > 127, first - 256, first), -127) * 8
        value = np.clip(base[:, None] + change, -1023, 1023)
        size = np.abs(value)
        wide = np.sign(value) * (size << 5 | size >> 5)
    else:
        value = np.clip((first * 8 + 4)[:, None] + change, 0, 2047)
        wide = value << 5 | value >> 6
    by_rows = wide.reshape(-1, 4, 4).transpose(0, 2, 1).reshape(-1, 16)
    channel: NDArray[np.uint16] = by_rows.astype(np.int16).view(np.uint16) if signed else by_rows.astype(np.uint16)
    return channel


def eac(blocks: Bytes, *, signed: bool) -> NDArray[np.uint16]:
    """Decode a channel for every eight bytes. Signed channels are returned as their bits."""
    return np.stack([_channel(blocks[:, k : k + 8], signed=signed) for k in range(0, blocks.shape[1], 8)], 2)
