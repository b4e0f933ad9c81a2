"""Calls of Python functions while a piece of work runs: what generated code does by itself enters none."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls_in(work: Callable[[], object], *, path: str = "") -> list[str]:
    """Names of the Python functions that `work` enters, itself left out.

    Args:
        work: the piece of work.
        path: a part of the paths of the files whose functions count; empty: all files.
    """
    found: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and path in frame.f_code.co_filename and frame.f_code is not getattr(work, "__code__", None):
            found.append(frame.f_code.co_name)

    before, collects = sys.getprofile(), gc.isenabled()
    gc.disable()  # callbacks of what others have left are not calls of this work
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
        if collects:
            gc.enable()
    return found
