"""``tgsi.inspect``: the page of a file, of a context whose calls are recorded, or of a bundle."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from backends.gallium.context.context import Context
from backends.gallium.context.recording.bundle import Bundle
from backends.pipe.checks import integer
from tgsi.tools.inspect.sources import Recording, load, readable
from tgsi.tools.inspect.writing import write_page


def inspect(subject: Any, page: str | os.PathLike[str], *, pixels: Iterable[tuple[int, int]] = ()) -> None:
    """Write a frame as one page of HTML (docs/inspect.md): each draw with its picture, state, shaders, cost and overdraw.

    Args:
        subject: the path of a trace or a stream; a context of ``tgsi.Screen(history=True)``, or one that has drawn inside of
            ``with ctx.capture():``; or a bundle, which is replayed on its context.
        page: the file to write. pixels: pairs of column and row, from 0, whose history the page shows.

    Raises:
        RuntimeError: no calls of the context are recorded; the message says how to record them.
        TypeError, ValueError: an argument is wrong, or the file is not a recording.
        OSError: a file cannot be read or written.
    """
    wanted = [_pixel(item) for item in pixels]
    if isinstance(subject, Bundle):
        subject = _replayed(subject)
    if isinstance(subject, Context):
        from tgsi.insight.answers import recordings

        latest = recordings(subject, "inspect")[0]
        steps, error = readable(latest.data)
        screen: Any = subject.screen
        write_page(screen, Recording("context", steps, end=str(error or "")), Path(page), wanted)
        return
    if not isinstance(subject, (str, os.PathLike)):
        raise TypeError(f"inspect: subject: expected a path, a Context or a Bundle, not {type(subject).__name__}")
    from tgsi.gallium import Screen

    recording = load(Path(subject))
    with Screen() as screen:
        write_page(screen, recording, Path(page), wanted)


def _pixel(item: Any) -> tuple[int, int]:
    if not isinstance(item, (tuple, list)) or len(item) != 2:
        raise TypeError(f"inspect: pixels: expected pairs of column and row, not {item!r}")
    return integer(item[0], "inspect: pixels: column", 0), integer(item[1], "inspect: pixels: row", 0)


def _replayed(bundle: Bundle) -> Any:
    """The context of a bundle, after a replay whose calls are recorded."""
    context: Any = bundle.context
    if context.is_observed:
        context.replay(bundle)
    else:
        with context.capture():
            context.replay(bundle)
    return context
