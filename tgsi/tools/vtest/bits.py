"""Words as floats and as signed numbers."""

from __future__ import annotations

import struct
from collections.abc import Iterable


def reals(words: memoryview | Iterable[int]) -> tuple[float, ...]:
    """Words as 32-bit floats."""
    items = tuple(words)
    return struct.unpack(f"<{len(items)}f", struct.pack(f"<{len(items)}I", *items))


def signed(word: int) -> int:
    """A word as a signed number."""
    return word - (1 << 32) if word >> 31 else word
