"""Types told by the bits of 32-bit words: whole numbers, floats, doubles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_LARGEST = 1 << 20
"""Whole numbers up to this are told by their bits: as floats they would be denormal."""
_FLOATS = (0x38000000, 0x4B000000)
"""Bits of the floats 2^-15 and 2^23; the words between them would be whole numbers of about a billion."""
_DOUBLES = (0x3F900000, 0x40900000)
"""Upper words of the doubles 2^-6 and 2^10."""
_MAGNITUDE = np.uint32(0x7FFFFFFF)


def whole_numbers(words: NDArray[np.uint32]) -> str:
    """Up to three of the numbers if all words are small whole numbers, and not all of them 0; otherwise empty."""
    signed = words.reshape(-1).view(np.int32)
    if not signed.any() or (np.abs(signed.astype(np.int64)) > _LARGEST).any():
        return ""
    return ", ".join(str(v) for v in np.unique(signed[signed != 0])[:3].tolist())


def are_floats(words: NDArray[np.uint32]) -> bool:
    """True if all words are 0 or look like floats, and not all of them are 0."""
    used = words[words & _MAGNITUDE != 0] & _MAGNITUDE
    return bool(used.size and used.min() >= _FLOATS[0] and used.max() <= _FLOATS[1])


def doubles(words: NDArray[np.uint32]) -> str:
    """Up to four of the numbers if words are those of short decimal fractions as float64; otherwise empty."""
    flat = words.reshape(-1)
    low, high = flat[0::2], flat[1::2] & _MAGNITUDE
    used = high[high != 0]
    if len(used) < 2 or low.any() or used.min() < _DOUBLES[0] or used.max() > _DOUBLES[1] or (used & np.uint32(0xFFFF)).any():
        return ""
    return ", ".join(f"{v:g}" for v in flat.view(np.float64)[:4])
