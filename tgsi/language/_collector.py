"""The garbage collector held still while very many objects are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused(*, promote: bool) -> Iterator[None]:
    """Building an IR makes many objects and no cycle: looking for cycles meanwhile would double the time.

    `promote`: put everything made in the oldest generation, or the collector would walk over all of it as soon as it is back.
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
