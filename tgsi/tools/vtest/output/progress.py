"""Progress of long work, shown only on a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from tgsi.tools.vtest.processes.marks import Mark


def is_shown() -> bool:
    """Return whether stderr is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextlib.contextmanager
def bar(title: str, total: int, *, quiet: bool = False) -> Iterator[Callable[[int], object]]:
    """A progress bar during a block. Yields a function that advances it by an amount of work."""
    if quiet or not is_shown():
        yield lambda amount: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(title), BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=total)
        yield lambda amount: progress.advance(task, amount)


MANY_LOOKS = 8
"""Consecutive polls during which a client compiles before a line says so: about two seconds."""


class Compilations:
    """A line about kernels with long compilations. It is drawn by `look` instead of a thread, because processes fork.

    console: rich's console; None for stderr.
    """

    def __init__(self, console: Any = None) -> None:
        self._console = console
        self._live: Any = None
        self._looks = 0

    def look(self, clients: list[tuple[str, tuple[int, ...]]]) -> None:
        """Show the work of the clients, by names and marks."""
        busy = [(name, marks) for name, marks in clients if marks[Mark.COMPILING] != marks[Mark.ENDED]]
        self._looks = self._looks + 1 if busy else 0
        if self._looks < MANY_LOOKS:
            self.end()
            return
        from rich.console import Console
        from rich.live import Live

        text = ", ".join(f"{name}: {marks[Mark.COMPILING]} kernels" for name, marks in busy)
        if self._live is None:
            console = self._console or Console(stderr=True)
            console.print()  # the command may be in the middle of a line
            self._live = Live(console=console, auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(f"compiling for {text}", refresh=True)

    def end(self) -> None:
        """Remove the line."""
        if self._live is not None:
            self._live.stop()
            self._live = None
