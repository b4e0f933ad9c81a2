"""Counts of a client's process, in memory that it shares with the parent process, which reads them whenever it likes."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from enum import IntEnum


class Mark(IntEnum):
    """Words of a client's marks."""

    BEGUN = 0  # commands begun
    MESSAGE = 1  # number of the last message
    COMPILING = 2  # compilations begun
    ENDED = 3  # compilations ended
    SHADERS = 4
    FRAMES = 5  # whole windows that the client has fetched
    ERRORS = 6  # lines about wrong commands
    # These are written when a sub-context ends:
    DRAWS = 7
    LOADED = 8  # kernels that came from the disk
    COMPILE_NS = 9


WORDS = len(Mark)


def make_marks(count: int = 1) -> Sequence[memoryview]:
    """Memory of zeros, shared with child processes, for so many clients."""
    memory = memoryview(mmap.mmap(-1, 8 * WORDS * count)).cast("Q")
    return [memory[at : at + WORDS] for at in range(0, len(memory), WORDS)]
