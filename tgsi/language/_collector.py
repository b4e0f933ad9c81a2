"""Pause of Python's garbage collector while very many objects are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused(*, promote: bool) -> Iterator[None]:
    """Pause the garbage collector inside a `with` block.

    Building an IR makes many objects and no reference cycle, so the collector's searches would only double the time.
    `promote`: move everything made to the oldest generation. Otherwise the collector would walk over all of it as soon as it runs again.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if promote and not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()
