"""Ends processes that a command leaves running: all whose environment has a mark."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

STEPS: Sequence[tuple[int, float]] = ((0, 0.3), (signal.SIGTERM, 3.0), (signal.SIGKILL, 3.0))
"""Signals in order, with the seconds to wait after each. The first step only waits."""

_LOOK = 0.02  # seconds


def marked(mark: str) -> list[int]:
    """Numbers of the other living processes whose environment has `NAME=value`."""
    numbers = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):  # it has ended, or belongs to another user
                if os.fsencode(mark) in (entry / "environ").read_bytes().split(b"\0"):
                    numbers.append(int(entry.name))
    return numbers


def end_marked(mark: str, steps: Sequence[tuple[int, float]] = STEPS) -> None:
    """End all processes with a mark, including those they start meanwhile."""
    for number, seconds in steps:
        until = time.monotonic() + seconds
        told: set[int] = set()
        while living := marked(mark):
            for pid in living:
                if number and pid not in told:
                    told.add(pid)
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, number)
            if time.monotonic() > until:
                break
            time.sleep(_LOOK)
        else:
            return
