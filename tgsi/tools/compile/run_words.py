"""Words of 32 bits as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST = 256
"""Largest number of rows of memory, and of texels of an image, in text output. JSON and .npz hold all."""


def counted(number: int, one: str, more: str) -> str:
    """A number and the noun that goes with it."""
    return f"{number} {one if number == 1 else more}"


def vector(words: NDArray[np.uint32]) -> str:
    """Words as floats, then as hexadecimal digits."""
    floats = "  ".join(f"{value:.9g}" for value in words.view("float32").tolist())
    return f"{floats}  ({' '.join(f'{word:08x}' for word in words.tolist())})"


def integers(words: NDArray[np.uint32]) -> str:
    """Words as the numbers that they probably are, then as hexadecimal digits."""
    return f"{'  '.join(_numbers(words))}  ({' '.join(f'{word:08x}' for word in words.tolist())})"


def memory_lines(name: str, data: NDArray[np.uint8]) -> Iterator[str]:
    """Lines of memory, four words each; bytes after the last whole word are dropped, and repeated rows are counted."""
    words = data[: len(data) // 4 * 4].view("uint32")
    yield f"{name}: {len(data)} bytes"
    shown, at = 0, 0
    while at < len(words) and shown < MOST:
        row = words[at : at + 4]
        yield f"  {4 * at:06x}: {' '.join(f'{word:08x}' for word in row.tolist())}  ({'  '.join(_numbers(row))})"
        repeats = _repeats(words, at)
        at, shown = at + 4 + 4 * repeats, shown + 1
        if repeats > 1:
            yield f"  ...     {repeats} more rows like this"
        elif repeats:
            at -= 4  # one line either way
    if at < len(words):
        yield f"  and {len(words) - at} more words (--format json or -o FILE.npz has them all)"


def _repeats(words: NDArray[np.uint32], at: int) -> int:
    """Number of rows right after the row at `at` that equal it."""
    rows = words[at : at + (len(words) - at) // 4 * 4].reshape(-1, 4)
    differs = (rows != rows[:1]).any(axis=1).nonzero()[0]
    return (int(differs[0]) if len(differs) else max(len(rows), 1)) - 1


def _numbers(words: NDArray[np.uint32]) -> Iterator[str]:
    """Format words below 2^23 as integers, because as floats they would be subnormal or NaN. Format other words as floats."""
    for integer, value in zip(words.view("int32").tolist(), words.view("float32").tolist()):
        yield str(integer) if abs(integer) < 1 << 23 else f"{value:.9g}"
