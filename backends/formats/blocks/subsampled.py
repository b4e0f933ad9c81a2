"""Pairs of texels that share two of three channels: packed YUV 4:2:2, and the same layouts of RGB.

YUV becomes RGB by BT.601 with 16 to 235 for Y, in integers as Mesa's llvmpipe computes it. Blocks have shape (n, 4), results (n, 2, 4).
"""

from __future__ import annotations

import numpy as np

from backends.formats.blocks.bits import Bytes

_ORDERS = {
    "uyvy": ((1, 0, 2), (3, 0, 2)),
    "yuyv": ((0, 1, 3), (2, 1, 3)),
    "rgbg": ((0, 1, 2), (0, 3, 2)),
    "grgb": ((1, 0, 3), (1, 2, 3)),
    "rgrb": ((0, 1, 3), (2, 1, 3)),
    "grbr": ((1, 0, 2), (3, 0, 2)),
}
"""For both texels of a block the places of Y, U and V (or R, G and B) among its bytes."""


def pair(blocks: Bytes, order: str) -> Bytes:
    """Decode blocks of a layout, a key of the orders above, to RGBA; alpha is 1."""
    texels = np.full((len(blocks), 2, 4), 255, np.uint8)
    parts = blocks[:, np.array(_ORDERS[order])]
    texels[:, :, :3] = _rgb(parts) if "y" in order else parts
    return texels


def _rgb(yuv: Bytes) -> Bytes:
    y, u, v = (yuv[:, :, k].astype(np.int32) - offset for k, offset in enumerate((16, 128, 128)))
    wide = np.stack([298 * y + 409 * v, 298 * y - 100 * u - 208 * v, 298 * y + 516 * u], 2)
    colors: Bytes = np.clip(wide + 128 >> 8, 0, 255).astype(np.uint8)
    return colors
