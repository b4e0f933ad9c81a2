"""The difference of two pictures: how many pixels, by how much, and which one is the first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tgsi.language.record import record
from tgsi.testing.pictures import Picture


@record(eq=False, kw_only=True)
class Difference:
    """The difference of a picture from the stored one.

    differing: pixels that differ in a bit. beyond: those that differ by more than the tolerance in a channel. largest: the largest
    difference of a channel, infinite where one of two is NaN. first: x and y of the first pixel beyond the tolerance, or else the first
    that differs. values: its numbers in both. shown: (height, width) of uint8, brighter where they differ by more.
    """

    differing: int
    beyond: int
    pixels: int
    largest: float
    first: tuple[int, int] | None
    values: tuple[str, str]
    shown: NDArray[np.uint8]


def compare(drawn: Picture, stored: Picture, tolerance: float) -> Difference | None:
    """The difference of two pictures; None if sizes or types differ."""
    new, old = drawn.array, stored.array
    if new.shape != old.shape or new.dtype != old.dtype:
        return None
    words = np.dtype(f"u{new.dtype.itemsize}")
    differ = np.ascontiguousarray(new).view(words) != np.ascontiguousarray(old).view(words)
    with np.errstate(all="ignore"):
        if new.dtype.kind == "f":
            amounts = np.abs(new.astype(np.float64) - old.astype(np.float64))
            amounts = np.where(np.isnan(amounts), np.inf, amounts)
        else:
            amounts = np.where(new > old, new - old, old - new).astype(np.float64)
    amounts = np.where(differ, amounts, 0.0)
    if new.ndim == 3:
        differ, amounts = differ.any(axis=2), amounts.max(axis=2)
    beyond = amounts > tolerance if tolerance > 0 else differ  # -0.0 is not 0.0 without a tolerance
    places = np.argwhere(beyond if beyond.any() else differ)
    first = None if not len(places) else (int(places[0][1]), int(places[0][0]))
    values = ("", "") if first is None else (_words(new[first[1], first[0]]), _words(old[first[1], first[0]]))
    largest = float(amounts.max())
    scale = 1.0 if new.dtype.kind == "f" else float(np.iinfo(new.dtype).max)
    seen = np.where(differ, 64.0 + 191.0 * np.clip(amounts / scale, 0.0, 1.0), 0.0).astype(np.uint8)
    return Difference(
        differing=int(differ.sum()),
        beyond=int(beyond.sum()),
        pixels=int(differ.size),
        largest=largest,
        first=first,
        values=values,
        shown=seen,
    )


def _words(pixel: Any) -> str:
    """The numbers of a pixel, each as short as it can be without being another one."""
    return f"({', '.join(str(number) for number in np.atleast_1d(pixel))})"
