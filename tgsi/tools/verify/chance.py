"""Numbers that follow from a seed, the same in every version of Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
_FACTOR, _STEP, _MASK = 6364136223846793005, 1442695040888963407, (1 << 64) - 1


class Chance:
    """A linear congruential generator of 64 bits, of which the upper 32 are used."""

    def __init__(self, seed: int) -> None:
        self._state = seed * 0x9E3779B97F4A7C15 + 1 & _MASK
        for _ in range(4):
            self.word()

    def word(self) -> int:
        """32 bits."""
        self._state = self._state * _FACTOR + _STEP & _MASK
        return self._state >> 32

    def below(self, count: int) -> int:
        """A whole number from 0 on, below `count`."""
        return self.word() * count >> 32

    def among(self, items: Sequence[T]) -> T:
        """One of several."""
        return items[self.below(len(items))]

    def is_one_in(self, count: int) -> bool:
        """True once in `count` times."""
        return self.below(count) == 0

    def between(self, low: float, high: float) -> float:
        """A number of 16 bits of precision from `low` to `high`."""
        return low + (high - low) * (self.word() >> 16) / (2**16 - 1)

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in another order."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(len(left))]
