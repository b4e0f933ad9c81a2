"""Helpers of the decoders: codes of a few bits, and blocks of 4 x 4 texels laid out as an image."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Integers = NDArray[np.signedinteger[Any]]


def codes(data: Bytes, bits: int) -> NDArray[np.uint32]:
    """Unpack 16 numbers of `bits` bits each, 2, 3 or 4, lowest bits first. data: (n, 2 * bits); the result is (n, 16)."""
    parts = data.reshape(len(data), 2, bits)
    words = np.zeros((len(data), 2, 4), np.uint8)
    words[:, :, :bits] = parts
    shifts = np.arange(0, 8 * bits, bits, dtype=np.uint32)
    return ((words.view("<u4") >> shifts) & np.uint32((1 << bits) - 1)).reshape(len(data), 16)


def pick(table: Bytes, numbers: NDArray[np.uint32]) -> Bytes:
    """Rows of each block's own table: (n, entries, channels) and (n, 16) numbers give (n, 16, channels)."""
    count, entries, channels = table.shape
    flat = np.ascontiguousarray(table).view(f"<u{channels}").reshape(-1)
    first = np.arange(0, count * entries, entries, dtype=np.uint32)[:, None]
    return flat[first + numbers].view(np.uint8).reshape(count, 16, channels)


def as_image(texels: NDArray[Any], rows: int, columns: int, width: int, height: int) -> NDArray[Any]:
    """Lay out the `width` x `height` texels of each block, row by row.

    (rows * columns, texels, channels) becomes (height * rows, width * columns, channels).
    """
    image = texels.reshape(rows, columns, height, width, -1).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(image).reshape(height * rows, width * columns, -1)
