"""A limit on the address space (RLIMIT_AS) met anywhere in a frame; without it, the same context draws the right picture."""

from __future__ import annotations

import gc
import random
import resource
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.campaigns.faults import check, expected
from tests.campaigns.frames import KINDS, NAMES, Frames

EACH = 8
"""Frames of a seed, each under a limit of its own."""

_PAGE = resource.getpagesize()
LEAST, MOST = 1 << 14, 1 << 27  # bytes more than the process has


@contextmanager
def limited(room: int) -> Iterator[None]:
    """Let the process map only `room` more bytes than it has."""
    gc.collect()
    size = int(Path("/proc/self/statm").read_text().split()[0]) * _PAGE
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size + room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def prepare() -> None:
    """Code is compiled before: LLVM ends a process that has no memory for it."""
    for name in NAMES:
        expected(name)


def attempt(seed: int) -> Counter[str]:
    """Draw frames through contexts under limits, then again without."""
    chance, counts = random.Random(f"limits {seed}"), Counter[str]()
    frames = Frames(threads=seed % 3)
    try:
        for _ in range(EACH):
            name, room = chance.choice(NAMES), int(LEAST * (MOST / LEAST) ** chance.random()) // _PAGE * _PAGE
            try:
                with limited(room):
                    found = KINDS[name](frames)
                assert found == expected(name), f"the picture of {name} with {room} bytes is wrong"
                counts["drawn"] += 1
            except MemoryError:
                counts["refused"] += 1
            except Exception as error:
                raise AssertionError(f"{name} with {room} bytes") from error
            check(frames, name)
            if chance.random() < 0.4:
                frames.close()
                frames = Frames(threads=seed % 3)
    finally:
        frames.close()
    return counts


def given(seed: int) -> str:
    """A description of what the seed makes."""
    return f"{EACH} frames with limits by Random('limits {seed}')"
