"""The summary of a server's clients: a row for each program, and a line for each with unsupported shaders."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tgsi.tools.vtest.processes.marks import Mark, first_refusal


class Summary:
    """Sums of the marks of clients, by the names of their programs."""

    def __init__(self) -> None:
        self.clients: dict[str, int] = {}
        self.counts: dict[str, list[int]] = {}
        self.refusals: dict[str, str] = {}  # the first refusal of each program

    def add(self, program: str, marks: Sequence[int]) -> None:
        """Add a client that has ended."""
        self.clients[program] = self.clients.get(program, 0) + 1
        counts = self.counts.setdefault(program, [0] * len(Mark))
        for at, count in zip(Mark, marks):
            counts[at] += count
        if refusal := first_refusal(marks):
            self.refusals.setdefault(program, refusal)

    def show(self) -> None:
        """Print the table to stderr."""
        if not self.counts:
            print("tgsi-vtest: no program created a renderer", file=sys.stderr)
            return
        from rich.console import Console
        from rich.table import Table

        table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
        table.add_column("tgsi-vtest", no_wrap=True)
        for title in ("clients", "shaders", "draws", "frames", "compiled", "from disk", "errors"):
            table.add_column(title, justify="right")
        for program, counts in self.counts.items():
            compiled = f"{counts[Mark.ENDED]} in {counts[Mark.COMPILE_NS] / 1e9:.1f} s" if counts[Mark.ENDED] else "0"
            table.add_row(
                program,
                str(self.clients[program]),
                *(f"{counts[mark]:,}" for mark in (Mark.SHADERS, Mark.DRAWS, Mark.FRAMES)),
                compiled,
                f"{counts[Mark.LOADED]:,}",
                f"{counts[Mark.ERRORS]:,}",
                style="red" if counts[Mark.ERRORS] else None,
            )
        console = Console(stderr=True, highlight=False, soft_wrap=True)
        if console.is_terminal:
            console.print()  # after ^C
        console.print(table)
        for program, refusal in self.refusals.items():
            more = self.counts[program][Mark.REFUSED] - 1
            console.print(f"{program}: {refusal}{f' (and {more} more)' if more else ''}", style="red", markup=False)
