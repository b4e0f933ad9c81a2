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
            if promote and not _is_frozen():
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def freeze_all() -> None:
    """Move every object that the collector tracks out of its reach, for children that a process forks."""
    global _frozen
    gc.freeze()
    _frozen = True


_frozen = False  # set once the program has frozen objects, which `unfreeze` would give back to the collector


def _is_frozen() -> bool:
    """Return true if the program has ever frozen objects. Counting them walks over all of them, so it is done until some are found."""
    global _frozen
    _frozen = _frozen or gc.get_freeze_count() > 0
    return _frozen
