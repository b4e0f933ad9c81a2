"""Counts of a client's process, and its first refusal, in memory shared with the parent process, which may read them at any time."""

from __future__ import annotations

import mmap
import sys
from collections.abc import Sequence
from enum import IntEnum


class Mark(IntEnum):
    """Words of a client's marks."""

    BEGUN = 0  # commands begun
    MESSAGE = 1  # number of the last message
    COMPILING = 2  # compilations begun
    ENDED = 3  # compilations ended
    SHADERS = 4
    FRAMES = 5  # whole windows read by the client
    ERRORS = 6  # lines about wrong commands
    # These are written when a sub-context ends:
    DRAWS = 7
    LOADED = 8  # kernels loaded from the disk cache
    COMPILE_NS = 9
    REFUSED = 10  # unsupported shaders


_TEXT = 64
"""Number of words for the text of the first refusal."""

WORDS = len(Mark) + _TEXT


def note_refusal(marks: Sequence[int], text: str) -> bool:
    """Count a refusal, and store the text of the first one, truncated if necessary. Returns true for the first."""
    assert isinstance(marks, memoryview)
    marks[Mark.REFUSED] += 1
    if marks[Mark.REFUSED] > 1:
        return False
    data = text.encode()[: 8 * _TEXT].ljust(8 * _TEXT, b"\0")
    marks[len(Mark) : WORDS] = memoryview(data).cast("Q")
    return True


def first_refusal(marks: Sequence[int]) -> str:
    """Return the text of the first refusal; empty if there was none."""
    return b"".join(word.to_bytes(8, sys.byteorder) for word in marks[len(Mark) : WORDS]).rstrip(b"\0").decode(errors="ignore")


def make_marks(count: int = 1) -> Sequence[memoryview]:
    """Zeroed memory, shared with child processes, for a number of clients."""
    memory = memoryview(mmap.mmap(-1, 8 * WORDS * count)).cast("Q")
    return [memory[at : at + WORDS] for at in range(0, len(memory), WORDS)]
