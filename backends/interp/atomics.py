"""The effect of an atomic on a word, in any kind of memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from backends.run.canonical import canonical

MASK = 0xFFFFFFFF


def _signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word


def _float_sum(old: int, operand: int) -> int:
    pair = np.array([old, operand], np.uint32).view(np.float32)
    return int(canonical(pair[:1] + pair[1:]).view(np.uint32)[0])


ATOMICS: dict[str, Callable[[int, int], int]] = {
    "ATOMUADD": lambda old, e: (old + e) & MASK,
    "ATOMXCHG": lambda old, e: e,
    "ATOMAND": lambda old, e: old & e,
    "ATOMOR": lambda old, e: old | e,
    "ATOMXOR": lambda old, e: old ^ e,
    "ATOMUMIN": min,
    "ATOMUMAX": max,
    "ATOMIMIN": lambda old, e: min(old, e, key=_signed),
    "ATOMIMAX": lambda old, e: max(old, e, key=_signed),
    "ATOMFADD": _float_sum,
    "ATOMINC_WRAP": lambda old, e: 0 if old >= e else old + 1,
    "ATOMDEC_WRAP": lambda old, e: e if old == 0 or old > e else old - 1,
}
"""The new word, from the old one and the operand."""


def new_word(name: str, old: int, operands: Sequence[int]) -> int:
    """The word that an atomic stores. ATOMCAS takes two operands: the expected word, and the one to store if the memory has it."""
    if name == "ATOMCAS":
        expected, word = operands
        return word if old == expected else old
    return ATOMICS[name](old, operands[0])
