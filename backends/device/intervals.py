"""Intervals of occlusion queries: a context numbers the times between beginnings and ends, and threads count samples by these numbers.

So a query waits for nothing: its result is the sum over the intervals that it was active in, and the draws of an interval may be pending.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class Intervals:
    """Samples that passed in each interval. counts: an array of 64-bit integers of each thread, an element for each interval."""

    def __init__(self, counts: Sequence[NDArray[np.int64]]) -> None:
        self._counts, self._views = counts, [count.data for count in counts]  # views are faster for few elements

    def passed(self, first: int, end: int) -> int:
        """Samples that passed from interval `first` on, before interval `end`. Their draws are carried out."""
        return sum(sum(view[first:end]) for view in self._views)

    def forget(self) -> None:
        """Begin anew. No draw is pending."""
        for count in self._counts:
            count[:] = 0
