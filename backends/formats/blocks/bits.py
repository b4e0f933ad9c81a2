"""Helpers of the decoders: codes of a few bits, and blocks of 4 x 4 texels laid out as an image."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]


def codes(data: Bytes, bits: int) -> Integers:
    """Unpack numbers of `bits` bits each, lowest bits first. data: (n, bytes); the result is (n, 8 * bytes / bits)."""
    unpacked = np.unpackbits(data, axis=1, bitorder="little").reshape(len(data), -1, bits)
    return unpacked.astype(np.int64) @ (1 << np.arange(bits))


def as_image(texels: NDArray[Any], rows: int, columns: int) -> NDArray[Any]:
    """Lay out the 16 texels of each block, row by row: (rows * columns, 16, channels) becomes (4 * rows, 4 * columns, channels)."""
    image = texels.reshape(rows, columns, 4, 4, -1).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(image).reshape(4 * rows, 4 * columns, -1)
