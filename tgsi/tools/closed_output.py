"""Output whose reader has gone: `tgsi-replay --print FILE | head` ends in silence."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path


def until_closed(work: Callable[[], int], code: int) -> int:
    """Run `work` and flush stdout and stderr. Return its result, or `code` if the reader has closed either of them."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 open until the process ends
    try:
        result = work()
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        _discard()
        return code
    return result


def _discard() -> None:
    """Redirect both streams to the null device, so that the flush at the interpreter's exit succeeds."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # a stream of a test has no descriptor
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
