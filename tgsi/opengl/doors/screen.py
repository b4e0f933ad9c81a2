"""The screen that contexts of one process share: compiled kernels and shaders are made once."""

from __future__ import annotations

from functools import cache

from tgsi.gallium import Screen


@cache
def shared_screen() -> Screen:
    """One screen for every context that is made without its own."""
    return Screen()
