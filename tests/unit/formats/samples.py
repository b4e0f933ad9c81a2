"""Inputs that reveal mistakes in conversions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from backends.formats import Format

SPECIALS = [
    0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC12345,
    0x00000001, 0x80000001, 0x007FFFFF, 0x00800000, 0x3F7FFFFF, 0x3F800001, 0x3F000000, 0x3EFFFFFF, 0x3F000001,
    0x477FEFFF, 0x477FF000, 0x477FE000, 0x38800000, 0x387FFFFF, 0x33800000, 0x33000000, 0x477F0000, 0x477E0000, 0x477E0001,
    0x4F000000, 0xCF000000, 0x4F800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3B4D2E1C, 0x3B4D2E1D, 0x37800000, 0x38000000, 0x477F8000,
]  # fmt: skip


def float_words(count: int, seed: int = 1) -> NDArray[np.uint32]:
    """Bits of floats: special values, values around [0, 1], halves of steps, random bits."""
    rng = np.random.default_rng(seed)
    parts = [
        np.array(SPECIALS, np.uint32),
        rng.uniform(-0.1, 1.1, count).astype(np.float32).view(np.uint32),
        ((np.arange(2048) + 0.5) / 1023).astype(np.float32).view(np.uint32),
        ((np.arange(512) + 0.5) / 255).astype(np.float32).view(np.uint32),
        (rng.uniform(-1.0, 1.0, count) * 2.0 ** rng.integers(-30, 34, count)).astype(np.float32).view(np.uint32),
        rng.integers(0, 2**32, count, dtype=np.uint32),
    ]
    words = np.concatenate(parts)
    return np.resize(words, (len(words) + 63) // 64 * 64)


def block_bytes(format: Format, count: int = 4096, seed: int = 2) -> NDArray[np.uint8]:
    """Pixels as bytes: every value of formats of up to 16 bits, random ones of larger formats. A multiple of 64 pixels."""
    if format.block_bits <= 16:
        every = np.arange(1 << format.block_bits, dtype=f"<u{format.block_bytes}")
        return every.view(np.uint8)
    rng = np.random.default_rng(seed)
    data = rng.integers(0, 256, (count, format.block_bytes), dtype=np.uint8)
    data[:2] = [[0], [255]]
    return data.reshape(-1)
