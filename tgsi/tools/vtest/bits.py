"""Conversion of words to floats and to signed integers."""

from __future__ import annotations

import struct
from collections.abc import Iterable


def reals(words: memoryview | Iterable[int]) -> tuple[float, ...]:
    """Convert words to 32-bit floats, bit by bit."""
    items = tuple(words)
    return struct.unpack(f"<{len(items)}f", struct.pack(f"<{len(items)}I", *items))


def signed(word: int) -> int:
    """Convert a 32-bit word to a signed integer."""
    return word - (1 << 32) if word >> 31 else word
